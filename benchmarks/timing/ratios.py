"""Pinocchio's time over ours, robot by robot, and whether both computed the same."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from bench import Figure, Interval, Row, Section, Table, at_most
from counting.robots import PACKAGE, named

import symkin
from symkin.build import compile_module
from symkin.graph import count
from symkin.model import Robot
from symkin.plan import plan
from symkin.verify.states import sample_states
from timing.harness import Array, Found, Work, available, measure
from timing.targets import COLD, FUNCTIONS, least

STATES = 8
ALWAYS = "-march=native -ffp-contract=fast -fno-math-errno"
WAYS = (("clang", "-O1"), ("clang", "-O2"), ("gcc", "-O2"), ("gcc", "-O3"))
"""Compilers and levels that are tried, the fastest first where compiling takes long."""
LARGE = 10_000
"""Operations of a function from which on only the first way is tried."""

ROUNDING = 64.0
"""What a value may be off by, in machine epsilons times the number of joints times a condition:
that of M for what is solved for, of the largest entry in its array."""

_COLUMNS = (
    *("", "operations", "ours, ns", "Pinocchio", "ratio"),
    *("ours cold", "Pinocchio", "ratio", "compiled by", "KB", "s"),
)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A function as one compiler made it, and what that took."""

    work: Work
    way: str
    operations: int
    seconds: float


def of_robot(name: str, quick: bool) -> Section:
    """One robot's functions beside Pinocchio's: warm, cold, and the values."""
    robot = named(name)
    if robot is None or not available():
        needed = "pin, with g++" if robot is not None else PACKAGE
        return Section(name, "not to be had", (Row(name, None, Interval(1.0), missing=needed),))
    functions = tuple(FUNCTIONS)
    compiled = [way for function in functions for way in _compiled(robot, function)]
    states = {key: x[:STATES] for key, x in sample_states(robot, STATES, seed=4).items()}
    works = [way.work for way in compiled]
    found = measure(
        robot, states, works, native=not quick, seconds=0.1 if quick else 0.5, calls=200
    )
    limits = {function: _rounding(robot, function, states["q"]) for function in functions}
    table: list[tuple[Figure, ...]] = []
    rows: list[Row] = []
    worst = 0.0
    for function in functions:
        own = [pair for pair in zip(compiled, found, strict=True) if pair[0].work.what == function]
        way, best = min(own, key=lambda pair: pair[1].ours.warm)
        for made, times in own:
            worst = max(worst, _error(times, made.work.sizes) / limits[function])
        warm, cold = best.theirs.warm / best.ours.warm, best.theirs.cold / best.ours.cold
        size = way.work.library.stat().st_size // 1024
        table.append(
            (
                *(function, way.operations, round(best.ours.warm), round(best.theirs.warm), warm),
                *(round(best.ours.cold), round(best.theirs.cold), cold),
                *(way.way, size, round(way.seconds, 1)),
            )
        )
        target, cold_target = Interval(least(robot.nv, function)), Interval(COLD)
        rows.append(Row(f"{name}: {function}", warm, target, best.theirs.warm))
        rows.append(Row(f"{name}: {function}, cold", cold, cold_target, best.theirs.cold))
    rows.append(Row(f"{name}: difference of values / rounding", worst, at_most(1.0)))
    return Section(
        f"{name}, {robot.nv} degrees of freedom",
        f"Nanoseconds of one call; the best of {', '.join(map(' '.join, WAYS))}, {ALWAYS};\n"
        f"Pinocchio {'from its wheel' if quick else 'compiled by g++ -O3 -march=native'}.",
        tuple(rows),
        (Table("", _COLUMNS, tuple(table)),),
    )


def _compiled(robot: Robot, function: str) -> Iterator[Compiled]:
    """The planned function, by every compiler that is worth the wait."""
    graph = plan(robot, FUNCTIONS[function]).graph
    module = symkin.emit_c(graph, name=f"{robot.name}_{function}")
    (emitted,) = module.functions
    sizes = tuple(len(array.entries) for array in emitted.outputs)
    operations = count(graph).operations
    for compiler, level in WAYS[:1] if operations > LARGE else WAYS:
        started = time.perf_counter()
        library = compile_module(module, compiler=compiler, flags=f"{level} {ALWAYS}")
        seconds = time.perf_counter() - started
        work = Work(function, library, emitted.symbol, sizes)
        yield Compiled(work, f"{compiler} {level}", operations, seconds)


def _rounding(robot: Robot, function: str, q: Array) -> float:
    condition = 1.0
    if function in ("FD", "dFD"):
        condition = float(np.max(np.linalg.cond(symkin.evaluate(robot, "mass_matrix", q=q))))
    return ROUNDING * robot.nv * condition * sys.float_info.epsilon


def _error(found: Found, sizes: Sequence[int]) -> float:
    """The largest difference in an array, in its largest entry."""
    ours, theirs = (np.split(values, np.cumsum(sizes)[:-1], axis=1) for values in found.values)
    return max(
        float(np.max(np.abs(x - y)) / np.max(np.abs(y))) for x, y in zip(ours, theirs, strict=True)
    )
