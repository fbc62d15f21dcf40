"""Experiment 7: derivatives in closed form beside a loop of central differences in Python."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from bench import Interval, Row, Section, Table, installed
from kinematics.lanes import compiler_found
from kinematics.states import Array

import symkin
from dynamics.states import chain
from dynamics.traces import FUNCTIONS, Traced
from symkin.model import Robot
from symkin.verify.oracles.pinocchio import model_of

STEP = 1e-6
DOCUMENT = {"dtau/d(q, v)": Interval(11.0, 66.0), "da/d(q, v)": Interval(14.0, 36.0)}
# The document goes to 96 joints. M^-1 makes da/d(q, v) grow as n^3, in straight-line code too far.
SIZES = {
    "dtau/d(q, v)": ((6, 12, 24), (6, 12, 24, 48, 96)),
    "da/d(q, v)": ((6, 12), (6, 12, 24, 48)),
}
COMPILED = ((6,), (6, 12))
"""How long chains are compiled; gcc takes minutes for the longer ones."""
SECONDS = 0.05  # of each measurement, at the least

Call: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class Pair:
    """A function of three vectors, and its derivatives by the first two."""

    value: Call
    derivatives: Call

    def ratio(self, n: int) -> tuple[float, float]:
        """The time of a loop, and that of one value, in that of the derivatives."""
        state = np.random.default_rng(n).uniform(-1.0, 1.0, (3, n))
        loop, value, derivatives = least_times(
            lambda: differences(self.value, *state),
            lambda: self.value(*state),
            lambda: self.derivatives(*state),
        )
        return loop / derivatives, derivatives / value


def differences(value: Call, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
    """Central differences by q and by v, 4 n calls, as one writes them in Python."""
    steps = STEP * np.eye(len(q))
    by_q = [np.ravel(value(q + d, v, x) - value(q - d, v, x)) / (2.0 * STEP) for d in steps]
    by_v = [np.ravel(value(q, v + d, x) - value(q, v - d, x)) / (2.0 * STEP) for d in steps]
    return np.array(by_q).T, np.array(by_v).T


def least_times(*calls: Callable[[], object], rounds: int = 5) -> list[float]:
    """Seconds that each call takes at best; they take turns, so that all share what disturbs."""
    repeats = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        once = time.perf_counter() - start
        repeats.append(max(1, math.ceil(SECONDS / rounds / once)))
    best = [math.inf] * len(calls)
    for _ in range(rounds):
        for k, (call, count) in enumerate(zip(calls, repeats, strict=True)):
            start = time.perf_counter()
            for _ in range(count):
                call()
            best[k] = min(best[k], (time.perf_counter() - start) / count)
    return best


def pairs(robot: Robot, what: str, compiled: bool) -> Iterator[tuple[str, Pair]]:
    """Interpreted by CasADi, compiled, and Pinocchio's."""
    traced = [Traced.of(robot, compute) for compute in FUNCTIONS[what]]
    value, derivatives = (t.function for t in traced)
    yield "interpreted", Pair(in_numpy(value), in_numpy(derivatives))
    if compiled:
        module = symkin.emit_c([t.graph() for t in traced], name=f"{robot.name}_{value.name()}")
        library = symkin.build(module, flags="-O1")
        yield "compiled", Pair(library[value.name()], library[derivatives.name()])
    if installed("pin"):
        yield "pinocchio", pinocchio(robot, what)


def in_numpy(function: Any) -> Call:
    """A CasADi function of one or several columns whose values are arrays."""
    if function.n_out() == 1:
        return lambda *state: function(*state).full()
    return lambda *state: [part.full() for part in function(*state)]


def pinocchio(robot: Robot, what: str) -> Pair:
    """Its own pair, through its Python bindings; a chain's joints are in our order."""
    import pinocchio as pin

    model = model_of(robot)
    data = model.createData()
    names = {
        "dtau/d(q, v)": ("rnea", "computeRNEADerivatives"),
        "da/d(q, v)": ("aba", "computeABADerivatives"),
    }[what]
    value, derivatives = (getattr(pin, name) for name in names)
    return Pair(
        # A copy: the next call writes into what this one returned.
        lambda *state: np.array(value(model, data, *state)),
        lambda *state: derivatives(model, data, *state),
    )


def speed(what: str, quick: bool) -> Section:
    """How often the derivatives are done while the loop runs once."""
    index = 0 if quick else 1
    table: list[tuple[Any, ...]] = []
    ratios: dict[str, list[float]] = {"interpreted": [], "compiled": [], "pinocchio": []}
    can_compile = compiler_found()
    for n in SIZES[what][index]:
        compiled = can_compile and n in COMPILED[index]
        found = {lane: pair.ratio(n) for lane, pair in pairs(chain(n), what, compiled)}
        for lane, (ratio, _) in found.items():
            ratios[lane].append(ratio)
        table.append((n, *cells(found, 0), *cells(found, 1)))
    return Section(
        f"7. {what} of chains: time of a Python loop of central differences over that of ours",
        "Least times, taken in turns; the loop calls the same kind of function 4 n times, and "
        "Python's calls are part of it.\nNumbers depend on the computer and what else it does.",
        (
            # The loop has work for more than one derivative at least.
            *rows_of("interpreted by CasADi", ratios["interpreted"], what),
            *rows_of("compiled C, -O1", ratios["compiled"], what, "C compiler"),
            *rows_of("Pinocchio here", ratios["pinocchio"], what, "pin", judged=False),
        ),
        (
            Table(
                "loop / derivatives, then derivatives / one value",
                ("n", *ratios, *(f"{lane}, in values" for lane in ratios)),
                tuple(table),
            ),
        ),
    )


def cells(found: dict[str, tuple[float, float]], index: int) -> Iterable[float | None]:
    """The figures of every lane, if it has one."""
    lanes = ("interpreted", "compiled", "pinocchio")
    return (found[lane][index] if lane in found else None for lane in lanes)


def rows_of(
    name: str, ratios: list[float], what: str, missing: str = "", judged: bool = True
) -> Iterator[Row]:
    """The range over all lengths of chain."""
    target = Interval(low=1.0) if judged else None
    if ratios:
        found = Interval(min(ratios), max(ratios)) if len(ratios) > 1 else ratios[0]
        yield Row(f"{name}: loop / derivatives", found, target, DOCUMENT[what])
    else:
        yield Row(f"{name}: loop / derivatives", None, target, DOCUMENT[what], missing=missing)
