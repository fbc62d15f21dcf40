"""Rotations as Euler angles and as quaternions, and the rates of both.

Euler angles are roll, pitch and yaw (phi, theta, psi) in rad with R = Rz(psi) Ry(theta) Rx(phi),
the ``rpy`` of URDF. Quaternions are columns x, y, z, w with the real part last; their arguments
are called ``xyzw``. An angular velocity is of the body, in rad/s: omega_space in the axes of the
parent frame, omega_body = R' omega_space in those of the body.
"""

from __future__ import annotations

from itertools import accumulate

from symkin.algebra import (
    Matrix,
    Scalar,
    add,
    atan2,
    column,
    constant,
    cos,
    div,
    identity,
    less,
    mul,
    norm,
    row,
    sin,
    sqrt,
    sub,
    vstack,
    where,
)
from symkin.spatial.pose import axis_rotation, cross, skew

# In a rotation with entries rounded to 2e-16, a cosine of pitch below this is nothing but rounding.
GIMBAL_COSINE = 1e-15

# h / sin h = sum a_n (1 - cos h)^n with a_0 = 1, a_n = a_(n-1) n / (2 n + 1). Two half angles bring
# h from [0, pi/2] to [0, pi/8], where 1 - cos h < 0.0762: the terms left out are below 2e-22, and
# below 3e-17 of the leading one in the second derivative, so that Hessians are exact too.
LOG_SERIES = tuple(accumulate(range(1, 15), lambda a, n: a * n / (2 * n + 1), initial=1.0))


def rotation_zyx(angles: Matrix) -> Matrix:
    """R = Rz(psi) Ry(theta) Rx(phi), 3 x 3, of the Euler angles (phi, theta, psi), 3 x 1 in rad.

    Modern Robotics, appendix B.1; the ``rpy`` of URDF.
    """
    phi, theta, psi = angles
    return _turn([0, 0, 1], psi) @ _turn([0, 1, 0], theta) @ _turn([1, 0, 0], phi)


def _turn(axis: list[int], angle: Scalar) -> Matrix:
    return axis_rotation(constant(axis), sin(angle), cos(angle))


def euler_zyx(R: Matrix) -> Matrix:
    """The Euler angles (phi, theta, psi), 3 x 1 in rad, of the rotation R; theta in [-pi/2, pi/2].

    At the gimbal, theta = +-pi/2, R determines only one combination of roll and yaw: there yaw is
    zero and its derivative too. The angles rebuild R everywhere; their derivatives grow with
    1 / cos theta. Modern Robotics, appendix B.1.1.
    """
    square = add(mul(R[0, 0], R[0, 0]), mul(R[1, 0], R[1, 0]))
    gimbal = less(square, GIMBAL_COSINE * GIMBAL_COSINE)
    x, y = where(gimbal, 1.0, R[0, 0]), where(gimbal, 0.0, R[1, 0])
    length = norm(column(x, y))
    c, s = x / length, y / length
    # Rz(psi)' R = Ry(theta) Rx(phi): its entries give pitch and roll for whatever yaw was chosen.
    first, second = row(c, s, 0.0) @ R, row(mul(-1.0, s), c, 0.0) @ R
    phi = atan2(mul(-1.0, second[0, 2]), second[0, 1])
    theta = atan2(mul(-1.0, R[2, 0]), first[0, 0])
    return column(phi, theta, atan2(y, x))


def rate_zyx(angles: Matrix) -> Matrix:
    """E, 3 x 3, with omega_space = E d/dt (phi, theta, psi); det E = cos theta.

    Siciliano, Sciavicco, Villani & Oriolo, Robotics (2009), section 3.6.
    """
    return _rate(*_trigonometry(angles))


def rate_zyx_dot(angles: Matrix, rates: Matrix) -> Matrix:
    """dE/dt, 3 x 3 in 1/s, for angles that change at these rates (3 x 1, rad/s)."""
    return _rate_dot(*_trigonometry(angles), rates)


