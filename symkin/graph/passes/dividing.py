"""Divisions by one value become one division and products, which take a fraction of its time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from symkin.graph.builder import ONE, ZERO, Builder, Signed
from symkin.graph.signed import SignedGraph

LEAST = 3
"""How many divisions by a value are worth one operation more; where its reciprocal is wanted, 2."""


def divide_once(signed: SignedGraph) -> SignedGraph:
    """Multiply by the reciprocal of what several values are divided by, and divide where one is.

    x / y and x (1 / y) differ by a rounding. This pass may add an operation for each divisor.
    """
    old, new = signed.builder, Builder()
    uses = signed.uses()
    inverted, lonely = _by_reciprocal(old, uses), _lonely_reciprocals(old, uses)
    values: dict[int, Signed] = {}
    for number in sorted(uses):
        operation, operands = old.operations[number], old.operands[number]
        if operation == "constant":
            values[number] = new.constant(old.numbers[2 * number])
            continue
        if operation == "input":
            values[number] = new.input(*operands)
            continue
        own = [values[x >> 1] ^ (x & 1) for x in operands]
        if operation == "div" and operands[1] in inverted:
            values[number] = new.mul(own[0], new.div(ONE, own[1]))
        elif operation == "mul" and not lonely.isdisjoint(operands):
            k = 0 if operands[0] in lonely else 1
            divisor = old.operands[operands[k] >> 1][1]
            values[number] = new.div(own[1 - k], values[divisor >> 1])
        else:
            values[number] = new.make(operation, own)
    outputs = (
        tuple(ZERO if x <= ZERO | 1 else values[x >> 1] ^ (x & 1) for x in entries)
        for entries in signed.outputs
    )
    return SignedGraph(signed.origin, new, tuple(outputs))


def _by_reciprocal(builder: Builder, live: Iterable[int]) -> set[Signed]:
    """The values by which to divide once."""
    divisions = [builder.operands[k] for k in live if builder.operations[k] == "div"]
    wanted = Counter(y for _, y in divisions)
    reciprocals = {y for x, y in divisions if x == ONE}
    return {y for y, n in wanted.items() if n >= LEAST - (y in reciprocals)}


def _lonely_reciprocals(builder: Builder, uses: Mapping[int, int]) -> set[Signed]:
    """The reciprocals that nothing but one product needs."""
    factors = {x for k in uses if builder.operations[k] == "mul" for x in builder.operands[k]}
    return {
        2 * k
        for k, times in uses.items()
        if times == 1
        and builder.operations[k] == "div"
        and builder.operands[k][0] == ONE
        and 2 * k in factors
    }
