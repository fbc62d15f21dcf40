"""Small arms whose kinematics anyone can write down: the planar 2R arm and the ZYX wrist."""

from __future__ import annotations

import numpy as np
import pytest
from arms import planar, wrist

from symkin.evaluate import evaluate
from symkin.quantities import QUANTITIES

EPS = np.finfo(float).eps
L1, L2 = 0.4, 0.3
STATES = np.random.default_rng(1).uniform(-3.0, 3.0, (200, 6))


def columns(*rows: object) -> np.ndarray:
    """Rows of entries that are numbers or one number per state, as (states, rows, columns)."""
    return np.stack([np.stack(np.broadcast_arrays(*row, STATES[:, 0])[:-1], -1) for row in rows], 1)


def planar_forms() -> dict[str, np.ndarray]:
    """z = 0 everywhere; c12 = cos(q1 + q2)."""
    q1, q2, v1, v2 = STATES[:, :4].T
    c1, s1, c12, s12 = np.cos(q1), np.sin(q1), np.cos(q1 + q2), np.sin(q1 + q2)
    x, y, w = L1 * c1 + L2 * c12, L1 * s1 + L2 * s12, v1 + v2
    turn = [(0, 0), (0, 0), (1, 1)]
    return {
        "forward_kinematics": columns(
            (c12, -s12, 0, x), (s12, c12, 0, y), (0, 0, 1, 0), (0, 0, 0, 1)
        ),
        "jacobian_position": columns(*turn, (-y, -L2 * s12), (x, L2 * c12), (0, 0)),
        "jacobian_space": columns(*turn, (0, L1 * s1), (0, -L1 * c1), (0, 0)),
        "jacobian_body": columns(*turn, (L1 * np.sin(q2), 0), (L2 + L1 * np.cos(q2), L2), (0, 0)),
        "jacobian_zyx": columns(*turn, (-y, -L2 * s12), (x, L2 * c12), (0, 0)),
        "jacobian_space_dot": columns(
            (0, 0), (0, 0), (0, 0), (0, L1 * c1 * v1), (0, L1 * s1 * v1), (0, 0)
        ),
        "jacobian_position_dot": columns(
            *[(0, 0)] * 3,
            (-(L1 * c1 * v1 + L2 * c12 * w), -L2 * c12 * w),
            (-(L1 * s1 * v1 + L2 * s12 * w), -L2 * s12 * w),
            (0, 0),
        ),
        "twist_position": columns(
            (0,), (0,), (w,), (-y * v1 - L2 * s12 * v2,), (x * v1 + L2 * c12 * v2,), (0,)
        )[..., 0],
        "jacobian_position_dot_v": columns(
            (0,),
            (0,),
            (0,),
            (-L1 * c1 * v1**2 - L2 * c12 * w**2,),
            (-L1 * s1 * v1**2 - L2 * s12 * w**2,),
            (0,),
        )[..., 0],
        # 2 kg at the middle of the upper arm, 1 kg at the middle of the forearm
        "center_of_mass": columns(
            ((2 * L1 / 2 * c1 + L1 * c1 + L2 / 2 * c12) / 3,),
            ((2 * L1 / 2 * s1 + L1 * s1 + L2 / 2 * s12) / 3,),
            (0,),
        )[..., 0],
    }


def wrist_forms() -> dict[str, np.ndarray]:
    """R = Rz(psi) Ry(theta) Rx(phi) with q = (psi, theta, phi): its ZYX angles are q backwards.

    When theta is beyond a quarter turn, the pitch is what is missing to half a turn.
    """
    still = [(0, 0, 0)] * 3
    psi, theta, phi, dpsi, dtheta, _ = STATES.T
    cp, sp, ct, st, cf, sf = (f(x) for x in (psi, theta, phi) for f in (np.cos, np.sin))
    return {
        "forward_kinematics": columns(
            (cp * ct, cp * st * sf - sp * cf, cp * st * cf + sp * sf, 0),
            (sp * ct, sp * st * sf + cp * cf, sp * st * cf - cp * sf, 0),
            (-st, ct * sf, ct * cf, 0),
            (0, 0, 0, 1),
        ),
        "jacobian_space": columns((0, -sp, cp * ct), (0, cp, sp * ct), (1, 0, -st), *still),
        "jacobian_body": columns((-st, 0, 1), (ct * sf, cf, 0), (ct * cf, -sf, 0), *still),
        "jacobian_zyx": columns((0, 0, 1), (0, np.sign(ct), 0), (1, 0, 0), *still),
        "jacobian_space_dot": columns(
            (0, -cp * dpsi, -sp * dpsi * ct - cp * st * dtheta),
            (0, -sp * dpsi, cp * dpsi * ct - sp * st * dtheta),
            (0, 0, -ct * dtheta),
            *still,
        ),
        "zyx_condition": columns((np.abs(ct),))[..., 0],
    }


ARMS = {"planar": (planar(), planar_forms()), "wrist": (wrist(), wrist_forms())}


@pytest.mark.parametrize(
    ("arm", "quantity", "formulation"),
    [
        (arm, quantity, formulation)
        for arm, (_, forms) in ARMS.items()
        for quantity in forms
        for formulation in QUANTITIES[quantity].formulations
    ],
)
def test_closed_forms(arm: str, quantity: str, formulation: str) -> None:
    """To a few roundings of lengths below one metre, of speeds and their squares."""
    robot, forms = ARMS[arm]
    inputs = {"q": STATES[:, : robot.nq], "v": STATES[:, robot.nq : 2 * robot.nq]}
    used = {slot.name: inputs[slot.name] for slot in QUANTITIES[quantity].inputs}
    expected = forms[quantity]
    # The rates of ZYX angles grow with 1 / cos theta, and so does what rounding does to them.
    condition = np.ones(len(STATES))
    if "zyx" in quantity:
        condition = 1.0 / np.abs(evaluate(robot, "zyx_condition", q=inputs["q"])[:, 0])
    found = evaluate(robot, quantity, formulation=formulation, **used)
    size = np.maximum(1.0, np.max(np.abs(expected), axis=tuple(range(1, expected.ndim))))
    errors = np.max(np.abs(found - expected), axis=tuple(range(1, expected.ndim)))
    assert np.all(errors <= 6 * EPS * size * condition**2)


def test_planar_singular_values() -> None:
    """J_b and J_p share their singular values; J_s does not, since L(p) is not orthogonal."""
    q = STATES[:, :2]
    position, body, space = (
        np.linalg.svd(evaluate(planar(), f"jacobian_{kind}", q=q), compute_uv=False)
        for kind in ("position", "body", "space")
    )
    assert np.max(np.abs(position - body)) <= 16 * EPS
    assert np.max(np.abs(position - space)) > 0.01