def rate_zyx_inverse(angles: Matrix) -> Matrix:
    """E^-1, 3 x 3: the Euler angle rates of an omega_space. It grows with 1 / cos theta."""
    return _rate_inverse(*_trigonometry(angles))


def rate_zyx_inverse_dot(angles: Matrix, rates: Matrix) -> Matrix:
    """d/dt E^-1 = -E^-1 (dE/dt) E^-1, 3 x 3 in 1/s, for angles that change at these rates."""
    inverse = rate_zyx_inverse(angles)
    return -(inverse @ rate_zyx_dot(angles, rates) @ inverse)


def rate_zyx_inverse_at(R: Matrix) -> Matrix:
    """E^-1 of the Euler angles of R, without the angles; not finite at the gimbal."""
    return _rate_inverse(*_trigonometry_at(R))


def rate_zyx_inverse_dot_at(R: Matrix, omega: Matrix) -> Matrix:
    """d/dt E^-1, 3 x 3 in 1/s, of the Euler angles of an R that turns at omega_space (3 x 1)."""
    trigonometry = _trigonometry_at(R)
    inverse = _rate_inverse(*trigonometry)
    return -(inverse @ _rate_dot(*trigonometry, inverse @ omega) @ inverse)


def _trigonometry(angles: Matrix) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Sine and cosine of theta, then of psi."""
    _, theta, psi = angles
    return sin(theta), cos(theta), sin(psi), cos(psi)


def _trigonometry_at(R: Matrix) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The same from the first column of R, (cos theta cos psi, cos theta sin psi, -sin theta)."""
    x, y, z = R.column(0)
    cosine = norm(column(x, y))
    return mul(-1.0, z), cosine, div(y, cosine), div(x, cosine)


def _rate(sin_theta: Scalar, cos_theta: Scalar, s: Scalar, c: Scalar) -> Matrix:
    return Matrix(
        [
            [mul(c, cos_theta), mul(-1.0, s), 0.0],
            [mul(s, cos_theta), c, 0.0],
            [mul(-1.0, sin_theta), 0.0, 1.0],
        ]
    )


def _rate_dot(sin_theta: Scalar, cos_theta: Scalar, s: Scalar, c: Scalar, rates: Matrix) -> Matrix:
    _, theta_dot, psi_dot = rates
    # The first column is cos theta (c, s, 0) - sin theta (0, 0, 1).
    along = mul(-1.0, mul(sin_theta, theta_dot))
    across = mul(cos_theta, psi_dot)
    return Matrix(
        [
            [sub(mul(c, along), mul(s, across)), mul(-1.0, mul(c, psi_dot)), 0.0],
            [add(mul(s, along), mul(c, across)), mul(-1.0, mul(s, psi_dot)), 0.0],
            [mul(-1.0, mul(cos_theta, theta_dot)), 0.0, 0.0],
        ]
    )


def _rate_inverse(sin_theta: Scalar, cos_theta: Scalar, s: Scalar, c: Scalar) -> Matrix:
    secant = div(1.0, cos_theta)
    x, y = mul(c, secant), mul(s, secant)
    return Matrix(
        [
            [x, y, 0.0],
            [mul(-1.0, s), c, 0.0],
            [mul(sin_theta, x), mul(sin_theta, y), 1.0],
        ]
    )


def rotation_from_quaternion(xyzw: Matrix) -> Matrix:
    """R, 3 x 3, of a quaternion 4 x 1 of any length but zero: q, -q and 2 q are one rotation.

    R = 1 + 2 (w [v] + [v]^2) / (q'q). The zero quaternion is no rotation and gives NaN.
    Modern Robotics, appendix B.3, for a quaternion of unit length.
    """
    v = skew(xyzw[:3])
    R: Matrix = identity(3) + (v * xyzw[3] + v @ v) * (2.0 / _square(xyzw))
    return R


