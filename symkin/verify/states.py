"""States to verify at: random, the same for the same seed, and zero."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from symkin.errors import ArgumentError
from symkin.model import Joint, Robot

Array = npt.NDArray[np.float64]

GIMBAL_MARGIN = 0.01
"""ZYX angles are judged where cos(theta) is at least this: their rates grow with 1 / cos(theta)."""

CONTACT_MARGIN = 1e-6
"""Contacts are judged where their `separation` is at least this: solving divides by it."""


def sample_states(
    robot: Robot, samples: int = 8, seed: int = 0, wrenches: int | None = None
) -> dict[str, Array]:
    """``q v a tau d lam F q_end h``, arrays (samples + 1, n); the last q is zero.

    F has ``wrenches``: one for every tip unless given.
    Positions are inside the limits; a joint without has [-pi, pi] rad or [-1, 1] m. Quaternions
    have length one, and no rotation is in the last. All else is within one.
    Raises ArgumentError for a negative number of samples.
    """
    if samples < 0:
        raise ArgumentError(f"{samples} samples; at least 0 are needed")
    rng = np.random.default_rng(seed)
    parts = [np.concatenate(_positions(joint, samples, rng)) for joint in robot.joints]
    ends = [np.concatenate(_positions(joint, samples, rng)) for joint in robot.joints]
    nothing = np.zeros((samples + 1, 0))
    wrenches = len(robot.tips) if wrenches is None else wrenches
    free = {
        name: rng.uniform(-1.0, 1.0, (samples + 1, robot.nv))
        for name in ("v", "a", "tau", "d", "lam")
    }
    return {
        "q": np.concatenate([nothing, *parts], axis=1),
        "q_end": np.concatenate([nothing, *ends], axis=1),
        "h": rng.uniform(1e-4, 1e-3, (samples + 1, 1)),
        "F": rng.uniform(-1.0, 1.0, (samples + 1, 6 * wrenches)),
        **free,
    }


def _positions(joint: Joint, samples: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Random coordinates of one joint, and its zero."""
    if joint.nq == 1:
        return rng.uniform(*_range(joint), (samples, 1)), np.zeros((1, 1))
    quaternion = rng.normal(size=(samples, 4))
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    place = rng.uniform(-1.0, 1.0, (samples, joint.nq - 4))
    return np.concatenate([place, quaternion], axis=1), np.eye(joint.nq)[-1:]


def _range(joint: Joint) -> tuple[float, float]:
    usual = 1.0 if joint.kind == "prismatic" else math.pi
    lower, upper = joint.limits.lower, joint.limits.upper
    if joint.kind == "continuous" or (math.isinf(lower) and math.isinf(upper)):
        return -usual, usual
    if math.isinf(lower):
        return upper - 2.0 * usual, upper
    return lower, lower + 2.0 * usual if math.isinf(upper) else upper
