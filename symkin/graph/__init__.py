"""Expression graphs: single-assignment lists of scalar operations with named, shaped ports."""

from symkin.graph.counts import Counts, count
from symkin.graph.graph import Graph, Node, Output
from symkin.graph.operations import OPERATIONS, Operation
from symkin.graph.optimise import PASSES, gains, optimise

__all__ = [
    "OPERATIONS",
    "PASSES",
    "Counts",
    "Graph",
    "Node",
    "Operation",
    "Output",
    "count",
    "gains",
    "optimise",
]
