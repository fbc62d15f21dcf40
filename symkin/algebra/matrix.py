"""Small immutable matrices over any scalar. Matrices are built, never allocated and assigned."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, overload

from symkin.algebra import functions

Scalar: TypeAlias = Any
"""float, complex, NumPy array (a batch), `Dual`, `Bounded` or ``casadi.SX`` (1 x 1)."""


def add(x: Scalar, y: Scalar) -> Scalar:
    """x + y, where a constant 0 leaves the other operand as it is."""
    if type(x) is float and x == 0.0:
        return y
    if type(y) is float and y == 0.0:
        return x
    return x + y


def sub(x: Scalar, y: Scalar) -> Scalar:
    """x - y, where a constant 0 costs nothing."""
    if type(y) is float and y == 0.0:
        return x
    if type(x) is float and x == 0.0:
        return -y
    return x - y


def mul(x: Scalar, y: Scalar) -> Scalar:
    """x y, where a constant 0, 1 or -1 costs no product."""
    for constant_, other in ((x, y), (y, x)):
        if type(constant_) is float:
            if constant_ == 0.0:
                return 0.0
            if constant_ == 1.0:
                return other
            if constant_ == -1.0:
                return -other
    return x * y


def div(x: Scalar, y: Scalar) -> Scalar:
    """x / y; by a constant 0 not a number, which a product with a constant 0 still folds away."""
    if type(y) is float and y == 0.0:
        return math.nan
    return x / y


class Matrix:
    """An immutable m x n matrix. A vector is a column, indexed by one number or one slice."""

    __slots__ = ("rows", "shape")
    __array_ufunc__ = None

    rows: tuple[tuple[Scalar, ...], ...]
    shape: tuple[int, int]

    def __init__(self, rows: Iterable[Iterable[Scalar]], columns: int | None = None) -> None:
        """Stack ``rows``; ``columns`` is needed only when there are none."""
        self.rows = tuple(tuple(row_) for row_ in rows)
        widths = {len(row_) for row_ in self.rows} or {columns or 0}
        if len(widths) != 1:
            raise ValueError(f"rows of different lengths: {sorted(widths)}")
        self.shape = (len(self.rows), widths.pop())

    def __repr__(self) -> str:
        return f"Matrix({[list(row_) for row_ in self.rows]!r})"

    @overload
    def __getitem__(
        self, index: slice | tuple[slice, slice | int] | tuple[int, slice]
    ) -> Matrix: ...
    @overload
    def __getitem__(self, index: int | tuple[int, int]) -> Scalar: ...

    def __getitem__(self, index: Any) -> Any:
        """``A[i, j]`` an entry, ``A[a:b, c:d]`` a part; ``v[i]`` and ``v[a:b]`` of a column."""
        i, j = index if isinstance(index, tuple) else (index, 0)
        if isinstance(i, int) and isinstance(j, int):
            return self.rows[i][j]
        i, j = _as_slice(i), _as_slice(j)
        return Matrix([row_[j] for row_ in self.rows[i]], columns=len(range(self.shape[1])[j]))

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Scalar]:
        """The entries, row by row."""
        return (entry for row_ in self.rows for entry in row_)

    @property
    def T(self) -> Matrix:
        """The transpose, never conjugated."""
        columns = range(self.shape[1])
        return Matrix([[row_[j] for row_ in self.rows] for j in columns], columns=self.shape[0])

    def column(self, j: int) -> Matrix:
        """Column j."""
        return Matrix([(row_[j],) for row_ in self.rows], columns=1)

    def map(self, function: Callable[[Scalar], Scalar]) -> Matrix:
        """The matrix of ``function(entry)``."""
        return Matrix([[function(x) for x in row_] for row_ in self.rows], columns=self.shape[1])

    def _zip(self, other: Matrix, function: Callable[[Scalar, Scalar], Scalar]) -> Matrix:
        if self.shape != other.shape:
            raise ValueError(f"shapes {self.shape} and {other.shape} differ")
        pairs = zip(self.rows, other.rows, strict=True)
        return Matrix(
            [[function(x, y) for x, y in zip(a, b, strict=True)] for a, b in pairs],
            columns=self.shape[1],
        )

    def __add__(self, other: Matrix) -> Matrix:
        return self._zip(other, add)

    def __sub__(self, other: Matrix) -> Matrix:
        return self._zip(other, sub)

    def __neg__(self) -> Matrix:
        return self.map(lambda x: mul(-1.0, x))

    def __mul__(self, scalar: Scalar) -> Matrix:
        """Scaled; the scalar stands on the right, where every kind of scalar lets us decide."""
        return self.map(lambda x: mul(x, scalar))

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"cannot multiply {self.shape} by {other.shape}")
        columns = other.T.rows
        return Matrix(
            [[inner(row_, column_) for column_ in columns] for row_ in self.rows],
            columns=other.shape[1],
        )


def _as_slice(index: int | slice) -> slice:
    return index if isinstance(index, slice) else slice(index, index + 1 or None)


def inner(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """The sum of the products of two sequences of one length."""
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        if (type(x) is float and x == 0.0) or (type(y) is float and y == 0.0):
            continue  # most entries of most matrices
        total = add(total, mul(x, y))
    return total


def norm(vector: Matrix) -> Scalar:
    """Euclidean length; its derivative is infinite at zero."""
    return functions.sqrt(inner(vector, vector))


def column(*entries: Scalar) -> Matrix:
    """The column vector of the entries."""
    return Matrix([(x,) for x in entries], columns=1)


def row(*entries: Scalar) -> Matrix:
    """The row vector of the entries."""
    return Matrix([entries])


def constant(values: Any) -> Matrix:
    """A constant of the model: nested sequences or an array; a flat one becomes a column."""
    rows = [list(x) if hasattr(x, "__len__") else [x] for x in values]
    return Matrix([[float(x) for x in row_] for row_ in rows])


def zeros(rows: int, columns: int = 1) -> Matrix:
    """The constant zero matrix."""
    return Matrix([[0.0] * columns for _ in range(rows)], columns=columns)


def identity(size: int) -> Matrix:
    """The constant identity matrix."""
    return diagonal(*[1.0] * size)


def diagonal(*entries: Scalar) -> Matrix:
    """The diagonal matrix of the entries."""
    size = len(entries)
    return Matrix([[entries[i] if i == j else 0.0 for j in range(size)] for i in range(size)])


def vstack(*parts: Matrix) -> Matrix:
    """The parts below one another."""
    return Matrix([row_ for part in parts for row_ in part.rows], columns=parts[0].shape[1])


def hstack(*parts: Matrix) -> Matrix:
    """The parts side by side."""
    joined = [sum(rows, ()) for rows in zip(*(part.rows for part in parts), strict=True)]
    return Matrix(joined, columns=sum(part.shape[1] for part in parts))


def block_diagonal(parts: Iterable[Matrix]) -> Matrix:
    """The parts along the diagonal, zeros elsewhere."""
    total = zeros(0, 0)
    for part in parts:
        (m, n), (p, r) = total.shape, part.shape
        total = block([[total, zeros(m, r)], [zeros(p, n), part]])
    return total


def block(parts: Sequence[Sequence[Matrix]]) -> Matrix:
    """A matrix of matrices."""
    return vstack(*[hstack(*row_) for row_ in parts])
