"""Derivatives of inverse dynamics by propagating one input's tangent at a time over its subtree.

The spatial recursion of Featherstone (2008), table 5.1, differentiated line by line. A joint that
moves along S turns what its parent hands on: d X = -(S x) X.
"""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, column, hstack, mul, vstack, zeros
from symkin.algorithms.crba import momentum
from symkin.algorithms.rnea import NO_WRENCHES, Wrenches, carried_wrench, inward, project
from symkin.algorithms.tree import ROOT, Body, along, bodies, gather
from symkin.model import Robot
from symkin.spatial import ad, ad_dual


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Of each body: the twist and acceleration that its parent hands on, its own twist, the part
    of it that its joint drives, and the wrench of all that it carries."""

    V_in: list[Matrix]
    A_in: list[Matrix]
    V: list[Matrix]
    drive: list[Matrix]
    F: list[Matrix]


def inverse_dynamics(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix, external: Wrenches = NO_WRENCHES
) -> Matrix:
    """tau by the recursion that is differentiated here, in spatial vectors. Table 5.1."""
    tree = bodies(robot, q)
    return project(robot, tree, _recursion(robot, tree, v, a, external).F, v, a)


def inverse_dynamics_dq(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix, external: Wrenches = NO_WRENCHES
) -> Matrix:
    """d tau/dq, nv x nv, displacements in the tangent space.

    ``external`` wrenches turn with the bodies that they act on.
    """
    return _columns(robot, q, v, a, external, by_position=True)


def inverse_dynamics_dv(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """d tau/dv, nv x nv."""
    return _columns(robot, q, v, a, NO_WRENCHES, by_position=False)


def _columns(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix, external: Wrenches, by_position: bool
) -> Matrix:
    tree = bodies(robot, q)
    values = _recursion(robot, tree, v, a, external)
    columns = [zeros(robot.nv) for _ in range(robot.nv)]
    for i, body in enumerate(tree):
        for degree in body.degrees:
            column = _column(robot, tree, values, i, degree.S, by_position) * degree.multiplier
            if not by_position:
                column = column + gather(robot, [(degree.index, degree.resistance_dv(v))])
            columns[degree.index] = columns[degree.index] + column
    return hstack(zeros(robot.nv, 0), *columns)


def _recursion(robot: Robot, tree: list[Body], v: Matrix, a: Matrix, external: Wrenches) -> Values:
    V: dict[int, Matrix] = {ROOT: zeros(6)}
    A: dict[int, Matrix] = {ROOT: vstack(zeros(3), -column(*robot.gravity))}
    carried_V, carried_A, drives, wrenches = [], [], [], []
    for i, body in enumerate(tree):
        drives.append(body.drive(v))
        carried_V.append(body.pose.Ad_inverse(V[body.parent]))
        carried_A.append(body.pose.Ad_inverse(A[body.parent]))
        V[i] = carried_V[i] + drives[i]
        A[i] = carried_A[i] + body.drive(a) + ad(V[i], drives[i])
        F = momentum(body.inertia, A[i]) + ad_dual(V[i], momentum(body.inertia, V[i]))
        wrenches.append(F - external[i] if i in external else F)
    own = [V[i] for i in range(len(tree))]
    return Values(carried_V, carried_A, own, drives, inward(tree, wrenches))


def _column(
    robot: Robot, tree: list[Body], values: Values, start: int, S: Matrix, by_position: bool
) -> Matrix:
    """d tau when the joint of body ``start`` moves, or speeds up, along S."""
    dV: dict[int, Matrix] = {}
    dA: dict[int, Matrix] = {}
    dF: dict[int, Matrix] = {}
    for i, body in enumerate(tree):
        V, drive = values.V[i], values.drive[i]
        if i == start and by_position:
            dV[i] = -ad(S, values.V_in[i])
            dA[i] = -ad(S, values.A_in[i]) + ad(dV[i], drive)
        elif i == start:
            dV[i] = S
            dA[i] = ad(S, drive) + ad(V, S)
        elif body.parent in dV:
            dV[i] = body.pose.Ad_inverse(dV[body.parent])
            dA[i] = body.pose.Ad_inverse(dA[body.parent]) + ad(dV[i], drive)
        else:
            continue
        dF[i] = (
            momentum(body.inertia, dA[i])
            + ad_dual(dV[i], momentum(body.inertia, V))
            + ad_dual(V, momentum(body.inertia, dV[i]))
        )
    entries: list[tuple[int, Scalar]] = []
    for i in range(len(tree) - 1, -1, -1):
        if i not in dF:
            continue
        body = tree[i]
        for degree in body.degrees:
            entries.append((degree.index, mul(degree.multiplier, along(degree.S, dF[i]))))
        handed = dF[i]
        if i == start and by_position:
            handed = handed + ad_dual(S, values.F[i])
        if body.parent != ROOT:
            up = carried_wrench(body.pose, handed)
            dF[body.parent] = dF[body.parent] + up if body.parent in dF else up
    return gather(robot, entries)
