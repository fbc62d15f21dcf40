"""Factors that terms of a sum have in common are multiplied once: a x + a y = a (x + y).

For a factor a, each product a x that a sum holds is either computed, at one multiplication, or left
to the sum, which then multiplies what is left of its terms by a, at one multiplication as well. All
pairs of such a product and such a sum must be covered, and the cheapest cover is a least vertex
cover of a bipartite graph, which a largest matching gives (Koenig's theorem; Schrijver,
Combinatorial Optimization (2003), theorem 16.2).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TypeAlias

from symkin.graph.network import Network, Terms

Edges: TypeAlias = Mapping[int, list[int]]
"""For each product with the factor, the sums that hold it."""


def factor(network: Network) -> None:
    """Multiply by common factors after adding, first by the factor that saves most."""
    heap = [(-_Choice(network, value).gain, value) for value in list(network.users)]
    heapq.heapify(heap)
    while heap and heap[0][0] < 0:
        gain, value = heapq.heappop(heap)
        choice = _Choice(network, value)
        again = choice.apply() if choice.gain == -gain else {value}
        for other in again:
            left = _Choice(network, other).gain
            if left:
                heapq.heappush(heap, (-left, other))


class _Choice:
    """Which sums multiply by a factor, and the multiplications that this saves."""

    def __init__(self, network: Network, factor: int) -> None:
        self.network, self.factor = network, factor
        edges = {
            value: sorted(network.users[value])
            for value in sorted(network.users[factor])
            if value in network.products and self._may_be_left(value)
        }
        matched = _largest_matching(edges) if len(edges) > 1 else dict.fromkeys(edges, 0)
        self.gain = len(edges) - len(matched)
        self.left = _left_to_sums(edges, matched) if self.gain else {}

    def _may_be_left(self, product: int) -> bool:
        """Whether only sums need a product, and what is left of it is not another one to choose."""
        network, factors = self.network, self.network.products[product]
        if product in network.held or not network.users[product]:
            return False
        if len(factors) > 2 and factors.count(self.factor) > 1:
            return False
        return all(user in network.sums for user in network.users[product])

    def apply(self) -> set[int]:
        """Rewrite the sums; the values whose choices this changes."""
        network, factor = self.network, self.factor
        changed = {factor}
        rests: dict[int, int] = {}
        for total, products in self.left.items():
            terms = network.sums[total]
            inner: Terms = {}
            for product in products:
                if product not in rests:
                    factors = list(network.products[product])
                    factors.remove(factor)
                    changed.update(factors)
                    rests[product] = network.product(factors)
                rest = rests[product]
                inner[rest] = inner.get(rest, 0) + terms.pop(product)
                network.users[product].discard(total)
            value = network.new()
            network.put_sum(value, network.distinct(inner))
            if terms:
                scaled = network.product([factor, value])
                terms[scaled] = 1
                network.users[scaled].add(total)
            else:
                del network.sums[total]
                network.put_product(total, [factor, value])
        for product in rests:
            network.take_apart(product)
        return changed


def _largest_matching(edges: Edges) -> dict[int, int]:
    """Sums, each matched with one of its products; by augmenting paths."""
    matched: dict[int, int] = {}
    for start in edges:
        came: dict[int, int] = {}  # for each sum reached, the product it was reached from
        frontier, end = [start], -1
        while frontier and end < 0:
            product = frontier.pop()
            for total in edges[product]:
                if total in came:
                    continue
                came[total] = product
                if total not in matched:
                    end = total
                    break
                frontier.append(matched[total])
        while end >= 0:
            product = came[end]
            previous = next((t for t in edges[product] if matched.get(t) == product), -1)
            matched[end] = product
            end = previous
    return matched


def _left_to_sums(edges: Edges, matched: Mapping[int, int]) -> dict[int, list[int]]:
    """By sum, the products not computed: those that alternating paths reach from unmatched ones."""
    taken = set(matched.values())
    waiting = [product for product in edges if product not in taken]
    left: dict[int, list[int]] = {}
    reached = set(waiting)
    while waiting:
        product = waiting.pop()
        for total in edges[product]:
            left.setdefault(total, []).append(product)
            partner = matched[total]
            if partner not in reached:
                reached.add(partner)
                waiting.append(partner)
    return left
