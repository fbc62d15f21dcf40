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

from symkin.algebra import Matrix, Scalar, add, hstack, identity, mul, vstack, zeros
from symkin.algorithms.rnea import Motion, carried_wrench, inertial_wrench, inward, outward, rotors
from symkin.algorithms.tree import Degree, degrees, drive, moving_links, placements
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, ad_dual, cross, skew


@dataclass(frozen=True, slots=True, eq=False)
class Subtree:
    """A link with all that it carries, about its origin and in its axes: I, m, h; g and N."""

    inertia: Inertia
    g: Matrix
    N: Matrix

    @staticmethod
    def of(inertia: Inertia, w: Matrix) -> Subtree:
        """A single body that turns at w: r_dot = w x r."""
        half_trace = (inertia.about_origin[0, 0] + inertia.about_origin[1, 1] + inertia.about_origin[2, 2]) * 0.5
        second_moment = identity(3) * half_trace - inertia.about_origin
        K = skew(w) @ second_moment
        return Subtree(inertia, cross(w, inertia.moment), _completed(K))

    def __add__(self, other: Subtree) -> Subtree:
        return Subtree(self.inertia + other.inertia, self.g + other.g, self.N + other.N)

    def seen_from(self, pose: Pose, p_dot: Matrix) -> Subtree:
        """The same about the parent's origin, from which its own moves away at p_dot."""
        R, m = pose.R, self.inertia.mass
        g, h = R @ self.g, R @ self.inertia.moment
        K = g @ pose.p.T + p_dot @ (h + pose.p * m).T
        return Subtree(
            self.inertia.seen_from(pose), g + p_dot * m, R @ self.N @ R.T + _completed(K)
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
    robot: Robot, q: Matrix, v: Matrix, a: Matrix
) -> tuple[Matrix, Matrix, Matrix]:
    """d tau/dq (in the tangent space), d tau/dv, and d tau/da = M, each nv x nv."""
    poses, freedom, moving = placements(robot, q), degrees(robot), moving_links(robot)
    motions = outward(robot, poses, freedom, v, a)
    wrenches = {i: inertial_wrench(robot.links[i].inertia, motions[i]) for i in moving}
    inward(robot, poses, wrenches)
    p_dot = departures(robot, poses, freedom, motions, v)
    subtrees = subtrees_of(robot, poses, motions, p_dot)
    changes = {
        i: [_perturbations(robot, i, degree, poses, motions, freedom, v) for degree in freedom[i]]
        for i in moving
    }

    dq, dv, da = ([[0.0] * robot.nv for _ in range(robot.nv)] for _ in range(3))

    def put(D: list[list[Scalar]], row: Degree, column: Degree, x: Scalar) -> None:
        scaled = mul(row.multiplier * column.multiplier, x)
        D[row.index][column.index] = add(D[row.index][column.index], scaled)

    for i in moving:
        for k, degree in enumerate(freedom[i]):
            by_q, by_v = changes[i][k]
            F_q, F_v = subtrees[i].wrench(by_q), subtrees[i].wrench(by_v)
            response = Response.of(subtrees[i], degree.S)
            for other in freedom[i]:
                put(dq, other, degree, _along(other.S, F_q))
                put(dv, other, degree, _along(other.S, F_v))
                put(da, other, degree, _along(other.S, response.momentum))
            F_q = F_q + ad_dual(degree.S, wrenches[i])
            j = i
            while robot.links[j].parent in subtrees:
                F_q, F_v = carried_wrench(poses[j], F_q), carried_wrench(poses[j], F_v)
                response, j = response.carried(poses[j], p_dot[j]), robot.links[j].parent
                for other, (other_q, other_v) in zip(freedom[j], changes[j], strict=True):
                    put(dq, other, degree, _along(other.S, F_q))
                    put(dv, other, degree, _along(other.S, F_v))
                    put(dq, degree, other, response @ other_q)
                    put(dv, degree, other, response @ other_v)
                    inertia = _along(other.S, response.momentum)
                    put(da, other, degree, inertia)
                    put(da, degree, other, inertia)
    for index, armature in rotors(robot):
        da[index][index] = add(da[index][index], armature)
    return tuple(Matrix(D, columns=robot.nv) for D in (dq, dv, da))


def departures(
    robot: Robot,
    poses: list[Pose],
    freedom: list[tuple[Degree, ...]],
    motions: list[Motion],
    v: Matrix,
) -> dict[int, Matrix]:
    """The velocity of each link's origin about its parent's, in the parent's axes."""
    return {
        i: cross(motions[robot.links[i].parent].w, poses[i].p)
        + poses[i].R @ drive(freedom[i], v)[3:]
        for i in moving_links(robot)
    }


def subtrees_of(
    robot: Robot, poses: list[Pose], motions: list[Motion], p_dot: dict[int, Matrix]
) -> dict[int, Subtree]:
    """Each moving link with all that it carries."""
    subtrees = {i: Subtree.of(robot.links[i].inertia, motions[i].w) for i in moving_links(robot)}
    for i in sorted(subtrees, reverse=True):
        parent = robot.links[i].parent
        if parent in subtrees:
            subtrees[parent] = subtrees[parent] + subtrees[i].seen_from(poses[i], p_dot[i])
    return subtrees


def _perturbations(
    robot: Robot,
    i: int,
    degree: Degree,
    poses: list[Pose],
    motions: list[Motion],
    freedom: list[tuple[Degree, ...]],
    v: Matrix,
) -> tuple[Perturbation, Perturbation]:
    """Of link i and all it carries, by a displacement along S and by a speed along S."""
    own, w, u = motions[i], degree.S[:3], degree.S[3:]
    if len(freedom[i]) == 1:
        turned = cross(own.w, w)
        by_q = Perturbation(turned, own.U @ w, own.U @ u + cross(own.a, w))
        return by_q, Perturbation(w, turned * 2.0, cross(own.w, u) * 2.0)
    parent, R = motions[robot.links[i].parent], poses[i].R
    joint = drive(freedom[i], v)
    carried, U = R.T @ parent.w, R.T @ parent.U @ R
    a = R.T @ (parent.a + parent.U @ poses[i].p)
    turned = cross(carried, w)
    by_q = Perturbation(turned, U @ w, U @ u + cross(a, w) + cross(turned, joint[3:]) * 2.0)
    both = carried + own.w
    return by_q, Perturbation(w, cross(both, w), cross(both, u) + cross(w, joint[3:]))


def _completed(K: Matrix) -> Matrix:
    """(tr K) 1 - K."""
    (a, b, c), (d, e, f), (g, h, i) = K.rows
    return Matrix(
        [
            [add(e, i), mul(-1.0, b), mul(-1.0, c)],
            [mul(-1.0, d), add(a, i), mul(-1.0, f)],
            [mul(-1.0, g), mul(-1.0, h), add(a, e)],
        ]
    )


def _along(S: Matrix, F: Matrix) -> Scalar:
    return (S.T @ F)[0, 0]
