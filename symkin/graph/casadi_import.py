"""From a CasADi SX function to a graph: one node per distinct value, nothing dead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi

from symkin.errors import TraceError
from symkin.graph.graph import Graph, Node, Output
from symkin.quantities import Port

_DIRECT: Mapping[int, str] = {
    casadi.OP_ADD: "add",
    casadi.OP_SUB: "sub",
    casadi.OP_MUL: "mul",
    casadi.OP_DIV: "div",
    casadi.OP_NEG: "neg",
    casadi.OP_SQRT: "sqrt",
    casadi.OP_SIN: "sin",
    casadi.OP_COS: "cos",
    casadi.OP_ATAN2: "atan2",
    casadi.OP_LT: "less",
    casadi.OP_NOT: "not",
    casadi.OP_AND: "and",
}


def graph_from_casadi(
    function: Any,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    patterns: Sequence[Sequence[int]],
    **about: str,
) -> Graph:
    """The graph of an SX function whose inputs are columns and whose k-th output is the column of
    the entries ``patterns[k]`` (flat row-major indices) of ``outputs[k]``.

    Raises TraceError for an operation that no generated C could hold.
    """
    builder = _Builder()
    work: dict[int, int] = {}
    found: list[list[int]] = [[-1] * port.size for port in outputs]
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        into, out = function.instruction_input(k), function.instruction_output(k)
        if code == casadi.OP_INPUT:
            work[out[0]] = builder.node("input", tuple(into))
        elif code == casadi.OP_CONST:
            work[out[0]] = builder.constant(function.instruction_constant(k))
        elif code == casadi.OP_OUTPUT:
            found[out[0]][patterns[out[0]][out[1]]] = work[into[0]]
        else:
            work[out[0]] = builder.apply(code, [work[i] for i in into])
    return builder.graph(function.name(), inputs, outputs, found, about)


class _Builder:
    """Nodes numbered by value: the same operation of the same operands is one node."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.numbers: dict[Node, int] = {}

    def node(self, operation: str, operands: tuple[int, ...] = (), value: float = 0.0) -> int:
        node = Node(operation, operands, value)
        number = self.numbers.get(node)
        if number is None:
            number = self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return number

    def constant(self, value: float) -> int:
        return self.node("constant", (), float(value))

    def apply(self, code: int, operands: list[int]) -> int:
        if code in _DIRECT:
            name = _DIRECT[code]
            if name == "add":
                return self._selection(operands) or self.node("add", tuple(operands))
            wanted = 2 if name in ("sub", "mul", "div", "atan2", "less", "and") else 1
            return self.node(name, tuple(operands[:wanted]))
        x = operands[0]
        if code == casadi.OP_SQ:
            return self.node("mul", (x, x))
        if code == casadi.OP_TWICE:
            return self.node("mul", (self.constant(2.0), x))
        if code == casadi.OP_INV:
            return self.node("div", (self.constant(1.0), x))
        if code == casadi.OP_FABS:  # what CasADi makes of sqrt(x * x)
            negative = self.node("less", (x, self.constant(0.0)))
            return self.node("select", (negative, self.node("neg", (x,)), x))
        if code == casadi.OP_SIGN:  # and of its derivative
            zero = self.constant(0.0)
            positive = self.node("select", (self.node("less", (zero, x)), self.constant(1.0), zero))
            negative = self.node("less", (x, zero))
            return self.node("select", (negative, self.constant(-1.0), positive))
        if code == casadi.OP_IF_ELSE_ZERO:
            return self.node("select", (x, operands[1], self.constant(0.0)))
        raise TraceError(
            f"CasADi operation {code} has no counterpart in generated C; "
            "rewrite the expression with + - * / sqrt sin cos atan2 less where"
        )

    def _selection(self, operands: list[int]) -> int | None:
        """c ? x : 0 + !c ? y : 0, as CasADi writes if_else, is one selection c ? x : y."""
        first, second = (self.nodes[i] for i in operands)
        if first.operation != "select" or second.operation != "select":
            return None
        condition, yes, _ = first.operands
        negated, no, _ = second.operands
        if self.nodes[negated] != Node("not", (condition,)):
            return None
        return self.node("select", (condition, yes, no))

    def graph(
        self,
        name: str,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        found: list[list[int]],
        about: Mapping[str, str],
    ) -> Graph:
        """The live nodes only, renumbered."""
        live = [False] * len(self.nodes)
        for entries in found:
            for number in entries:
                if number >= 0:
                    live[number] = True
        for number in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[number]
            if live[number] and node.operation != "input":
                for operand in node.operands:
                    live[operand] = True
        renumbered: dict[int, int] = {-1: -1}
        nodes: list[Node] = []
        for number, node in enumerate(self.nodes):
            if live[number]:
                renumbered[number] = len(nodes)
                if node.operation != "input":
                    node = node._replace(operands=tuple(renumbered[i] for i in node.operands))
                nodes.append(node)
        ports = tuple(
            Output(port, tuple(renumbered[i] for i in entries))
            for port, entries in zip(outputs, found, strict=True)
        )
        return Graph(name, tuple(inputs), ports, tuple(nodes), **about)
