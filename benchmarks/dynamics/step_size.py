"""Experiment 2: the error of numerical derivatives of inverse dynamics against their step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bench import Figure, Interval, Row, Section, Table, at_most
from kinematics.states import EPS, Array
from kinematics.step_size import DECADES, order

from dynamics.states import ARM, one_motion, worst

TINY = (1e-16, 1e-20, 1e-30, 1e-100)
FORWARD: dict[float, Figure] = {1e-8: 2.0e-8, 1e-12: "1e-4 level"}
CENTRAL: dict[float, Figure] = {1e-5: 1.2e-11, 1e-12: "1e-4 level"}
COMPLEX: dict[float, Figure] = {1e-2: 1.7e-5, 1e-8: "≤ 5e-16", 1e-30: 5e-16}


def step_size(_: bool) -> Section:
    """dtau/d(q, v) of the arm by differences and by complex steps of all sizes."""
    motion = one_motion()
    long = {name: getattr(motion, name).astype(np.longdouble) for name in ("q", "v", "a")}
    precise = replace(motion, **long)
    right = both(precise.of("inverse_dynamics_dq"), precise.of("inverse_dynamics_dv"))

    def error(lane: str, step: float) -> float:
        found = motion.derivatives("inverse_dynamics", lane, step)
        return worst(both(found["q"], found["v"]), right)

    forward = {h: error("forward difference", h) for h in DECADES}
    central = {h: error("central difference", h) for h in DECADES}
    stepped = {h: error("complex step", h) for h in DECADES + TINY}
    curve: tuple[tuple[Figure, ...], ...] = tuple(
        (
            f"{h:.0e}",
            forward.get(h),
            FORWARD.get(h),
            central.get(h),
            CENTRAL.get(h),
            stepped[h],
            COMPLEX.get(h),
        )
        for h in DECADES + TINY
    )
    best_forward = min(forward, key=forward.__getitem__)
    best_central = min(central, key=central.__getitem__)
    # The error model: the truncation seen at h = 0.1 carried down, plus rounding of a joint force,
    # a sum over six links, over the step.
    noise = 6.0 * EPS * float(np.abs(motion.tau).max() / np.abs(right).max())
    forward_model = forward[1e-1] / 1e-1 * 1e-8 + noise / 1e-8
    central_model = central[1e-1] / 1e-2 * 1e-10 + noise / 1e-5
    flat = max(stepped[h] for h in stepped if h < 2e-8)
    return Section(
        f"2. {ARM.upper()}: error of numerical derivatives against the step",
        "dtau/d(q, v) of one motion, against the closed form in extended precision; errors are "
        "parts of its largest entry",
        (
            Row(
                "forward difference: least error",
                forward[best_forward],
                at_most(forward_model),
                2.0e-8,
            ),
            Row("  at the step", best_forward, Interval(0.9e-9, 1.1e-7), 1e-8),
            Row("  order, from steps 1e-1 to 1e-5", order(forward, 1e-5), Interval(0.9, 1.1)),
            Row(
                "central difference: least error",
                central[best_central],
                at_most(central_model),
                1.2e-11,
            ),
            Row("  at the step", best_central, Interval(0.9e-6, 1.1e-4), 1e-5),
            Row("  order, from steps 1e-1 to 1e-3", order(central, 1e-3), Interval(1.9, 2.1)),
            # Some roundings of each of six links.
            Row(
                "complex step: largest error over the steps 1e-8 to 1e-100",
                flat,
                at_most(1e-14),
                "≤ 5e-16",
            ),
            Row("  order, from steps 1e-1 to 1e-3", order(stepped, 1e-3), Interval(1.9, 2.1)),
        ),
        (
            Table(
                "error of dtau/d(q, v)",
                ("step", "forward", "document", "central", "document", "complex step", "document"),
                curve,
            ),
        ),
    )


def both(by_q: Array, by_v: Array) -> Array:
    """The derivatives side by side."""
    return np.concatenate([by_q, by_v], axis=-1)
