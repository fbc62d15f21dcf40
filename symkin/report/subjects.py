"""What there is to say about robots, graphs, checks and symkin itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symkin.emit import CModule, emit_c
from symkin.errors import ArgumentError
from symkin.graph import Graph
from symkin.model import Robot, bundled_names, load
from symkin.plan import Plan, plan_instances
from symkin.quantities import BUNDLES, QUANTITIES, bind_all
from symkin.report.document import Cell, Column, Report, Table
from symkin.report.tables import (
    bundles_table,
    candidates_table,
    checks_table,
    counts_table,
    files_table,
    frames_table,
    functions_table,
    joints_table,
    notes_table,
    quantities_table,
    renamed_table,
    summary_table,
)
from symkin.verify import Verification


def report(subject: Robot | Verification | Iterable[Graph | Plan]) -> Report:
    """Counts of operations, or the outcome of checks.

    Of a robot: plans of every quantity that it has, at each of its tips. Of graphs or plans: each
    of them. Per function the operations by kind, nodes, the longest chain of operations, entries
    and nonzeros of the output, and the bytes of its C source as a module of its own; of plans also
    all ways that were tried. Of a verification: each check's worst error, tolerance and verdict,
    those that failed first, and the worst of each kind of check. Raises ArgumentError for anything
    else.
    """
    if isinstance(subject, Verification):
        return describe_checks(subject)
    if isinstance(subject, Robot | str):  # a str is refused there, with the way out
        subject = tuple(plan_instances((instance,)) for instance in bind_all(subject))
    found = tuple(subject) if isinstance(subject, Iterable) else (subject,)
    for one in found:
        if not isinstance(one, Graph | Plan):
            kind = type(one).__name__
            raise ArgumentError(
                f"a report is of a robot, a verification, plans or graphs, not of {kind}"
            )
    return _counted(found)


def describe(robot: Robot) -> Report:
    """A robot as it was loaded: its tree, joints, frames, and what loading did besides reading."""
    facts: dict[str, Cell] = {
        "links": len(robot.links),
        "nq": robot.nq,
        "nv": robot.nv,
        "moving_mass_kg": robot.moving_mass,
        "digest": robot.digest,
    }
    tables = (joints_table(robot), frames_table(robot), notes_table(robot))
    tree = str(robot).partition("\n")[2]
    return Report(robot.name, facts, tree, tables)


def describe_module(module: CModule) -> Report:
    """Generated C: its files, its functions and how they are called, and names that changed."""
    settings = module.options
    facts: dict[str, Cell] = {
        "digest": module.digest,
        "real": settings.real,
        "order": settings.order,
        "zeros": settings.zeros,
    }
    tables = (files_table(module), functions_table(module), renamed_table(module))
    return Report(f"{module.name}: C99", facts, "", tables)


def describe_checks(verification: Verification, *, passed: bool = True) -> Report:
    """The outcome of checks, those that failed first; without ``passed`` those alone.

    Why checks were not carried out is said once for each reason, and the summary counts all.
    """
    facts: dict[str, Cell] = {
        "passed": verification.passed,
        "failed": len(verification.failures),
        "skipped": len(verification.skipped),
        "not_carried_out": tuple(dict.fromkeys(c.note for c in verification.skipped)) or None,
    }
    rest = [check for check in verification.checks if check.passed is not False]
    shown = (*verification.failures, *(rest if passed else ()))
    tables = (checks_table(shown), summary_table(verification))
    return Report(f"Checks: {verification.robot}", facts, "", tables)


def catalogue() -> Report:
    """What symkin computes, alone or at once, and the robots that come with it."""
    robots = [(name, load(name)) for name in bundled_names()]
    columns = (Column("name", "robot"), Column("joints", "joints", "count"), Column("tips", "tips"))
    rows = tuple((name, robot.nq, robot.tips) for name, robot in robots)
    bundled = Table("robots", "Bundled robots", columns, rows)
    quantities, bundles = quantities_table(QUANTITIES.values()), bundles_table(BUNDLES.values())
    return Report("What symkin computes", {}, "", (quantities, bundles, bundled))


def _counted(subjects: Sequence[Graph | Plan]) -> Report:
    graphs = [one.graph if isinstance(one, Plan) else one for one in subjects]
    origins = dict.fromkeys(graph.origin for graph in graphs)
    counts = counts_table((graph, _source_bytes(graph)) for graph in graphs)
    ways = candidates_table(one for one in subjects if isinstance(one, Plan))
    return Report(f"Operations: {', '.join(origins)}", {}, "", (counts, ways))


def _source_bytes(graph: Graph) -> int:
    module = emit_c(graph, name=graph.name)
    return sum(len(module.files[name].encode()) for name in module.sources)
