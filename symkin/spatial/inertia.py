"""Rigid-body inertia. Featherstone, Rigid Body Dynamics Algorithms (2008), section 2.13."""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, identity, zeros
from symkin.spatial.pose import Pose


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass in kg, centre of mass (3 x 1, m), rotational inertia about it (3 x 3, kg m^2)."""

    mass: Scalar
    com: Matrix
    tensor: Matrix

    @staticmethod
    def zero() -> Inertia:
        """No mass."""
        return Inertia(0.0, zeros(3), zeros(3, 3))

    def seen_from(self, pose: Pose) -> Inertia:
        """The same body described in the frame in which its own frame has this pose."""
        turned = pose.R @ self.tensor @ pose.R.T
        return Inertia(self.mass, pose.act(self.com), _mirrored(turned))

    def about_origin(self) -> Matrix:
        """The rotational inertia about the frame's origin: I_c + m (c'c 1 - c c')."""
        return self.tensor + _parallel_axis(self.mass, self.com)

    def __add__(self, other: Inertia) -> Inertia:
        """The two bodies welded together, both described in one frame."""
        mass = add(self.mass, other.mass)
        if type(mass) is float and mass == 0.0:
            # No centre of mass is defined; keep the tensors, whose place then does not matter.
            return Inertia(0.0, zeros(3), self.tensor + other.tensor)
        com = (self.com * self.mass + other.com * other.mass) * (1.0 / mass)
        tensor = self.tensor + other.tensor
        for part in (self, other):
            tensor = tensor + _parallel_axis(part.mass, part.com - com)
        return Inertia(mass, com, tensor)


def _mirrored(A: Matrix) -> Matrix:
    """A with its upper half mirrored: symmetric to the last bit, where rounding made it not so."""
    return Matrix([[A[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


def _parallel_axis(mass: Scalar, c: Matrix) -> Matrix:
    square = (c.T @ c)[0, 0]
    tensor: Matrix = (identity(3) * square - c @ c.T) * mass
    return tensor
