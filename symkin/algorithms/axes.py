"""Axes that stay while the links they describe turn about parallel axes: `symkin.model.hold`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, cos, diagonal, identity, mul, sin, zeros
from symkin.model import Joint
from symkin.spatial import Pose, keeps_axis


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """The rotation from a link's axes to those that describe it, about z by ``angle`` if by any.

    ``quarters`` are further right angles.
    """

    angle: Scalar | None = None
    quarters: int = 0

    @property
    def R(self) -> Matrix:
        """The rotation matrix."""
        if self.angle is None:
            return identity(3)
        s, c = sin(self.angle), cos(self.angle)
        for _ in range(self.quarters % 4):
            s, c = c, mul(-1.0, s)
        return Matrix([[c, mul(-1.0, s), 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    @property
    def pose(self) -> Pose:
        """The rotation as a displacement."""
        return Pose(self.R, zeros(3))

    def followed_by(self, joint: Joint, origin: Pose, position: Scalar) -> tuple[Matrix, Axes]:
        """Of a held child: its axes in the parent's, constant, and the turn of its own in them."""
        turn = 0.0 if joint.kind == "prismatic" else position
        if not keeps_axis(origin.R, 2, 2):
            return origin.R, Axes(turn)
        flip = origin.R[2, 2]
        cosine, sine = origin.R[0, 0], flip * origin.R[1, 0]
        angle = turn if self.angle is None else add(turn, mul(flip, self.angle))
        quarters = int(flip) * self.quarters
        if (cosine, sine) in _QUARTERS:
            quarters += _QUARTERS.index((cosine, sine))
        else:
            angle = add(angle, math.atan2(sine, cosine))
        return diagonal(1.0, flip, flip), Axes(angle, quarters)


_QUARTERS = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
"""Cosine and sine of none to three right angles."""
