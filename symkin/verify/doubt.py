"""A robot whose constants are known up to rounding only: lanes prepare it in different ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from symkin.algebra import Matrix, Scalar
from symkin.algebra.bounded import DOUBLE, Bounded
from symkin.model import Robot
from symkin.spatial import Pose

CONSTANT_ROUNDINGS = 8.0
"""Units of roundoff by which a robot's constants may differ between lanes that prepare it
differently: a product of two displacements changes an entry by six, storing it by one."""

Make: TypeAlias = Callable[[float, float], Scalar]
"""What a constant and the bound of its error become."""


def doubtful(robot: Robot, make: Make = Bounded) -> Robot:
    """The robot with every constant but 0, 1 and -1 known to `CONSTANT_ROUNDINGS` only."""
    links = []
    for link in robot.links:
        joint = link.joint
        if joint is not None:
            joint = replace(joint, origin=_doubtful_pose(joint.origin, make))
            joint = replace(joint, axis=_doubt(joint.axis, make))
        inertia = replace(link.inertia, moment=_doubt(link.inertia.moment, make))
        links.append(replace(link, joint=joint, inertia=inertia))
    frames = tuple(replace(frame, pose=_doubtful_pose(frame.pose, make)) for frame in robot.frames)
    return replace(robot, links=tuple(links), frames=frames)


def _doubtful_pose(pose: Pose, make: Make) -> Pose:
    return Pose(_doubt(pose.R, make), _doubt(pose.p, make))


def _doubt(constants: Matrix, make: Make) -> Matrix:
    """Errors are relative to the largest entry: turning mixes them."""
    error = CONSTANT_ROUNDINGS * DOUBLE.unit * max(abs(c) for c in constants)
    return constants.map(lambda c: c if abs(c) in (0.0, 1.0) else make(c, error))
