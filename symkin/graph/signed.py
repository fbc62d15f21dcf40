"""A graph as values with signs: what passes hand to each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from symkin.graph.builder import ZERO, Builder, Signed
from symkin.graph.graph import Graph, Output
from symkin.graph.polarity import materialised

_COUNTED = ("add", "mul", "div", "sqrt")


@dataclass(frozen=True, eq=False, slots=True)
class SignedGraph:
    """The values of a builder, and the entries of every output among them.

    ``origin`` is the graph that was read, for its ports and names.
    """

    origin: Graph
    builder: Builder
    outputs: tuple[tuple[Signed, ...], ...]

    @staticmethod
    def of(graph: Graph) -> SignedGraph:
        """A graph's values, numbered up to the order of operands and up to sign."""
        builder = Builder()
        values: list[Signed] = []
        for operation, operands, value in graph.nodes:
            if operation == "constant":
                values.append(builder.constant(value))
            elif operation == "input":
                values.append(builder.input(*operands))
            else:
                values.append(builder.make(operation, [values[i] for i in operands]))
        outputs = ([ZERO if i < 0 else values[i] for i in output.nodes] for output in graph.outputs)
        return SignedGraph(graph, builder, tuple(map(tuple, outputs)))

    def graph(self) -> Graph:
        """The graph again, dead values left out, signs where they cost least.

        Output entries that are 0 become structural zeros.
        """
        entries = [[-1 if x <= ZERO | 1 else x for x in entries] for entries in self.outputs]
        builder = self.builder
        nodes, found = materialised(builder.operations, builder.operands, builder.numbers, entries)
        ports = tuple(
            Output(output.port, tuple(numbers))
            for output, numbers in zip(self.origin.outputs, found, strict=True)
        )
        return replace(self.origin, outputs=ports, nodes=nodes)

    def results(self) -> Iterable[Signed]:
        """The output entries that are not 0."""
        return (x for entries in self.outputs for x in entries if x > ZERO | 1)

    def uses(self) -> dict[int, int]:
        """By number, how often each live value is an operand or a result."""
        uses: dict[int, int] = {}
        for x in self.results():
            uses[x >> 1] = uses.get(x >> 1, 0) + 1
        operations, operands = self.builder.operations, self.builder.operands
        for value in range(len(operations) - 1, -1, -1):
            if value in uses and operations[value] != "input":
                for x in operands[value]:
                    uses[x >> 1] = uses.get(x >> 1, 0) + 1
        return uses

    def size(self) -> int:
        """The operations that `count` counts."""
        operations = self.builder.operations
        return sum(operations[value] in _COUNTED for value in self.uses())
