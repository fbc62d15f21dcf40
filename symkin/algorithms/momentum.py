"""Energies, momentum, and the centroidal momentum matrix.

Orin, Goswami & Lee, Centroidal dynamics of a humanoid robot (2013); Featherstone, Rigid Body
Dynamics Algorithms (2008), section 2.14. Momenta are (angular, linear), in the root's axes.
"""

from __future__ import annotations

from symkin.algebra import Matrix, Scalar, add, column, hstack, mul, vstack, zeros
from symkin.algorithms.configuration import rate
from symkin.algorithms.crba import composite_inertias, momentum
from symkin.algorithms.rnea import carried_wrench
from symkin.algorithms.tree import ROOT, Body, bodies
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, cross


def kinetic_energy(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """T = sum of V'I V / 2 over the links, and of the rotors' armature (1 x 1, J)."""
    tree = bodies(robot, q)
    total: Scalar = 0.0
    for body, V in zip(tree, _twists(tree, v), strict=True):
        total = add(total, (V.T @ momentum(body.inertia, V))[0, 0])
        for degree in body.degrees:
            speed = v[degree.index]
            total = add(total, mul(degree.armature, mul(speed, speed)))
    return Matrix([[mul(0.5, total)]])


def potential_energy(robot: Robot, q: Matrix) -> Matrix:
    """U = -g' sum m c, zero for masses at the root's origin (1 x 1, J)."""
    return -(column(*robot.gravity).T @ whole(bodies(robot, q)).moment)


def centroidal_momentum(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """Total momentum about the centre of mass (6 x 1); the rotors' own turning is not counted."""
    tree = bodies(robot, q)
    momenta = {i: momentum(tree[i].inertia, V) for i, V in enumerate(_twists(tree, v))}
    momenta[ROOT] = zeros(6)
    for i in range(len(tree) - 1, -1, -1):
        handed = carried_wrench(tree[i].pose, momenta[i])
        momenta[tree[i].parent] = momenta[tree[i].parent] + handed
    return _about(whole(tree).com, momenta[ROOT])


def centroidal_momentum_matrix(robot: Robot, q: Matrix) -> Matrix:
    """A_G, 6 x nv: the momentum about the centre of mass is A_G v."""
    tree = bodies(robot, q)
    composites, com = composite_inertias(tree), whole(tree).com
    world: dict[int, Pose] = {ROOT: Pose.identity()}
    columns = [zeros(6) for _ in range(robot.nv)]
    for i, body in enumerate(tree):
        world[i] = world[body.parent] @ body.pose
        for degree in body.degrees:
            column = carried_wrench(world[i], momentum(composites[i], degree.S))
            scaled = _about(com, column) * degree.multiplier
            columns[degree.index] = columns[degree.index] + scaled
    return hstack(zeros(6, 0), *columns)


def centroidal_momentum_matrix_dot(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """dA_G/dt, 6 x nv, by dual numbers."""
    return rate(lambda x: centroidal_momentum_matrix(robot, x), robot, q, v)


def whole(tree: list[Body]) -> Inertia:
    """The inertia of all bodies as one, in the root's frame."""
    total = Inertia.zero()
    for body, composite in zip(tree, composite_inertias(tree), strict=True):
        if body.parent == ROOT:
            total = total + composite.seen_from(body.pose)
    return total


def _twists(tree: list[Body], v: Matrix) -> list[Matrix]:
    """The twist of each body in its own axes."""
    V: dict[int, Matrix] = {ROOT: zeros(6)}
    for i, body in enumerate(tree):
        V[i] = body.pose.Ad_inverse(V[body.parent]) + body.drive(v)
    return [V[i] for i in range(len(tree))]


def _about(point: Matrix, wrench: Matrix) -> Matrix:
    """(n, f) about the point instead of the origin."""
    return vstack(wrench[:3] - cross(point, wrench[3:]), wrench[3:])
