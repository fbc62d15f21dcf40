"""How many bytes of machine code a graph becomes, and how long a compiler takes: models.

The code of a function is a sum over its operations, its memory operands and its stores. Operands
that have not been used for `REGISTERS` operations are taken to wait in memory. The bytes of each
were fitted to compiled functions; `benchmarks/code_size.py` compares, and fits again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Literal, TypeAlias

from symkin.graph.graph import Graph

Target: TypeAlias = Literal["x86-64", "cortex-m4"]

REGISTERS = 14
"""Of the sixteen of either machine two are in use for the operation at hand."""

_SIMPLE = ("add", "sub", "mul", "neg")
_CALLS = ("sin", "cos", "atan2")


@dataclass(frozen=True, slots=True)
class Features:
    """What of a graph decides on the size of its code; as a model, the bytes of each.

    ``recalls`` are operands that wait in memory, ``loads`` first uses of inputs and constants.
    """

    functions: float
    simple: float
    others: float
    calls: float
    recalls: float
    loads: float
    stores: float
    zeros: float


MODELS: Mapping[Target, Features] = {
    "x86-64": Features(48.5, 7.3, 12.8, 18.0, 7.9, 4.5, 5.6, 7.8),
    "cortex-m4": Features(30.5, 0.1, 6.7, 1.9, 7.0, 6.3, 4.0, 4.1),
}
"""gcc 12 -O2 in double, 3 % off in the median; gcc 12 -Os in float, with its FPU, 6 % off: of
functions of more than 1000 bytes, nineteen of twenty of which are within 11 and 15 %."""


def features(graph: Graph) -> Features:
    """Those of a graph, its nodes computed in their order."""
    simple = others = calls = recalls = loads = made = 0
    last: dict[int, int] = {}  # of each value in a register: when it was made or last used
    for number, node in enumerate(graph.nodes):
        if node.operation in ("input", "constant"):
            continue
        made += 1
        simple += node.operation in _SIMPLE
        calls += node.operation in _CALLS
        others += node.operation not in (*_SIMPLE, *_CALLS)
        for operand in set(node.operands):
            recalls += operand in last and made - last[operand] > REGISTERS
            loads += operand not in last
            last[operand] = made
        last[number] = made
    stores = sum(len(output.nonzeros) for output in graph.outputs)
    zeros = sum(output.port.size for output in graph.outputs) - stores
    return Features(1, simple, others, calls, recalls, loads, stores, zeros)


def code_size(graph: Graph, target: Target = "x86-64") -> float:
    """The bytes of a function's machine code, without those of sin, cos and their like."""
    pairs = zip(astuple(MODELS[target]), astuple(features(graph)), strict=True)
    total: float = sum(one * number for one, number in pairs)
    return total


def compile_seconds(graph: Graph) -> float:
    """How long gcc 12 -O2 takes on one core at 3 GHz: 15 % off in the median, often by a third.

    Fitted to functions of up to 10,000 operations.
    """
    found = features(graph)
    operations = found.simple + found.others + found.calls
    return 0.03 + 8.4e-5 * operations + 2.0e-6 * operations * math.sqrt(operations)
