"""The mass matrix by the composite rigid body algorithm, and its factorisation.

Featherstone, Rigid Body Dynamics Algorithms (2008), sections 6.2, 6.3 and 6.5.
"""

from __future__ import annotations

from typing import TypeAlias

from symkin.algebra import Matrix, Scalar, add, mul, sub, vstack
from symkin.algorithms.rnea import carried_wrench, rotors
from symkin.algorithms.tree import degrees, moving_links, placements
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, cross


def mass_matrix(robot: Robot, q: Matrix) -> Matrix:
    """M(q), full and symmetric, by composite bodies. Table 6.2."""
    poses, freedom = placements(robot, q), degrees(robot)
    composites = composite_inertias(robot, poses)
    M: list[list[Scalar]] = [[0.0] * robot.nv for _ in range(robot.nv)]

    def put(i: int, j: int, x: Scalar) -> None:
        M[i][j] = add(M[i][j], x)

    for i in composites:
        for k, degree in enumerate(freedom[i]):
            F = momentum(composites[i], degree.S) * degree.multiplier
            for other in freedom[i][k:]:
                entry = mul(other.multiplier, (other.S.T @ F)[0, 0])
                put(degree.index, other.index, entry)
                if other is not degree:
                    put(other.index, degree.index, entry)
            j = i
            while robot.links[j].parent in composites:
                F, j = carried_wrench(poses[j], F), robot.links[j].parent
                for other in freedom[j]:
                    entry = mul(other.multiplier, (other.S.T @ F)[0, 0])
                    put(degree.index, other.index, entry)
                    put(other.index, degree.index, entry)
    for k, inertia in rotors(robot):
        put(k, k, inertia)
    return Matrix(M, columns=robot.nv)


def composite_inertias(robot: Robot, poses: list[Pose]) -> dict[int, Inertia]:
    """For each moving link, its inertia and that of all it carries, in its own frame."""
    composites = {i: robot.links[i].inertia for i in moving_links(robot)}
    for i in sorted(composites, reverse=True):
        parent = robot.links[i].parent
        if parent in composites:
            composites[parent] = composites[parent] + composites[i].seen_from(poses[i])
    return composites


def momentum(inertia: Inertia, V: Matrix) -> Matrix:
    """I V = (I omega + h x v, m v - h x omega), 6 x 1."""
    w, v, h = V[:3], V[3:], inertia.moment
    return vstack(inertia.about_origin @ w + cross(h, v), v * inertia.mass - cross(h, w))


Factors: TypeAlias = tuple[Matrix, list[Scalar]]
"""Unit lower L and the diagonal of D, with M = L' D L."""


def factorise(M: Matrix) -> Factors:
    """M = L' D L with unit lower L, D diagonal; zeros of branches stay zero. Section 6.5."""
    n = M.shape[0]
    A = [list(row) for row in M.rows]
    for k in range(n - 1, -1, -1):
        for i in range(k - 1, -1, -1):
            ratio = _over(A[k][i], A[k][k])
            for j in range(i, -1, -1):
                A[i][j] = sub(A[i][j], mul(ratio, A[k][j]))
            A[k][i] = ratio
    L = Matrix([[A[i][j] if j < i else 0.0 for j in range(n)] for i in range(n)], columns=n)
    return L, [A[i][i] for i in range(n)]


def solve(factors: Factors, b: Matrix) -> Matrix:
    """x with L' D L x = b."""
    L, D = factors
    n = len(D)
    x = list(b)
    for i in range(n - 1, -1, -1):
        for j in range(i):
            x[j] = sub(x[j], mul(L[i, j], x[i]))
    x = [_over(entry, d) for entry, d in zip(x, D, strict=True)]
    for i in range(n):
        for j in range(i):
            x[i] = sub(x[i], mul(L[i, j], x[j]))
    return Matrix([(entry,) for entry in x], columns=1)


def _over(x: Scalar, y: Scalar) -> Scalar:
    return x if type(x) is float and x == 0.0 else x / y
