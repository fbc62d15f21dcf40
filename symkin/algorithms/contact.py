"""Forward dynamics of a robot some of whose frames are held, and the forces that hold them.

    M a + h = tau + J' f,    J a + dJ/dt v + d J v + k e + s f = 0

with J the (omega, dp/dt) of the held frames in the root's axes, e how far they have drifted from
their places, and Baumgarte's k and d, which draw them back. The softness s lets them yield where
they hold more than can be told apart. f = (n, f) acts ON the robot at each frame's origin, in the
root's axes; of a point only f. Derivatives are those of the equations as they stand.
Featherstone, Rigid Body Dynamics Algorithms (2008), sections 8.1 to 8.4; Baumgarte (1972).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, identity, vstack, zeros
from symkin.algorithms.crba import Factors, factorise, mass_matrix, solve, solve_columns
from symkin.algorithms.external_forces import Force, body_wrenches, turning_dq
from symkin.algorithms.frame_derivatives import (
    acceleration_position,
    acceleration_position_derivatives,
    frame_motion,
    twist_position,
    twist_position_derivatives,
)
from symkin.algorithms.jacobians import jacobian_position
from symkin.algorithms.path import Path
from symkin.algorithms.rnea import bias
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.errors import ArgumentError
from symkin.model import Robot
from symkin.spatial import Pose, left_jacobian_so3_inverse, log_so3


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """A frame that is held relative to the root: its origin or, if ``full``, its rotation too.

    ``damping`` d (1/s) and ``stiffness`` k (1/s^2) are Baumgarte's: critical at k = d^2 / 4.
    ``place`` is the pose that stiffness draws the frame to, of scalars of any kind; of a point only
    its position counts.
    """

    frame: str
    full: bool = False
    damping: float = 0.0
    stiffness: float = 0.0
    place: Pose | None = None

    @property
    def size(self) -> int:
        """How many coordinates are held, and numbers are in its force."""
        return 6 if self.full else 3

    def held(self, A: Matrix) -> Matrix:
        """Of rows (angular, linear) those that are held."""
        return A if self.full else A[3:, :]


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The solution: accelerations, contact forces, and what solving took.

    X = M^-1 J', and the factors of M and of J M^-1 J' + s 1.
    """

    a: Matrix
    f: Matrix
    X: Matrix
    inertia: Factors
    operational: Factors


@dataclass(frozen=True, slots=True, eq=False)
class HeldDerivatives:
    """Derivatives of accelerations (nv rows) and contact forces, q in the tangent space."""

    a_q: Matrix
    a_v: Matrix
    a_tau: Matrix
    f_q: Matrix
    f_v: Matrix
    f_tau: Matrix


def contact_jacobian(robot: Robot, contacts: Sequence[Contact], q: Matrix) -> Matrix:
    """J, k x nv: of each contact (omega, dp/dt), or dp/dt, in the root's axes."""
    paths = ((contact, _path(robot, contact)) for contact in contacts)
    return vstack(zeros(0, robot.nv), *(c.held(jacobian_position(path, q)) for c, path in paths))


def contact_dynamics(
    robot: Robot,
    contacts: Sequence[Contact],
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    softness: Scalar = 0.0,
) -> Held:
    """Accelerations and contact forces.

    Raises ArgumentError for a contact that nothing moves, for more of them than can move where
    there is no softness, and for stiffness without a place.
    """
    check_contacts(robot, contacts, softness)
    still = zeros(robot.nv)
    drift = vstack(*(contact_acceleration(robot, c, q, v, still) for c in contacts))
    J = contact_jacobian(robot, contacts, q)
    inertia = factorise(mass_matrix(robot, q))
    X = solve_columns(inertia, J.T)
    operational = factorise(J @ X + identity(J.shape[0]) * softness)
    free = solve(inertia, tau - bias(robot, q, v))
    f = -solve(operational, J @ free + drift)
    return Held(free + X @ f, f, X, inertia, operational)


def contact_accelerations(
    robot: Robot,
    contacts: Sequence[Contact],
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    softness: Scalar = 0.0,
) -> Matrix:
    """a, nv x 1, of `contact_dynamics`."""
    return contact_dynamics(robot, contacts, q, v, tau, softness).a


def contact_forces(
    robot: Robot,
    contacts: Sequence[Contact],
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    softness: Scalar = 0.0,
) -> Matrix:
    """f, k x 1, of `contact_dynamics`: of each contact (n, f), or f, in the root's axes."""
    return contact_dynamics(robot, contacts, q, v, tau, softness).f


