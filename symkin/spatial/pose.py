"""Poses and twists. Lynch & Park, Modern Robotics (2017), chapter 3."""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, block, column, identity, mul, sub, vstack, zeros


@dataclass(frozen=True, slots=True)
class Pose:
    """A rigid displacement T = (R, p): x_parent = R x + p. Modern Robotics, section 3.3.

    R is 3 x 3, p is 3 x 1 in metres.
    """

    R: Matrix
    p: Matrix

    @staticmethod
    def identity() -> Pose:
        """No displacement."""
        return Pose(identity(3), zeros(3))

    @staticmethod
    def from_matrix(matrix: Matrix) -> Pose:
        """The pose of a 4 x 4 homogeneous matrix."""
        return Pose(matrix[:3, :3], matrix[:3, 3:])

    def __matmul__(self, other: Pose) -> Pose:
        """The composition: first other, then self."""
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self) -> Pose:
        """T^-1 = (R', -R' p)."""
        return Pose(self.R.T, -(self.R.T @ self.p))

    def matrix(self) -> Matrix:
        """The 4 x 4 homogeneous matrix."""
        bottom = Matrix([[0.0, 0.0, 0.0, 1.0]])
        return vstack(block([[self.R, self.p]]), bottom)

    def act(self, point: Matrix) -> Matrix:
        """A point of the child frame in the parent frame."""
        return self.R @ point + self.p

    def Ad(self, V: Matrix) -> Matrix:
        """Ad_T V: a twist (omega, v) of the child frame in the parent frame. Equation 3.83."""
        w = self.R @ V[:3]
        return vstack(w, self.R @ V[3:] + cross(self.p, w))

    def adjoint(self) -> Matrix:
        """[Ad_T], 6 x 6. Modern Robotics, definition 3.20."""
        return block([[self.R, zeros(3, 3)], [skew(self.p) @ self.R, self.R]])

    def Ad_inverse(self, V: Matrix) -> Matrix:
        """Ad_{T^-1} V: a twist of the parent frame in the child frame."""
        return vstack(self.R.T @ V[:3], self.R.T @ (V[3:] - cross(self.p, V[:3])))


def cross(a: Matrix, b: Matrix) -> Matrix:
    """a x b of two 3-vectors."""

    def component(i: int, j: int) -> Scalar:
        return sub(mul(a[i], b[j]), mul(a[j], b[i]))

    return column(component(1, 2), component(2, 0), component(0, 1))


def skew(w: Matrix) -> Matrix:
    """[w], the 3 x 3 matrix with [w] x = w x x."""
    x, y, z = w
    return Matrix([[0.0, mul(-1.0, z), y], [z, 0.0, mul(-1.0, x)], [mul(-1.0, y), x, 0.0]])


def ad(V: Matrix, W: Matrix) -> Matrix:
    """The Lie bracket [V, W] = ad_V W of two twists. Modern Robotics, definition 8.2."""
    return vstack(cross(V[:3], W[:3]), cross(V[:3], W[3:]) + cross(V[3:], W[:3]))


def ad_dual(V: Matrix, F: Matrix) -> Matrix:
    """V x* F = (w x n + v x f, w x f): a wrench (n, f) carried along by a twist.

    Featherstone, Rigid Body Dynamics Algorithms (2008), equation 2.33.
    """
    w, v, n, f = V[:3], V[3:], F[:3], F[3:]
    return vstack(cross(w, n) + cross(v, f), cross(w, f))


def axis_rotation(axis: Matrix, sine: Scalar, cosine: Scalar) -> Matrix:
    """Rotation about a constant unit axis a, from its angle's sine and cosine: Rodrigues' formula.

    R = a a' + cos (I - a a') + sin [a]. About a coordinate axis it costs no operation.
    Modern Robotics, equation 3.51.
    """
    along = axis @ axis.T
    R: Matrix = along + (identity(3) - along) * cosine + skew(axis) * sine
    return R


def exp_screw(S: Matrix, q: Scalar, sine: Scalar, cosine: Scalar) -> Pose:
    """exp([S] q) of a constant normalised screw (|omega| = 1, or omega = 0), q's sine and cosine.

    p = (I - R)(omega x v) + omega (omega . v) q. Modern Robotics, equation 3.88.
    """
    w, v = S[:3], S[3:]
    if all(type(c) is float and c == 0.0 for c in w):
        return Pose(identity(3), v * q)
    R = axis_rotation(w, sine, cosine)
    pitch = (w.T @ v)[0, 0]
    return Pose(R, (identity(3) - R) @ cross(w, v) + w * mul(pitch, q))
