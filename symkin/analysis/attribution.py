"""Where a graph's operations go: by link, by stage of the algorithm, by output."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symkin.graph import OPERATIONS, Graph
from symkin.graph.cones import demand, dependence
from symkin.model import Robot
from symkin.quantities import Instance
from symkin.quantities.table import Size

WHOLE = "all together"
"""The place of operations that belong to no link."""


@dataclass(frozen=True, slots=True)
class Share:
    """A place and the operations there; for an output also how many it needs in all."""

    place: str
    operations: int
    needed: int | None = None


def is_counted(graph: Graph) -> list[bool]:
    """For each node whether `Counts.operations` counts it."""
    kinds = ("arithmetic", "sqrt")
    return [
        node.operation in OPERATIONS and OPERATIONS[node.operation].kind in kinds
        for node in graph.nodes
    ]


def by_place(graph: Graph, places: Sequence[str]) -> tuple[Share, ...]:
    """The operations at each place, given that of every node; most first."""
    counted = Counter(p for p, is_one in zip(places, is_counted(graph), strict=True) if is_one)
    return tuple(Share(place, n) for place, n in counted.most_common())


def by_output(graph: Graph) -> tuple[Share, ...]:
    """For each output, or each row of the only one: what it alone needs, and all that it needs."""
    names: list[str] = []
    bits: list[list[int]] = []
    whole = len(graph.outputs) > 1
    for output in graph.outputs:
        port = output.port
        rows = 1 if whole or not port.shape else port.shape[0]
        width = max(port.size // max(rows, 1), 1)
        start = len(names)
        names += [port.name if whole else f"{port.name}[{k}]" for k in range(rows)]
        bits.append([1 << (start + entry // width) for entry in range(port.size)])
    masks = demand(graph, bits)
    own, needed = Counter[int](), Counter[int]()
    for mask, is_one in zip(masks, is_counted(graph), strict=True):
        if is_one:
            reached = [k for k in range(len(names)) if mask >> k & 1]
            needed.update(reached)
            if len(reached) == 1:
                own[reached[0]] += 1
    return tuple(Share(name, own[k], needed[k]) for k, name in enumerate(names))


def links(graph: Graph, instances: Sequence[Instance]) -> list[str]:
    """For each node the link at which it is computed, as far as the graph tells; `WHOLE` else.

    On the way out from the root, what belongs to a link depends on the joints up to it and on no
    others: the last of them is its place. On the way in, what belongs to a link is needed by the
    outputs of the joints up to it and by no others. Of both the link nearer to the root is meant. A
    node that depends on joints of several branches and that outputs of several branches need, or
    on all joints while all outputs need it, is everyone's.
    """
    tree = _Tree(instances[0].robot)
    inputs: dict[str, list[int]] = {}
    for instance in instances:
        slots = [slot.shape for slot in instance.quantity.inputs]
        for k, port in enumerate(instance.inputs):
            inputs[port.name] = tree.entries(slots[k] if k < len(slots) else (), port.shape)
    outputs = [tree.entries(i.quantity.output.shape, i.output.shape) for i in instances]
    depends = dependence(graph, [inputs[port.name] for port in graph.inputs])
    needed = demand(graph, outputs)
    everyone = _union(depends), _union(needed)
    return [
        WHOLE if pair == everyone and all(pair) else tree.place(*pair)
        for pair in zip(depends, needed, strict=True)
    ]


class _Tree:
    """Sets of links as bits, and which link of a set is the last on the way from the root."""

    def __init__(self, robot: Robot) -> None:
        self.names = robot.link_names
        self.above = [0] * len(robot.links)  # each link with all those between it and the root
        self.positions, self.velocities = [0] * robot.nq, [0] * robot.nv
        for i, link in enumerate(robot.links):
            self.above[i] = 1 << i | (self.above[link.parent] if link.parent >= 0 else 0)
            coordinate = robot.coordinates.get(i)
            if link.joint is not None and coordinate is not None:
                for k in range(link.joint.nq):
                    self.positions[coordinate.index + k] |= 1 << i
                for k in range(link.joint.nv):
                    self.velocities[coordinate.velocity + k] |= 1 << i

    def entries(self, sizes: Sequence[Size], shape: Sequence[int]) -> list[int]:
        """Of each entry of a port the links whose joints it belongs to, in its flat order."""
        known = {
            "nq": self.positions,
            "nv": self.velocities,
            "nx": self.positions + self.velocities,
            "2nv": 2 * self.velocities,
            "3nv": 3 * self.velocities,
        }
        axes = [
            known.get(str(sizes[k]), [0] * length) if k < len(sizes) else [0] * length
            for k, length in enumerate(shape)
        ]
        return [_union(chosen) for chosen in itertools.product(*axes)]

    def place(self, depends: int, needed: int) -> str:
        """Of the last links of two sets the one nearer to the root."""
        ends = [end for end in map(self._last, (depends, needed)) if end is not None]
        if not ends or self._last(_union(1 << end for end in ends)) is None:
            return WHOLE
        return self.names[min(ends)]

    def _last(self, links: int) -> int | None:
        """The last of links that lie on one way from the root."""
        last = links.bit_length() - 1  # depth first: behind all that carry it
        return last if links and not links & ~self.above[last] else None


def _union(sets: Iterable[int]) -> int:
    return functools.reduce(operator.or_, sets, 0)
