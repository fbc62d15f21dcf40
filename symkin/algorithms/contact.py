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

from symkin.algebra import Matrix, Scalar, diagonal, identity, vstack, zeros
from symkin.algorithms.crba import Factors, factorise, mass_matrix, solve_columns
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
    ``place`` is the pose that stiffness draws the frame to; of a point only its position counts.
    ``softness`` s is how the frame's acceleration yields to its force, 1/kg for the linear and
    1/(kg m^2) for the angular part; without it the frame is held hard. All may be scalars of any
    kind.
    """

    frame: str
    full: bool = False
    damping: Scalar = 0.0
    stiffness: Scalar = 0.0
    softness: Scalar = 0.0
    place: Pose | None = None

    @property
    def size(self) -> int:
        """How many coordinates are held, and numbers are in its force."""
        return 6 if self.full else 3

    @property
    def hard(self) -> bool:
        """Whether it does not yield."""
        return _is_nothing(self.softness)

    def held(self, A: Matrix) -> Matrix:
        """Of rows (angular, linear) those that are held."""
        return A if self.full else A[3:, :]


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Accelerations (nv rows) and contact forces, or the derivatives of both by one input."""

    a: Matrix
    f: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class _Operator:
    """The matrix of both equations at q: J, X = M^-1 J', the factors of M and of J X + s 1."""

    J: Matrix
    X: Matrix
    inertia: Factors
    operational: Factors

    @staticmethod
    def of(robot: Robot, contacts: Sequence[Contact], q: Matrix) -> _Operator:
        check_contacts(robot, contacts)
        J = contact_jacobian(robot, contacts, q)
        inertia = factorise(mass_matrix(robot, q))
        X = solve_columns(inertia, J.T)
        return _Operator(J, X, inertia, factorise(J @ X + softness(contacts)))

    def solve(self, D: Matrix, C: Matrix) -> Held:
        """(a, f) with M a - J' f = -D and J a + s f = -C, column by column."""
        free = solve_columns(self.inertia, D)
        f = solve_columns(self.operational, self.J @ free - C)
        return Held(self.X @ f - free, f)


def contact_jacobian(robot: Robot, contacts: Sequence[Contact], q: Matrix) -> Matrix:
    """J, k x nv: of each contact (omega, dp/dt), or dp/dt, in the root's axes."""
    paths = ((contact, _path(robot, contact)) for contact in contacts)
    return vstack(zeros(0, robot.nv), *(c.held(jacobian_position(path, q)) for c, path in paths))


def contact_dynamics(
    robot: Robot, contacts: Sequence[Contact], q: Matrix, v: Matrix, tau: Matrix
) -> Held:
    """Accelerations, nv x 1, and contact forces, k x 1: of each (n, f), or f, in the root's axes.

    Raises ArgumentError for a contact that nothing moves, for more hard ones than can move, and for
    stiffness without a place. Where hard contacts cannot be told apart at this q alone, entries are
    not finite, or nothing but rounding errors.
    """
    return _dynamics(_Operator.of(robot, contacts, q), robot, contacts, q, v, tau)


def contact_dynamics_dq(
    robot: Robot, contacts: Sequence[Contact], q: Matrix, v: Matrix, tau: Matrix
) -> Held:
    """Derivatives along q in the tangent space, nv columns, by the implicit function theorem."""
    operator, (by_q, _) = _implicit(robot, contacts, q, v, tau)
    return operator.solve(*by_q)


def contact_dynamics_dv(
    robot: Robot, contacts: Sequence[Contact], q: Matrix, v: Matrix, tau: Matrix
) -> Held:
    """Derivatives by v, nv columns."""
    operator, (_, by_v) = _implicit(robot, contacts, q, v, tau)
    return operator.solve(*by_v)


def contact_dynamics_dtau(robot: Robot, contacts: Sequence[Contact], q: Matrix) -> Held:
    """Derivatives by tau, nv columns, at any v and tau."""
    operator = _Operator.of(robot, contacts, q)
    return operator.solve(-identity(robot.nv), zeros(*operator.J.shape))


