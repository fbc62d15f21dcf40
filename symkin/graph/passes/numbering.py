"""Value numbering: one node for what is one value up to the order of operands and up to sign."""

from __future__ import annotations

from symkin.graph.graph import Graph
from symkin.graph.signed import Builder, signed_values


def number_values(graph: Graph) -> Graph:
    """The graph with constants folded, signs moved to where they vanish, nothing twice or dead."""
    builder = Builder()
    _, outputs = signed_values(graph, builder)
    return builder.graph(graph, outputs)
