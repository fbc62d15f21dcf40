"""Experiment 1: every way to every block of the derivatives, against complex steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from bench import Row, Section, Table, at_most
from kinematics.states import Array

import symkin
from dynamics.states import ARM, BLOCKS, Motions, draw, relative, worst

TINY = 1e-30  # of the complex steps, as in the document: no truncation is left
# About a hundred roundings of a block's largest entry, which the condition of M is a part of.
EXACT = at_most(2e-14)
LANES = ("dual", "casadi forward", "casadi reverse")
# As in the document: the step, the largest of its errors, and their range.
DIFFERENCES = {
    "central difference": (1e-6, 1e-6, "1e-9 … 1e-6"),
    "forward difference": (1e-8, 1e-4, "1e-7 … 1e-4"),
}


def accuracy(quick: bool) -> Section:
    """The six blocks of the arm."""
    motions = draw(ARM, 20 if quick else 100)
    exact = by_lane(motions, "complex step", TINY)
    exact_lanes = {lane: by_lane(motions, lane) for lane in LANES}
    rows: list[Row] = []
    analytic: dict[str, float] = {}
    for block, right in exact.items():
        for name, ours in formulations(motions, BLOCKS[block][2]):
            error = worst(ours, right)
            analytic[block] = max(error, analytic.get(block, 0.0))
            rows.append(Row(f"{block}: analytic, {name}", error, EXACT, "≤ 1.5e-14"))
        for lane, found in exact_lanes.items():
            rows.append(Row(f"{block}: {lane}", worst(found[block], right), EXACT, "≤ 1.5e-14"))
    errors: list[list[float]] = []
    for lane, (step, largest, document) in DIFFERENCES.items():
        found = by_lane(motions, lane, step)
        errors.append([float(np.median(relative(found[b], exact[b]))) for b in BLOCKS])
        what = f"{lane}, h = {step:g}, least exact block"
        rows.append(Row(what, max(errors[-1]), at_most(largest), document))
    least = max(analytic, key=analytic.__getitem__)
    size = float(np.abs(exact["da/dtau"]).max())
    rows += [
        Row("least exact block of the analytic ways", least, None, "da/dv"),
        Row("largest entry of M^-1", size, None, 3.7e3),
    ]
    return Section(
        f"1. {ARM.upper()}: derivatives against complex steps, h = {TINY:g}",
        f"{len(motions)} motions; errors are parts of a block's largest entry: those of the worst "
        "motion,\nof differences those of the median motion.",
        tuple(rows),
        (
            Table(
                "error of differences, median motion",
                ("block", *DIFFERENCES),
                tuple(zip(BLOCKS, *errors, strict=True)),
            ),
        ),
    )


def by_lane(motions: Motions, lane: str, step: float | None = None) -> dict[str, Array]:
    """Every block by one lane."""
    functions = {function for function, _, _ in BLOCKS.values()}
    found = {function: motions.derivatives(function, lane, step) for function in functions}
    return {block: found[function][by] for block, (function, by, _) in BLOCKS.items()}


def formulations(motions: Motions, quantity: str) -> Iterator[tuple[str, Array]]:
    """The quantity by each of its formulations."""
    for name in symkin.QUANTITIES[quantity].formulations_of(motions.robot):
        yield name, motions.of(quantity, name)
