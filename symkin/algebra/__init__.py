"""What a scalar is: float, complex and arrays of them, dual and bounded numbers, CasADi SX.

Algorithms are written once, over any of these. They build matrices out of scalars and call
the elementary functions below; nothing else in symkin knows which scalar it holds.

A Python ``float`` or ``int`` inside a matrix is a *constant of the model*: products with 0 and 1
and sums with 0 are folded away, so that every scalar type performs the same operations that end
up in the traced graph. Run-time values are never Python floats (`evaluate` passes NumPy ones).
"""

from symkin.algebra.bounded import DOUBLE, SINGLE, Bounded, Rounding
from symkin.algebra.dual import Dual
from symkin.algebra.functions import (
    atan2,
    cos,
    less,
    sin,
    sqrt,
    where,
)
from symkin.algebra.matrix import (
    Matrix,
    Scalar,
    add,
    block,
    block_diagonal,
    column,
    constant,
    diagonal,
    div,
    hstack,
    identity,
    inner,
    mul,
    norm,
    row,
    sub,
    vstack,
    zeros,
)
from symkin.algebra.symbolic import symbols, to_sx

__all__ = [
    "DOUBLE",
    "SINGLE",
    "Bounded",
    "Dual",
    "Matrix",
    "Rounding",
    "Scalar",
    "add",
    "atan2",
    "block",
    "block_diagonal",
    "column",
    "constant",
    "cos",
    "diagonal",
    "div",
    "hstack",
    "identity",
    "inner",
    "less",
    "mul",
    "norm",
    "row",
    "sin",
    "sqrt",
    "sub",
    "symbols",
    "to_sx",
    "vstack",
    "where",
    "zeros",
]
