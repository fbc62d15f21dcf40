"""The scalar operations of a graph: how each is counted, computed and handed to CasADi."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import casadi
import numpy as np

from symkin import algebra

Kind = Literal["arithmetic", "sqrt", "negation", "trigonometric", "logic"]


@dataclass(frozen=True, slots=True)
class Operation:
    """A scalar operation of one, two or three operands."""

    name: str
    arity: int
    kind: Kind
    numeric: Callable[..., Any]
    symbolic: Callable[..., Any]


def _binary(name: str, numeric: Callable[[Any, Any], Any]) -> Operation:
    return Operation(name, 2, "arithmetic", numeric, numeric)


def _select(condition: Any, yes: Any, no: Any) -> Any:
    return np.where(np.real(condition) != 0.0, yes, no)


def _number(condition: Any) -> Any:
    return np.asarray(condition, dtype=np.float64)


OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        _binary("add", lambda x, y: x + y),
        _binary("sub", lambda x, y: x - y),
        _binary("mul", lambda x, y: x * y),
        _binary("div", lambda x, y: x / y),
        Operation("sqrt", 1, "sqrt", np.sqrt, casadi.sqrt),
        Operation("neg", 1, "negation", lambda x: -x, lambda x: -x),
        Operation("sin", 1, "trigonometric", np.sin, casadi.sin),
        Operation("cos", 1, "trigonometric", np.cos, casadi.cos),
        Operation("atan2", 2, "trigonometric", algebra.atan2, casadi.atan2),
        Operation("less", 2, "logic", lambda x, y: _number(np.real(x) < np.real(y)), casadi.lt),
        Operation("not", 1, "logic", lambda x: _number(np.real(x) == 0.0), casadi.logic_not),
        Operation(
            "and",
            2,
            "logic",
            lambda x, y: _number((np.real(x) != 0.0) & (np.real(y) != 0.0)),
            casadi.logic_and,
        ),
        Operation("select", 3, "logic", _select, casadi.if_else),
    )
}
