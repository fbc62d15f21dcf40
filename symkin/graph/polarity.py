"""From signed values to nodes: which sign each value is computed with, so that few are negated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symkin.graph.graph import Node


def materialised(
    operations: Sequence[str],
    operands: Sequence[tuple[int, ...]],
    numbers: Mapping[int, float],
    outputs: Sequence[Sequence[int]],
) -> tuple[tuple[Node, ...], list[list[int]]]:
    """Nodes for the live ones of a Builder's values, and those of output entries; -1 stays -1.

    a - b can be computed as b - a, a product with a constant with the constant's negative; the
    other values have their sign from their operands. Users vote, later ones first.
    """
    return _Materialiser(operations, operands, numbers, outputs).result()


class _Materialiser:
    def __init__(
        self,
        operations: Sequence[str],
        operands: Sequence[tuple[int, ...]],
        numbers: Mapping[int, float],
        outputs: Sequence[Sequence[int]],
    ) -> None:
        self.operations, self.operands = operations, operands
        self.numbers, self.outputs = numbers, outputs
        self.votes: dict[int, int] = {}  # of the live values: above 0 for the value, below for -
        self.nodes: list[Node] = []
        self.places: dict[Node, int] = {}
        self.made: dict[int, tuple[int, int]] = {}  # value: node, and 1 if that is its negative

    def result(self) -> tuple[tuple[Node, ...], list[list[int]]]:
        self._vote()
        for number in sorted(self.votes):
            self.made[number] = self._made(number)
        found = [[-1 if x < 0 else self._exactly(x) for x in entries] for entries in self.outputs]
        return tuple(self.nodes), found

    def _vote(self) -> None:
        for entries in self.outputs:
            for x in entries:
                if x >= 0:
                    self._wish(x, 1)
        for number in range(len(self.operations) - 1, -1, -1):
            if number not in self.votes:
                continue
            operation, operands = self.operations[number], self.operands[number]
            wanted = -1 if self.votes[number] < 0 else 1
            if operation in ("mul", "div"):
                # Of a negative product, the factor that is a difference is best turned round.
                x, y = operands
                turned = y if self._is_difference(y) else x
                self._wish(turned, wanted)
                self._wish(x + y - turned, 1)
            elif operation not in ("input", "constant"):
                strength = 0 if operation in ("add", "cos") else wanted
                strength = 1 if operation in ("sqrt", "less", "atan2") else strength
                for x in operands:
                    self._wish(x, strength)

    def _wish(self, x: int, strength: int) -> None:
        number = x >> 1
        self.votes[number] = self.votes.get(number, 0) + (-strength if x & 1 else strength)

    def _is_difference(self, x: int) -> bool:
        return self.operations[x >> 1] == "add" and bool(self.operands[x >> 1][1] & 1)

    def _node(self, operation: str, *operands: int, value: float = 0.0) -> int:
        node = Node(operation, operands, value)
        place = self.places.get(node)
        if place is None:
            place = self.places[node] = len(self.nodes)
            self.nodes.append(node)
        return place

    def _constant(self, x: int) -> float | None:
        """The value of a operands constant."""
        value = self.numbers.get(x & ~1)
        return -value if value is not None and x & 1 else value

    def _exactly(self, x: int) -> int:
        """A node for a operands value, negated if need be."""
        constant = self._constant(x)
        if constant is not None:
            return self._node("constant", value=constant)
        node, negative = self.made[x >> 1]
        return self._node("neg", node) if negative ^ (x & 1) else node

    def _made(self, number: int) -> tuple[int, int]:
        operation, operands = self.operations[number], self.operands[number]
        wanted = int(self.votes[number] < 0)
        if operation == "input":
            return self._node("input", *operands), 0
        if operation == "constant":
            return -1, 0  # a node for each sign, where it is used
        if operation == "add":
            return self._sum(operands, wanted)
        if operation in ("mul", "div"):
            return self._product(operation, operands, wanted)
        if operation in ("sin", "cos"):
            node, negative = self.made[operands[0] >> 1]
            sign = negative ^ (operands[0] & 1) if operation == "sin" else 0
            return self._node(operation, node), sign
        if operation == "less" and self._all_negative(operands):
            x, y = operands
            return self._node("less", self._exactly(y ^ 1), self._exactly(x ^ 1)), 0
        if operation == "select" and self._all_negative(operands[1:]):
            chosen = (self._exactly(x ^ 1) for x in operands[1:])
            return self._node("select", self._exactly(operands[0]), *chosen), 1
        return self._node(operation, *map(self._exactly, operands)), 0

    def _all_negative(self, operands: Sequence[int]) -> bool:
        """Whether all operands but constants are there as their negatives."""
        found = [self._negative(x) for x in operands if self._constant(x) is None]
        return bool(found) and all(found)

    def _negative(self, x: int) -> int:
        """Whether what there is of a signed value is its negative."""
        return self.made[x >> 1][1] ^ (x & 1)

    def _sum(self, operands: Sequence[int], wanted: int) -> tuple[int, int]:
        x, y = operands
        signs = self._negative(x), self._negative(y)
        constant = x if self._constant(x) is not None else y
        if signs[0] == signs[1]:
            if signs[0] == wanted or self._constant(constant) is None:
                return self._node("add", self._magnitude(x), self._magnitude(y)), signs[0]
            # c + x the other way round is (-c) - x.
            first = self._exactly((constant & ~1) | 1)
            return self._node("sub", first, self._magnitude(x + y - constant)), wanted
        first, second = (x, y) if signs[0] == wanted else (y, x)
        return self._node("sub", self._magnitude(first), self._magnitude(second)), wanted

    def _product(self, operation: str, operands: Sequence[int], wanted: int) -> tuple[int, int]:
        x, y = operands
        sign = self._negative(x) ^ self._negative(y)
        nodes = [self._magnitude(x), self._magnitude(y)]
        for k, factor in enumerate((x, y)):
            if sign != wanted and self._constant(factor) is not None:
                nodes[k], sign = self._exactly((factor & ~1) | 1), wanted
        return self._node(operation, *nodes), sign

    def _magnitude(self, x: int) -> int:
        """The node that there is of a signed value, or of its negative."""
        return self._exactly(x & ~1) if self._constant(x) is not None else self.made[x >> 1][0]
