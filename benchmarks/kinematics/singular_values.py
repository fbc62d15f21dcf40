"""Experiment 4: what the choice of a Jacobian does to singular values."""

from __future__ import annotations

import numpy as np
from bench import Interval, Row, Section, at_most

from kinematics.states import EPS, draw

CONDITION = 100.0


def singular_values(name: str, quick: bool) -> Section:
    """J_b and J_p share theirs; J_s has others, but the same product."""
    state = draw(name, 50 if quick else 200)
    space, body, position = (
        np.linalg.svd(state.of(f"jacobian_{kind}"), compute_uv=False)
        for kind in ("space", "body", "position")
    )
    products = np.stack([np.prod(sigma, axis=-1) for sigma in (space, body, position)])
    spread = np.ptp(products, axis=0) / products[0]
    conditions = space[:, 0] / space[:, -1]
    regular = conditions < CONDITION
    ratio = space[:, -1] / position[:, -1]
    # J_p = L(p) J_s, and the singular values of L(p) lie between 1/s and s:
    reach = np.linalg.norm(state.of("forward_kinematics")[:, :3, 3], axis=-1).max()
    s = float(reach / 2.0 + np.sqrt(1.0 + reach * reach / 4.0))
    return Section(
        f"4. {name.upper()}: singular values of J_s, J_b, J_p",
        f"{len(state)} states; {regular.sum()} of them with a condition number of J_s below "
        f"{CONDITION:g}, the largest is {conditions.max():.0f}",
        (
            Row(
                "singular values of J_b and J_p, parts of the largest",
                float(np.max(np.abs(body - position) / position[:, :1])),
                at_most(1e-14),
                3e-15,
            ),
            Row(
                f"sqrt(det J J') of all three: spread, condition < {CONDITION:g}",
                float(spread[regular].max()),
                at_most(1e-13),
                5e-14,
            ),
            Row(
                "  all states: spread over eps times condition",
                float(np.max(spread / (EPS * conditions))),
                # A singular value is wrong by a few eps of the largest one; six are multiplied.
                at_most(6.0 * 4.0),
            ),
            Row(
                "sigma_min(J_s) / sigma_min(J_p); target: what |p| allows",
                Interval(float(ratio.min()), float(ratio.max())),
                Interval(1.0 / s, s),
                Interval(0.720, 1.368) if name == "ur5" else None,
            ),
        ),
    )
