"""Exponential and logarithm of SO(3) and SE(3), their Jacobians and their rates.

Rotation vectors r are in rad, exponential coordinates xi = (r, v) angular first, in rad and m.
Left Jacobians map d/dt of the coordinates to the space velocity, right ones to the body velocity.
Left and right differ by the sign of the argument. All of it rests on six entire functions of
theta^2 = r'r, so values and derivatives are finite and exact at zero.

Barfoot, State Estimation for Robotics (2017), section 7.1; Sola, Deray & Atchuthan, A micro Lie
theory for state estimation in robotics (2018); Modern Robotics, sections 3.2.3 and 3.3.3.
"""

from __future__ import annotations

from math import factorial

from symkin.algebra import (
    Matrix,
    Scalar,
    block,
    identity,
    less,
    mul,
    sin,
    sqrt,
    vstack,
    where,
    zeros,
)
from symkin.spatial.pose import Pose, skew
from symkin.spatial.rotations import quaternion_direction, quaternion_log

# Below theta^2 = 4 the series, above it closed forms. There 1/k! - c_k loses at most three bits.
# Twelve terms: the first neglected one is 4^12 k! / (24 + k)! <= 3e-22 of c_k(0), and 4e-18 of the
# leading term in the second derivative, so that Hessians are exact too.
SERIES_END = 4.0
SERIES_TERMS = 12


def stumpff(s: Scalar) -> dict[int, Scalar]:
    """The Stumpff functions c_k(s) = sum_n (-s)^n / (2 n + k)! for k = 1 ... 6 and s >= 0.

    With s = theta^2: c_1 = sin theta / theta, c_2 = (1 - cos theta) / theta^2,
    c_3 = (theta - sin theta) / theta^3. Also c_k = 1/k! - s c_(k+2) and, for derivatives,
    dc_k/ds = (k c_(k+2) - c_(k+1)) / 2, which needs no division by s.
    Stiefel & Scheifele, Linear and Regular Celestial Mechanics (1971).
    """
    near = less(s, SERIES_END)
    # `where` evaluates both: each branch sees only arguments at which it is finite.
    low, high = where(near, s, 0.0), where(near, SERIES_END, s)
    series: dict[int, Scalar] = {5: _series(5, low), 6: _series(6, low)}
    for k in (4, 3, 2, 1):
        series[k] = 1.0 / factorial(k) - low * series[k + 2]
    theta = sqrt(high)
    half_sine = sin(0.5 * theta)
    closed: dict[int, Scalar] = {1: sin(theta) / theta, 2: 2.0 * half_sine * half_sine / high}
    for k in (3, 4, 5, 6):
        closed[k] = (1.0 / factorial(k - 2) - closed[k - 2]) / high
    return {k: where(near, series[k], closed[k]) for k in range(1, 7)}


def _series(k: int, s: Scalar) -> Scalar:
    total: Scalar = 1.0 / factorial(2 * (SERIES_TERMS - 1) + k)
    for n in reversed(range(SERIES_TERMS - 1)):
        total = 1.0 / factorial(2 * n + k) - s * total
    return total


def exp_so3(r: Matrix) -> Matrix:
    """The rotation, 3 x 3, of a rotation vector, 3 x 1 in rad. Modern Robotics, equation 3.51."""
    c = stumpff(_dot(r, r))
    return identity(3) + _quadratic(skew(r), c[1], c[2])


def exp_quaternion(r: Matrix) -> Matrix:
    """The unit quaternion x, y, z, w (4 x 1) of a rotation vector, 3 x 1 in rad."""
    quarter = mul(0.25, _dot(r, r))
    c = stumpff(quarter)
    return vstack(r * mul(0.5, c[1]), Matrix([[1.0 - quarter * c[2]]]))


def log_so3(R: Matrix) -> Matrix:
    """The rotation vector, 3 x 1 in rad, |r| <= pi, of a rotation; exact to rounding everywhere.

    At a half turn, where r and -r are one rotation, one of them comes back, with the derivative of
    its own side. Modern Robotics, section 3.2.3.3.
    """
    return quaternion_log(quaternion_direction(R))


def exp_se3(xi: Matrix) -> Pose:
    """The pose of exponential coordinates (r, v), 6 x 1. Modern Robotics, proposition 3.25."""
    r, v = xi[:3], xi[3:]
    return Pose(exp_so3(r), left_jacobian_so3(r) @ v)


def log_se3(T: Pose) -> Matrix:
    """The exponential coordinates (r, v), 6 x 1, |r| <= pi, of a pose.

    Of T_goal^-1 T it is the pose error, whose derivative at the goal is the body Jacobian.
    Modern Robotics, section 3.3.3.2.
    """
    r = log_so3(T.R)
    return vstack(r, left_jacobian_so3_inverse(r) @ T.p)


def left_jacobian_so3(r: Matrix) -> Matrix:
    """J, 3 x 3, with omega_space = J dr/dt: 1 + c_2 [r] + c_3 [r]^2; singular at 2 pi."""
    c = stumpff(_dot(r, r))
    return identity(3) + _quadratic(skew(r), c[2], c[3])


