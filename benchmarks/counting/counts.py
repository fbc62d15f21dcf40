"""Counts of one robot's functions, and of many robots at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from bench import Figure, Row, Section, Table, at_most

import symkin
from counting.figures import FIRST, FUNCTIONS, PROTOTYPE, TARGETS, of, published
from counting.robots import PACKAGE, cleaned, files, named
from symkin.errors import SymkinError
from symkin.graph import count
from symkin.model import Robot
from symkin.plan import Plan, in_words, plan
from symkin.quantities import BUNDLES, QUANTITIES

LARGE = 20
"""Degrees of freedom from which on second derivatives, A and B are left out."""
QUICK = {7: 5, 12: 4, 10**9: 2}
"""Up to so many degrees of freedom so many functions are counted where there is little time."""
LARGEST = 50
"""Those from which on derivatives are left out, of robots without a target."""

_COLUMNS = (
    *("", "ours", "as traced", "prototype", "ratio", "published", "ratio"),
    *("formulation", "prepared by", "s"),
)


def of_robot(name: str, quick: bool) -> Section:
    """One robot's functions beside others' figures, judged where there is a target."""
    robot = named(name)
    if robot is None:
        row = Row(f"{name}: all", None, at_most(0), missing=PACKAGE)
        return Section(name, "not to be had", (row,))
    return section(name, robot, quick)


def of_file(argument: str, quick: bool) -> Section:
    """The same of a file given as NAME=FILE or FILE; NAME finds others' figures."""
    name, _, path = argument.rpartition("=")
    return section(name or Path(path).stem, symkin.load(Path(path)), quick)


def section(name: str, robot: Robot, quick: bool) -> Section:
    """The functions of a robot, those with targets also as rows."""
    table: list[tuple[Figure, ...]] = []
    rows: list[Row] = []
    for function in _functions(robot, quick):
        started = time.perf_counter()
        found = plan(robot, FUNCTIONS[function])
        seconds = time.perf_counter() - started
        ours = count(found.graph).operations
        theirs, best = of(PROTOTYPE, name, function), published(name, function)
        target = of(TARGETS, name, function)
        ratios = (ours / figure if figure else None for figure in (theirs, best))
        figures = zip((theirs, best), ratios, strict=True)
        traced = found.winner.traced.operations
        table.append(
            (function, ours, traced, *(x for pair in figures for x in pair), *_way(found), seconds)
        )
        if target is not None:
            rows.append(Row(f"{name}: {function}", ours, at_most(target), theirs))
    note = f"{robot.nv} degrees of freedom; {cleaned(robot)}."
    return Section(name, note, tuple(rows), (Table("", _COLUMNS, tuple(table)),))


def others(quick: bool) -> Section:
    """Every file of the package, on a fixed base."""
    table: list[tuple[Figure, ...]] = []
    for path in files():
        try:
            robot = symkin.load(path)
        except SymkinError as error:
            table.append((path.stem, None, str(error)[:60]))
            continue
        possible = FIRST if robot.nv <= LARGEST else FIRST[:3]
        chosen = possible[:3] if quick else possible
        names = [name for name in chosen if not _missing(robot, name)]
        counts = {f: count(plan(robot, FUNCTIONS[f]).graph).operations for f in names}
        table.append((path.stem, robot.nv, *(counts.get(function) for function in FIRST)))
    columns = ("", "n", *FIRST)
    return Section(
        f"Files of {PACKAGE}",
        f"On a fixed base, the default snap rule; derivatives up to {LARGEST} degrees of freedom.",
        (),
        (Table("", columns, tuple(table)),),
    )


def _functions(robot: Robot, quick: bool) -> Iterator[str]:
    """What is counted of a robot; quickly, of the larger ones what takes few seconds to plan."""
    if quick:
        few = next(number for size, number in QUICK.items() if robot.nv <= size)
        chosen: tuple[str, ...] = FIRST[:few]
    else:
        chosen = tuple(FUNCTIONS) if robot.nv < LARGE else FIRST
    return (function for function in chosen if not _missing(robot, function))


def _missing(robot: Robot, function: str) -> bool:
    """Whether the robot does not have the function, as one without mass has no accelerations."""
    name = FUNCTIONS[function]
    quantities = BUNDLES[name].quantities if name in BUNDLES else (name,)
    return any(QUANTITIES[quantity].demand(robot) for quantity in quantities)


def _way(found: Plan) -> tuple[str, str]:
    formulations = dict.fromkeys(found.winner.formulations)
    return ", ".join(formulations), in_words(found.winner.preparation)
