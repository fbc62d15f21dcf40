"""Inverse dynamics by the recursive Newton-Euler algorithm.

Luh, Walker & Paul, On-line computational scheme for mechanical manipulators (1980); Featherstone,
Rigid Body Dynamics Algorithms (2008), chapter 5. Moments of mass are about each link's origin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from symkin.algebra import Matrix, Scalar, add, column, mul, sub, vstack, zeros
from symkin.algorithms.tree import ROOT, Body, along, bodies, gather
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, cross, skew

Wrenches: TypeAlias = Mapping[int, Matrix]
"""By number among the bodies: a wrench (n, f) about the body's origin in its axes, 6 x 1."""

NO_WRENCHES: Wrenches = {}


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """How a link moves, in its own axes: omega, its rate, and U = [omega_dot] + [omega]^2.

    ``a`` is the classical acceleration of the link's origin less that of free fall: a point at r
    accelerates by a + U r.
    """

    w: Matrix
    w_dot: Matrix
    a: Matrix
    U: Matrix

    @staticmethod
    def of_root(robot: Robot) -> Motion:
        """That of the root: at rest, as if lifted against gravity."""
        return Motion(zeros(3), zeros(3), -column(*robot.gravity), zeros(3, 3))


def inverse_dynamics(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix, external: Wrenches = NO_WRENCHES
) -> Matrix:
    """tau = M(q) a + C(q, v) v + g(q) - J' F, and what joints resist as far as the robot counts it.

    ``external`` holds the wrenches F that act on bodies from outside.
    """
    tree = bodies(robot, q)
    wrenches = required_wrenches(tree, outward(robot, tree, v, a), external)
    return project(robot, tree, inward(tree, wrenches), v, a)


def bias(robot: Robot, q: Matrix, v: Matrix, external: Wrenches = NO_WRENCHES) -> Matrix:
    """C(q, v) v + g(q) - J' F, and what joints resist: inverse dynamics at a = 0."""
    return inverse_dynamics(robot, q, v, zeros(robot.nv), external)


def gravity_torque(robot: Robot, q: Matrix) -> Matrix:
    """g(q): the joint forces that hold the robot still."""
    return inverse_dynamics(robot, q, zeros(robot.nv), zeros(robot.nv))


def coriolis_torque(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """C(q, v) v: inverse dynamics at a = 0 without gravity and friction."""
    return bias(robot.with_gravity((0.0, 0.0, 0.0)).with_friction(damping=False), q, v)


def outward(robot: Robot, tree: list[Body], v: Matrix, a: Matrix) -> list[Motion]:
    """The motion of every body, from the root to the tips; the last entry is the root's own."""
    motions: dict[int, Motion] = {ROOT: Motion.of_root(robot)}
    for i, body in enumerate(tree):
        parent, Rt = motions[body.parent], body.pose.R.T
        speed, rate = body.drive(v), body.drive(a)
        carried = Rt @ parent.w
        w = carried + speed[:3]
        w_dot = Rt @ parent.w_dot + cross(carried, speed[:3]) + rate[:3]
        sliding = cross(carried + w, speed[3:]) + rate[3:]
        origin = Rt @ (parent.a + parent.U @ body.pose.p) + sliding
        motions[i] = Motion(w, w_dot, origin, skew(w_dot) + squared(w))
    return [*(motions[i] for i in range(len(tree))), motions[ROOT]]


def inertial_wrench(inertia: Inertia, motion: Motion) -> Matrix:
    """The wrench (n, f) about the link's origin that its motion takes, in its axes (6 x 1).

    f = m a + U h; n = I omega_dot + omega x I omega + h x a.
    """
    h = inertia.moment
    f = motion.a * inertia.mass + motion.U @ h
    n = turning_moment(inertia.about_origin, motion) + cross(h, motion.a)
    return vstack(n, f)


def turning_moment(I: Matrix, motion: Motion) -> Matrix:  # noqa: E741 - the book's letter
    """I omega_dot + omega x I omega (3 x 1), from the products of omega that U holds anyway."""
    (x, y, z), rate, U = motion.w, motion.w_dot, motion.U
    products, squares = (mul(y, z), mul(z, x), mul(x, y)), (mul(x, x), mul(y, y), mul(z, z))
    rows = []
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        own = add(mul(I[i, i], rate[i]), mul(sub(I[k, k], I[j, j]), products[i]))
        across = sub(mul(I[i, k], U[j, i]), mul(I[i, j], U[k, i]))
        rows.append(add(add(own, across), mul(I[j, k], sub(squares[j], squares[k]))))
    return column(*rows)


def required_wrenches(
    tree: list[Body], motions: list[Motion], external: Wrenches = NO_WRENCHES
) -> list[Matrix]:
    """The wrench that each body's motion takes beyond what acts on it from outside."""
    wrenches = [inertial_wrench(body.inertia, motions[i]) for i, body in enumerate(tree)]
    return [F - external[i] if i in external else F for i, F in enumerate(wrenches)]


def inward(tree: list[Body], wrenches: list[Matrix]) -> list[Matrix]:
    """Each body's wrench with those of all that it carries, from the tips to the root."""
    total = list(wrenches)
    for i in range(len(tree) - 1, -1, -1):
        parent = tree[i].parent
        if parent != ROOT:
            total[parent] = total[parent] + carried_wrench(tree[i].pose, total[i])
    return total


def carried_wrench(pose: Pose, F: Matrix) -> Matrix:
    """A wrench (n, f) of the child's frame in the parent's: (R n + p x R f, R f)."""
    f = pose.R @ F[3:]
    return vstack(pose.R @ F[:3] + cross(pose.p, f), f)


def project(robot: Robot, tree: list[Body], wrenches: list[Matrix], v: Matrix, a: Matrix) -> Matrix:
    """tau = S'F of every joint, what its rotor takes and what it resists.

    A follower's share goes to its leader.
    """
    entries: list[tuple[int, Scalar]] = []
    for body, F in zip(tree, wrenches, strict=True):
        for degree in body.degrees:
            entries.append((degree.index, mul(degree.multiplier, along(degree.S, F))))
            entries.append((degree.index, mul(degree.armature, a[degree.index])))
            entries.append((degree.index, degree.resistance(v)))
    return gather(robot, entries)


def squared(w: Matrix) -> Matrix:
    """[w]^2 = w w' - w'w 1, its diagonal from sums of two squares."""
    x, y, z = w
    xx, yy, zz, xy, yz, xz = mul(x, x), mul(y, y), mul(z, z), mul(x, y), mul(y, z), mul(x, z)
    return Matrix(
        [
            [sub(mul(-1.0, yy), zz), xy, xz],
            [xy, sub(mul(-1.0, xx), zz), yz],
            [xz, yz, sub(mul(-1.0, xx), yy)],
        ]
    )
