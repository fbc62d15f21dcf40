"""The centre of mass of all moving links. Orin & Goswami (2008); Featherstone (2008), 2.13."""

from __future__ import annotations

from symkin.algebra import Matrix, Scalar, add, hstack, zeros
from symkin.algorithms.tree import degrees, moving_links, placements
from symkin.model import Robot
from symkin.spatial import Pose, cross


def center_of_mass(robot: Robot, q: Matrix) -> Matrix:
    """Mass-weighted mean of the links' centres of mass, in the root's axes."""
    masses, moments = _composites(robot, placements(robot, q))
    return moments[0] * (1.0 / masses[0])


def jacobian_center_of_mass(robot: Robot, q: Matrix) -> Matrix:
    """d c / d q: every joint moves the composite body that it carries, (l m + w x h) / M."""
    poses = placements(robot, q)
    masses, moments = _composites(robot, poses)
    columns = [zeros(3) for _ in range(robot.nv)]
    world: list[Pose] = []
    for i, (link, freedom) in enumerate(zip(robot.links, degrees(robot), strict=True)):
        world.append(world[link.parent] @ poses[i] if link.parent >= 0 else poses[i])
        share = 1.0 / masses[0]
        for degree in freedom:
            w, l = degree.S[:3], degree.S[3:]  # noqa: E741 - the book's letter
            moved = l * masses[i] + cross(w, moments[i])
            column = world[i].R @ moved * degree.multiplier * share
            columns[degree.index] = columns[degree.index] + column
    return hstack(zeros(3, 0), *columns)


def _composites(robot: Robot, poses: list[Pose]) -> tuple[list[Scalar], list[Matrix]]:
    """Mass and moment of mass of each link with all that it carries, in the link's frame."""
    moving = set(moving_links(robot))
    masses: list[Scalar] = [0.0] * len(robot.links)
    moments = [zeros(3) for _ in robot.links]
    for i in range(len(robot.links) - 1, -1, -1):
        link, pose = robot.links[i], poses[i]
        if i in moving:
            masses[i] = add(masses[i], link.inertia.mass)
            moments[i] = moments[i] + link.inertia.moment
        if link.parent >= 0:
            masses[link.parent] = add(masses[link.parent], masses[i])
            moments[link.parent] = moments[link.parent] + pose.R @ moments[i] + pose.p * masses[i]
    return masses, moments
