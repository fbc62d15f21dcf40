"""Expression graphs: single-assignment lists of scalar operations with named, shaped ports."""

from symkin.graph.counts import Counts, count
from symkin.graph.graph import Graph, Node, Output
from symkin.graph.operations import OPERATIONS, Operation

__all__ = ["OPERATIONS", "Counts", "Graph", "Node", "Operation", "Output", "count"]
