"""Like terms of a sum become one; constant factors of sums move onto the terms that have some."""

from __future__ import annotations

import math
import sys
from typing import TypeAlias

from symkin.graph.network import Network, Terms

Scaled: TypeAlias = tuple[float, tuple[int, ...]]
"""A constant and what it multiplies, sorted."""


def collect(network: Network) -> None:
    """Collect the like terms of every sum, after multiplying out constants where that is free."""
    for value in list(network.products):
        _multiply_out(network, value)
    for value in list(network.sums):
        _collect(network, value)


def scaled(network: Network, value: int) -> Scaled:
    """A value as constant times rest."""
    if value in network.constants:
        return network.constants[value], ()
    factors = network.products.get(value)
    if factors is None:
        return 1.0, (value,)
    constants = [f for f in factors if f in network.constants]
    if len(constants) != 1:
        return 1.0, tuple(factors)
    return network.constants[constants[0]], tuple(f for f in factors if f != constants[0])


def unscaled(network: Network, constant: float, rest: tuple[int, ...]) -> int:
    """The value that is constant times rest; the constant is positive."""
    if constant == 1.0 and rest:
        return network.product(list(rest))
    return network.product([network.constant(constant), *rest])


def _sound(constant: float) -> bool:
    return sys.float_info.min <= abs(constant) < math.inf


def _multiply_out(network: Network, value: int) -> None:
    """c (a x + b y + ...), nothing else needing the sum, as (c a) x + (c b) y + ..."""
    constant, rest = scaled(network, value)
    if len(rest) != 1 or constant == 1.0 or rest[0] not in network.sums:
        return
    inner = rest[0]
    if network.users[inner] != {value} or inner in network.held:
        return
    terms = network.sums[inner]
    parts = {term: scaled(network, term) for term in terms}
    for term, (own, _) in parts.items():
        alone = term in network.constants or network.users[term] == {inner}
        if own == 1.0 or not alone or term in network.held or not _sound(own * constant):
            return
    network.take_apart(value)
    network.take_apart(inner)
    found: Terms = {}
    for term, (own, others) in parts.items():
        if term in network.products:
            network.take_apart(term)
        scaled_term = unscaled(network, own * constant, others)
        found[scaled_term] = found.get(scaled_term, 0) + terms[term]
    network.put_sum(value, network.distinct(found))


def _collect(network: Network, value: int) -> None:
    terms = network.sums[value]
    like: dict[tuple[int, ...], list[int]] = {}
    for term in terms:
        like.setdefault(scaled(network, term)[1], []).append(term)
    for rest, members in like.items():
        if len(members) < 2:
            continue
        total = math.fsum(terms[term] * scaled(network, term)[0] for term in members)
        if total and not _sound(total):
            continue
        for term in members:
            del terms[term]
            network.users[term].discard(value)
            if term in network.products and not network.needed(term):
                network.take_apart(term)
        if total:
            term = unscaled(network, abs(total), rest)
            terms[term] = terms.get(term, 0) + (1 if total > 0.0 else -1)
            network.users[term].add(value)
    network.take_apart(value)
    network.put_sum(value, network.distinct(terms))
