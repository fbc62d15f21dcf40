"""The scalar operations of a graph: how each is counted, computed and handed to CasADi."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


def _binary(name: str, numeric: Callable[[Any, Any], Any]) -> Operation:
    return Operation(name, 2, "arithmetic", numeric, numeric)


OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        _binary("add", lambda x, y: x + y),
        _binary("sub", lambda x, y: x - y),
        _binary("mul", lambda x, y: x * y),
        _binary("div", lambda x, y: x / y),
        Operation("sqrt", 1, "sqrt", algebra.sqrt, casadi.sqrt),
        Operation("neg", 1, "negation", lambda x: -x, lambda x: -x),
        Operation("sin", 1, "trigonometric", algebra.sin, casadi.sin),
        Operation("cos", 1, "trigonometric", algebra.cos, casadi.cos),
        Operation("atan2", 2, "trigonometric", algebra.atan2, casadi.atan2),
        # Conditions are the numbers 1 and 0, as in C.
        Operation("less", 2, "logic", lambda x, y: algebra.less(x, y) * 1.0, casadi.lt),
        Operation("not", 1, "logic", lambda x: 1.0 - x, casadi.logic_not),
        Operation("and", 2, "logic", lambda x, y: x * y, casadi.logic_and),
        Operation("select", 3, "logic", algebra.where, casadi.if_else),
    )
}
