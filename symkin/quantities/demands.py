"""What a robot must have for a quantity to exist: each demand says what is missing, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from symkin.algebra import Matrix
from symkin.algorithms.crba import mass_matrix
from symkin.model import Robot

SINGULAR = 2.0**-50
"""An eigenvalue of the scaled mass matrix that is nothing but rounding, for each coordinate."""

Demand: TypeAlias = Callable[[Robot], str]
"""From a robot to why the quantity does not exist for it; "" if it does."""


def nothing(robot: Robot) -> str:  # noqa: ARG001 - every demand is asked the same way
    """Every robot will do."""
    return ""


def mass(robot: Robot) -> str:
    """Some joint moves a mass: there is a centre of mass."""
    if robot.moving_mass:
        return ""
    return f"no joint of robot {robot.name!r} moves any mass; give its links masses"


@lru_cache(maxsize=64)
def inertia(robot: Robot) -> str:
    """Every motion of the coordinates moves an inertia: the mass matrix can be inverted.

    It is looked at in an arbitrary position, its diagonal scaled to one: a robot of milligrams is
    as good as any.
    """
    position = np.random.default_rng(0).uniform(-1.0, 1.0, robot.nq)
    for start in robot.quaternions:
        position[start : start + 4] /= np.linalg.norm(position[start : start + 4])
    q = Matrix([(x,) for x in position], columns=1)
    M = np.array(list(mass_matrix(robot, q)), dtype=float).reshape((robot.nv, robot.nv))
    still = [name for k, name in enumerate(robot.velocity_names) if not M[k, k] > 0.0]
    if still:
        return (
            f"the mass matrix of robot {robot.name!r} is singular: {', '.join(still)} moves no "
            "inertia; give the links that it carries a mass, or the joint an armature"
        )
    size = np.sqrt(np.diag(M))
    eigenvalues, vectors = np.linalg.eigh(M / np.outer(size, size))
    if not robot.nv or eigenvalues[0] > SINGULAR * robot.nv:
        return ""
    together = [
        name
        for name, part in zip(robot.velocity_names, vectors[:, 0], strict=True)
        if abs(part) > 0.1
    ]
    return (
        f"the mass matrix of robot {robot.name!r} is singular: {', '.join(together)} can move "
        "together without moving any inertia; give links between them a mass, or an armature"
    )


def independence(robot: Robot) -> str:
    """No joint follows another one."""
    followers = [
        link.joint.name
        for link in robot.links
        if link.joint is not None and link.joint.mimic is not None
    ]
    return f"joint {followers[0]!r} of robot {robot.name!r} follows another" if followers else ""
