"""CasADi SX as a scalar. Only here and in `symkin.trace` do algorithms meet CasADi."""

from __future__ import annotations

from typing import Any

import casadi

from symkin.algebra.functions import register
from symkin.algebra.matrix import Matrix


class Symbol(casadi.SX):
    """An SX of one entry whose operators do not search for the overload that is meant.

    That search takes ten times as long as the operation. Results are those of SX, to the node.
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return _binary(casadi.OP_ADD, self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary(casadi.OP_ADD, other, self)

    def __sub__(self, other: Any) -> Any:
        return _binary(casadi.OP_SUB, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary(casadi.OP_SUB, other, self)

    def __mul__(self, other: Any) -> Any:
        return _binary(casadi.OP_MUL, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary(casadi.OP_MUL, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _binary(casadi.OP_DIV, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary(casadi.OP_DIV, other, self)

    def __neg__(self) -> Any:
        return _unary(casadi.OP_NEG, self)


def _symbol(x: Any) -> Any:
    x.__class__ = Symbol
    return x


def _binary(code: int, x: Any, y: Any) -> Any:
    if not isinstance(x, _OPERANDS) or not isinstance(y, _OPERANDS):
        return NotImplemented
    return _symbol(casadi.SX.binary(code, x, y))


def _unary(code: int, x: Any) -> Any:
    return _symbol(casadi.SX.unary(code, x))


_OPERANDS = (casadi.SX, float, int)


class _SymbolicArithmetic:
    def sin(self, x: Any) -> Any:
        return _unary(casadi.OP_SIN, x)

    def cos(self, x: Any) -> Any:
        return _unary(casadi.OP_COS, x)

    def sqrt(self, x: Any) -> Any:
        return _unary(casadi.OP_SQRT, x)

    def atan2(self, y: Any, x: Any) -> Any:
        return _binary(casadi.OP_ATAN2, y, x)

    def less(self, x: Any, y: Any) -> Any:
        return _binary(casadi.OP_LT, x, y)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        return _symbol(casadi.if_else(condition, yes, no))


register(casadi.SX, _SymbolicArithmetic())


def symbols(name: str, size: int) -> Matrix:
    """A column of ``size`` fresh symbols ``name_0 ...``."""
    return Matrix([[_symbol(casadi.SX.sym(f"{name}_{i}"))] for i in range(size)], columns=1)


def to_sx(matrix: Matrix) -> Any:
    """The dense SX of a matrix's shape, its constant zeros left out of the sparsity pattern."""
    rows, columns = matrix.shape
    result = casadi.SX(rows, columns)
    for i in range(rows):
        for j in range(columns):
            entry = matrix[i, j]
            if not (type(entry) is float and entry == 0.0):
                result[i, j] = entry
    return result
