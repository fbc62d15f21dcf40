"""Rigid-body inertia. Featherstone, Rigid Body Dynamics Algorithms (2008), section 2.13."""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, column, mul, zeros
from symkin.spatial.pose import Pose, rotated, skew

INERTIAL = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Ixz")
"""Names of a body's ten parameters, in order."""


@dataclass(frozen=True, slots=True)
class Inertia:
    """The ten inertial parameters of a body, about the origin of its frame.

    ``mass`` in kg, ``moment`` = mass x centre of mass (3 x 1, kg m), ``about_origin`` the
    rotational inertia about the origin (3 x 3, kg m^2). Welding bodies is adding them.
    """

    mass: Scalar
    moment: Matrix
    about_origin: Matrix

    @staticmethod
    def zero() -> Inertia:
        """No body."""
        return Inertia(0.0, zeros(3), zeros(3, 3))

    @staticmethod
    def of_body(mass: Scalar, com: Matrix, tensor: Matrix) -> Inertia:
        """From the centre of mass (3 x 1, m) and the rotational inertia about it (3 x 3)."""
        return Inertia(mass, com * mass, tensor + parallel_axis(mass, com))

    @staticmethod
    def of_parameters(pi: Matrix) -> Inertia:
        """From `INERTIAL`, 10 x 1: kg, kg m and, about the origin of the frame, kg m^2."""
        mass, mx, my, mz, xx, yy, zz, xy, yz, xz = pi
        tensor = Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return Inertia(mass, column(mx, my, mz), tensor)

    @property
    def parameters(self) -> Matrix:
        """`INERTIAL`, 10 x 1."""
        I = self.about_origin  # noqa: E741 - the book's letter
        moments = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[1, 2], I[0, 2])
        return column(self.mass, *self.moment, *moments)

    @property
    def com(self) -> Matrix:
        """The centre of mass, 3 x 1 in m; the origin for a body without mass."""
        massless = type(self.mass) is float and self.mass == 0.0
        return zeros(3) if massless else self.moment * (1.0 / self.mass)

    @property
    def tensor(self) -> Matrix:
        """The rotational inertia about the centre of mass, 3 x 3."""
        return self.about_origin - parallel_axis(self.mass, self.com)

    def seen_from(self, pose: Pose) -> Inertia:
        """The same body described in the frame in which its own frame has this pose.

        I' = R I R' - [p] [k] - [k] [p] with k = R h + m p / 2.
        """
        h, p = pose.R @ self.moment, pose.p
        mixed = skew(p).T @ skew(h + p * mul(0.5, self.mass))
        about_origin = rotated(pose.R, self.about_origin) + (mixed + mixed.T)
        return Inertia(self.mass, h + p * self.mass, _mirrored(about_origin))

    def __add__(self, other: Inertia) -> Inertia:
        """The two bodies welded together, both described in one frame."""
        return Inertia(
            add(self.mass, other.mass),
            self.moment + other.moment,
            self.about_origin + other.about_origin,
        )


def parallel_axis(mass: Scalar, c: Matrix) -> Matrix:
    """-m [c]^2, the rotational inertia about the origin of a point mass at c (Steiner)."""
    tensor: Matrix = skew(c).T @ skew(c) * mass
    return tensor


def _mirrored(A: Matrix) -> Matrix:
    """A with its upper half mirrored: symmetric to the last bit, where rounding made it not so."""
    return Matrix([[A[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
