"""Divisions by one value become one division and products, which take a fraction of its time."""

from __future__ import annotations

from collections import Counter

from symkin.graph.graph import Graph
from symkin.graph.signed import ONE, ZERO, Builder, Signed, signed_values

LEAST = 3
"""How many divisions by a value are worth one operation more; where its reciprocal is wanted, 2."""


def divide_once(graph: Graph) -> Graph:
    """Multiply by the reciprocal of what several values are divided by, and divide where one is.

    x / y and x (1 / y) differ by a rounding. This pass may add an operation for each divisor.
    """
    old, new = Builder(), Builder()
    _, outputs = signed_values(graph, old)
    inverted, lonely = _by_reciprocal(old), _lonely_reciprocals(old, outputs)
    values: list[Signed] = []
    for number, (operation, operands) in enumerate(zip(old.operations, old.operands, strict=True)):
        if operation == "constant":
            values.append(new.constant(old.numbers[2 * number]))
            continue
        if operation == "input":
            values.append(new.input(*operands))
            continue
        own = [values[x >> 1] ^ (x & 1) for x in operands]
        if operation == "div" and operands[1] in inverted:
            values.append(new.mul(own[0], new.div(ONE, own[1])))
        elif operation == "mul" and not lonely.isdisjoint(operands):
            k = 0 if operands[0] in lonely else 1
            divisor = old.operands[operands[k] >> 1][1]
            values.append(new.div(own[1 - k], values[divisor >> 1]))
        else:
            values.append(new.make(operation, own))
    found = [[ZERO if x <= ZERO | 1 else values[x >> 1] ^ (x & 1) for x in e] for e in outputs]
    return new.graph(graph, found)


def _by_reciprocal(builder: Builder) -> set[Signed]:
    """The values by which to divide once."""
    divisions = [
        operands
        for operation, operands in zip(builder.operations, builder.operands, strict=True)
        if operation == "div"
    ]
    wanted = Counter(y for _, y in divisions)
    reciprocals = {y for x, y in divisions if x == ONE}
    return {y for y, n in wanted.items() if n >= LEAST - (y in reciprocals)}


def _lonely_reciprocals(builder: Builder, outputs: list[list[Signed]]) -> set[Signed]:
    """The reciprocals that nothing but one product needs."""
    users: dict[Signed, list[str]] = {}
    for entries in outputs:
        for x in entries:
            users.setdefault(x & ~1, []).append("output")
    for operation, operands in zip(builder.operations, builder.operands, strict=True):
        if operation not in ("input", "constant"):
            for x in operands:
                users.setdefault(x & ~1, []).append(operation)
    return {
        2 * number
        for number, operation in enumerate(builder.operations)
        if operation == "div"
        and builder.operands[number][0] == ONE
        and users.get(2 * number) == ["mul"]
    }
