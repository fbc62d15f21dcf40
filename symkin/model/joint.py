"""Joints. Only `motion` and `motion_subspace` know one kind of joint from another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from symkin.algebra import Matrix, constant, cos, identity, mul, sin, vstack, zeros
from symkin.spatial import Pose, axis_rotation, rotation_from_unit_quaternion

JointKind = Literal[
    "revolute", "continuous", "prismatic", "helical", "fixed", "spherical", "floating"
]

_QUATERNION = ("qx", "qy", "qz", "qw")
_TURNING = ("wx", "wy", "wz")
_PARTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "fixed": ((), ()),
    "spherical": (_QUATERNION, _TURNING),
    "floating": (("x", "y", "z", *_QUATERNION), (*_TURNING, "vx", "vy", "vz")),
}
"""What the coordinates of joints that have none or several are called: of q, and of v."""


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


@dataclass(frozen=True, slots=True)
class Friction:
    """What of the joints' resistance dynamics count: by default nothing.

    ``damping``: d v, with the joint's damping d. ``smoothing``, a speed e in rad/s or m/s: Coulomb
    friction f v / sqrt(v^2 + e^2), with the joint's friction f; None: no Coulomb friction. At
    v = e it is 0.71 f, from 10 e on f to half a percent.
    """

    damping: bool = False
    smoothing: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint and where it sits: the child link's frame is ``origin @ motion(q)`` in the parent's.

    ``axis`` is a unit 3 x 1 column in the joint's frame, through its origin; ``pitch`` in m/rad
    belongs to helical joints. ``home`` is added to the position where ``origin`` has been chosen
    with another zero (see `symkin.model.rezero`). Damping is in N m s/rad or N s/m, friction and
    effort in N m or N, armature in kg m^2 or kg.

    Positions are an angle or a length, except: spherical, a unit quaternion (x, y, z, w);
    floating, the position of the child's origin in the joint's frame, then such a quaternion.
    Velocities are its rate, except: spherical, omega (3); floating, the twist (omega, v) (6), both
    of the child in the child's own axes.
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
    home: float = 0.0

    @property
    def moves(self) -> bool:
        """Whether the joint has a coordinate at all."""
        return self.kind != "fixed"

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return len(self.position_names)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates, the degrees of freedom."""
        return len(self.velocity_names)

    @property
    def position_names(self) -> tuple[str, ...]:
        """A name for each of its positions: its own, or ``name.x``, ``name.qw`` and the like."""
        return self._names(0)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each of its velocities: its own, or ``name.wx``, ``name.vz`` and the like."""
        return self._names(1)

    def _names(self, of: int) -> tuple[str, ...]:
        if self.kind not in _PARTS:
            return (self.name,)
        return tuple(f"{self.name}.{part}" for part in _PARTS[self.kind][of])

    @property
    def quaternion(self) -> int | None:
        """Where among its positions its unit quaternion (x, y, z, w) begins, if it has one."""
        return {"spherical": 0, "floating": 3}.get(self.kind)


def motion(joint: Joint, q: Matrix) -> Pose:
    """The pose that the coordinates q (nq x 1) give the child in the joint's own frame."""
    if joint.kind == "fixed":
        return Pose.identity()
    if joint.kind == "prismatic":
        return Pose(identity(3), joint.axis * q[0])
    if joint.kind == "spherical":
        return Pose(rotation_from_unit_quaternion(q), zeros(3))
    if joint.kind == "floating":
        return Pose(rotation_from_unit_quaternion(q[3:]), q[:3])
    R = axis_rotation(joint.axis, sin(q[0]), cos(q[0]))
    return Pose(R, joint.axis * mul(joint.pitch, q[0]))


def motion_subspace(joint: Joint) -> tuple[Matrix, ...]:
    """The columns of S (6 x nv): the child's twist at unit speeds, constant in its own frame."""
    if joint.kind == "fixed":
        return ()
    if joint.kind in ("spherical", "floating"):
        unit = identity(6)
        return tuple(unit.column(k) for k in range(joint.nv))
    if joint.kind == "prismatic":
        return (vstack(zeros(3), joint.axis),)
    return (vstack(joint.axis, joint.axis * joint.pitch),)
