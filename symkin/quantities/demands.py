"""What a robot must have for a quantity to exist: each demand says what is missing, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from symkin.algebra import Matrix
from symkin.algorithms.contact import Contact, check_contacts, contact_jacobian, softness
from symkin.algorithms.crba import mass_matrix
from symkin.errors import ArgumentError
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
    M = _array(mass_matrix(robot, _somewhere(robot)))
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


def firm(robot: Robot, contacts: Sequence[Contact]) -> str:
    """Each force of the contacts does what no other can do: they can be told apart.

    It is looked at in an arbitrary position, and for a robot whose mass matrix can be inverted.
    """
    try:
        check_contacts(robot, contacts)
    except ArgumentError as error:
        return str(error)
    held = sum(contact.size for contact in contacts)
    if separation(robot, contacts, _somewhere(robot)) > SINGULAR * held:
        return ""
    frames = ", ".join(dict.fromkeys(contact.frame for contact in contacts))
    return (
        f"the contacts of robot {robot.name!r} at {frames} hold {held} coordinates that cannot "
        "move one without the other, so their forces cannot be told apart; hold fewer, or give "
        "them softness"
    )


def separation(robot: Robot, contacts: Sequence[Contact], q: Matrix) -> float:
    """How far contacts can be told apart at q: from 1, if none moves another, down to 0.

    It is the smallest eigenvalue of J M^-1 J' + s 1, its diagonal scaled to one.
    """
    J = _array(contact_jacobian(robot, contacts, q))
    yielding = J @ np.linalg.pinv(_array(mass_matrix(robot, q)), hermitian=True) @ J.T
    A = yielding + _array(softness(contacts))
    size = np.sqrt(np.where(np.diag(A) > 0.0, np.diag(A), 1.0))
    return float(np.linalg.eigvalsh(A / np.outer(size, size))[0])


def _somewhere(robot: Robot) -> Matrix:
    """An arbitrary position."""
    position = np.random.default_rng(0).uniform(-1.0, 1.0, robot.nq)
    for start in robot.quaternions:
        position[start : start + 4] /= np.linalg.norm(position[start : start + 4])
    return Matrix([(x,) for x in position], columns=1)


def _array(matrix: Matrix) -> npt.NDArray[np.float64]:
    return np.array(list(matrix), dtype=np.float64).reshape(matrix.shape)


def independence(robot: Robot) -> str:
    """No joint follows another one."""
    followers = [
        link.joint.name
        for link in robot.links
        if link.joint is not None and link.joint.mimic is not None
    ]
    return f"joint {followers[0]!r} of robot {robot.name!r} follows another" if followers else ""


STACK = 8
"""Degrees of freedom from which on it pays to treat all of them alike."""


def alike(robot: Robot) -> str:
    """There are enough degrees of freedom to compute them in stacks, and none follows another."""
    if robot.nv < STACK:
        return f"robot {robot.name!r} has {robot.nv} degrees of freedom; stacks pay from {STACK} on"
    return independence(robot)
