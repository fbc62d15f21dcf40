"""CasADi SX as a scalar. Only here and in `symkin.trace` do algorithms meet CasADi."""

from __future__ import annotations

from typing import Any

import casadi

from symkin.algebra.functions import register
from symkin.algebra.matrix import Matrix


class _SymbolicArithmetic:
    def sin(self, x: Any) -> Any:
        return casadi.sin(x)

    def cos(self, x: Any) -> Any:
        return casadi.cos(x)

    def sqrt(self, x: Any) -> Any:
        return casadi.sqrt(x)

    def atan2(self, y: Any, x: Any) -> Any:
        return casadi.atan2(y, x)

    def less(self, x: Any, y: Any) -> Any:
        return casadi.lt(x, y)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        return casadi.if_else(condition, yes, no)


register(casadi.SX, _SymbolicArithmetic())


def symbols(name: str, size: int) -> Matrix:
    """A column of ``size`` fresh SX symbols ``name[0] ...``."""
    return Matrix([[casadi.SX.sym(f"{name}_{i}")] for i in range(size)], columns=1)


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
