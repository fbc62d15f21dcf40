"""Inverse dynamics by the recursive Newton-Euler algorithm.

Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 5; in the classical form of Luh,
Walker & Paul (1980), with the moments of mass about each link's origin.
"""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, column, constant, dot, mul, zeros
from symkin.algorithms.tree import accumulate, degrees, drive, placements
from symkin.model import Robot
from symkin.spatial import Pose, cross


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A link's motion in its own axes: omega, its rate, and the acceleration of its origin.

    The acceleration is the classical one, and gravity is in it: at rest it is minus gravity.
    """

    w: Matrix
    w_dot: Matrix
    a: Matrix


def inverse_dynamics(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """tau = M(q) a + C(q, v) v + g(q)."""
    poses = placements(robot, q)
    motions = outward(robot, poses, v, a)
    return inward(robot, poses, motions, a)


def outward(robot: Robot, poses: list[Pose], v: Matrix, a: Matrix) -> list[Motion]:
    """Motion of every link, from the root to the tips."""
    motions: list[Motion] = []
    for link, pose, freedom in zip(robot.links, poses, degrees(robot), strict=True):
        if link.parent < 0:
            motions.append(Motion(zeros(3), zeros(3), -constant(robot.gravity)))
            continue
        parent = motions[link.parent]
        carried = pose.R.T @ parent.w
        own, own_dot = drive(freedom, v), drive(freedom, a)
        w = carried + own[:3]
        w_dot = pose.R.T @ parent.w_dot + cross(carried, own[:3]) + own_dot[:3]
        at_joint = parent.a + acceleration_matrix(parent.w, parent.w_dot) @ pose.p
        sliding = cross(carried + w, own[3:]) + own_dot[3:]
        motions.append(Motion(w, w_dot, pose.R.T @ at_joint + sliding))
    return motions


def inward(robot: Robot, poses: list[Pose], motions: list[Motion], a: Matrix) -> Matrix:
    """Joint forces from the wrenches that the motions take, from the tips to the root."""
    forces = [inertial_wrench(link.inertia, m) for link, m in zip(robot.links, motions, strict=True)]
    ...
