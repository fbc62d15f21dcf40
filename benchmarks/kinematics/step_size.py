"""Experiment 5: the error of numerical derivatives against their step."""

from __future__ import annotations

import numpy as np
from bench import Figure, Interval, Row, Section, Table, at_most

from kinematics.geometry import inverse
from kinematics.states import EPS, Array, one_state
from symkin.algebra import Matrix
from symkin.spatial import Pose, log_se3

DECADES = tuple(float(f"1e-{k}") for k in range(1, 13))
TINY = (1e-16, 1e-20, 1e-50, 1e-100, 1e-200, 1e-300)
FORWARD = {1e-1: 2.5e-2, 1e-4: 2.5e-5, 1e-8: 9.1e-9, 1e-9: 2.5e-7, 1e-12: 1.7e-4}
CENTRAL = {1e-1: 2.3e-3, 1e-4: 2.3e-9, 1e-5: 3.5e-11, 1e-8: 1.5e-8, 1e-12: 1.8e-4}


def step_size(_: bool) -> Section:
    """J_s v of the UR5 by log(T(q + h v) T(q)^-1) / h and its kin."""
    state = one_state()
    right = state.of("jacobian_space") @ state.v
    size = float(np.abs(right).max())

    def pose(s: complex | Array) -> Array:
        return state.along(s).of("forward_kinematics")

    def worst(V: Array) -> float:
        return float(np.abs(V - right).max())

    T = pose(0.0)
    forward = {h: worst(between(T, pose(h)) / h) for h in DECADES}
    central = {h: worst(between(pose(-h), pose(h)) / (2.0 * h)) for h in DECADES}
    stepped = {h: worst(between(T, pose(1j * h)).imag / h) for h in DECADES + TINY}
    curve: tuple[tuple[Figure, ...], ...] = tuple(
        (f"{h:.0e}", forward.get(h), FORWARD.get(h), central.get(h), CENTRAL.get(h), stepped[h])
        for h in DECADES + TINY
    )
    best_forward = min(forward, key=forward.__getitem__)
    best_central = min(central, key=central.__getitem__)
    # The error model: the truncation seen at h = 0.1 carried down, plus rounding of a pose, about
    # eight operations deep, over the step.
    noise = 8.0 * EPS * size
    forward_model = forward[1e-1] / 1e-1 * 1e-8 + noise / 1e-8
    central_model = central[1e-1] / 1e-2 * 1e-10 + noise / 2e-5
    return Section(
        "5. UR5: error of numerical derivatives of T against the step",
        f"J_s v in one direction in which all joints move; its largest entry is {size:.3g}",
        (
            Row(
                "forward difference: least error",
                forward[best_forward],
                at_most(forward_model),
                9.1e-9,
            ),
            Row("  at the step", best_forward, Interval(0.9e-9, 1.1e-7), 1e-8),
            Row("  order, from steps 1e-1 to 1e-5", order(forward, 1e-5), Interval(0.9, 1.1)),
            Row(
                "central difference: least error",
                central[best_central],
                at_most(central_model),
                3.5e-11,
            ),
            Row("  at the step", best_central, Interval(0.9e-6, 1.1e-4), 1e-5),
            Row("  order, from steps 1e-1 to 1e-3", order(central, 1e-3), Interval(1.9, 2.1)),
            Row(
                "complex step: largest error over the steps 1e-8 to 1e-300",
                max(stepped[h] for h in stepped if h < 2e-8),
                at_most(1e-14),
            ),
            Row("  order, from steps 1e-1 to 1e-3", order(stepped, 1e-3), Interval(1.9, 2.1)),
        ),
        (
            Table(
                "largest error of J_s v",
                ("step", "forward", "document", "central", "document", "complex step"),
                curve,
            ),
        ),
    )


def between(A: Array, B: Array) -> Array:
    """log(B A^-1), the twist that carries A to B in one unit of time; of one pose."""
    product = B @ inverse(A)
    return np.array(list(log_se3(Pose.from_matrix(Matrix(product)))))


def order(curve: dict[float, float], last: float) -> float:
    """The slope of the curve on logarithmic axes between 0.1 and the last step."""
    return float(np.log(curve[1e-1] / curve[last]) / np.log(1e-1 / last))