def contact_derivatives(
    robot: Robot,
    contacts: Sequence[Contact],
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    softness: Scalar = 0.0,
) -> HeldDerivatives:
    """Derivatives of `contact_dynamics`, by the implicit function theorem.

    M da - J' df = -D and J da + s df = -C, with D and C the derivatives of what the two equations
    say at constant a and f.
    """
    held = contact_dynamics(robot, contacts, q, v, tau, softness)
    root = robot.links[0].name
    forces = [Force(contact.frame, axes=root) for contact in contacts]
    F = _wrenches(contacts, held.f)
    external = body_wrenches(robot, forces, q, F)
    D_q, D_v, _ = inverse_dynamics_derivatives(robot, q, v, held.a, external)
    D_q = D_q - turning_dq(robot, forces, q, F)
    changes = [_acceleration_derivatives(robot, c, q, v, held.a) for c in contacts]
    C_q, C_v = vstack(*(by_q for by_q, _ in changes)), vstack(*(by_v for _, by_v in changes))
    a_q, f_q = _response(held, D_q, C_q)
    a_v, f_v = _response(held, D_v, C_v)
    a_tau, f_tau = _response(held, -identity(robot.nv), zeros(*C_v.shape))
    return HeldDerivatives(a_q, a_v, a_tau, f_q, f_v, f_tau)


def _response(held: Held, D: Matrix, C: Matrix) -> tuple[Matrix, Matrix]:
    df = solve_columns(held.operational, held.X.T @ D - C)
    return held.X @ df - solve_columns(held.inertia, D), df


def check_contacts(robot: Robot, contacts: Sequence[Contact], softness: Scalar = 0.0) -> None:
    """ArgumentError where `contact_dynamics` has no solution or none is said."""
    if not contacts:
        raise ArgumentError(f"{robot.name}: no contacts; that is plain forward dynamics")
    for contact in contacts:
        if not _path(robot, contact).steps:
            raise ArgumentError(
                f"{robot.name}: contact at {contact.frame!r}: no joint moves this frame"
            )
        stiff = not (type(contact.stiffness) is float and contact.stiffness == 0.0)
        if stiff and contact.place is None:
            raise ArgumentError(
                f"{robot.name}: contact at {contact.frame!r} has stiffness; say at which place"
            )
    size = sum(contact.size for contact in contacts)
    if size > robot.nv and type(softness) is float and softness == 0.0:
        raise ArgumentError(
            f"{robot.name}: contacts hold {size} coordinates of {robot.nv} that move, so their "
            "forces cannot be told apart; hold fewer, or give a softness"
        )


def contact_acceleration(robot: Robot, contact: Contact, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """J a + dJ/dt v + d J v + k e, 6 or 3 x 1: zero where the frame is held hard."""
    motion = frame_motion(_path(robot, contact), q, v, a)
    value = acceleration_position(motion) + twist_position(motion) * contact.damping
    if contact.place is not None:
        T = motion.T
        drift = vstack(log_so3(T.R @ contact.place.R.T), T.p - contact.place.p)
        value = value + drift * contact.stiffness
    return contact.held(value)


def _acceleration_derivatives(
    robot: Robot, contact: Contact, q: Matrix, v: Matrix, a: Matrix
) -> tuple[Matrix, Matrix]:
    """d/dq and d/dv of `contact_acceleration`, 6 or 3 x nv each."""
    path = _path(robot, contact)
    motion = frame_motion(path, q, v, a)
    twist_q, J = twist_position_derivatives(path, motion)
    acceleration_q, acceleration_v = acceleration_position_derivatives(path, motion)
    by_q, by_v = acceleration_q + twist_q * contact.damping, acceleration_v + J * contact.damping
    if contact.place is not None:
        r = log_so3(motion.T.R @ contact.place.R.T)
        drift_q = vstack(left_jacobian_so3_inverse(r) @ J[:3, :], J[3:, :])
        by_q = by_q + drift_q * contact.stiffness
    return contact.held(by_q), contact.held(by_v)


def _path(robot: Robot, contact: Contact) -> Path:
    return Path.between(robot, robot.links[0].name, contact.frame)


def _wrenches(contacts: Sequence[Contact], f: Matrix) -> Matrix:
    """The forces as wrenches (n, f), those of points without moment."""
    parts, start = [zeros(0)], 0
    for contact in contacts:
        own = f[start : start + contact.size]
        parts.append(own if contact.full else vstack(zeros(3), own))
        start += contact.size
    return vstack(*parts)
