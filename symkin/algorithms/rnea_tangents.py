"""Derivatives of inverse dynamics by propagating one input's tangent at a time over its subtree.

The spatial recursion of Featherstone (2008), table 5.1, differentiated line by line. A joint that
moves along S turns what its parent hands on: d X = -(S x) X.
"""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, constant, hstack, mul, vstack, zeros
from symkin.algorithms.crba import momentum
from symkin.algorithms.rnea import carried_wrench
from symkin.algorithms.tree import Degree, degrees, drive, gather, moving_links, placements
from symkin.model import Robot
from symkin.spatial import Pose, ad, ad_dual


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """Values of the spatial recursion: what the parent hands on (V, A), own V, own S v, own F."""

    poses: list[Pose]
    freedom: list[tuple[Degree, ...]]
    carried_V: dict[int, Matrix]
    carried_A: dict[int, Matrix]
    V: dict[int, Matrix]
    drive: dict[int, Matrix]
    F: dict[int, Matrix]


def inverse_dynamics_dq(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """d tau/dq, nv x nv, displacements in the tangent space."""
    values = _recursion(robot, q, v, a)
    return _columns(robot, values, by_position=True)


def inverse_dynamics_dv(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """d tau/dv, nv x nv."""
    values = _recursion(robot, q, v, a)
    return _columns(robot, values, by_position=False)


def _recursion(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Recursion:
    poses, freedom = placements(robot, q), degrees(robot)
    values = Recursion(poses, freedom, {}, {}, {}, {}, {})
    ground = vstack(zeros(3), -constant(robot.gravity))
    A: dict[int, Matrix] = {}
    for i in moving_links(robot):
        parent, own = robot.links[i].parent, drive(freedom[i], v)
        values.carried_V[i] = poses[i].Ad_inverse(values.V.get(parent, zeros(6)))
        values.carried_A[i] = poses[i].Ad_inverse(A.get(parent, ground))
        V = values.carried_V[i] + own
        A[i] = values.carried_A[i] + drive(freedom[i], a) + ad(V, own)
        values.V[i], values.drive[i] = V, own
        inertia = robot.links[i].inertia
        values.F[i] = momentum(inertia, A[i]) + ad_dual(V, momentum(inertia, V))
    for i in reversed(moving_links(robot)):
        parent = robot.links[i].parent
        if parent in values.F:
            values.F[parent] = values.F[parent] + carried_wrench(poses[i], values.F[i])
    return values


def _columns(robot: Robot, values: Recursion, by_position: bool) -> Matrix:
    columns = [zeros(robot.nv) for _ in range(robot.nv)]
    for i in values.V:
        for degree in values.freedom[i]:
            column = _column(robot, values, i, degree.S, by_position) * degree.multiplier
            columns[degree.index] = columns[degree.index] + column
    return hstack(zeros(robot.nv, 0), *columns)


def _column(robot: Robot, values: Recursion, start: int, S: Matrix, by_position: bool) -> Matrix:
    """d tau when the joint of link ``start`` moves, or speeds up, along S."""
    dV: dict[int, Matrix] = {}
    dA: dict[int, Matrix] = {}
    dF: dict[int, Matrix] = {}
    for i in values.V:
        parent = robot.links[i].parent
        if i == start and by_position:
            dV[i] = -ad(S, values.carried_V[i])
            dA[i] = -ad(S, values.carried_A[i]) + ad(dV[i], values.drive[i])
        elif i == start:
            dV[i] = S
            dA[i] = ad(S, values.drive[i]) + ad(values.V[i], S)
        elif parent in dV:
            dV[i] = values.poses[i].Ad_inverse(dV[parent])
            dA[i] = values.poses[i].Ad_inverse(dA[parent]) + ad(dV[i], values.drive[i])
        else:
            continue
        inertia, V = robot.links[i].inertia, values.V[i]
        dF[i] = (
            momentum(inertia, dA[i])
            + ad_dual(dV[i], momentum(inertia, V))
            + ad_dual(V, momentum(inertia, dV[i]))
        )
    entries: list[tuple[int, Scalar]] = []
    for i in reversed(list(values.V)):
        if i not in dF:
            continue
        for degree in values.freedom[i]:
            entries.append((degree.index, mul(degree.multiplier, (degree.S.T @ dF[i])[0, 0])))
        handed = dF[i]
        if i == start and by_position:
            handed = handed + ad_dual(S, values.F[i])
        parent = robot.links[i].parent
        if parent in values.V:
            up = carried_wrench(values.poses[i], handed)
            dF[parent] = dF[parent] + up if parent in dF else up
    return gather(robot, entries)
