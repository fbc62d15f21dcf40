"""The scalar operations of a graph: how each is counted, computed and handed to CasADi."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import casadi

from symkin import algebra

Kind = Literal["arithmetic", "sqrt", "negation", "trigonometric", "logic"]


@dataclass(frozen=True, slots=True)
class Operation:
    """A scalar operation of one, two or three operands; ``numeric`` computes it on any of them but
    SX, which has ``symbolic``."""

    name: str
    arity: int
    kind: Kind
    numeric: Callable[..., Any]
    symbolic: Callable[..., Any]


# `casadi.SX.binary` is what x + y comes to, without a search for the overload that is meant.
def _unary(name: str, kind: Kind, numeric: Callable[[Any], Any], code: int) -> Operation:
    return Operation(name, 1, kind, numeric, partial(casadi.SX.unary, code))


def _binary(name: str, kind: Kind, numeric: Callable[[Any, Any], Any], code: int) -> Operation:
    return Operation(name, 2, kind, numeric, partial(casadi.SX.binary, code))


OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        _binary("add", "arithmetic", lambda x, y: x + y, casadi.OP_ADD),
        _binary("sub", "arithmetic", lambda x, y: x - y, casadi.OP_SUB),
        _binary("mul", "arithmetic", lambda x, y: x * y, casadi.OP_MUL),
        _binary("div", "arithmetic", lambda x, y: x / y, casadi.OP_DIV),
        _unary("sqrt", "sqrt", algebra.sqrt, casadi.OP_SQRT),
        _unary("neg", "negation", lambda x: -x, casadi.OP_NEG),
        _unary("sin", "trigonometric", algebra.sin, casadi.OP_SIN),
        _unary("cos", "trigonometric", algebra.cos, casadi.OP_COS),
        _binary("atan2", "trigonometric", algebra.atan2, casadi.OP_ATAN2),
        # Conditions are the numbers 1 and 0, as in C.
        _binary("less", "logic", lambda x, y: algebra.less(x, y) * 1.0, casadi.OP_LT),
        _unary("not", "logic", lambda x: 1.0 - x, casadi.OP_NOT),
        _binary("and", "logic", lambda x, y: x * y, casadi.OP_AND),
        Operation("select", 3, "logic", algebra.where, casadi.if_else),
    )
}
