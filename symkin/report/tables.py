"""The tables that reports are made of: a column says its heading and where its cells come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from symkin.emit import CArray, CModule
from symkin.graph import Counts, Graph, count
from symkin.model import Coordinate, Joint, Robot
from symkin.plan import Plan, in_words
from symkin.quantities import Bundle, Quantity
from symkin.report.document import Cell, Column, Shown, Style, Table
from symkin.verify import DERIVATIVE_LANES, Check, Verification

Item = TypeVar("Item")


class Joined(NamedTuple):
    """A joint, the links that it joins, and how it follows q if it moves."""

    joint: Joint
    parent: str
    child: str
    coordinate: Coordinate | None


def tabulate(
    key: str,
    title: str,
    items: Iterable[Item],
    *columns: tuple[Column, Callable[[Item], Cell]],
) -> Table:
    """A table with one row per item."""
    rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
    return Table(key, title, tuple(column for column, _ in columns), rows)


def column(
    title: str,
    cell: Callable[[Any], Cell],
    style: Style = "text",
    key: str = "",
    shown: Shown = "always",
) -> tuple[Column, Callable[[Any], Cell]]:
    """A column and where its cells come from; without ``key`` it is the title's."""
    return Column(key or title.replace(" ", "_"), title, style, shown), cell


def counts_table(sized: Iterable[tuple[Graph, int]]) -> Table:
    """One row per graph: nodes and operations, depth, nonzeros and the bytes of its C source."""

    def counted(
        title: str, cell: Callable[[Counts], int], key: str = "", shown: Shown = "always"
    ) -> Any:
        return column(title, lambda row: cell(row[1]), "count", key, shown)

    return tabulate(
        "functions",
        "Operations",
        ((graph, count(graph), size) for graph, size in sized),
        column("function", lambda row: row[0].name, key="name"),
        counted("nodes", lambda c: c.nodes),
        counted("operations", lambda c: c.operations),
        counted("+", lambda c: c.add, "add", "wide"),
        counted("-", lambda c: c.sub, "sub", "wide"),
        counted("×", lambda c: c.mul, "mul", "wide"),
        counted("÷", lambda c: c.div, "div", "wide"),
        counted("√", lambda c: c.sqrt, "sqrt", "wide"),
        counted("neg", lambda c: c.neg, shown="wide"),
        counted("trig", lambda c: c.trigonometric, "trigonometric", "wide"),
        counted("logic", lambda c: c.logic, shown="wide"),
        counted("constants", lambda c: c.constants, shown="data"),
        column("depth", lambda row: row[0].depth, "count"),
        column("entries", lambda row: sum(o.port.size for o in row[0].outputs), "count"),
        column("nonzeros", lambda row: sum(len(o.nonzeros) for o in row[0].outputs), "count"),
        column("C bytes", lambda row: row[2], "count", "c_bytes"),
    )


def candidates_table(plans: Iterable[Plan]) -> Table:
    """One row per way that a plan tried: what it took, and which one became the function."""
    return tabulate(
        "ways",
        "Ways that were tried",
        ((plan, candidate) for plan in plans for candidate in plan.candidates),
        column("function", lambda row: row[0].graph.name, key="name"),
        column("formulation", lambda row: tuple(dict.fromkeys(row[1].formulations))),
        column("prepared by", lambda row: in_words(row[1].preparation), key="prepared"),
        column("preparation", lambda row: row[1].preparation, shown="data"),
        column("as traced", lambda row: row[1].traced.operations, "count", "traced"),
        column(
            "optimised",
            lambda row: None if row[1].counts is None else row[1].counts.operations,
            "count",
            "operations",
        ),
        column("taken", lambda row: row[1] is row[0].winner),
        column("objective", lambda row: row[0].objective, shown="data"),
        column("cost", lambda row: row[1].cost, "number", shown="data"),
    )


def functions_table(module: CModule) -> Table:
    """One row per generated function: how it is called from C."""

    def written(arrays: Sequence[CArray]) -> str:
        return ", ".join(f"{array.identifier}[{len(array.entries)}]" for array in arrays)

    return tabulate(
        "functions",
        "Functions",
        module.functions,
        column("function", lambda f: f.name, key="name"),
        column("in C", lambda f: f.symbol, key="symbol"),
        column("inputs", lambda f: written(f.inputs)),
        column("outputs", lambda f: written(f.outputs)),
        column("for CasADi", lambda f: f.casadi, key="casadi", shown="data"),
    )


def files_table(module: CModule) -> Table:
    """One row per generated file."""
    return tabulate(
        "files",
        "Files",
        module.files.items(),
        column("file", lambda row: row[0], key="path"),
        column("lines", lambda row: row[1].count("\n"), "count"),
        column("bytes", lambda row: len(row[1].encode()), "count"),
    )


def renamed_table(module: CModule) -> Table:
    """Names that C does not allow, and what they became."""
    return tabulate(
        "renamed",
        "Names that had to change",
        module.renamed,
        column("given", lambda row: row[0]),
        column("used", lambda row: row[1]),
    )


def checks_table(checks: Iterable[Check]) -> Table:
    """One row per check: quantity and lane, the worst error found, what is allowed, the verdict."""
    return tabulate(
        "checks",
        "Checks",
        checks,
        column("quantity", lambda check: check.quantity),
        column("lane", lambda check: check.lane),
        column("worst error", lambda check: check.error, "error", "error"),
        column("tolerance", lambda check: check.tolerance, "error"),
        column("verdict", lambda check: check.passed, "verdict", "passed"),
        column("note", lambda check: check.note),
    )


