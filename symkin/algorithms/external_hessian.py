"""Second derivatives of the dynamics under forces from outside, contracted with a vector lambda.

What the wrenches F add to lambda'tau is -lambda'J'F: of q alone, so only the block over q changes.
Its Hessian is the derivative of its gradient, by dual numbers, made symmetric: derivatives are
those along integrate, as in `second_order`. The components of F stand still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symkin.algebra import Dual, Matrix, block, hstack, identity, zeros
from symkin.algorithms.configuration import rate
from symkin.algorithms.crba import factorise, mass_matrix, solve
from symkin.algorithms.external_forces import Force, body_wrenches, turning_dq
from symkin.algorithms.rnea import bias
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.algorithms.second_order import implicit_hessian, inverse_dynamics_hessian
from symkin.model import Robot
from symkin.spatial import Inertia


def external_torque_dq(robot: Robot, forces: Sequence[Force], q: Matrix, F: Matrix) -> Matrix:
    """d(J'F)/dq, nv x nv, displacements in the tangent space."""
    still, external = zeros(robot.nv), body_wrenches(robot, forces, q, F)
    dq, _, _ = inverse_dynamics_derivatives(weightless(robot), q, still, still, external)
    return turning_dq(robot, forces, q, F) - dq


def external_torque_hessian(
    robot: Robot, forces: Sequence[Force], q: Matrix, F: Matrix, lam: Matrix
) -> Matrix:
    """Second derivatives of lambda'J'F over q, nv x nv, for lam (nv x 1)."""
    # Scalars of the caller may be dual themselves: what stands still here must say so.
    still = F.map(lambda x: Dual(x, 0.0))
    units = identity(robot.nv)

    def first(q: Matrix) -> Matrix:
        return external_torque_dq(robot, forces, q, still)

    columns = (rate(first, robot, q, units.column(k)).T @ lam for k in range(robot.nv))
    K = hstack(zeros(robot.nv, 0), *columns)
    return (K + K.T) * 0.5


def inverse_dynamics_external_hessian(
    robot: Robot,
    forces: Sequence[Force],
    q: Matrix,
    v: Matrix,
    a: Matrix,
    F: Matrix,
    lam: Matrix,
    *,
    root_axes: bool = False,
) -> Matrix:
    """Second derivatives of lambda'tau under the wrenches F over (q, v, a), 3 nv x 3 nv."""
    n = robot.nv
    K = external_torque_hessian(robot, forces, q, F, lam)
    none = zeros(n, 2 * n)
    added = block([[K, none], [none.T, zeros(2 * n, 2 * n)]])
    return inverse_dynamics_hessian(robot, q, v, a, lam, root_axes=root_axes) - added


def forward_dynamics_external_hessian(
    robot: Robot,
    forces: Sequence[Force],
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    F: Matrix,
    lam: Matrix,
    *,
    root_axes: bool = False,
) -> Matrix:
    """Second derivatives of lambda'a under the wrenches F over (q, v, tau), 3 nv x 3 nv."""
    factors = factorise(mass_matrix(robot, q))
    external = body_wrenches(robot, forces, q, F)
    a = solve(factors, tau - bias(robot, q, v, external))
    dq, dv, _ = inverse_dynamics_derivatives(robot, q, v, a, external)
    mu = solve(factors, lam)
    H = inverse_dynamics_external_hessian(robot, forces, q, v, a, F, mu, root_axes=root_axes)
    return implicit_hessian(H, factors, dq - turning_dq(robot, forces, q, F), dv)


def weightless(robot: Robot) -> Robot:
    """The robot without masses and rotors: what it feels is what acts on it from outside."""
    links = [
        replace(
            link,
            inertia=Inertia.zero(),
            joint=replace(link.joint, armature=0.0) if link.joint is not None else None,
        )
        for link in robot.links
    ]
    return replace(robot, links=tuple(links), gravity=(0.0, 0.0, 0.0))
