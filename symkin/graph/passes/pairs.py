"""Pairs that several sums or several products hold are computed once.

Greedy, the most frequent pair first: Breuer, Generation of optimal code for expressions via
factorization, CACM 12 (1969); Hosangadi, Fallah & Kastner, Optimizing polynomial expressions by
algebraic factorization and common subexpression elimination, IEEE TCAD 25 (2006).
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TypeAlias

from symkin.graph.network import Network, Terms

Pair: TypeAlias = tuple[int, int, int]
"""Two values, the first not above the second, and the product of their signs."""

_WIDEST = 64  # of longer sums and products only so many operands are paired with each other


def share_terms(network: Network) -> None:
    """Compute each x + y or x - y once that several sums hold, up to sign."""
    _SharedTerms(network).share()


def share_factors(network: Network) -> None:
    """Compute each x y once that several products hold."""
    _SharedFactors(network).share()


class _Shared(ABC):
    def __init__(self, network: Network) -> None:
        self.network = network

    @abstractmethod
    def all_pairs(self) -> Iterable[Pair]:
        """Each pair once for each value that holds it."""

    @abstractmethod
    def holds(self, value: int, pair: Pair) -> bool: ...

    @abstractmethod
    def extract(self, pair: Pair, holders: list[int]) -> set[Pair]:
        """Make the pair a value of its own; the pairs that are new."""

    def holders(self, pair: Pair) -> list[int]:
        users = self.network.users
        first, second = users[pair[0]], users[pair[1]]
        fewer = first if len(first) < len(second) else second
        return sorted(value for value in fewer if self.holds(value, pair))

    def share(self) -> None:
        counts = Counter(self.all_pairs())
        heap = [(-times, pair) for pair, times in counts.items() if times > 1]
        heapq.heapify(heap)
        while heap:
            times, pair = heapq.heappop(heap)
            holders = self.holders(pair)
            if len(holders) == -times:
                changed = self.extract(pair, holders)
            else:
                changed = {pair}
            for again in changed:
                left = len(self.holders(again))
                if left > 1:
                    heapq.heappush(heap, (-left, again))


class _SharedTerms(_Shared):
    def all_pairs(self) -> Iterator[Pair]:
        for terms in self.network.sums.values():
            for x, y in combinations(sorted(terms)[:_WIDEST], 2):
                yield x, y, terms[x] * terms[y]

    def holds(self, value: int, pair: Pair) -> bool:
        terms: Terms = self.network.sums.get(value, {})
        x, y, sign = pair
        return x in terms and y in terms and terms[x] * terms[y] == sign

    def extract(self, pair: Pair, holders: list[int]) -> set[Pair]:
        network = self.network
        x, y, sign = pair
        shared = next((value for value in holders if len(network.sums[value]) == 2), -1)
        if shared < 0:
            shared = network.new()
            network.put_sum(shared, {x: 1, y: sign})
        own, changed = network.sums[shared][x], set()
        for value in holders:
            terms = network.sums[value]
            if value == shared or shared in terms:
                continue
            sign = terms.pop(x) * own
            del terms[y]
            network.users[x].discard(value)
            network.users[y].discard(value)
            for z, other in terms.items():
                changed.add((min(z, shared), max(z, shared), other * sign))
            terms[shared] = sign
            network.users[shared].add(value)
        return changed


class _SharedFactors(_Shared):
    def all_pairs(self) -> Iterator[Pair]:
        for factors in self.network.products.values():
            for x, y in set(combinations(factors[:_WIDEST], 2)):
                yield x, y, 1

    def holds(self, value: int, pair: Pair) -> bool:
        factors = self.network.products.get(value, [])
        x, y, _ = pair
        return factors.count(x) > 1 if x == y else x in factors and y in factors

    def extract(self, pair: Pair, holders: list[int]) -> set[Pair]:
        network = self.network
        x, y, _ = pair
        shared = next((value for value in holders if len(network.products[value]) == 2), -1)
        if shared < 0:
            shared = network.new()
            network.put_product(shared, [x, y])
        changed = set()
        for value in holders:
            if value == shared:
                continue
            rest = network.take_apart(value)
            rest.remove(x)
            rest.remove(y)
            changed |= {(min(z, shared), max(z, shared), 1) for z in rest}
            network.put_product(value, [*rest, shared])
        return changed
