"""The mass matrix by the composite rigid body algorithm, and its factorisation.

Featherstone, Rigid Body Dynamics Algorithms (2008), sections 6.2, 6.3 and 6.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from symkin.algebra import Matrix, Scalar, hstack, inner, mul, sub, vstack, zeros
from symkin.algorithms.rnea import carried_wrench
from symkin.algorithms.tree import ROOT, Body, SquareSum, along, bodies, stations
from symkin.model import Robot
from symkin.spatial import Inertia, cross

Factors: TypeAlias = tuple[Matrix, list[Scalar]]
"""Unit lower L and the diagonal of D, with M = L' D L."""

Solver: TypeAlias = Callable[[Factors, Matrix], Matrix]
"""A way to M^-1 B."""


def mass_matrix(robot: Robot, q: Matrix) -> Matrix:
    """M(q), nv x nv, full and symmetric, by composite bodies. Table 6.2."""
    tree = bodies(robot, q)
    composites, places = composite_inertias(tree), stations(robot, tree)
    M = SquareSum(robot.nv)
    for i, body in enumerate(tree):
        for k, degree in enumerate(body.degrees):
            F = momentum(composites[i], degree.S)
            for other in body.degrees[k:]:
                M.put(degree, other, along(other.S, F))
                if other is not degree:
                    M.put(other, degree, along(other.S, F))
            F, j = carried_wrench(places[i].entry, F), i
            while tree[j].parent != ROOT:
                F, j = carried_wrench(places[j].pose, F), tree[j].parent
                for other, S in zip(tree[j].degrees, places[j].axes, strict=True):
                    M.put(degree, other, along(S, F))
                    M.put(other, degree, along(S, F))
    M.put_armatures(tree)
    return M.matrix()


def inverse_mass_matrix(robot: Robot, q: Matrix) -> Matrix:
    """M^-1, nv x nv, full: column j is the acceleration that unit force j adds."""
    return inverse(factorise(mass_matrix(robot, q)))


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


def inverse(factors: Factors) -> Matrix:
    """M^-1 = W D^-1 W' with W = L^-1, symmetric: half of it is computed."""
    D = factors[1]
    n, W = len(D), inverse_factor(factors)
    scaled = [[_over(W[i, k], D[k]) for k in range(i + 1)] for i in range(n)]
    half = [
        [inner(scaled[i][: j + 1], [W[j, k] for k in range(j + 1)]) for j in range(i + 1)]
        for i in range(n)
    ]
    return Matrix([[half[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)], columns=n)


def inverse_factor(factors: Factors) -> Matrix:
    """W = L^-1, unit lower triangular; zeros of branches stay zero."""
    L, D = factors
    n = len(D)
    W = [[1.0 if i == k else 0.0 for k in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            for m in range(k, i):
                W[i][k] = sub(W[i][k], mul(L[i, m], W[m][k]))
    return Matrix(W, columns=n)


def multiply_columns(factors: Factors, B: Matrix) -> Matrix:
    """X with L' D L X = B as W D^-1 W' B, W = L^-1: where branches are long and columns many.

    What a joint adds to the accelerations of another branch passes the joints that they share
    alone; substitution passes all joints of that branch.
    """
    D, W = factors[1], inverse_factor(factors)
    scaled = Matrix(
        [[_over(x, d) for x in row] for row, d in zip((W.T @ B).rows, D, strict=True)],
        columns=B.shape[1],
    )
    X: Matrix = W @ scaled
    return X


def _over(x: Scalar, y: Scalar) -> Scalar:
    return x if type(x) is float and x == 0.0 else x / y
