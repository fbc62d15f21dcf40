"""Operation counts, as the literature counts them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from symkin.graph.graph import Graph
from symkin.graph.operations import OPERATIONS


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each operation a graph holds.

    ``operations`` = additions + subtractions + products + divisions + square roots, the figure
    that papers compare; negations, trigonometric calls and logic are listed apart. ``nodes`` also
    counts inputs and constants.
    """

    add: int
    sub: int
    mul: int
    div: int
    sqrt: int
    neg: int
    trigonometric: int
    logic: int
    constants: int
    inputs: int

    @property
    def operations(self) -> int:
        """Additions, subtractions, products, divisions and square roots."""
        return self.add + self.sub + self.mul + self.div + self.sqrt

    @property
    def nodes(self) -> int:
        """Everything."""
        apart = self.neg + self.trigonometric + self.logic + self.constants + self.inputs
        return self.operations + apart


def count(graph: Graph) -> Counts:
    """The counts of a graph."""
    found = Counter(node.operation for node in graph.nodes)
    kinds = Counter(OPERATIONS[name].kind for name in found.elements() if name in OPERATIONS)
    return Counts(
        add=found["add"],
        sub=found["sub"],
        mul=found["mul"],
        div=found["div"],
        sqrt=found["sqrt"],
        neg=found["neg"],
        trigonometric=kinds["trigonometric"],
        logic=kinds["logic"],
        constants=found["constant"],
        inputs=found["input"],
    )
