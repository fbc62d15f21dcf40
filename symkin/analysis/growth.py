"""How a function's operations grow with the number of joints, on robots drawn at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symkin.errors import ArgumentError
from symkin.graph import count
from symkin.graph.optimise import optimise
from symkin.model import Robot
from symkin.model.generated import random_chain, random_tree
from symkin.model.prepare import USUAL
from symkin.plan import Plan

FAMILIES: Mapping[str, Callable[[int], Robot]] = {"chain": random_chain, "tree": random_tree}
"""Robots of any number of joints, by what they are."""

SIZES = (3, 5, 8)
"""Numbers of joints unless others are given."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The operations of a function on robots of a family with these numbers of joints.

    They are counted after the first pass, in the formulation that was planned and the usual
    preparation.
    They grow about as the number of joints to the power ``exponent``: the slope of the line that
    fits their logarithms best.
    """

    function: str
    family: str
    sizes: tuple[int, ...]
    operations: tuple[int, ...]

    @property
    def exponent(self) -> float:
        """By least squares; NaN where a function takes nothing."""
        if min(self.operations) == 0:
            return math.nan
        x, y = ([math.log(n) for n in numbers] for numbers in (self.sizes, self.operations))
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        rise = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
        return rise / sum((a - mean_x) ** 2 for a in x)


def growths(plans: Sequence[Plan], sizes: Sequence[int] = SIZES) -> tuple[Growth, ...]:
    """The growth of each planned function that belongs to the whole robot, on every family.

    Raises ArgumentError unless there are two sizes or more, each a number of joints.
    """
    chosen = tuple(sorted(set(sizes)))
    if len(chosen) < 2 or chosen[0] < 1:
        raise ArgumentError(f"growth needs two numbers of joints or more, not {list(sizes)}")
    return tuple(
        Growth(
            known.graph.name,
            family,
            chosen,
            tuple(_operations(known, make(n)) for n in chosen),
        )
        for known in plans
        if all(i.quantity.belongs_to == "robot" and not i.parameters for i in known.instances)
        for family, make in FAMILIES.items()
    )


def _operations(known: Plan, robot: Robot) -> int:
    graph = known.traced(robot, USUAL)
    return count(optimise(graph, known.passes[:1])).operations