def left_jacobian_so3_dot(r: Matrix, r_dot: Matrix) -> Matrix:
    """d/dt of `left_jacobian_so3`, 3 x 3 in 1/s, for an r that changes at r_dot (rad/s)."""
    c, half_s_dot = stumpff(_dot(r, r)), _dot(r, r_dot)
    c2_dot, c3_dot = (2.0 * c[4] - c[3]) * half_s_dot, (3.0 * c[5] - c[4]) * half_s_dot
    S, S_dot = skew(r), skew(r_dot)
    return _quadratic_along(S, S_dot, c[2], c[3]) + _quadratic(S, c2_dot, c3_dot)


def left_jacobian_so3_inverse(r: Matrix) -> Matrix:
    """The inverse of `left_jacobian_so3`, 3 x 3: 1 - [r]/2 + b [r]^2; infinite at |r| = 2 pi.

    b = (1 - (theta/2) cot(theta/2)) / theta^2 = (c_3 - 2 c_4) / (2 c_2), free of cancellation at 0.
    """
    b = _inverse_coefficient(stumpff(_dot(r, r)))
    return identity(3) + _quadratic(skew(r), -0.5, b)


def left_jacobian_so3_inverse_dot(r: Matrix, r_dot: Matrix) -> Matrix:
    """d/dt of `left_jacobian_so3_inverse`, 3 x 3 in 1/s, for an r that changes at r_dot (rad/s)."""
    c, S = stumpff(_dot(r, r)), skew(r)
    b = _inverse_coefficient(c)
    slope = b * b + (5.0 * c[5] - c[4] - 8.0 * c[6]) / (4.0 * c[2])  # db / d(theta^2)
    b_dot = 2.0 * slope * _dot(r, r_dot)
    return _quadratic_along(S, skew(r_dot), -0.5, b) + _quadratic(S, 0.0, b_dot)


def _inverse_coefficient(c: dict[int, Scalar]) -> Scalar:
    return (c[3] - 2.0 * c[4]) / (2.0 * c[2])


def right_jacobian_so3(r: Matrix) -> Matrix:
    """A, 3 x 3, with omega_body = A dr/dt: 1 - c_2 [r] + c_3 [r]^2; singular at |r| = 2 pi.

    Modern Robotics, equation 5.25.
    """
    return left_jacobian_so3(-r)


def right_jacobian_so3_dot(r: Matrix, r_dot: Matrix) -> Matrix:
    """d/dt of `right_jacobian_so3`, 3 x 3 in 1/s, for an r that changes at r_dot (rad/s)."""
    return left_jacobian_so3_dot(-r, -r_dot)


def right_jacobian_so3_inverse(r: Matrix) -> Matrix:
    """The inverse of `right_jacobian_so3`, 3 x 3: dr/dt of an omega_body; infinite at 2 pi."""
    return left_jacobian_so3_inverse(-r)


def right_jacobian_so3_inverse_dot(r: Matrix, r_dot: Matrix) -> Matrix:
    """d/dt of `right_jacobian_so3_inverse`, 3 x 3 in 1/s, for an r that changes at r_dot."""
    return left_jacobian_so3_inverse_dot(-r, -r_dot)


def left_jacobian_se3(xi: Matrix) -> Matrix:
    """J, 6 x 6, with V_space = J d(xi)/dt for coordinates xi = (r, v).

    J = sum ad_xi^n / (n+1)! is a power series in [[r], 0; [v], [r]], so its lower left block is
    the derivative of its diagonal block along v. Barfoot, section 7.1.5, has it written out.
    """
    r, v = xi[:3], xi[3:]
    J = left_jacobian_so3(r)
    return block([[J, zeros(3, 3)], [left_jacobian_so3_dot(r, v), J]])


def left_jacobian_se3_inverse(xi: Matrix) -> Matrix:
    """The inverse of `left_jacobian_se3`, 6 x 6, by the same rule; infinite at |r| = 2 pi."""
    r, v = xi[:3], xi[3:]
    J = left_jacobian_so3_inverse(r)
    return block([[J, zeros(3, 3)], [left_jacobian_so3_inverse_dot(r, v), J]])


def right_jacobian_se3(xi: Matrix) -> Matrix:
    """J, 6 x 6, with V_body = J d(xi)/dt for coordinates xi = (r, v)."""
    return left_jacobian_se3(-xi)


def right_jacobian_se3_inverse(xi: Matrix) -> Matrix:
    """The inverse of `right_jacobian_se3`, 6 x 6: d(xi)/dt of a V_body; infinite at |r| = 2 pi."""
    return left_jacobian_se3_inverse(-xi)


def _quadratic(S: Matrix, a: Scalar, b: Scalar) -> Matrix:
    """The matrix a S + b S^2."""
    value: Matrix = S * a + S @ S * b
    return value


def _quadratic_along(S: Matrix, S_dot: Matrix, a: Scalar, b: Scalar) -> Matrix:
    """Its derivative along S_dot at constant coefficients."""
    value: Matrix = S_dot * a + (S @ S_dot + S_dot @ S) * b
    return value


def _dot(a: Matrix, b: Matrix) -> Scalar:
    return (a.T @ b)[0, 0]
