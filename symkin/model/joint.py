"""Joints. `motion` and `screw` are the only functions that know one kind of joint from another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from symkin.algebra import Matrix, Scalar, constant, cos, identity, mul, sin, vstack, zeros
from symkin.spatial import Pose, axis_rotation

JointKind = Literal["revolute", "continuous", "prismatic", "helical", "fixed"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a joint: position in rad or m, speed per second, effort in N m or N."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True, slots=True)
class Mimic:
    """q = multiplier * q[leader] + offset; the leader may itself follow another joint."""

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint and where it sits: the child link's frame is ``origin @ motion(q)`` in the parent's.

    ``axis`` is a unit 3 x 1 column in the joint's frame, through its origin; ``pitch`` in m/rad
    belongs to helical joints. Damping is in N m s/rad or N s/m, friction and effort in N m or N,
    armature in kg m^2 or kg.
    """

    name: str
    kind: JointKind
    origin: Pose = Pose.identity()
    axis: Matrix = constant([0, 0, 1])
    pitch: float = 0.0
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        """Whether the joint has a coordinate at all."""
        return self.kind != "fixed"


def motion(joint: Joint, q: Scalar) -> Pose:
    """The pose that coordinate q (rad or m) gives the child in the joint's own frame."""
    if joint.kind == "fixed":
        return Pose.identity()
    if joint.kind == "prismatic":
        return Pose(identity(3), joint.axis * q)
    R = axis_rotation(joint.axis, sin(q), cos(q))
    return Pose(R, joint.axis * mul(joint.pitch, q))


def screw(joint: Joint) -> Matrix:
    """S, the child's twist (6 x 1) at unit speed; equal in the joint's and the child's frame."""
    if joint.kind == "prismatic":
        return vstack(zeros(3), joint.axis)
    return vstack(joint.axis, joint.axis * joint.pitch)
