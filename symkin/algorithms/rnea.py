"""Inverse dynamics by the recursive Newton-Euler algorithm.

Luh, Walker & Paul, On-line computational scheme for mechanical manipulators (1980); Featherstone,
Rigid Body Dynamics Algorithms (2008), chapter 5. Moments of mass are about each link's origin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, constant, mul, sub, vstack, zeros
from symkin.algorithms.tree import Degree, degrees, drive, gather, moving_links, placements
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, cross, skew


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


def inverse_dynamics(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """tau = M(q) a + C(q, v) v + g(q)."""
    poses, freedom = placements(robot, q), degrees(robot)
    motions = outward(robot, poses, freedom, v, a)
    wrenches = {i: inertial_wrench(robot.links[i].inertia, motions[i]) for i in moving_links(robot)}
    inward(robot, poses, wrenches)
    tau = project(robot, freedom, wrenches)
    return tau + armature_torque(robot, a)


def bias(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """C(q, v) v + g(q): inverse dynamics at a = 0."""
    return inverse_dynamics(robot, q, v, zeros(robot.nv))


def gravity_torque(robot: Robot, q: Matrix) -> Matrix:
    """g(q): the joint forces that hold the robot still."""
    return inverse_dynamics(robot, q, zeros(robot.nv), zeros(robot.nv))


def coriolis(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """C(q, v) v: inverse dynamics at a = 0 without gravity."""
    return bias(robot.with_gravity((0.0, 0.0, 0.0)), q, v)


def outward(
    robot: Robot, poses: list[Pose], freedom: list[tuple[Degree, ...]], v: Matrix, a: Matrix
) -> list[Motion]:
    """The motion of every link, from the root to the tips."""
    motions: list[Motion] = []
    for link, pose, own in zip(robot.links, poses, freedom, strict=True):
        if link.parent < 0:
            motions.append(Motion(zeros(3), zeros(3), -constant(robot.gravity), zeros(3, 3)))
            continue
        parent, Rt = motions[link.parent], pose.R.T
        speed, rate = drive(own, v), drive(own, a)
        carried = Rt @ parent.w
        w = carried + speed[:3]
        w_dot = Rt @ parent.w_dot + cross(carried, speed[:3]) + rate[:3]
        sliding = cross(carried + w, speed[3:]) + rate[3:]
        origin = Rt @ (parent.a + parent.U @ pose.p) + sliding
        motions.append(Motion(w, w_dot, origin, skew(w_dot) + squared(w)))
    return motions


def inertial_wrench(inertia: Inertia, motion: Motion) -> Matrix:
    """The wrench (n, f) about the link's origin that its motion takes, in its axes (6 x 1).

    f = m a + U h; n = I omega_dot + omega x I omega + h x a.
    """
    h, I = inertia.moment, inertia.about_origin  # noqa: E741 - the book's letter
    f = motion.a * inertia.mass + motion.U @ h
    n = I @ motion.w_dot + cross(motion.w, I @ motion.w) + cross(h, motion.a)
    return vstack(n, f)


def inward(robot: Robot, poses: list[Pose], wrenches: dict[int, Matrix]) -> None:
    """Add every link's wrench to its parent's, from the tips to the root."""
    for i in sorted(wrenches, reverse=True):
        parent = robot.links[i].parent
        if parent in wrenches:
            wrenches[parent] = wrenches[parent] + carried_wrench(poses[i], wrenches[i])


def carried_wrench(pose: Pose, F: Matrix) -> Matrix:
    """A wrench (n, f) of the child's frame in the parent's: (R n + p x R f, R f)."""
    f = pose.R @ F[3:]
    return vstack(pose.R @ F[:3] + cross(pose.p, f), f)


def project(
    robot: Robot, freedom: list[tuple[Degree, ...]], wrenches: Mapping[int, Matrix]
) -> Matrix:
    """tau = S'F of every joint (nv x 1); a follower's share goes to its leader."""
    entries: list[tuple[int, Scalar]] = []
    for i, F in wrenches.items():
        for degree in freedom[i]:
            entries.append((degree.index, mul(degree.multiplier, (degree.S.T @ F)[0, 0])))
    return gather(robot, entries)


def armature_torque(robot: Robot, a: Matrix) -> Matrix:
    """The joint forces that accelerate the rotors, as seen on the joint's side."""
    return gather(robot, [(k, mul(inertia, a[k])) for k, inertia in rotors(robot)])


def rotors(robot: Robot) -> list[tuple[int, float]]:
    """(index, reflected inertia) of every degree of freedom whose joint has an armature."""
    return [
        (degree.index, link.joint.armature * degree.multiplier**2)
        for link, own in zip(robot.links, degrees(robot), strict=True)
        if link.joint is not None and link.joint.armature
        for degree in own
    ]


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
