"""Experiment 4: the transition matrices of semi-implicit Euler."""

from __future__ import annotations

import numpy as np
from bench import Row, Section, at_most
from kinematics.states import Array

from dynamics.accuracy import TINY
from dynamics.states import ARM, TREE, Motions, draw, worst

STEP = "step_semi_implicit_euler"
# Tens of roundings of a matrix's largest entry; the tree's M has three times the arm's condition.
TARGETS = {ARM: at_most(5e-15), TREE: at_most(2e-14)}
CENTRAL = 1e-6


def transitions(quick: bool) -> Section:
    """A = dx+/dx and B = dx+/dtau against complex steps of the step itself."""
    rows: list[Row] = []
    for name, target in TARGETS.items():
        motions = draw(name, 20 if quick else 100)
        A, B = stepped(motions, "complex step", TINY)
        A_central, B_central = stepped(motions, "central difference", CENTRAL)
        on_arm = name == ARM  # the document has no tree here
        document, differences = ("≤ 4.4e-15", "1e-9 … 2e-8") if on_arm else (None, None)
        for matrix, ours, right, central in (
            ("A", motions.of(f"{STEP}_dx"), A, A_central),
            ("B", motions.of(f"{STEP}_dtau"), B, B_central),
        ):
            what = f"{name}: {matrix}"
            rows.append(Row(f"{what}, closed form", worst(ours, right), target, document))
            rows.append(
                Row(f"{what}, central differences", worst(central, right), None, differences)
            )
    return Section(
        f"4. Semi-implicit Euler: A and B against complex steps, h = {TINY:g}, of the step",
        f"{len(motions)} motions of each robot, 10 ms; errors are parts of a matrix's largest "
        "entry, the largest of all motions",
        tuple(rows),
    )


def stepped(motions: Motions, lane: str, step: float) -> tuple[Array, Array]:
    """A and B by differentiating the step."""
    found = motions.derivatives(STEP, lane, step)
    return np.concatenate([found["q"], found["v"]], axis=-1), found["tau"]
