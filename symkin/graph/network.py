"""A graph with its sums and products as wide as they go: what rewriting by algebra works on."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from symkin.graph.builder import ONE, ZERO, Builder, Signed
from symkin.graph.signed import SignedGraph

Terms: TypeAlias = dict[int, int]
"""The terms of a sum, each with +1 or -1."""


class Network:
    """Values by number: each is a sum, a product, a constant or another operation.

    Additions are flattened into sums of signed terms, multiplications into products of factors, as
    far as what lies between has no other user. ``users`` are the sums and products that hold a
    value; ``held`` are the values that an output or another operation needs as they are.
    """

    def __init__(self, signed: SignedGraph) -> None:
        self.origin, self.outputs = signed.origin, signed.outputs
        self.sums: dict[int, Terms] = {}
        self.products: dict[int, list[int]] = {}
        self.constants: dict[int, float] = {}
        self.others: dict[int, tuple[str, tuple[int, ...]]] = {}
        self.users: defaultdict[int, set[int]] = defaultdict(set)
        self.held: set[int] = set()
        self.size = len(signed.builder.operations)
        self._numbers: dict[float, int] = {}
        self._read(signed)

    def new(self) -> int:
        """The number of a value to come."""
        self.size += 1
        return self.size - 1

    def constant(self, value: float) -> int:
        """The value that a positive constant is."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = self.new()
            self.constants[number] = value
        return number

    def put_sum(self, value: int, terms: Terms) -> None:
        """Make a value the sum of these terms."""
        self.sums[value] = terms
        for term in terms:
            self.users[term].add(value)

    def put_product(self, value: int, factors: Iterable[int]) -> None:
        """Make a value the product of these factors."""
        self.products[value] = sorted(factors)
        for factor in self.products[value]:
            self.users[factor].add(value)

    def take_apart(self, value: int) -> list[int]:
        """Forget what a sum or product is made of, and say it."""
        operands = list(self.sums.pop(value) if value in self.sums else self.products.pop(value))
        for operand in operands:
            self.users[operand].discard(value)
        return operands

    def needed(self, value: int) -> bool:
        """Whether anything needs a value."""
        return bool(self.users[value]) or value in self.held

    def product(self, factors: list[int]) -> int:
        """A value that is the product of these factors, perhaps one that is there."""
        wanted = sorted(factors)
        if len(wanted) == 1:
            return wanted[0]
        for value in min((self.users[factor] for factor in wanted), key=len):
            if self.products.get(value) == wanted:
                return value
        value = self.new()
        self.put_product(value, wanted)
        return value

    def _read(self, signed: SignedGraph) -> None:
        builder, joins = signed.builder, _joins(signed)
        sums: dict[int, Terms] = {}  # on their way into another
        products: dict[int, list[int]] = {}
        for value, operation in enumerate(builder.operations):
            operands = builder.operands[value]
            if value not in joins:
                continue
            if operation == "constant":
                number = self.constants[value] = builder.numbers[2 * value]
                self._numbers[number] = value
            elif operation == "add":
                terms: Terms = {}
                for x in operands:
                    sign = -1 if x & 1 else 1
                    for term, times in sums.pop(x >> 1, {x >> 1: 1}).items():
                        terms[term] = terms.get(term, 0) + sign * times
                sums[value] = terms
                if not joins[value]:
                    self.put_sum(value, self.distinct(sums.pop(value)))
            elif operation == "mul":
                products[value] = [f for x in operands for f in products.pop(x >> 1, [x >> 1])]
                if not joins[value]:
                    self.put_product(value, self._one_constant(products.pop(value)))
            else:
                self.others[value] = operation, operands
                if operation != "input":
                    self.held.update(x >> 1 for x in operands)
        self.held.update(x >> 1 for x in signed.results())

    def distinct(self, terms: Terms) -> Terms:
        """Terms of which some occur several times, or cancel, as terms that occur once."""
        while any(times not in (1, -1) for times in terms.values()):
            found: Terms = {}
            for term, times in terms.items():
                if times:
                    several = [self.constant(float(abs(times))), term]
                    term = term if abs(times) == 1 else self.product(several)
                    found[term] = found.get(term, 0) + (1 if times > 0 else -1)
            terms = found
        return terms

    def _one_constant(self, factors: list[int]) -> list[int]:
        """Factors with their constants multiplied out, unless that over- or underflows."""
        constants = [self.constants[f] for f in factors if f in self.constants]
        whole = math.prod(constants)
        if len(constants) < 2 or not sys.float_info.min <= whole < math.inf:
            return factors
        rest = [f for f in factors if f not in self.constants]
        return rest if whole == 1.0 and rest else [self.constant(whole), *rest]

    def signed(self) -> SignedGraph:
        """All of it again: each sum and product put together from its shallowest operands on."""
        builder = Builder()
        values: dict[int, Signed] = {}
        depths: dict[int, int] = {}

        def by_depth(operands: Iterable[int]) -> list[int]:
            return sorted(operands, key=lambda operand: (depths[operand], values[operand]))

        for value in self._in_order():
            depth = 0
            if value in self.constants:
                found = builder.constant(self.constants[value])
            elif value in self.sums:
                terms, found = self.sums[value], ZERO
                for term in by_depth(terms):
                    found = builder.add(found, values[term] ^ (terms[term] < 0))
                    depth = 1 + max(depth, depths[term])
            elif value in self.products:
                found = ONE
                for factor in by_depth(self.products[value]):
                    found = builder.mul(found, values[factor])
                    depth = 1 + max(depth, depths[factor])
            else:
                operation, operands = self.others[value]
                if operation != "input":
                    depth = 1 + max(depths[x >> 1] for x in operands)
                    operands = tuple(values[x >> 1] ^ (x & 1) for x in operands)
                found = builder.make(operation, operands)
            values[value], depths[value] = found, depth
        outputs = (
            tuple(ZERO if x <= ZERO | 1 else values[x >> 1] ^ (x & 1) for x in entries)
            for entries in self.outputs
        )
        return SignedGraph(self.origin, builder, tuple(outputs))

    def operands(self, value: int) -> list[int]:
        """The values that a value is made of."""
        if value in self.sums:
            return list(self.sums[value])
        if value in self.products:
            return self.products[value]
        if value in self.constants or self.others[value][0] == "input":
            return []
        return [x >> 1 for x in self.others[value][1]]

    def _in_order(self) -> Iterator[int]:
        """The values that outputs need, operands first."""
        done: set[int] = set()
        for x in (x for entries in self.outputs for x in entries if x > ZERO | 1):
            waiting = [x >> 1]
            while waiting:
                value = waiting[-1]
                before = [operand for operand in self.operands(value) if operand not in done]
                if before and value not in done:
                    waiting += reversed(before)
                else:
                    waiting.pop()
                    if value not in done:
                        done.add(value)
                        yield value


def _joins(signed: SignedGraph) -> dict[int, bool]:
    """For each live value: whether its only use is within a sum or product of its own kind."""
    uses, builder = signed.uses(), signed.builder
    kinds: dict[int, str] = {}  # the operation of a user
    for value, operation in enumerate(builder.operations):
        if value in uses and operation != "input":
            kinds.update((x >> 1, operation) for x in builder.operands[value])
    for x in signed.results():
        kinds[x >> 1] = "output"
    return {v: times == 1 and kinds[v] == builder.operations[v] for v, times in uses.items()}
