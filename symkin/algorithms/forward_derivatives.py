"""Derivatives of forward dynamics by the implicit route: no derivative of the ABA is ever taken.

tau = ID(q, v, FD(q, v, tau)) gives da/d(q, v) = -M^-1 d tau/d(q, v) at a = FD(q, v, tau).
Carpentier & Mansard, Analytical derivatives of rigid body dynamics algorithms (2018), section IV.
"""

from __future__ import annotations

from symkin.algebra import Matrix
from symkin.algorithms.crba import Factors, factorise, mass_matrix, solve, solve_columns
from symkin.algorithms.rnea import NO_WRENCHES, Wrenches, bias
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.model import Robot


def forward_dynamics_dq(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """da/dq, nv x nv, displacements in the tangent space."""
    factors, (dq, _) = implicit(robot, q, v, tau)
    return -solve_columns(factors, dq)


def forward_dynamics_dv(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """da/dv, nv x nv."""
    factors, (_, dv) = implicit(robot, q, v, tau)
    return -solve_columns(factors, dv)


def implicit(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, external: Wrenches = NO_WRENCHES
) -> tuple[Factors, tuple[Matrix, Matrix]]:
    """The factors of M and, at a, d tau/dq and d tau/dv under ``external`` wrenches of bodies."""
    factors = factorise(mass_matrix(robot, q))
    a = solve(factors, tau - bias(robot, q, v, external))
    dq, dv, _ = inverse_dynamics_derivatives(robot, q, v, a, external)
    return factors, (dq, dv)
