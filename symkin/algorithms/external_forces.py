"""Dynamics under forces from outside, each at a named frame, in named axes, about a named point.

A wrench (n, f) acts ON the robot, n in N m and f in N: tau = M a + C v + g - J' F. The derivatives
with respect to q hold the components of F: where its axes or the point of its moment do not move
with the body that it acts on, it turns in that body's eyes. Featherstone (2008), section 5.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symkin.algebra import Matrix, hstack, vstack, zeros
from symkin.algorithms.aba import forward_dynamics
from symkin.algorithms.crba import factorise, mass_matrix, solve_columns
from symkin.algorithms.forward_derivatives import implicit
from symkin.algorithms.jacobians import jacobian_body, jacobian_position
from symkin.algorithms.path import Path
from symkin.algorithms.rnea import carried_wrench, inverse_dynamics
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.algorithms.tree import ROOT, bodies, carriers
from symkin.model import Robot
from symkin.spatial import Pose, skew


@dataclass(frozen=True, slots=True)
class Force:
    """Where a wrench (n, f) acts: on the link of ``frame``, n about the origin of ``about``.

    Both are in the axes of ``axes``. Where ``about`` or ``axes`` is not given it is ``frame``; the
    root link's name means the root's axes, the world's. Both may be frames of other moving links.
    """

    frame: str
    axes: str | None = None
    about: str | None = None


def inverse_dynamics_external(
    robot: Robot, forces: Sequence[Force], q: Matrix, v: Matrix, a: Matrix, F: Matrix
) -> Matrix:
    """tau = ID(q, v, a) - J' F of the stacked wrenches F, 6 k x 1."""
    return inverse_dynamics(robot, q, v, a, body_wrenches(robot, forces, q, F))


def forward_dynamics_external(
    robot: Robot, forces: Sequence[Force], q: Matrix, v: Matrix, tau: Matrix, F: Matrix
) -> Matrix:
    """a = FD(q, v, tau + J' F)."""
    return forward_dynamics(robot, q, v, tau, body_wrenches(robot, forces, q, F))


def external_jacobian(robot: Robot, forces: Sequence[Force], q: Matrix) -> Matrix:
    """J, 6 k x nv: J v is (omega, v) of each body at the origin of ``about``, in ``axes``."""
    rows = [zeros(0, robot.nv)]
    for force in forces:
        place, J = _place(robot, force, q), _body_jacobian(robot, force, q)
        columns = (place.Ad_inverse(J.column(k)) for k in range(robot.nv))
        rows.append(hstack(zeros(6, 0), *columns))
    return vstack(*rows)


def external_torque(robot: Robot, forces: Sequence[Force], q: Matrix, F: Matrix) -> Matrix:
    """J' F, nv x 1: the joint forces that do what the wrenches do."""
    return external_jacobian(robot, forces, q).T @ F


def external_torque_dF(robot: Robot, forces: Sequence[Force], q: Matrix) -> Matrix:
    """J', nv x 6 k; d tau/dF of inverse dynamics is its negative."""
    return external_jacobian(robot, forces, q).T


def inverse_dynamics_external_dq(
    robot: Robot, forces: Sequence[Force], q: Matrix, v: Matrix, a: Matrix, F: Matrix
) -> Matrix:
    """d tau/dq, nv x nv, displacements in the tangent space."""
    external = body_wrenches(robot, forces, q, F)
    dq, _, _ = inverse_dynamics_derivatives(robot, q, v, a, external)
    return dq - turning_dq(robot, forces, q, F)


def forward_dynamics_external_dq(
    robot: Robot, forces: Sequence[Force], q: Matrix, v: Matrix, tau: Matrix, F: Matrix
) -> Matrix:
    """da/dq, nv x nv, displacements in the tangent space."""
    factors, (dq, _) = implicit(robot, q, v, tau, body_wrenches(robot, forces, q, F))
    return solve_columns(factors, turning_dq(robot, forces, q, F) - dq)


def forward_dynamics_external_dv(
    robot: Robot, forces: Sequence[Force], q: Matrix, v: Matrix, tau: Matrix, F: Matrix
) -> Matrix:
    """da/dv, nv x nv."""
    factors, (_, dv) = implicit(robot, q, v, tau, body_wrenches(robot, forces, q, F))
    return -solve_columns(factors, dv)


def forward_dynamics_dF(robot: Robot, forces: Sequence[Force], q: Matrix) -> Matrix:
    """da/dF = M^-1 J', nv x 6 k, at any v, tau and F."""
    factors = factorise(mass_matrix(robot, q))
    return solve_columns(factors, external_torque_dF(robot, forces, q))


def body_wrenches(robot: Robot, forces: Sequence[Force], q: Matrix, F: Matrix) -> dict[int, Matrix]:
    """The wrenches as the bodies feel them; those on what is welded to the root move nothing."""
    places, tree = carriers(robot), bodies(robot, q)
    felt: dict[int, Matrix] = {}
    for force, wrench in _stacked(forces, F):
        body = places[robot.frame(force.frame).link][0]
        if body != ROOT:
            place = tree[body].axes.pose @ _place(robot, force, q)
            own = carried_wrench(place, wrench)
            felt[body] = felt[body] + own if body in felt else own
    return felt


def turning_dq(robot: Robot, forces: Sequence[Force], q: Matrix, F: Matrix) -> Matrix:
    """J' dF/dq, nv x nv, of what the bodies feel of wrenches whose components stay.

    F = (R n + p x R f, R f) changes as its axes turn at w, and its point moves at u, relative to
    the link: by (w x R n + u x R f + p x (w x R f), w x R f).
    """
    total = zeros(robot.nv, robot.nv)
    for force, wrench in _stacked(forces, F):
        place = _place(robot, force, q)
        n, f = skew(place.R @ wrench[:3]), skew(place.R @ wrench[3:])
        w = jacobian_position(_way(robot, force, force.axes), q)[:3, :]
        u = jacobian_position(_way(robot, force, force.about), q)[3:, :]
        change = vstack(n @ w + f @ u + skew(place.p) @ f @ w, f @ w)
        total = total - _body_jacobian(robot, force, q).T @ change
    return total


def _stacked(forces: Sequence[Force], F: Matrix) -> Iterator[tuple[Force, Matrix]]:
    return ((force, F[6 * k : 6 * k + 6]) for k, force in enumerate(forces))


def _place(robot: Robot, force: Force, q: Matrix) -> Pose:
    """The point and the axes of the wrench as the link sees them on which it acts."""
    axes, about = _way(robot, force, force.axes), _way(robot, force, force.about)
    return Pose(axes.poses(q)[1].R, about.poses(q)[1].p)


def _body_jacobian(robot: Robot, force: Force, q: Matrix) -> Matrix:
    """That of the link on which the force acts, 6 x nv."""
    return jacobian_body(Path.between(robot, robot.links[0].name, _link(robot, force)), q)


def _way(robot: Robot, force: Force, frame: str | None) -> Path:
    """From the link on which the force acts to a frame, its own unless given."""
    return Path.between(robot, _link(robot, force), frame or force.frame)


def _link(robot: Robot, force: Force) -> str:
    return robot.links[robot.frame(force.frame).link].name
