"""Positions as a manifold: moving along a tangent vector, and the difference of two positions.

A tangent vector has nv entries, in the units of v times seconds. Joints of one degree of freedom
add it to q; spherical and floating ones move from T to T exp([d]), d being of the child in its own
axes. Sola, Deray & Atchuthan, A micro Lie theory for state estimation in robotics (2018), II.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symkin.algebra import Dual, Matrix, block, block_diagonal, identity, vstack, zeros
from symkin.model import Coordinate, Joint, Robot, motion
from symkin.spatial import (
    exp_quaternion,
    exp_se3,
    exp_so3,
    log_se3,
    quaternion_conjugate,
    quaternion_log,
    quaternion_product,
    quaternion_rate,
    right_jacobian_se3,
    right_jacobian_so3,
    skew,
)


def integrate(robot: Robot, q: Matrix, d: Matrix) -> Matrix:
    """q moved by the tangent vector d (nq x 1); unit quaternions stay so to rounding."""

    def moved(joint: Joint, x: Matrix, step: Matrix) -> Matrix:
        if joint.kind == "spherical":
            return quaternion_product(x, exp_quaternion(step))
        if joint.kind == "floating":
            T = motion(joint, x) @ exp_se3(step)
            return vstack(T.p, quaternion_product(x[3:], exp_quaternion(step[:3])))
        return x + step

    return vstack(zeros(0), *(moved(j, _q(j, c, q), _v(j, c, d)) for j, c in _independent(robot)))


def difference(robot: Robot, q: Matrix, q_end: Matrix) -> Matrix:
    """The shortest tangent vector d (nv x 1) at q with integrate(q, d) = q_end."""

    def between(joint: Joint, x: Matrix, end: Matrix) -> Matrix:
        if joint.kind == "spherical":
            return quaternion_log(quaternion_product(quaternion_conjugate(x), end))
        if joint.kind == "floating":
            return log_se3(motion(joint, x).inverse() @ motion(joint, end))
        return end - x

    pairs = ((j, _q(j, c, q), _q(j, c, q_end)) for j, c in _independent(robot))
    return vstack(zeros(0), *(between(*pair) for pair in pairs))


def position_rate(robot: Robot, q: Matrix) -> Matrix:
    """N, nq x nv, with dq/dt = N v; a derivative along q times N is one in the tangent space."""

    def of(joint: Joint, x: Matrix) -> Matrix:
        if joint.kind == "spherical":
            return quaternion_rate(x)
        if joint.kind == "floating":
            turning, sliding = quaternion_rate(x[3:]), motion(joint, x).R
            return block([[zeros(3, 3), sliding], [turning, zeros(4, 3)]])
        return identity(1)

    return block_diagonal(of(j, _q(j, c, q)) for j, c in _independent(robot))


def rate(function: Callable[[Matrix], Matrix], robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """d/dt function(q) when q moves at v, by dual numbers over whatever scalar q holds."""
    q_dot = position_rate(robot, q) @ v
    moving = Matrix([(Dual(x, d),) for x, d in zip(q, q_dot, strict=True)], columns=1)
    return function(moving).map(lambda y: y.d if isinstance(y, Dual) else 0.0)


def integrate_dq(robot: Robot, d: Matrix) -> Matrix:
    """Derivative of integrate(q, d) along q, nv x nv, in tangent spaces, at any q: Ad_{exp(-d)}."""

    def of(joint: Joint, step: Matrix) -> Matrix:
        if joint.kind == "spherical":
            return exp_so3(step).T
        if joint.kind == "floating":
            return exp_se3(step).inverse().adjoint()
        return identity(1)

    return block_diagonal(of(j, _v(j, c, d)) for j, c in _independent(robot))


def integrate_dd(robot: Robot, d: Matrix) -> Matrix:
    """Derivative of integrate(q, d) along d, nv x nv, at any q: right Jacobians."""

    def of(joint: Joint, step: Matrix) -> Matrix:
        if joint.kind == "spherical":
            return right_jacobian_so3(step)
        if joint.kind == "floating":
            return right_jacobian_se3(step)
        return identity(1)

    return block_diagonal(of(j, _v(j, c, d)) for j, c in _independent(robot))


def bracket(robot: Robot, d: Matrix) -> Matrix:
    """ad_d, nv x nv: the Lie bracket [d, e] = ad_d e of two tangent vectors at one position.

    Zero for joints of one degree of freedom. integrate_dq(d) = exp(-ad_d).
    """

    def of(joint: Joint, step: Matrix) -> Matrix:
        if joint.kind == "spherical":
            return skew(step)
        if joint.kind == "floating":
            turning, sliding = skew(step[:3]), skew(step[3:])
            return block([[turning, zeros(3, 3)], [sliding, turning]])
        return zeros(1, 1)

    return block_diagonal(of(j, _v(j, c, d)) for j, c in _independent(robot))


def _independent(robot: Robot) -> Iterator[tuple[Joint, Coordinate]]:
    """The joints that have coordinates of their own, and which."""
    for i, c in robot.coordinates.items():
        joint = robot.links[i].joint
        if joint is not None and joint.mimic is None:
            yield joint, c


def _q(joint: Joint, c: Coordinate, q: Matrix) -> Matrix:
    return q[c.index : c.index + joint.nq]


def _v(joint: Joint, c: Coordinate, v: Matrix) -> Matrix:
    return v[c.velocity : c.velocity + joint.nv]
