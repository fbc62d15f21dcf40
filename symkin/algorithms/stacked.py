"""Dynamics of large robots in steps that are the same for all degrees of freedom.

Everything is about one point and in one set of axes: those of the first body of each branch that
leaves the root. There a subtree's inertia, momentum and force are plain sums, and what a
displacement or a speed along S does to a subtree is one pair of spatial vectors for all of it:

    displacement   (V x S, A x S + V x (V x S)), V and A of the body that carries the joint
    speed          (S, (V + V_own) x S)

Singh, Russell & Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
vector algebra (2022), with the wrenches of `rnea_derivatives`. A stack has a column for each degree
of freedom; a body belongs to the first of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symkin.algebra import Matrix, column, hstack, zeros
from symkin.algebra.kernel import run
from symkin.algorithms import stacked_columns
from symkin.algorithms.stacks import (
    Branches,
    Each,
    Factors,
    Invert,
    Inward,
    Outward,
    PairedProducts,
    Solve,
    SymmetricProducts,
    depth_first,
)
from symkin.algorithms.tree import ROOT, Body, Degree, bodies
from symkin.model import Robot
from symkin.model.prepare import lump
from symkin.spatial import Inertia, Pose


@dataclass(frozen=True, slots=True, eq=False)
class Stacked:
    """A robot at q. Stacks are S (6 rows), the bodies' masses (1), h and I (9), minus gravity (3).

    ``degrees`` are those of the columns.
    """

    branches: Branches
    degrees: tuple[Degree, ...]
    S: Matrix
    mass: Matrix
    body: Matrix
    lift: Matrix

    @staticmethod
    def of(robot: Robot, q: Matrix) -> Stacked:
        """The robot at q; none of its joints may follow another."""
        tree = bodies(lump(robot), q)
        order = depth_first(tree)
        frames = _frames(robot, tree)
        columns: list[tuple[Matrix, ...]] = []
        for i in order:
            pose, lift = frames[i]
            inertia = tree[i].inertia
            for degree in tree[i].degrees:
                own = (column(inertia.mass), stacked_columns.numbers(inertia))
                columns.append((column(*pose.R), pose.p, degree.S, *own, lift))
                inertia = Inertia.zero()
        R, p, S, mass, body, lift = (hstack(*parts) for parts in zip(*columns, strict=True))
        S, body = _each(stacked_columns.placed, R, p, S, mass, body)
        degrees = tuple(degree for i in order for degree in tree[i].degrees)
        return Stacked(Branches.of(tree, order), degrees, S, mass, body, lift)

    def row(self, x: Matrix) -> Matrix:
        """A vector of nv entries, by columns."""
        return Matrix([[x[degree.index] for degree in self.degrees]], columns=len(self.degrees))

    def vector(self, row: Matrix) -> Matrix:
        """A row as a vector of nv entries."""
        return Matrix([(row[0, k],) for k in self._places], columns=1)

    def square(self, X: Matrix) -> Matrix:
        """A matrix over columns as one over the entries of v."""
        places = self._places
        return Matrix([[X[i, j] for j in places] for i in places], columns=len(places))

    @property
    def _places(self) -> list[int]:
        return sorted(range(len(self.degrees)), key=lambda k: self.degrees[k].index)

    @property
    def rotors(self) -> Matrix:
        """The rotors' inertias, a row."""
        return Matrix([[degree.armature for degree in self.degrees]], columns=len(self.degrees))

    def resistances(self, v: Matrix) -> Matrix:
        """What the joints resist, a row."""
        return Matrix([[d.resistance(v) for d in self.degrees]], columns=len(self.degrees))

    def resistances_dv(self, v: Matrix) -> Matrix:
        """Its derivatives by v, a row."""
        return Matrix([[d.resistance_dv(v) for d in self.degrees]], columns=len(self.degrees))

    def carried(self, own: Matrix) -> Matrix:
        """Sums over each body and all that it carries; of constants, constants."""
        constant = all(type(x) is float for x in own)
        inward = Inward(self.branches)
        (total,) = inward.compute(own) if constant else run(inward, own)
        return total

    def mass_matrix(self) -> Matrix:
        """M over columns."""
        masses, bodies = self.carried(self.mass), self.carried(self.body)
        (momenta,) = _each(stacked_columns.momentum, self.S, masses, bodies)
        (M,) = run(SymmetricProducts(self.branches), self.S, momenta, self.rotors)
        return M

    def factors(self) -> Matrix:
        """Those of M."""
        (L,) = run(Factors(self.branches), self.mass_matrix())
        return L


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """A robot that moves: twists and accelerations (6 rows) of bodies and of their carriers.

    The wrenches F (6 rows) are those that move a body with all it carries, lifted against gravity,
    which the accelerations leave out.
    """

    robot: Stacked
    V: Matrix
    V_before: Matrix
    A_before: Matrix
    F: Matrix

    @staticmethod
    def of(robot: Stacked, v: Matrix, a: Matrix) -> Moving:
        """That with these rates, given as rows."""
        (drive,) = _each(stacked_columns.drive, robot.S, v)
        V, V_before = run(Outward(robot.branches), drive)
        (rate,) = _each(stacked_columns.rate, robot.S, V, v, a)
        A, A_before = run(Outward(robot.branches), rate)
        (own,) = _each(stacked_columns.force, robot.mass, robot.body, V, A, robot.lift)
        return Moving(robot, V, V_before, A_before, robot.carried(own))

    def forces(self, a: Matrix) -> Matrix:
        """The joint forces, a row; but for what joints resist."""
        (tau,) = _each(stacked_columns.torque, self.robot.S, self.F, self.robot.rotors, a)
        return tau

    def derivatives(self, resistances_dv: Matrix) -> tuple[Matrix, Matrix]:
        """d tau/dq and d tau/dv over columns."""
        robot = self.robot
        masses, bodies = robot.carried(robot.mass), robot.carried(robot.body)
        (own,) = _each(stacked_columns.flow, robot.mass, robot.body, self.V)
        flows = robot.carried(own)
        moved = (robot.S, self.V, self.V_before, self.A_before, robot.lift)
        by_q, by_v = _each(stacked_columns.perturbations, *moved)
        (answers,) = _each(stacked_columns.responses, robot.S, masses, bodies, flows)
        taken = (robot.S, masses, bodies, flows, self.F, by_q, by_v)
        F_q, F_v = _each(stacked_columns.wrenches, *taken)
        pairs = (robot.S, F_q, F_v, by_q, by_v, answers, resistances_dv)
        dq, dv = run(PairedProducts(robot.branches), *pairs)
        return dq, dv


