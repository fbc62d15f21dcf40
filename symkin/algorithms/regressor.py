"""Inverse dynamics as a linear function of what links and joints are made of.

The ten parameters of a body are m (kg); mx, my, mz (kg m), its mass times the centre of mass; and
Ixx, Iyy, Izz, Ixy, Iyz, Ixz (kg m^2), its inertia about the origin of its link's frame: all in the
axes of that frame. Bodies are the links that a moving joint carries, in the order of
``robot.links``, each with whatever fixed joints weld to it.
Atkeson, An & Hollerbach, Estimation of inertial parameters of manipulator loads and links (1986);
Khalil & Dombre, Modeling, Identification and Control of Robots (2002), section 9.5.
"""

from __future__ import annotations

from dataclasses import replace

from symkin.algebra import Matrix, Scalar, add, hstack, mul, row, vstack, zeros
from symkin.algorithms.rnea import Motion, carried_wrench, outward
from symkin.algorithms.tree import ROOT, Body, along, bodies, degrees_of, gather
from symkin.model import Coordinate, Joint, Link, Robot
from symkin.model.prepare import lump
from symkin.spatial import INERTIAL, skew

DRIVE = ("armature", "damping", "friction")
"""Names of a joint's own parameters, in order; their units are at `Joint`."""


def inverse_dynamics_regressor(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """Y(q, v, a), nv x 10 n: tau = Y pi, with pi the `inertial_parameters` of n bodies.

    What rotors, damping and friction take is not in it: see `drive_regressor`.
    """
    welded = lump(robot)
    tree = bodies(welded, q)
    motions = outward(welded, tree, v, a)
    blocks = [
        _body_columns(tree, i, body_regressor(motions[i]), robot.nv) for i in range(len(tree))
    ]
    return hstack(zeros(robot.nv, 0), *blocks)


def inertial_parameters(robot: Robot) -> Matrix:
    """pi, 10 n x 1: `INERTIAL` of each body."""
    return vstack(zeros(0), *(link.inertia.parameters for link in _carried(robot)))


def inertial_parameter_names(robot: Robot) -> tuple[str, ...]:
    """``link.m``, ``link.mx`` and so on: a name for each entry of `inertial_parameters`."""
    return tuple(f"{link.name}.{name}" for link in _carried(robot) for name in INERTIAL)


def drive_regressor(robot: Robot, v: Matrix, a: Matrix) -> Matrix:
    """Y_d(v, a), nv x 3 n: what rotors take and joints resist is Y_d times `drive_parameters`.

    The columns of what the robot's friction does not count are zero.
    """
    columns = []
    for joint, coordinate in _driven(robot):
        bare = replace(joint, armature=0.0, damping=0.0, friction=0.0)
        units = (
            replace(bare, armature=1.0),
            replace(bare, damping=1.0),
            replace(bare, friction=1.0),
        )
        for unit in units:
            entries = [
                (d.index, add(mul(d.armature, a[d.index]), d.resistance(v)))
                for d in degrees_of(robot, unit, coordinate)
            ]
            columns.append(gather(robot, entries))
    return hstack(zeros(robot.nv, 0), *columns)


def drive_parameters(robot: Robot) -> Matrix:
    """`DRIVE` of each of n joints that move, followers too, in the order of ``robot.links``."""
    values = [getattr(joint, name) for joint, _ in _driven(robot) for name in DRIVE]
    return Matrix([(x,) for x in values], columns=1)


def drive_parameter_names(robot: Robot) -> tuple[str, ...]:
    """``joint.armature`` and so on: a name for each entry of `drive_parameters`."""
    return tuple(f"{joint.name}.{name}" for joint, _ in _driven(robot) for name in DRIVE)


def _driven(robot: Robot) -> list[tuple[Joint, Coordinate]]:
    joints = ((robot.links[i].joint, c) for i, c in robot.coordinates.items())
    return [(joint, c) for joint, c in joints if joint is not None]


def body_regressor(motion: Motion) -> Matrix:
    """A, 6 x 10: the wrench (n, f) that a motion takes of a body is A times its parameters."""
    zero = zeros(3)
    tensor = skew(motion.w) @ _inertia_times(motion.w) + _inertia_times(motion.w_dot)
    n = hstack(zero, -skew(motion.a), tensor)
    f = hstack(motion.a, motion.U, zeros(3, 6))
    return vstack(n, f)


def _inertia_times(x: Matrix) -> Matrix:
    """L, 3 x 6: I x = L (Ixx, Iyy, Izz, Ixy, Iyz, Ixz)."""
    a, b, c = x
    return vstack(
        row(a, 0.0, 0.0, b, 0.0, c), row(0.0, b, 0.0, a, c, 0.0), row(0.0, 0.0, c, 0.0, b, a)
    )


def _body_columns(tree: list[Body], i: int, A: Matrix, nv: int) -> Matrix:
    """The columns, nv x 10, of body i: what its wrench takes of every joint that carries it."""
    columns = []
    for k in range(len(INERTIAL)):
        F, j = A.column(k), i
        entries: list[Scalar] = [0.0] * nv
        while j != ROOT:
            for degree in tree[j].degrees:
                share = mul(degree.multiplier, along(degree.S, F))
                entries[degree.index] = add(entries[degree.index], share)
            F, j = carried_wrench(tree[j].pose, F), tree[j].parent
        columns.append(Matrix([(x,) for x in entries], columns=1))
    return hstack(*columns)


def _carried(robot: Robot) -> tuple[Link, ...]:
    """The links with bodies of their own, those that fixed joints weld to them welded."""
    return lump(robot).links[1:]
