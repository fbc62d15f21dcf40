"""Derivatives of forward dynamics by the implicit route: no derivative of the ABA is ever taken.

tau = ID(q, v, FD(q, v, tau)) gives da/d(q, v) = -M^-1 d tau/d(q, v) at a = FD(q, v, tau).
Carpentier & Mansard, Analytical derivatives of rigid body dynamics algorithms (2018), section IV.
"""

from __future__ import annotations

from collections.abc import Mapping

from symkin.algebra import Matrix, Scalar, column, identity, vstack, zeros
from symkin.algorithms.crba import Factors, Solver, factorise, mass_matrix, solve, solve_columns
from symkin.algorithms.rnea import NO_WRENCHES, Wrenches, bias
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.algorithms.tree import ROOT, Body, bodies
from symkin.model import Robot
from symkin.spatial import cross


def forward_dynamics_dq(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, solver: Solver = solve_columns
) -> Matrix:
    """da/dq, nv x nv, displacements in the tangent space.

    Where a body that floats turns, only gravity turns in its eyes, and only it falls otherwise.
    """
    factors, (dq, _) = implicit(robot, q, v, tau)
    known = {}
    for body in _floating(bodies(robot, q)):
        lifted = body.pose.R.T @ -column(*robot.gravity)
        for k in range(3):
            fall = -cross(lifted, identity(3).column(k))
            known[body.degrees[k].index] = _linear(body, fall, robot.nv)
    return _solved(factors, dq, known, solver)


def forward_dynamics_dv(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, solver: Solver = solve_columns
) -> Matrix:
    """da/dv, nv x nv.

    A body that floats along takes all it carries with it: only its own axes turn away.
    """
    factors, (_, dv) = implicit(robot, q, v, tau)
    known = {}
    for body in _floating(bodies(robot, q)):
        w = body.drive(v)[:3]
        for k in range(3):
            turning = -cross(w, identity(3).column(k))
            known[body.degrees[3 + k].index] = _linear(body, turning, robot.nv)
    return _solved(factors, dv, known, solver)


def _floating(tree: list[Body]) -> list[Body]:
    """The bodies that float in the root, with neither rotors nor damping."""
    return [
        body
        for body in tree
        if body.parent == ROOT
        and len(body.degrees) == 6
        and all(_is_nothing(x) for d in body.degrees for x in (d.damping, d.armature))
    ]


def _is_nothing(x: Scalar) -> bool:
    return type(x) is float and x == 0.0


def _linear(body: Body, a: Matrix, size: int) -> Matrix:
    """The accelerations (nv x 1) in which only the linear ones of a floating body are not zero."""
    start = body.degrees[3].index
    return vstack(zeros(start), a, zeros(size - start - 3))


def _solved(
    factors: Factors, derivative: Matrix, known: Mapping[int, Matrix], solver: Solver
) -> Matrix:
    """-M^-1 d tau, but for the columns that are known without."""
    n = derivative.shape[1]
    rest = [[0.0 if j in known else row[j] for j in range(n)] for row in derivative.rows]
    X = -solver(factors, Matrix(rest, columns=n))
    return Matrix(
        [[known[j][i] if j in known else row[j] for j in range(n)] for i, row in enumerate(X.rows)],
        columns=n,
    )


def implicit(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, external: Wrenches = NO_WRENCHES
) -> tuple[Factors, tuple[Matrix, Matrix]]:
    """The factors of M and, at a, d tau/dq and d tau/dv under ``external`` wrenches of bodies."""
    factors = factorise(mass_matrix(robot, q))
    a = solve(factors, tau - bias(robot, q, v, external))
    dq, dv, _ = inverse_dynamics_derivatives(robot, q, v, a, external)
    return factors, (dq, dv)