def mass_matrix(robot: Robot, q: Matrix) -> Matrix:
    """M(q), nv x nv, full and symmetric."""
    stacked = Stacked.of(robot, q)
    return stacked.square(stacked.mass_matrix())


def inverse_mass_matrix(robot: Robot, q: Matrix) -> Matrix:
    """M(q)^-1, nv x nv, full and symmetric."""
    stacked = Stacked.of(robot, q)
    (inverse,) = run(Invert(stacked.branches), stacked.factors())
    return stacked.square(inverse)


def inverse_dynamics(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """tau = M(q) a + C(q, v) v + g(q), and what joints resist as far as the robot counts it."""
    stacked = Stacked.of(robot, q)
    rates = stacked.row(a)
    tau = Moving.of(stacked, stacked.row(v), rates).forces(rates)
    return stacked.vector(tau + stacked.resistances(v))


def forward_dynamics(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """a = M^-1 (tau - bias)."""
    stacked = Stacked.of(robot, q)
    return stacked.vector(_accelerations(stacked, stacked.factors(), v, tau))


def inverse_dynamics_dq(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """d tau/dq, nv x nv, displacements in the tangent space."""
    return _inverse_dynamics_derivatives(robot, q, v, a)[0]


def inverse_dynamics_dv(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """d tau/dv, nv x nv."""
    return _inverse_dynamics_derivatives(robot, q, v, a)[1]


def forward_dynamics_dq(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """da/dq = -M^-1 d tau/dq at a = FD(q, v, tau), nv x nv."""
    return _forward_dynamics_derivative(robot, q, v, tau, 0)


def forward_dynamics_dv(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """da/dv = -M^-1 d tau/dv at a = FD(q, v, tau), nv x nv."""
    return _forward_dynamics_derivative(robot, q, v, tau, 1)


def _inverse_dynamics_derivatives(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix
) -> tuple[Matrix, Matrix]:
    stacked = Stacked.of(robot, q)
    moving = Moving.of(stacked, stacked.row(v), stacked.row(a))
    dq, dv = moving.derivatives(stacked.resistances_dv(v))
    return stacked.square(dq), stacked.square(dv)


def _forward_dynamics_derivative(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, which: int
) -> Matrix:
    stacked = Stacked.of(robot, q)
    L = stacked.factors()
    a = _accelerations(stacked, L, v, tau)
    by = Moving.of(stacked, stacked.row(v), a).derivatives(stacked.resistances_dv(v))[which]
    (X,) = run(Solve(stacked.branches, negative=True), L, by)
    return stacked.square(X)


def _accelerations(robot: Stacked, L: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """Those under joint forces, a row; L holds the factors of M."""
    nothing = zeros(1, len(robot.degrees))
    bias = Moving.of(robot, robot.row(v), nothing).forces(nothing)
    (a,) = run(Solve(robot.branches), L, robot.row(tau) - robot.resistances(v) - bias)
    return a


def _each(function: Callable[..., tuple[Matrix, ...]], *stacks: Matrix) -> tuple[Matrix, ...]:
    return run(Each(function), *stacks)


def _frames(robot: Robot, tree: list[Body]) -> list[tuple[Pose, Matrix]]:
    """Of each body the pose, and minus gravity, in its branch's axes."""
    found: list[tuple[Pose, Matrix]] = []
    for body in tree:
        if body.parent == ROOT:
            found.append((Pose.identity(), body.pose.R.T @ -column(*robot.gravity)))
        else:
            pose, lift = found[body.parent]
            found.append((pose @ body.pose, lift))
    return found
