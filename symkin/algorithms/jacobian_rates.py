"""Time derivatives of the Jacobians, and their product with v.

The Lie-bracket form of dJ_s/dt follows from d/dt Ad_P = ad_{V} Ad_P; the others from it by
J_b = Ad_{T^-1} J_s and J_p = L(p) J_s. Lynch & Park, Modern Robotics (2017), section 5.1 and 8.3.
"""

from __future__ import annotations

from collections.abc import Callable

from symkin.algebra import Matrix, vstack, zeros
from symkin.algorithms.jacobians import (
    body_columns,
    moved_to,
    position_columns,
    space_columns,
)
from symkin.algorithms.kinematics import classical, moving_frame, rotate
from symkin.algorithms.path import Columns, Path
from symkin.spatial import (
    ad,
    cross,
    log_so3,
    rate_zyx_inverse_at,
    rate_zyx_inverse_dot_at,
    right_jacobian_so3_inverse,
    right_jacobian_so3_inverse_dot,
)


def jacobian_space_dot(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """dJ_s,i/dt = [V_i, J_s,i], V_i the twist of the body that carries joint i."""
    return path.fold(_space_rates(path, space_columns(path, q)[0], v))


def jacobian_body_dot(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """dJ_b,i/dt = [J_b,i, U_i], U_i the target's twist relative to the body carrying joint i."""
    columns, U = body_columns(path, q), zeros(6)
    rates = []
    for step, own in zip(reversed(path.steps), reversed(columns), strict=True):
        after = U
        U = U + step.drive(own, v)
        carrier = after if step.constant_after else U
        rates.append([ad(J, carrier) for J in own])
    return path.fold(rates[::-1])


def jacobian_body_dot_adjoint(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """dJ_b/dt = Ad_{T^-1} dJ_s/dt - ad_{V_b} J_b."""
    columns, T = space_columns(path, q)
    V_b = T.Ad_inverse(_total(path, columns, v))
    rates = _space_rates(path, columns, v)
    return path.fold(
        _each(rates, columns, lambda rate, J: T.Ad_inverse(rate) - ad(V_b, T.Ad_inverse(J)))
    )


def jacobian_position_dot(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """(W x omega_i, W x l_i + omega_i x d_i): W the turning of the body that carries joint i, d_i
    the velocity that the joints behind that body give p."""
    return path.fold(_position_rates(path, position_columns(path, q)[0], v))


def jacobian_position_dot_adjoint(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """dJ_p/dt = L(p) dJ_s/dt + (0, omega_i x dp/dt)."""
    columns, T = space_columns(path, q)
    p_dot = moved_to(T.p, _total(path, columns, v))[3:]
    rates = _space_rates(path, columns, v)

    def moved(rate: Matrix, J: Matrix) -> Matrix:
        return moved_to(T.p, rate) + vstack(zeros(3), cross(J[:3], p_dot))

    return path.fold(_each(rates, columns, moved))


def jacobian_zyx_dot(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """diag(E^-1, 1) dJ_p/dt + diag(dE^-1/dt, 0) J_p."""
    columns, T = position_columns(path, q)
    w = _total(path, columns, v)[:3]
    E_inverse, E_inverse_dot = rate_zyx_inverse_at(T.R), rate_zyx_inverse_dot_at(T.R, w)
    rates = _position_rates(path, columns, v)

    def rate_of(rate: Matrix, J: Matrix) -> Matrix:
        return vstack(E_inverse @ rate[:3] + E_inverse_dot @ J[:3], rate[3:])

    return path.fold(_each(rates, columns, rate_of))


def jacobian_rotvec_dot(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """(A^-1 domega_b/dt + dA^-1/dt omega_b, dl/dt) of every column, A^-1 at r = log R."""
    columns, T = position_columns(path, q)
    r = log_so3(T.R)
    A_inverse = right_jacobian_so3_inverse(r)
    w_b = T.R.T @ _total(path, columns, v)[:3]
    A_inverse_dot = right_jacobian_so3_inverse_dot(r, A_inverse @ w_b)
    rates = _position_rates(path, columns, v)

    def rate_of(rate: Matrix, J: Matrix) -> Matrix:
        w = T.R.T @ J[:3]
        w_dot = T.R.T @ rate[:3] - cross(w_b, w)
        return vstack(A_inverse @ w_dot + A_inverse_dot @ w, rate[3:])

    return path.fold(_each(rates, columns, rate_of))


def jacobian_space_dot_v(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """(dJ_s/dt) v = dV_s/dt at a = 0."""
    T, _, A = moving_frame(path, q, v)
    return T.Ad(A)


def jacobian_body_dot_v(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """(dJ_b/dt) v = dV_b/dt at a = 0."""
    return moving_frame(path, q, v)[2]


def jacobian_position_dot_v(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """(dJ_p/dt) v = (domega/dt, d^2 p/dt^2) at a = 0."""
    T, V, A = moving_frame(path, q, v)
    return rotate(T.R, classical(V, A))


def jacobian_zyx_dot_v(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """Second derivatives of the ZYX angles and of p at a = 0."""
    T, V, A = moving_frame(path, q, v)
    w, rate = T.R @ V[:3], rotate(T.R, classical(V, A))
    angular = rate_zyx_inverse_at(T.R) @ rate[:3] + rate_zyx_inverse_dot_at(T.R, w) @ w
    return vstack(angular, rate[3:])


def jacobian_rotvec_dot_v(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """Second derivatives of r = log R and of p at a = 0."""
    T, V, A = moving_frame(path, q, v)
    r = log_so3(T.R)
    A_inverse = right_jacobian_so3_inverse(r)
    A_inverse_dot = right_jacobian_so3_inverse_dot(r, A_inverse @ V[:3])
    angular = A_inverse @ A[:3] + A_inverse_dot @ V[:3]
    return vstack(angular, T.R @ classical(V, A)[3:])


def _space_rates(path: Path, columns: Columns, v: Matrix) -> Columns:
    rates, V = [], zeros(6)
    for step, own in zip(path.steps, columns, strict=True):
        before = V
        V = V + step.drive(own, v)
        carrier = before if step.constant_before else V
        rates.append(tuple(ad(carrier, J) for J in own))
    return rates


def _position_rates(path: Path, columns: Columns, v: Matrix) -> Columns:
    carriers, V = [], zeros(6)
    for step, own in zip(path.steps, columns, strict=True):
        before = V
        V = V + step.drive(own, v)
        carriers.append(before if step.constant_before else V)
    rates: Columns = []
    for carrier, own in zip(carriers, columns, strict=True):
        W, d = carrier[:3], V[3:] - carrier[3:]
        rates.append(tuple(vstack(cross(W, J[:3]), cross(W, J[3:]) + cross(J[:3], d)) for J in own))
    return rates


def _each(
    rates: Columns, columns: Columns, function: Callable[[Matrix, Matrix], Matrix]
) -> list[list[Matrix]]:
    """function(rate, column) of every column."""
    return [
        [function(rate, J) for rate, J in zip(own_rates, own, strict=True)]
        for own_rates, own in zip(rates, columns, strict=True)
    ]


def _total(path: Path, columns: Columns, v: Matrix) -> Matrix:
    """The twist J v."""
    total = zeros(6)
    for step, own in zip(path.steps, columns, strict=True):
        total = total + step.drive(own, v)
    return total
