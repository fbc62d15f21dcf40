"""Kernels of whole-body dynamics: what is done for all degrees of freedom alike.

The columns of a stack are degrees of freedom in depth-first order, so that those a body carries,
its own first, are neighbours. Featherstone, Rigid Body Dynamics Algorithms (2008), sections 6.4
and 6.5, has the matrices whose zeros follow the branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, hstack, inner, mul, sub
from symkin.algorithms.tree import ROOT, Body


@dataclass(frozen=True, slots=True)
class Branches:
    """Which degree of freedom carries which, by their columns.

    ``first`` and ``last`` are those of a column's own body; ``up`` is the last one of the body that
    carries it, or -1; all that its body carries lie before ``end``.
    """

    first: tuple[int, ...]
    last: tuple[int, ...]
    up: tuple[int, ...]
    end: tuple[int, ...]

    @staticmethod
    def of(bodies: Sequence[Body], order: Sequence[int]) -> Branches:
        """Those of the bodies, taken in this order, depth first."""
        first: list[int] = []
        last: list[int] = []
        up: list[int] = []
        ends = {ROOT: -1}
        for i in order:
            start, size = len(first), len(bodies[i].degrees)
            first += [start] * size
            last += [start + size - 1] * size
            up += [ends[bodies[i].parent]] * size
            ends[i] = start + size - 1 if size else ends[bodies[i].parent]
        end = [k + 1 for k in last]
        for k in range(len(first) - 1, -1, -1):
            if up[k] >= 0:
                for j in range(first[up[k]], up[k] + 1):
                    end[j] = max(end[j], end[k])
        return Branches(tuple(first), tuple(last), tuple(up), tuple(end))

    def __len__(self) -> int:
        return len(self.first)

    def above(self, k: int) -> list[int]:
        """The columns that carry a column, its own body's earlier ones included, last first."""
        found, j = [], k
        while j >= 0:
            j = j - 1 if j > self.first[j] else self.up[j]
            found.append(j)
        return found[:-1]

    def related(self, i: int, j: int) -> bool:
        """Whether one of two columns carries the other."""
        low, high = min(i, j), max(i, j)
        return high < self.end[low]


def depth_first(tree: Sequence[Body]) -> list[int]:
    """The bodies' numbers, each followed by all that it carries."""
    order: list[int] = []
    waiting = [i for i, body in enumerate(tree) if body.parent == ROOT][::-1]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting += [k for k, body in enumerate(tree) if body.parent == i][::-1]
    return order


@dataclass(frozen=True, eq=False)
class Each:
    """One function of columns for all columns."""

    function: Callable[..., tuple[Matrix, ...]]

    def compute(self, *stacks: Matrix) -> tuple[Matrix, ...]:
        """Its results, column by column."""
        count = stacks[0].shape[1]
        columns = [self.function(*(stack.column(j) for stack in stacks)) for j in range(count)]
        return tuple(hstack(*parts) for parts in zip(*columns, strict=True))


@dataclass(frozen=True, slots=True)
class Outward:
    """Sums from the root outward: over a column's own body and all that carry it, and over the
    latter only."""

    branches: Branches

    def compute(self, stack: Matrix) -> tuple[Matrix, ...]:
        """Both sums, of every row."""
        tree = self.branches
        rows: list[list[Scalar]] = []
        before: list[list[Scalar]] = []
        for row in stack.rows:
            total: list[Scalar] = []
            for k, x in enumerate(row):
                below = k - 1 if k > tree.first[k] else tree.up[k]
                total.append(add(total[below], x) if below >= 0 else x)
            rows.append([total[k] for k in tree.last])
            before.append([total[k] if k >= 0 else 0.0 for k in tree.up])
        width = stack.shape[1]
        return Matrix(rows, columns=width), Matrix(before, columns=width)


@dataclass(frozen=True, slots=True)
class Inward:
    """Sums from the tips inward: over a column's own body and all that it carries."""

    branches: Branches

    def compute(self, stack: Matrix) -> tuple[Matrix, ...]:
        """The sums of every row."""
        tree = self.branches
        rows: list[list[Scalar]] = []
        for row in stack.rows:
            total = list(row)
            for k in range(len(total) - 1, 0, -1):
                below = k - 1 if k > tree.first[k] else tree.up[k]
                if below >= 0:
                    total[below] = add(total[below], total[k])
            rows.append([total[k] for k in tree.first])
        return (Matrix(rows, columns=stack.shape[1]),)