def summary_table(verification: Verification) -> Table:
    """One row per quantity: its checks, and the worst error of each kind of them."""
    groups: dict[str, list[Check]] = {}
    for check in verification.checks:
        groups.setdefault(check.quantity, []).append(check)

    def worst(kind: str, shown: Shown) -> tuple[Column, Callable[[list[Check]], Cell]]:
        def largest(checks: list[Check]) -> Cell:
            done = [c.error for c in checks if _kind(c) == kind and c.passed is not None]
            return max(done, key=lambda error: (math.isnan(error), error), default=None)

        return column(kind, largest, "error", shown=shown)

    def passed(checks: list[Check]) -> Cell:
        verdicts = [check.passed for check in checks if check.passed is not None]
        return all(verdicts) if verdicts else None

    return tabulate(
        "summary",
        "Worst error of each kind of check",
        groups.values(),
        column("quantity", lambda checks: checks[0].quantity),
        column("checks", lambda checks: sum(c.passed is not None for c in checks), "count"),
        column("skipped", lambda checks: sum(c.passed is None for c in checks), "count"),
        worst("values", "always"),
        worst("derivatives", "wide"),
        worst("differences", "wide"),
        worst("laws", "always"),
        worst("libraries", "always"),
        column("verdict", passed, "verdict", "passed"),
    )


def _kind(check: Check) -> str:
    """Differences err by truncation, all else by rounding alone: they are told apart first."""
    if "difference" in check.lane:
        return "differences"
    if check.lane.startswith("law: "):
        return "laws"
    if ": " in check.lane:
        return "libraries"
    return "derivatives" if check.lane in DERIVATIVE_LANES else "values"


def joints_table(robot: Robot) -> Table:
    """One row per joint: what it joins, its coordinate, whom it follows, and its limits."""

    def of_mimic(name: str) -> Callable[[Joined], Cell]:
        return lambda row: getattr(row.joint.mimic, name, None)

    def limit(name: str) -> Callable[[Joined], Cell]:
        return lambda row: getattr(row.joint.limits, name) if row.joint.moves else None

    def unit(row: Joined) -> Cell:
        if row.joint.nq != 1:
            return None
        return "m, m/s, N" if row.joint.kind == "prismatic" else "rad, rad/s, N m"

    names = robot.link_names
    joined = (
        Joined(link.joint, names[link.parent], link.name, robot.coordinates.get(i))
        for i, link in enumerate(robot.links)
        if link.joint
    )
    return tabulate(
        "joints",
        "Joints and their limits",
        joined,
        column("joint", lambda row: row.joint.name, key="name"),
        column("kind", lambda row: row.joint.kind),
        column("parent", lambda row: row.parent, shown="data"),
        column("child", lambda row: row.child, shown="data"),
        column("q", lambda row: getattr(row.coordinate, "index", None), "number", "index"),
        column(
            "v",
            lambda row: getattr(row.coordinate, "velocity", None),
            "number",
            "velocity_index",
            "data",
        ),
        column("follows", of_mimic("leader"), key="leader", shown="wide"),
        column("times", of_mimic("multiplier"), "number", "multiplier", "wide"),
        column("plus", of_mimic("offset"), "number", "offset", "wide"),
        column("lower", limit("lower"), "number"),
        column("upper", limit("upper"), "number"),
        column("velocity", limit("velocity"), "number", shown="wide"),
        column("effort", limit("effort"), "number", shown="wide"),
        column("unit", unit, shown="wide"),
    )


def frames_table(robot: Robot) -> Table:
    """One row per link and added frame: what may be asked for as a frame."""
    return tabulate(
        "frames",
        "Frames",
        (robot.frame(name) for name in robot.frame_names),
        column("frame", lambda frame: frame.name, key="name"),
        column("on link", lambda frame: robot.links[frame.link].name, key="link"),
        column(
            "position in the link, m",
            lambda frame: " ".join(f"{float(x):.6g}" for x in frame.pose.p),
            key="position",
        ),
        column("tip", lambda frame: frame.name in robot.tips),
    )


def notes_table(robot: Robot) -> Table:
    """The load report: one row for each message, with all the places it is about."""
    places: dict[tuple[str, str], list[str]] = {}
    for note in robot.notes:
        places.setdefault((note.kind, note.message), []).append(note.where)
    return tabulate(
        "notes",
        "What loading did besides reading",
        places.items(),
        column("kind", lambda row: row[0][0]),
        column("message", lambda row: row[0][1]),
        column("where", lambda row: tuple(row[1])),
    )


def quantities_table(quantities: Iterable[Quantity]) -> Table:
    """What can be computed, and from what."""
    return tabulate(
        "quantities",
        "Quantities",
        quantities,
        column("quantity", lambda q: q.name, key="name"),
        column("inputs", lambda q: ", ".join(slot.name for slot in q.inputs)),
        column("output", lambda q: q.output.name),
        column("shape", lambda q: " x ".join(str(size) for size in q.output.shape)),
        column("unit", lambda q: q.output.unit, shown="wide"),
        column("meaning", lambda q: q.doc, key="doc"),
        column("of a frame", lambda q: q.per_frame, key="per_frame", shown="data"),
        column("formulations", lambda q: ", ".join(q.formulations), shown="data"),
        column("reference", lambda q: q.reference, shown="data"),
    )


def bundles_table(bundles: Iterable[Bundle]) -> Table:
    """Which quantities can be had at once by one name."""
    return tabulate(
        "bundles",
        "Bundles: several quantities as one function",
        bundles,
        column("bundle", lambda b: b.name, key="name"),
        column("quantities", lambda b: ", ".join(b.quantities)),
        column("meaning", lambda b: b.doc, key="doc"),
    )
