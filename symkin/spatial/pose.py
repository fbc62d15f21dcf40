"""Poses and twists. Lynch & Park, Modern Robotics (2017), chapter 3."""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, block, column, identity, mul, sub, vstack, zeros


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


def rotated(R: Matrix, A: Matrix) -> Matrix:
    """R A R' of a 3 x 3 matrix A: cheaper where R turns about a constant coordinate axis.

    With (a, b; -e b, e a), e = +-1, the block of R in the plane that turns, and (x, y; z, t) that
    of A: (x + b w, e (a w - z); e (a w - y), t - b w), w = b (t - x) + a (y + z).
    """
    fixed = [(r, k) for r in range(3) for k in range(3) if keeps_axis(R, r, k)]
    if len(fixed) != 1:
        general: Matrix = R @ A @ R.T
        return general
    [(r, k)] = fixed
    (m, n), (i, j) = _others(r), _others(k)
    a, b = R[m, i], R[m, j]
    e = R[r, k] if (r + k) % 2 == 0 else -R[r, k]
    x, y, z, t = A[i, i], A[i, j], A[j, i], A[j, j]
    w = add(mul(b, sub(t, x)), mul(a, add(y, z)))
    aw, bw = mul(a, w), mul(b, w)
    rows: list[list[Scalar]] = [[0.0] * 3 for _ in range(3)]
    rows[m][m], rows[m][n] = add(x, bw), mul(e, sub(aw, z))
    rows[n][m], rows[n][n] = mul(e, sub(aw, y)), sub(t, bw)
    for line in (m, n):
        rows[line][r] = mul(R[r, k], add(mul(R[line, i], A[i, k]), mul(R[line, j], A[j, k])))
        rows[r][line] = mul(R[r, k], add(mul(R[line, i], A[k, i]), mul(R[line, j], A[k, j])))
    rows[r][r] = A[k, k]
    return Matrix(rows)


def keeps_axis(R: Matrix, r: int, k: int) -> bool:
    """Whether R, by constants, turns axis k into axis +-r: a cosine of 1 alone may be rounded."""
    entries = [R[i, j] for i in range(3) for j in range(3) if i == r or j == k]
    if not all(type(x) is float for x in entries):
        return False
    return R[r, k] in (1.0, -1.0) and sum(x != 0.0 for x in entries) == 1


def _others(axis: int) -> tuple[int, int]:
    """The other two of three."""
    first, second = (i for i in range(3) if i != axis)
    return first, second


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
