"""Random graphs of all operations, and whether two graphs agree up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from hand_graphs import Q, V, graph
from hypothesis import strategies as st

from symkin.graph import OPERATIONS, Graph, Node
from symkin.graph.error_bound import error_bound
from symkin.quantities import Port

CONSTANTS = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -0.1, 1e-9, -1e9, 1e-300, 1e300)
ARITHMETIC = ("add", "sub", "mul", "add", "sub", "mul", "neg")
CONDITIONS = ("less", "not", "and")


@st.composite
def graphs(draw: st.DrawFn, operations: tuple[str, ...] = tuple(OPERATIONS)) -> Graph:
    """A graph of up to forty operations on four inputs, with structural zeros in its outputs."""
    nodes = [Node("input", (port, entry)) for port in range(2) for entry in range(2)]
    nodes += [Node("constant", value=value) for value in draw(_some(CONSTANTS))]
    for _ in range(draw(st.integers(1, 40))):
        operation = draw(st.sampled_from((*ARITHMETIC, *operations)))
        places = st.integers(0, len(nodes) - 1)
        operands = [draw(places) for _ in range(OPERATIONS[operation].arity)]
        if operation in ("not", "and", "select"):
            # Conditions are comparisons, or not, or and of them.
            tests = [i for i, node in enumerate(nodes) if node.operation in CONDITIONS]
            if not tests:
                operation, operands = "less", [draw(places), draw(places)]
            elif operation == "select":
                operands[0] = draw(st.sampled_from(tests))
            else:
                operands = [draw(st.sampled_from(tests)) for _ in operands]
        nodes.append(Node(operation, tuple(operands)))
    entries = [draw(st.integers(-1, len(nodes) - 1)) for _ in range(5)]
    outputs = {Port("x", (4,), "1", "numbers"): entries[:4], Port("y", (1,), "1", "one"): [-1]}
    outputs[Port("z", (2,), "1", "two")] = [entries[4], len(nodes) - 1]
    return graph("random", (Q, V), outputs, nodes)


def _some(values: tuple[float, ...]) -> Any:
    return st.lists(st.sampled_from(values), max_size=4, unique=True)


def assert_agree(first: Graph, second: Graph, inputs: dict[str, Any]) -> bool:
    """Both graphs' bounds hold the exact value; False where over- or underflow leaves that open."""
    if not (tame(first, inputs) and tame(second, inputs)):
        return False
    bounds = [error_bound(g, inputs) for g in (first, second)]
    for name, a in bounds[0].items():
        b = bounds[1][name]
        # Where errors are unbounded, the bound may be infinite or no number.
        assert not np.any(np.abs(a.value - b.value) > a.bound + b.bound), (name, a, b)
    return True


def tame(graph: Graph, inputs: dict[str, Any]) -> bool:
    """Whether all values are finite and none but true zeros is too small for relative bounds."""
    with np.errstate(all="ignore"):
        try:
            values = graph.values([list(np.asarray(inputs[port.name])) for port in graph.inputs])
        except (ArithmeticError, ValueError):  # constants are Python numbers, which raise
            return False
    sizes = np.abs(np.array([float(value) for value in values]))
    for node, size in zip(graph.nodes, sizes, strict=True):
        if node.operation in ("mul", "div") and size == 0.0:
            zeros = [sizes[i] == 0.0 for i in node.operands]
            if not (zeros[0] or (node.operation == "mul" and zeros[1])):
                return False
    return bool(np.all((sizes == 0.0) | ((sizes > 1e-290) & (sizes < 1e290))))
