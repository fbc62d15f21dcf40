"""What a node depends on, and what depends on it: sets, held as the bits of integers."""

from __future__ import annotations

from collections.abc import Sequence

from symkin.graph.graph import Graph


def dependence(graph: Graph, bits: Sequence[Sequence[int]]) -> list[int]:
    """For each node the union of the sets of the input entries that it depends on.

    ``bits[port][entry]`` is the set of an input's entry; a constant has the empty one.
    """
    found: list[int] = []
    for node in graph.nodes:
        union = 0
        if node.operation == "input":
            port, entry = node.operands
            union = bits[port][entry]
        else:
            for operand in node.operands:
                union |= found[operand]
        found.append(union)
    return found


def demand(graph: Graph, bits: Sequence[Sequence[int]]) -> list[int]:
    """For each node the union of the sets of the output entries that depend on it.

    ``bits[port][entry]`` is the set of an output's entry, in its flat order.
    """
    found = [0] * len(graph.nodes)
    for output, own in zip(graph.outputs, bits, strict=True):
        for number, bit in zip(output.nodes, own, strict=True):
            if number >= 0:
                found[number] |= bit
    for number in range(len(graph.nodes) - 1, -1, -1):
        node = graph.nodes[number]
        if node.operation != "input":
            for operand in node.operands:
                found[operand] |= found[number]
    return found
