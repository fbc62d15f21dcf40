"""Which function of an algorithm a graph's operations come from, whatever passes did to them.

The algorithm is run once on numbers that write down who made them: a generic point tells all
values apart. A node of the graph, evaluated there, that has such a value, or its negative, comes
from whoever made it first. What passes made anew, a common factor say, is counted with the node
that uses it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from symkin.algebra import Matrix, functions
from symkin.analysis.inputs import generic_inputs
from symkin.graph import Graph
from symkin.quantities import Instance

PASSES = "made by passes"
"""The stage of what no function made and no function's value uses: an output, put together anew."""

_PACKAGE = "symkin.algorithms."
_DIGITS = 9  # by which two values are told apart; rounding disturbs those behind


def stages(graph: Graph, instances: Sequence[Instance]) -> list[str]:
    """For each node the function that its value comes from, such as "rnea.outward"; "" for leaves.

    ``graph`` is a plan of these instances, each in its formulation and preparation.
    """
    makers: dict[str, str] = {}
    inputs = generic_inputs(graph.inputs)
    for instance in instances:
        columns = (
            Matrix([(_Witness(x, makers),) for x in inputs[port.name]], columns=1)
            for port in instance.inputs
        )
        instance(*columns)
    values = graph.values([inputs[port.name] for port in graph.inputs])
    found = [PASSES] * len(graph.nodes)
    for number in range(len(graph.nodes) - 1, -1, -1):
        node = graph.nodes[number]
        if node.operation in ("input", "constant"):
            found[number] = ""
            continue
        found[number] = makers.get(_key(values[number])) or found[number]
        for operand in node.operands:
            found[operand] = found[number]  # of the users, the first: it is seen last
    return found


def _key(value: float) -> str:
    return f"{abs(value):.{_DIGITS}e}"


def _maker() -> str:
    """The innermost function of an algorithm that is at work, as module.function."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(_PACKAGE):
            name = frame.f_code.co_qualname.partition(".<locals>")[0]
            return f"{module.removeprefix(_PACKAGE)}.{name}"
        frame = frame.f_back
    return ""


class _Witness:
    """A number that notes for each result which function made it first."""

    __slots__ = ("makers", "value")

    def __init__(self, value: float, makers: dict[str, str]) -> None:
        self.value = value
        self.makers = makers

    def made(self, value: float) -> _Witness:
        self.makers.setdefault(_key(value), _maker())
        return _Witness(value, self.makers)

    def __add__(self, other: Any) -> _Witness:
        return self.made(self.value + _plain(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> _Witness:
        return self.made(self.value - _plain(other))

    def __rsub__(self, other: Any) -> _Witness:
        return self.made(_plain(other) - self.value)

    def __mul__(self, other: Any) -> _Witness:
        return self.made(self.value * _plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Witness:
        return self.made(self.value / _plain(other))

    def __rtruediv__(self, other: Any) -> _Witness:
        return self.made(_plain(other) / self.value)

    def __neg__(self) -> _Witness:
        return _Witness(-self.value, self.makers)


def _plain(x: Any) -> float:
    return float(x.value if isinstance(x, _Witness) else x)


class _Arithmetic:
    def sin(self, x: _Witness) -> _Witness:
        return x.made(functions.sin(x.value))

    def cos(self, x: _Witness) -> _Witness:
        return x.made(functions.cos(x.value))

    def sqrt(self, x: _Witness) -> _Witness:
        return x.made(functions.sqrt(x.value))

    def atan2(self, y: Any, x: Any) -> _Witness:
        witness = y if isinstance(y, _Witness) else x
        return witness.made(functions.atan2(_plain(y), _plain(x)))

    def less(self, x: Any, y: Any) -> bool:
        return _plain(x) < _plain(y)

    def where(self, condition: bool, yes: Any, no: Any) -> Any:
        return yes if condition else no


functions.register(_Witness, _Arithmetic())
