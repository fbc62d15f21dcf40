"""The mass matrix by the composite rigid body algorithm, and its factorisation.

Featherstone, Rigid Body Dynamics Algorithms (2008), sections 6.2, 6.3 and 6.5.
"""

from __future__ import annotations

from typing import TypeAlias

from symkin.algebra import Matrix, Scalar, hstack, identity, mul, sub, vstack, zeros
from symkin.algorithms.rnea import carried_wrench
from symkin.algorithms.tree import ROOT, Body, SquareSum, along, bodies, poses_at_root
from symkin.model import Robot
from symkin.spatial import Inertia, cross

Factors: TypeAlias = tuple[Matrix, list[Scalar]]
"""Unit lower L and the diagonal of D, with M = L' D L."""


def mass_matrix(robot: Robot, q: Matrix) -> Matrix:
    """M(q), nv x nv, full and symmetric, by composite bodies. Table 6.2."""
    tree = bodies(robot, q)
    composites = composite_inertias(tree)
    M = SquareSum(robot.nv)
    for i, body in enumerate(tree):
        for k, degree in enumerate(body.degrees):
            F = momentum(composites[i], degree.S)
            for other in body.degrees[k:]:
                M.put(degree, other, along(other.S, F))
                if other is not degree:
                    M.put(other, degree, along(other.S, F))
            j = i
            while tree[j].parent != ROOT:
                F, j = carried_wrench(tree[j].pose, F), tree[j].parent
                for other in tree[j].degrees:
                    M.put(degree, other, along(other.S, F))
                    M.put(other, degree, along(other.S, F))
    M.put_armatures(tree)
    return M.matrix()


def mass_matrix_at_root(robot: Robot, q: Matrix) -> Matrix:
    """M(q): the columns of composites meet the axes in the root's frame, where all are at home.

    For long chains: a pair of joints costs one product of six-vectors and nothing is carried.
    """
    tree = bodies(robot, q)
    composites = composite_inertias(tree)
    M = SquareSum(robot.nv)
    axes: list[list[Matrix]] = []
    for i, (body, T) in enumerate(zip(tree, poses_at_root(tree), strict=True)):
        axes.append([T.Ad(degree.S) for degree in body.degrees])
        for k, degree in enumerate(body.degrees):
            F = momentum(composites[i], degree.S)
            for other in body.degrees[k:]:
                M.put(degree, other, along(other.S, F))
                if other is not degree:
                    M.put(other, degree, along(other.S, F))
            F, j = carried_wrench(T, F), body.parent
            while j != ROOT:
                for other, S in zip(tree[j].degrees, axes[j], strict=True):
                    M.put(degree, other, along(S, F))
                    M.put(other, degree, along(S, F))
                j = tree[j].parent
    M.put_armatures(tree)
    return M.matrix()


def inverse_mass_matrix(robot: Robot, q: Matrix) -> Matrix:
    """M^-1, nv x nv, full: column j is the acceleration that unit force j adds."""
    return solve_columns(factorise(mass_matrix(robot, q)), identity(robot.nv))


def composite_inertias(tree: list[Body]) -> list[Inertia]:
    """Each body's inertia with that of all it carries, in its own frame."""
    composites = [body.inertia for body in tree]
    for i in range(len(tree) - 1, -1, -1):
        parent = tree[i].parent
        if parent != ROOT:
            composites[parent] = composites[parent] + composites[i].seen_from(tree[i].pose)
    return composites


def momentum(inertia: Inertia, V: Matrix) -> Matrix:
    """I V = (I omega + h x v, m v - h x omega), 6 x 1."""
    w, v, h = V[:3], V[3:], inertia.moment
    return vstack(inertia.about_origin @ w + cross(h, v), v * inertia.mass - cross(h, w))


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


def solve_columns(factors: Factors, B: Matrix) -> Matrix:
    """X with L' D L X = B."""
    columns = (solve(factors, B.column(j)) for j in range(B.shape[1]))
    return hstack(zeros(B.shape[0], 0), *columns)


def _over(x: Scalar, y: Scalar) -> Scalar:
    return x if type(x) is float and x == 0.0 else x / y