def rotation_from_unit_quaternion(xyzw: Matrix) -> Matrix:
    """R, 3 x 3, of a quaternion 4 x 1 of length 1: no division; other lengths give no rotation."""
    v = skew(xyzw[:3])
    twice = v * 2.0
    R: Matrix = identity(3) + twice * xyzw[3] + twice @ v
    return R


def quaternion_from_rotation(R: Matrix) -> Matrix:
    """The unit quaternion x, y, z, w (4 x 1) with w >= 0 of the rotation R.

    At half turns, where w = 0 leaves a choice, the largest component is positive.
    Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1(3) (1978).
    """
    direction = quaternion_direction(R)
    q: Matrix = direction * (_sign(direction[3]) / norm(direction))
    return q


def quaternion_direction(R: Matrix) -> Matrix:
    """A multiple of R's quaternion x, y, z, w, 4 x 1: of length 2 to 4, its sign not chosen.

    The entries of 4 q q' are linear in R, so all its columns have finite derivatives. The one
    with the largest diagonal entry is the longest, hence exact to rounding.
    """
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    a, b, c = R[0, 0], R[1, 1], R[2, 2]
    columns = (
        column(1.0 + a - b - c, xy, xz, x),
        column(xy, 1.0 - a + b - c, yz, y),
        column(xz, yz, 1.0 - a - b + c, z),
        column(x, y, z, 1.0 + a + b + c),
    )
    best, largest = columns[3], columns[3][3]
    for i in range(3):
        longer = less(largest, columns[i][i])
        largest = where(longer, columns[i][i], largest)
        best = Matrix([[where(longer, p, q)] for p, q in zip(columns[i], best, strict=True)])
    return best


def quaternion_log(xyzw: Matrix) -> Matrix:
    """The rotation vector, 3 x 1 in rad, |r| <= pi, of a quaternion 4 x 1 of any length but zero.

    q and -q give the same, shortest one; the zero quaternion gives NaN. r = 2 v h / sin h for the
    unit quaternion (v, w) with w = cos h >= 0. No branch depends on the angle, so values and
    derivatives of any order are as good at 0 and pi as between. Sola, Deray & Atchuthan, A micro
    Lie theory for state estimation in robotics (2018), equation 105.
    """
    scale = _sign(xyzw[3]) / norm(xyzw)
    half = sqrt(0.5 + 0.5 * (xyzw[3] * scale))
    quarter = sqrt(0.5 + 0.5 * half)
    versine = 1.0 - quarter
    ratio = LOG_SERIES[-1]
    for coefficient in reversed(LOG_SERIES[:-1]):
        ratio = coefficient + versine * ratio
    r: Matrix = xyzw[:3] * (2.0 * scale * ratio / (half * quarter))
    return r


def quaternion_product(xyzw: Matrix, other: Matrix) -> Matrix:
    """The quaternion x, y, z, w of the composed rotation, first ``other``, then ``xyzw``."""
    v, w, v_other, w_other = xyzw[:3], xyzw[3], other[:3], other[3]
    vector = v_other * w + v * w_other + cross(v, v_other)
    return vstack(vector, Matrix([[sub(mul(w, w_other), (v.T @ v_other)[0, 0])]]))


def quaternion_conjugate(xyzw: Matrix) -> Matrix:
    """The quaternion x, y, z, w of the inverse rotation, for one of length 1."""
    return vstack(-xyzw[:3], xyzw[3:])


def quaternion_rate(xyzw: Matrix) -> Matrix:
    """The map, 4 x 3, from omega_body to the rate of the quaternion x, y, z, w.

    Its columns span the tangent space: a derivative along x, y, z, w times this map is the
    derivative along rotations of the body. Sola, Quaternion kinematics for the error-state
    Kalman filter (2017), equation 199.
    """
    return vstack(identity(3) * xyzw[3] + skew(xyzw[:3]), -xyzw[:3].T) * 0.5


def _square(vector: Matrix) -> Scalar:
    return (vector.T @ vector)[0, 0]


def _sign(x: Scalar) -> Scalar:
    return where(less(x, 0.0), -1.0, 1.0)