def _dynamics(
    operator: _Operator,
    robot: Robot,
    contacts: Sequence[Contact],
    q: Matrix,
    v: Matrix,
    tau: Matrix,
) -> Held:
    still = zeros(robot.nv)
    drift = vstack(*(constraint(robot, contact, q, v, still) for contact in contacts))
    return operator.solve(bias(robot, q, v) - tau, drift)


def _implicit(
    robot: Robot, contacts: Sequence[Contact], q: Matrix, v: Matrix, tau: Matrix
) -> tuple[_Operator, tuple[tuple[Matrix, Matrix], tuple[Matrix, Matrix]]]:
    """The operator, and by q and by v what the two equations change at constant a and f."""
    operator = _Operator.of(robot, contacts, q)
    held = _dynamics(operator, robot, contacts, q, v, tau)
    root = robot.links[0].name
    forces = [Force(contact.frame, axes=root) for contact in contacts]
    F = contact_wrenches(contacts, held.f)
    external = body_wrenches(robot, forces, q, F)
    D_q, D_v, _ = inverse_dynamics_derivatives(robot, q, v, held.a, external)
    D_q = D_q - turning_dq(robot, forces, q, F)
    changes = [_constraint_derivatives(robot, contact, q, v, held.a) for contact in contacts]
    C_q, C_v = vstack(*(by_q for by_q, _ in changes)), vstack(*(by_v for _, by_v in changes))
    return operator, ((D_q, C_q), (D_v, C_v))


def check_contacts(robot: Robot, contacts: Sequence[Contact]) -> None:
    """ArgumentError where `contact_dynamics` has no solution or none is said."""
    if not contacts:
        raise ArgumentError(f"{robot.name}: no contacts; that is plain forward dynamics")
    for contact in contacts:
        if not _path(robot, contact).steps:
            raise ArgumentError(
                f"{robot.name}: contact at {contact.frame!r}: no joint moves this frame"
            )
        if contact.place is None and not _is_nothing(contact.stiffness):
            raise ArgumentError(
                f"{robot.name}: contact at {contact.frame!r} has stiffness; say at which place"
            )
    size = sum(contact.size for contact in contacts if contact.hard)
    if size > robot.nv:
        raise ArgumentError(
            f"{robot.name}: contacts hold {size} coordinates of {robot.nv} that move, so their "
            "forces cannot be told apart; hold fewer, or give them softness"
        )


def softness(contacts: Sequence[Contact]) -> Matrix:
    """s, k x k, diagonal."""
    return diagonal(*(contact.softness for contact in contacts for _ in range(contact.size)))


def constraint(robot: Robot, contact: Contact, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """J a + dJ/dt v + d J v + k e, 6 or 3 x 1: zero where the frame is held hard."""
    motion = frame_motion(_path(robot, contact), q, v, a)
    value = acceleration_position(motion) + twist_position(motion) * contact.damping
    if contact.place is not None:
        T = motion.T
        drift = vstack(log_so3(T.R @ contact.place.R.T), T.p - contact.place.p)
        value = value + drift * contact.stiffness
    return contact.held(value)


def _constraint_derivatives(
    robot: Robot, contact: Contact, q: Matrix, v: Matrix, a: Matrix
) -> tuple[Matrix, Matrix]:
    """d/dq and d/dv of `constraint`, 6 or 3 x nv each."""
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


def contact_wrenches(contacts: Sequence[Contact], f: Matrix) -> Matrix:
    """The forces as wrenches (n, f), those of points without moment."""
    parts, start = [zeros(0)], 0
    for contact in contacts:
        own = f[start : start + contact.size]
        parts.append(own if contact.full else vstack(zeros(3), own))
        start += contact.size
    return vstack(*parts)


def _is_nothing(scalar: Scalar) -> bool:
    return isinstance(scalar, float | int) and scalar == 0
