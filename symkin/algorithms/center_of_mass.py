"""The centre of mass of all moving links. Orin & Goswami (2008); Featherstone (2008), 2.13."""

from __future__ import annotations

from symkin.algebra import Matrix, Scalar, add, hstack, mul, zeros
from symkin.model import Coordinate, Robot, motion, screw
from symkin.spatial import Inertia, Pose, cross


def center_of_mass(robot: Robot, q: Matrix) -> Matrix:
    """Mass-weighted mean of the links' centres of mass, in the root's axes."""
    poses = _link_poses(robot, q)
    moment = zeros(3)
    for i in moving_links(robot):
        moment = moment + _moment(robot.links[i].inertia, poses[i])
    return moment * (1.0 / robot.moving_mass)


def jacobian_center_of_mass(robot: Robot, q: Matrix) -> Matrix:
    """d c / d q: every joint moves the composite body that it carries, m omega x (c - p) / M."""
    poses = _link_poses(robot, q)
    mass: dict[int, Scalar] = {}
    moment: dict[int, Matrix] = {}
    columns: list[Matrix | None] = [None] * robot.nv
    for i in reversed(moving_links(robot)):
        link = robot.links[i]
        m = add(mass.pop(i, 0.0), link.inertia.mass)
        h = moment.pop(i, zeros(3)) + _moment(link.inertia, poses[i])
        coordinate = robot.coordinates.get(i)
        if link.joint is not None and coordinate is not None:
            S = screw(link.joint)
            w = poses[i].R @ S[:3]
            column = cross(w, h - poses[i].p * m) + poses[i].R @ S[3:] * m
            _accumulate(columns, coordinate, column * (1.0 / robot.moving_mass))
        if link.parent >= 0:
            mass[link.parent] = add(mass.get(link.parent, 0.0), m)
            moment[link.parent] = moment.get(link.parent, zeros(3)) + h
    filled = [zeros(3) if column is None else column for column in columns]
    return hstack(*filled) if filled else zeros(3, 0)


def moving_links(robot: Robot) -> list[int]:
    """Indices, parents first, of the links that some joint moves."""
    moved: set[int] = set()
    for i, link in enumerate(robot.links):
        if i in robot.coordinates or link.parent in moved:
            moved.add(i)
    return sorted(moved)


def _link_poses(robot: Robot, q: Matrix) -> list[Pose]:
    poses: list[Pose] = []
    for i, link in enumerate(robot.links):
        if link.joint is None:
            poses.append(Pose.identity())
            continue
        c = robot.coordinates.get(i)
        own: Scalar = 0.0 if c is None else add(mul(c.multiplier, q[c.index]), c.offset)
        poses.append(poses[link.parent] @ link.joint.origin @ motion(link.joint, own))
    return poses


def _moment(inertia: Inertia, pose: Pose) -> Matrix:
    """The body's moment of mass about the root's origin, R h + m p."""
    return pose.R @ inertia.moment + pose.p * inertia.mass


def _accumulate(columns: list[Matrix | None], c: Coordinate, column: Matrix) -> None:
    present, scaled = columns[c.index], column * c.multiplier
    columns[c.index] = scaled if present is None else present + scaled
