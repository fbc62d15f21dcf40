"""Derivatives of inverse dynamics in closed form, by perturbing whole subtrees.

After Carpentier & Mansard, Analytical derivatives of rigid body dynamics algorithms (2018), and
Singh, Russell & Wensing, Efficient analytical derivatives of rigid-body dynamics (2022), in the
classical accelerations of a subtree about its joint. A subtree that moves as one perturbs the
acceleration of its point at r, whose velocity about the joint is r_dot, by

    d_a + beta x r + 2 d_w x r_dot

so that mass m, moments h = sum m r and g = sum m r_dot, rotational inertia I, and
N = sum m ((r_dot . r) 1 - r_dot r') of the subtree give the wrench of any such perturbation.
"""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, identity, mul, vstack
from symkin.algorithms.rnea import (
    NO_WRENCHES,
    Motion,
    Wrenches,
    carried_wrench,
    inward,
    outward,
    required_wrenches,
)
from symkin.algorithms.tree import ROOT, Body, Degree, SquareSum, Station, along, bodies, stations
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, ad_dual, cross, rotated, skew


@dataclass(frozen=True, slots=True, eq=False)
class Subtree:
    """A link with all that it carries, about its origin and in its axes: I, m, h; g and N."""

    inertia: Inertia
    g: Matrix
    N: Matrix

    @staticmethod
    def of(inertia: Inertia, w: Matrix) -> Subtree:
        """A single body that turns at w: r_dot = w x r."""
        I = inertia.about_origin  # noqa: E741 - the book's letter
        half_trace = mul(0.5, add(add(I[0, 0], I[1, 1]), I[2, 2]))
        K = skew(w) @ (identity(3) * half_trace - I)
        return Subtree(inertia, cross(w, inertia.moment), completed(K))

    def __add__(self, other: Subtree) -> Subtree:
        return Subtree(self.inertia + other.inertia, self.g + other.g, self.N + other.N)

    def seen_from(self, pose: Pose, p_dot: Matrix) -> Subtree:
        """The same about the parent's origin, from which its own moves away at p_dot."""
        R, m = pose.R, self.inertia.mass
        g, h = R @ self.g, R @ self.inertia.moment
        K = g @ pose.p.T + p_dot @ (h + pose.p * m).T
        return Subtree(
            self.inertia.seen_from(pose), g + p_dot * m, rotated(R, self.N) + completed(K)
        )

    def wrench(self, change: Perturbation) -> Matrix:
        """The wrench (n, f), 6 x 1, that a perturbation of the subtree's motion takes."""
        h, I = self.inertia.moment, self.inertia.about_origin  # noqa: E741 - the book's letter
        twice = change.w * 2.0
        n = self.N @ twice + I @ change.beta + cross(h, change.a)
        f = change.a * self.inertia.mass + cross(change.beta, h) + cross(twice, self.g)
        return vstack(n, f)


@dataclass(frozen=True, slots=True, eq=False)
class Perturbation:
    """(d_w, beta, d_a): how the motion of a subtree changes, in the axes of its first link."""

    w: Matrix
    beta: Matrix
    a: Matrix

    def seen_from(self, place: Station) -> Perturbation:
        """The same where the body's wrenches meet others."""
        R, p = place.entry.R, place.entry.p
        w, beta = R @ self.w, R @ self.beta
        a = R @ self.a - cross(beta, p) - cross(w, place.drift) * 2.0
        return Perturbation(w, beta, a)


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """How one joint force answers a perturbation: the product with (2 d_w, beta, d_a)."""

    w: Matrix
    momentum: Matrix

    @staticmethod
    def of(subtree: Subtree, S: Matrix) -> Response:
        """That of S'F, the force along S of the joint that carries the subtree."""
        w, u, h = S[:3], S[3:], subtree.inertia.moment
        n = subtree.inertia.about_origin @ w + cross(h, u)
        f = u * subtree.inertia.mass + cross(w, h)
        return Response(subtree.N.T @ w + cross(subtree.g, u), vstack(n, f))

    def carried(self, pose: Pose, p_dot: Matrix) -> Response:
        """The same for perturbations of the parent."""
        momentum = carried_wrench(pose, self.momentum)
        return Response(pose.R @ self.w + cross(p_dot, momentum[3:]), momentum)

    def __matmul__(self, change: Perturbation) -> Scalar:
        rotation = (self.w.T @ (change.w * 2.0))[0, 0]
        rest = (self.momentum.T @ vstack(change.beta, change.a))[0, 0]
        return add(rotation, rest)


