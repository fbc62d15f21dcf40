"""Energies, momentum, and the centroidal momentum matrix.

Orin, Goswami & Lee, Centroidal dynamics of a humanoid robot (2013); Featherstone, Rigid Body
Dynamics Algorithms (2008), section 2.14. Momenta are (angular, linear), in the root's axes.
"""

from __future__ import annotations

from symkin.algebra import Matrix, Scalar, add, constant, hstack, mul, vstack, zeros
from symkin.algorithms.crba import composite_inertias, momentum
from symkin.algorithms.rnea import carried_wrench, rotors
from symkin.algorithms.tree import degrees, drive, moving_links, placements
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, cross


def kinetic_energy(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """T = sum of V'I V / 2 over the links, and of the rotors' armature (1 x 1, J)."""
    poses, freedom = placements(robot, q), degrees(robot)
    V: dict[int, Matrix] = {}
    total: Scalar = 0.0
    for i in moving_links(robot):
        link = robot.links[i]
        V[i] = poses[i].Ad_inverse(V.get(link.parent, zeros(6))) + drive(freedom[i], v)
        total = add(total, (V[i].T @ momentum(link.inertia, V[i]))[0, 0])
    for k, inertia in rotors(robot):
        total = add(total, mul(inertia, mul(v[k], v[k])))
    return Matrix([[mul(0.5, total)]])


def potential_energy(robot: Robot, q: Matrix) -> Matrix:
    """U = -g' sum m c, zero for masses at the root's origin (1 x 1, J)."""
    moment = whole(robot, placements(robot, q)).moment
    return -(constant(robot.gravity).T @ moment)


def total_momentum(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """About the centre of mass: (angular, linear), 6 x 1; it does not count the rotors."""
    poses, freedom, moving = placements(robot, q), degrees(robot), moving_links(robot)
    V: dict[int, Matrix] = {}
    for i in moving:
        carried = poses[i].Ad_inverse(V.get(robot.links[i].parent, zeros(6)))
        V[i] = carried + drive(freedom[i], v)
    momenta = {i: momentum(robot.links[i].inertia, V[i]) for i in moving}
    total = zeros(6)
    for i in reversed(moving):
        handed, parent = carried_wrench(poses[i], momenta[i]), robot.links[i].parent
        if parent in momenta:
            momenta[parent] = momenta[parent] + handed
        else:
            total = total + handed
    return _about(whole(robot, poses).com, total)


def centroidal_momentum_matrix(robot: Robot, q: Matrix) -> Matrix:
    """A_G, 6 x nv: the momentum about the centre of mass is A_G v."""
    poses, freedom = placements(robot, q), degrees(robot)
    composites = composite_inertias(robot, poses)
    com = whole(robot, poses).com
    world: dict[int, Pose] = {}
    columns = [zeros(6) for _ in range(robot.nv)]
    for i, composite in composites.items():
        parent = robot.links[i].parent
        world[i] = world[parent] @ poses[i] if parent in world else _grounded(robot, poses, i)
        for degree in freedom[i]:
            column = carried_wrench(world[i], momentum(composite, degree.S)) * degree.multiplier
            columns[degree.index] = columns[degree.index] + _about(com, column)
    return hstack(zeros(6, 0), *columns)


def whole(robot: Robot, poses: list[Pose]) -> Inertia:
    """The inertia of all moving links as one body, in the root's frame."""
    composites = composite_inertias(robot, poses)
    total = Inertia.zero()
    for i, composite in composites.items():
        if robot.links[i].parent not in composites:
            total = total + composite.seen_from(_grounded(robot, poses, i))
    return total


def _grounded(robot: Robot, poses: list[Pose], i: int) -> Pose:
    """The pose in the root of a link that no other joint moves before its own."""
    pose = poses[i]
    while robot.links[i].parent >= 0:
        i = robot.links[i].parent
        pose = poses[i] @ pose
    return pose


def _about(point: Matrix, wrench: Matrix) -> Matrix:
    """(n, f) about the point instead of the origin."""
    return vstack(wrench[:3] - cross(point, wrench[3:]), wrench[3:])
