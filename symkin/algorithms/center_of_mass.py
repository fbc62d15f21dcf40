"""The centre of mass of all moving links. Orin & Goswami (2008); Featherstone (2008), 2.13."""

from __future__ import annotations

from symkin.algebra import Matrix, Scalar, add, hstack, zeros
from symkin.algorithms.tree import ROOT, Body, bodies
from symkin.model import Robot
from symkin.spatial import Pose, cross


def center_of_mass(robot: Robot, q: Matrix) -> Matrix:
    """Mass-weighted mean of the links' centres of mass, in the root's axes."""
    masses, moments = _composites(bodies(robot, q))
    c: Matrix = moments[ROOT] * (1.0 / masses[ROOT])
    return c


def jacobian_center_of_mass(robot: Robot, q: Matrix) -> Matrix:
    """d c / d q: every joint moves the composite body that it carries, (l m + w x h) / M."""
    tree = bodies(robot, q)
    masses, moments = _composites(tree)
    columns = [zeros(3) for _ in range(robot.nv)]
    world: dict[int, Pose] = {ROOT: Pose.identity()}
    for i, body in enumerate(tree):
        world[i] = world[body.parent] @ body.pose
        for degree in body.degrees:
            moved = degree.S[3:] * masses[i] + cross(degree.S[:3], moments[i])
            column = world[i].R @ moved * degree.multiplier * (1.0 / masses[ROOT])
            columns[degree.index] = columns[degree.index] + column
    return hstack(zeros(3, 0), *columns)


def _composites(tree: list[Body]) -> tuple[dict[int, Scalar], dict[int, Matrix]]:
    """Mass and moment of mass of each body with all that it carries, in its own frame."""
    masses: dict[int, Scalar] = {i: body.inertia.mass for i, body in enumerate(tree)}
    moments = {i: body.inertia.moment for i, body in enumerate(tree)}
    masses[ROOT], moments[ROOT] = 0.0, zeros(3)
    for i in range(len(tree) - 1, -1, -1):
        parent, pose = tree[i].parent, tree[i].pose
        masses[parent] = add(masses[parent], masses[i])
        moments[parent] = moments[parent] + pose.R @ moments[i] + pose.p * masses[i]
    return masses, moments