@dataclass(frozen=True, slots=True)
class SymmetricProducts:
    """The symmetric matrix of the products of related columns, plus a diagonal."""

    branches: Branches

    def compute(self, A: Matrix, B: Matrix, diagonal: Matrix) -> tuple[Matrix, ...]:
        """M[k, j] = M[j, k] = a_k' b_j for every j from k on that k carries, and d_k added."""
        n, tree = len(self.branches), self.branches
        rows: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        a, b = A.T.rows, B.T.rows
        for k in range(n):
            for j in range(k, tree.end[k]):
                rows[k][j] = rows[j][k] = inner(a[k], b[j])
            rows[k][k] = add(rows[k][k], diagonal[0, k])
        return (Matrix(rows, columns=n),)


@dataclass(frozen=True, slots=True)
class PairedProducts:
    """Two matrices of the products of related columns, a diagonal added to the second.

    M[k, j] = a_k' b_j and N[k, j] = a_k' c_j for every j that the body of k carries; for these and
    for those of its own body M[j, k] = d_k' f_j and N[j, k] = e_k' f_j.
    """

    branches: Branches

    def compute(
        self, A: Matrix, B: Matrix, C: Matrix, D: Matrix, E: Matrix, F: Matrix, diagonal: Matrix
    ) -> tuple[Matrix, ...]:
        """M and N."""
        n, tree = len(self.branches), self.branches
        M: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        N: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        a, b, c, d, e, f = (stack.T.rows for stack in (A, B, C, D, E, F))
        for k in range(n):
            for j in range(tree.first[k], tree.end[k]):
                M[j][k], N[j][k] = inner(d[k], f[j]), inner(e[k], f[j])
                if j > tree.last[k]:
                    M[k][j], N[k][j] = inner(a[k], b[j]), inner(a[k], c[j])
            N[k][k] = add(N[k][k], diagonal[0, k])
        return Matrix(M, columns=n), Matrix(N, columns=n)


@dataclass(frozen=True, slots=True)
class Factors:
    """A symmetric matrix with the zeros of branches as L' D L: row k holds L[k, j] and 1 / D[k]."""

    branches: Branches

    def compute(self, M: Matrix) -> tuple[Matrix, ...]:
        """Unit lower L, the inverse of D on its diagonal. Section 6.5."""
        n, tree = len(self.branches), self.branches
        A = [list(row) for row in M.rows]
        L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        for k in range(n - 1, -1, -1):
            L[k][k] = 1.0 / A[k][k]
            for i in tree.above(k):
                L[k][i] = mul(A[k][i], L[k][k])
            for i in tree.above(k):
                for j in (i, *tree.above(i)):
                    A[i][j] = sub(A[i][j], mul(A[k][i], L[k][j]))
        return (Matrix(L, columns=n),)


@dataclass(frozen=True, slots=True)
class Solve:
    """X with L' D L X = B, or -B, for the columns of a matrix or one vector given as a row."""

    branches: Branches
    negative: bool = False

    def compute(self, L: Matrix, B: Matrix) -> tuple[Matrix, ...]:
        """X, as B is given."""
        tree = self.branches
        vector = B.shape[0] == 1 != len(tree)
        x = [list(row) for row in (B.T if vector else B).rows]
        for i in range(len(tree) - 1, -1, -1):
            for j in tree.above(i):
                x[j] = [
                    sub(own, mul(L[i, j], other)) for own, other in zip(x[j], x[i], strict=True)
                ]
        sign = -1.0 if self.negative else 1.0
        for i in range(len(tree)):
            x[i] = [mul(mul(sign, L[i, i]), entry) for entry in x[i]]
            for j in tree.above(i):
                x[i] = [
                    sub(own, mul(L[i, j], other)) for own, other in zip(x[i], x[j], strict=True)
                ]
        X = Matrix(x, columns=1 if vector else B.shape[1])
        return (X.T if vector else X,)


@dataclass(frozen=True, slots=True)
class Invert:
    """(L' D L)^-1 = W D^-1 W' with W = L^-1, symmetric."""

    branches: Branches

    def compute(self, L: Matrix) -> tuple[Matrix, ...]:
        """The inverse, full."""
        n, tree = len(self.branches), self.branches
        W: list[list[Scalar]] = [[1.0 if i == k else 0.0 for k in range(n)] for i in range(n)]
        for i in range(n):
            for j in tree.above(i):
                W[i] = [
                    sub(own, mul(L[i, j], other)) for own, other in zip(W[i], W[j], strict=True)
                ]
        scaled = [[mul(x, L[k, k]) for k, x in enumerate(row)] for row in W]
        half = [[inner(scaled[i], W[j]) for j in range(i + 1)] for i in range(n)]
        return (
            Matrix([[half[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)], columns=n),
        )
