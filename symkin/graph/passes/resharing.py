"""Shared values dissolved into their users, so that others can be shared, where that is better.

What passes share greedily depends on what was shared before. Here products and small sums are put
back into the products and sums that hold them, and the passes choose again; the outcome is kept if
it has fewer operations.
"""

from __future__ import annotations

from typing import NamedTuple

from symkin.graph.network import Network
from symkin.graph.passes.collecting import collect
from symkin.graph.passes.factoring import factor
from symkin.graph.passes.pairs import share_factors, share_terms
from symkin.graph.signed import SignedGraph


class Attempt(NamedTuple):
    """How many users at most a product may have to be dissolved, a sum, and a sum's terms."""

    product_users: int
    sum_users: int
    terms: int


LARGEST = 50_000
"""Operations of graphs that are left as they are, for they would take long."""

ATTEMPTS = (Attempt(4, 4, 8), Attempt(1000, 2, 4))


def reshare(signed: SignedGraph) -> SignedGraph:
    """Dissolve shared products and small shared sums, share anew, and keep what is smaller."""
    least = signed.size()
    if least > LARGEST:
        return signed
    for attempt in ATTEMPTS:
        network = Network(signed)
        dissolve(network, attempt)
        found = _shared(Network(_shared(network)))
        if found.size() < least:
            signed, least = found, found.size()
    return signed


def _shared(network: Network) -> SignedGraph:
    for rewrite in (collect, share_terms, factor, share_factors):
        rewrite(network)
    return network.signed()


def dissolve(network: Network, attempt: Attempt) -> None:
    """Put shared products and sums back into what holds them, if that is all of their kind."""
    for value in list(network.products):
        users = _users(network, value, attempt.product_users)
        if all(user in network.products for user in users):
            for user in users:
                whole, factors = network.take_apart(user), network.products[value]
                rest = [factor for factor in whole if factor != value]
                network.put_product(user, rest + factors * (len(whole) - len(rest)))
            _forget(network, value, users)
    for value in list(network.sums):
        users = _users(network, value, attempt.sum_users)
        if len(network.sums[value]) <= attempt.terms and all(u in network.sums for u in users):
            for user in users:
                terms = network.sums[user]
                network.take_apart(user)
                sign = terms.pop(value)
                for term, own in network.sums[value].items():
                    terms[term] = terms.get(term, 0) + sign * own
                network.put_sum(user, network.distinct(terms))
            _forget(network, value, users)


def _users(network: Network, value: int, most: int) -> list[int]:
    """The users of a value, unless they are more or an output needs it."""
    users = network.users[value]
    return sorted(users) if len(users) <= most and value not in network.held else []


def _forget(network: Network, value: int, users: list[int]) -> None:
    if users:
        network.take_apart(value)
