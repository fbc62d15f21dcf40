"""Second derivatives of inverse and forward dynamics, contracted with a vector lambda.

lambda'tau is the power of the motion's forces at the velocities lambda. Let each point of the
robot move at u in that virtual motion and accelerate at c in the real one: lambda'tau is the sum
of m u'c. A degree k of freedom changes u and c in all that it carries as in one rigid body, so each
entry of the gradient is a product of k's change with sums over its subtree; a degree further in
changes those sums, rigidly again. The entries of the Hessian are thus products of two vectors: how
an entry of the gradient *answers* to a change of what carries it, handed on from body to body
towards the root, and that change. No second derivative of any pose is taken.

After Nganga & Wensing, Accelerating second-order differential dynamic programming for
rapid-motion optimization (2021), for the contraction, and Singh, Russell & Wensing, On
second-order derivatives of rigid-body dynamics (2024), in the moments of `rnea_derivatives`.

Derivatives with respect to q are those with respect to a tangent vector d at d = 0, the motion
being integrate(q, d), v, a (or tau): the Hessian is symmetric, whatever the joints. The components
of v, a, tau and lambda stand still, those of spherical and floating joints in the child's axes.
Differentiating the gradient once more along e_j gives another number for such joints: entry (j, k)
and half the gradient's product with the bracket of degrees j and k, ad(S_j, S_k).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from symkin.algebra import Matrix, Scalar, add, block, column, identity, mul, sub, vstack, zeros
from symkin.algorithms.crba import Factors, factorise, mass_matrix, solve, solve_columns
from symkin.algorithms.rnea import Motion, bias, carried_wrench, inertial_wrench, inward, outward
from symkin.algorithms.rnea_derivatives import (
    Perturbation,
    Response,
    Subtree,
    departures,
    inverse_dynamics_derivatives,
    perturbations,
    subtrees_of,
)
from symkin.algorithms.tree import (
    ROOT,
    Body,
    Degree,
    SquareSum,
    along,
    bodies,
    gather,
    in_root_axes,
)
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, ad, ad_dual, cross

_POSITION = 0


def inverse_dynamics_hessian(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix, lam: Matrix, *, root_axes: bool = False
) -> Matrix:
    """Second derivatives of lambda'tau over (q, v, a), 3 nv x 3 nv, for lam (nv x 1).

    ``root_axes`` computes in the axes of the root instead of each link's: the same numbers, by
    fewer operations where chains are long and their frames oblique.
    """
    return _contracted(_Setting.of(robot, q, v, a, root_axes), lam)


def inverse_dynamics_hessian_tensor(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix, *, root_axes: bool = False
) -> Matrix:
    """The Hessian over (q, v, a) of each entry of tau, one below another: nv 3 nv x 3 nv."""
    setting = _Setting.of(robot, q, v, a, root_axes)
    return _below(robot, (_contracted(setting, unit) for unit in _units(robot)))


def forward_dynamics_hessian(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, lam: Matrix, *, root_axes: bool = False
) -> Matrix:
    """Second derivatives of lambda'a over (q, v, tau), 3 nv x 3 nv, for lam (nv x 1).

    By the implicit route, -Z' H Z: H is that of mu'tau at a = FD(q, v, tau) with mu = M^-1 lambda,
    and Z = d(q, v, a)/d(q, v, tau).
    """
    return _Implicit.of(robot, q, v, tau, root_axes).contracted(lam)


def forward_dynamics_hessian_tensor(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, *, root_axes: bool = False
) -> Matrix:
    """The Hessian over (q, v, tau) of each entry of a, one below another: nv 3 nv x 3 nv."""
    implicit = _Implicit.of(robot, q, v, tau, root_axes)
    return _below(robot, (implicit.contracted(unit) for unit in _units(robot)))


def _units(robot: Robot) -> Iterator[Matrix]:
    return (identity(robot.nv).column(i) for i in range(robot.nv))


def _below(robot: Robot, hessians: Iterator[Matrix]) -> Matrix:
    return vstack(zeros(0, 3 * robot.nv), *hessians)


@dataclass(frozen=True, slots=True, eq=False)
class _Implicit:
    """Forward dynamics at one state, and the first derivatives that its second ones take."""

    setting: _Setting
    factors: Factors
    dq: Matrix
    dv: Matrix

    @staticmethod
    def of(robot: Robot, q: Matrix, v: Matrix, tau: Matrix, root_axes: bool) -> _Implicit:
        factors = factorise(mass_matrix(robot, q))
        a = solve(factors, tau - bias(robot, q, v))
        dq, dv, _ = inverse_dynamics_derivatives(robot, q, v, a)
        return _Implicit(_Setting.of(robot, q, v, a, root_axes), factors, dq, dv)

    def contracted(self, lam: Matrix) -> Matrix:
        H = _contracted(self.setting, solve(self.factors, lam))
        return implicit_hessian(H, self.factors, self.dq, self.dv)


def implicit_hessian(H: Matrix, factors: Factors, dq: Matrix, dv: Matrix) -> Matrix:
    """-Z' H Z, whose blocks need of M^-1 only W = H_qa M^-1, as da/d(q, v) = -M^-1 (dq, dv).

    H is that of mu'tau with mu = M^-1 lambda, and ``factors`` those of M.
    """
    n = len(dq)
    W = solve_columns(factors, H[2 * n :, :n]).T
    pulled, none = W @ dq, zeros(n, n)
    qq = _mirrored(pulled + pulled.T - H[:n, :n])
    qv = W @ dv - H[:n, n : 2 * n]
    return block([[qq, qv, -W], [qv.T, -H[n : 2 * n, n : 2 * n], none], [-W.T, none, none]])


def _mirrored(A: Matrix) -> Matrix:
    """A with its upper half mirrored: each pair of entries is one value."""
    n = len(A)
    return Matrix([[A[min(i, j), max(i, j)] for j in range(n)] for i in range(n)], columns=n)


@dataclass(frozen=True, slots=True, eq=False)
class _Input:
    """An entry of (q, v, a) at one degree of a body, and what a change of it does.

    ``motion`` is how all that the body carries moves otherwise, ``wrench`` what this takes of the
    body's parent; ``rate`` is dS/dt for q, S for v. ``slot`` is the place in the Hessian.
    """

    part: int
    S: Matrix
    slot: Degree
    motion: Perturbation
    rate: Matrix
    wrench: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class _Setting:
    """A motion and what no lambda changes; the lists run over the bodies."""

    nv: int
    tree: list[Body]
    motions: list[Motion]
    away: list[Matrix]
    subtrees: list[Subtree]
    inputs: list[list[_Input]]
    resistance_dvv: Matrix

    @staticmethod
    def of(robot: Robot, q: Matrix, v: Matrix, a: Matrix, root_axes: bool) -> _Setting:
        tree = in_root_axes(bodies(robot, q)) if root_axes else bodies(robot, q)
        motions = outward(robot, tree, v, a)
        wrenches = inward(
            tree, [inertial_wrench(b.inertia, m) for b, m in zip(tree, motions[:-1], strict=True)]
        )
        away = departures(tree, motions, v)
        subtrees = subtrees_of(tree, motions, away)
        inputs = []
        for i, body in enumerate(tree):
            own, parent = motions[i], motions[body.parent]
            found: list[_Input] = []
            for degree in body.degrees:
                S = degree.S
                w_in, drive = body.pose.R.T @ parent.w, body.drive(v)
                by_q, by_v = perturbations(body, degree, own, parent, v)
                by_a = Perturbation(zeros(3), S[:3], S[3:])
                rate = vstack(by_q.w, cross(w_in, S[3:]) + cross(S[:3], drive[3:]))
                F_q = subtrees[i].wrench(by_q) + ad_dual(S, wrenches[i])
                F_v, F_a = subtrees[i].wrench(by_v), subtrees[i].wrench(by_a)
                changes = ((by_q, rate, F_q), (by_v, S, F_v), (by_a, zeros(6), F_a))
                for part, change in enumerate(changes):
                    slot = replace(degree, index=degree.index + part * robot.nv)
                    found.append(_Input(part, S, slot, *change))
            inputs.append(found)
        bends = [(x.index, x.resistance_dvv(v)) for body in tree for x in body.degrees]
        resistance = gather(robot, bends)
        return _Setting(robot.nv, tree, motions, away, subtrees, inputs, resistance)


@dataclass(frozen=True, slots=True, eq=False)
class _Virtual:
    """A subtree in the virtual motion, about its origin: sums over its points, which move at u.

    ``field`` has u in the place of r_dot: g = sum m u, N = sum m ((u . r) 1 - u r'); and
    ``T`` = sum m r_dot x u.
    """

    field: Subtree
    T: Matrix

    @staticmethod
    def of(inertia: Inertia, w: Matrix, twist: Matrix) -> _Virtual:
        """A single body that turns at w and virtually moves by the twist."""
        field = Subtree.of(inertia, twist[:3]).seen_from(Pose.identity(), twist[3:])
        return _Virtual(field, Response.of(Subtree.of(inertia, w), twist).w)

    def __add__(self, other: _Virtual) -> _Virtual:
        return _Virtual(self.field + other.field, self.T + other.T)

    def seen_from(self, pose: Pose, p_dot: Matrix) -> _Virtual:
        """The same about the parent's origin, from which its own moves away at p_dot."""
        field = self.field.seen_from(pose, zeros(3))
        return _Virtual(field, pose.R @ self.T + cross(p_dot, field.g))

    @property
    def momentum(self) -> Matrix:
        """(sum m r x u, sum m u): N' - N is the skew matrix of the former."""
        N = self.field.N
        turning = column(sub(N[1, 2], N[2, 1]), sub(N[2, 0], N[0, 2]), sub(N[0, 1], N[1, 0]))
        return vstack(turning, self.field.g)


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """How all that a body carries moves otherwise, as one: its virtual twist, its motion."""

    twist: Matrix
    motion: Perturbation


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """How an entry of the gradient answers a change of what carries its body: their product."""

    wrench: Matrix
    response: Response

    def carried(self, pose: Pose, p_dot: Matrix) -> _Answer:
        """The same for changes of the parent."""
        return _Answer(carried_wrench(pose, self.wrench), self.response.carried(pose, p_dot))

    def __matmul__(self, change: _Change) -> Scalar:
        return add(along(self.wrench, change.twist), self.response @ change.motion)


def _contracted(setting: _Setting, lam: Matrix) -> Matrix:
    tree = setting.tree
    carried, virtual = _virtual_motion(setting, lam)
    H = SquareSum(3 * setting.nv)
    for k, bend in enumerate(setting.resistance_dvv):
        H.rows[setting.nv + k][setting.nv + k] = mul(lam[k], bend)
    changes: list[list[_Change]] = []
    for i, inputs in enumerate(setting.inputs):
        changes.append([_change(x, carried[i]) for x in inputs])
        for y, by_y in zip(inputs, changes[i], strict=True):
            answer = _answer(y, by_y, setting.subtrees[i], virtual[i])
            for x, by_x in zip(inputs, changes[i], strict=True):
                # At one joint q changes what carries its v and a, and not the other way round;
                # between two of its q, or two of its v, the mean of both orders is right.
                if x.part <= y.part:
                    share = 0.5 if x.part == y.part else 1.0
                    _put(H, x, y, mul(share, answer @ by_x))
            j = i
            while tree[j].parent != ROOT:
                answer, j = answer.carried(tree[j].pose, setting.away[j]), tree[j].parent
                for x, by_x in zip(setting.inputs[j], changes[j], strict=True):
                    _put(H, x, y, answer @ by_x)
    return H.matrix()


def _virtual_motion(setting: _Setting, lam: Matrix) -> tuple[list[Matrix], list[_Virtual]]:
    """Of each body: the virtual twist that its parent hands on, and what its subtree does in it."""
    tree, twists, carried = setting.tree, {ROOT: zeros(6)}, []
    virtual: list[_Virtual] = []
    for i, body in enumerate(tree):
        carried.append(body.pose.Ad_inverse(twists[body.parent]))
        twists[i] = carried[i] + body.drive(lam)
        virtual.append(_Virtual.of(body.inertia, setting.motions[i].w, twists[i]))
    for i in range(len(tree) - 1, -1, -1):
        parent = tree[i].parent
        if parent != ROOT:
            moved = virtual[i].seen_from(tree[i].pose, setting.away[i])
            virtual[parent] = virtual[parent] + moved
    return carried, virtual


def _change(x: _Input, carried: Matrix) -> _Change:
    return _Change(ad(carried, x.S) if x.part == _POSITION else zeros(6), x.motion)


def _answer(y: _Input, change: _Change, subtree: Subtree, virtual: _Virtual) -> _Answer:
    """Of the gradient's entry y: change.twist' F + (T, momentum)' change.motion, differentiated."""
    real, virtually = Response.of(subtree, change.twist), Response.of(virtual.field, y.rate)
    turning, momentum = real.w - virtually.w, real.momentum
    if y.part == _POSITION:
        turning = turning + cross(y.S[:3], virtual.T)
        momentum = momentum + ad_dual(y.S, virtual.momentum)
    return _Answer(y.wrench, Response(turning, momentum))


def _put(H: SquareSum, x: _Input, y: _Input, value: Scalar) -> None:
    H.put(x.slot, y.slot, value)
    H.put(y.slot, x.slot, value)