def inverse_dynamics_derivatives(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix, external: Wrenches = NO_WRENCHES
) -> tuple[Matrix, Matrix, Matrix]:
    """d tau/dq (in the tangent space), d tau/dv, and d tau/da = M, each nv x nv.

    ``external`` wrenches turn with the bodies that they act on.
    """
    tree = bodies(robot, q)
    motions = outward(robot, tree, v, a)
    wrenches = inward(tree, required_wrenches(tree, motions, external))
    away = departures(tree, motions, v)
    subtrees, places = subtrees_of(tree, motions, away), stations(robot, tree, away)
    known: list[list[tuple[Perturbation, Perturbation]]] = []
    dq, dv, da = (SquareSum(robot.nv) for _ in range(3))
    for i, (body, place) in enumerate(zip(tree, places, strict=True)):
        parent = motions[body.parent]
        changes = [perturbations(body, degree, motions[i], parent, v) for degree in body.degrees]
        known.append([(by_q.seen_from(place), by_v.seen_from(place)) for by_q, by_v in changes])
        for degree, (by_q, by_v) in zip(body.degrees, changes, strict=True):
            F_q, F_v = subtrees[i].wrench(by_q), subtrees[i].wrench(by_v)
            response = Response.of(subtrees[i], degree.S)
            for other in body.degrees:
                dq.put(other, degree, along(other.S, F_q))
                dv.put(other, degree, along(other.S, F_v))
                da.put(other, degree, along(other.S, response.momentum))
            F_q = carried_wrench(place.entry, F_q + ad_dual(degree.S, wrenches[i]))
            F_v = carried_wrench(place.entry, F_v)
            response, j = response.carried(place.entry, place.drift), i
            while tree[j].parent != ROOT:
                F_q, F_v = carried_wrench(places[j].pose, F_q), carried_wrench(places[j].pose, F_v)
                response = response.carried(places[j].pose, places[j].away)
                j = tree[j].parent
                pairs = zip(tree[j].degrees, places[j].axes, known[j], strict=True)
                for other, S, (other_q, other_v) in pairs:
                    dq.put(other, degree, along(S, F_q))
                    dv.put(other, degree, along(S, F_v))
                    dq.put(degree, other, response @ other_q)
                    dv.put(degree, other, response @ other_v)
                    inertia = along(S, response.momentum)
                    da.put(other, degree, inertia)
                    da.put(degree, other, inertia)
    dv.put_resistances_dv(tree, v)
    da.put_armatures(tree)
    return dq.matrix(), dv.matrix(), da.matrix()


def inverse_dynamics_dq(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """d tau/dq, nv x nv, displacements in the tangent space."""
    return inverse_dynamics_derivatives(robot, q, v, a)[0]


def inverse_dynamics_dv(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """d tau/dv, nv x nv."""
    return inverse_dynamics_derivatives(robot, q, v, a)[1]


def departures(tree: list[Body], motions: list[Motion], v: Matrix) -> list[Matrix]:
    """The velocity of each body's origin about its parent's, in the parent's axes."""
    return [
        cross(motions[body.parent].w, body.pose.p) + body.pose.R @ body.drive(v)[3:]
        for body in tree
    ]


def subtrees_of(tree: list[Body], motions: list[Motion], away: list[Matrix]) -> list[Subtree]:
    """Each body with all that it carries."""
    subtrees = [Subtree.of(body.inertia, motions[i].w) for i, body in enumerate(tree)]
    for i in range(len(tree) - 1, -1, -1):
        parent = tree[i].parent
        if parent != ROOT:
            moved = subtrees[i].seen_from(tree[i].pose, away[i])
            subtrees[parent] = subtrees[parent] + moved
    return subtrees


def perturbations(
    body: Body, degree: Degree, own: Motion, parent: Motion, v: Matrix
) -> tuple[Perturbation, Perturbation]:
    """Of a body and all it carries, by a displacement along S and by a speed along S."""
    w, u = degree.S[:3], degree.S[3:]
    if len(body.degrees) == 1:
        turned = cross(own.w, w)
        by_q = Perturbation(turned, own.U @ w, own.U @ u + cross(own.a, w))
        return by_q, Perturbation(w, turned * 2.0, cross(own.w, u) * 2.0)
    R, joint = body.pose.R, body.drive(v)
    carried, U = R.T @ parent.w, rotated(R.T, parent.U)
    a = R.T @ (parent.a + parent.U @ body.pose.p)
    turned = cross(carried, w)
    by_q = Perturbation(turned, U @ w, U @ u + cross(a, w) + cross(turned, joint[3:]) * 2.0)
    both = carried + own.w
    return by_q, Perturbation(w, cross(both, w), cross(both, u) + cross(w, joint[3:]))


def completed(K: Matrix) -> Matrix:
    """(tr K) 1 - K."""
    (a, b, c), (d, e, f), (g, h, i) = K.rows
    return Matrix(
        [
            [add(e, i), mul(-1.0, b), mul(-1.0, c)],
            [mul(-1.0, d), add(a, i), mul(-1.0, f)],
            [mul(-1.0, g), mul(-1.0, h), add(a, e)],
        ]
    )
