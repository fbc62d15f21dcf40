"""Fewer operations for the same values: the passes over a graph, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from symkin.errors import ArgumentError
from symkin.graph.counts import Counts, count
from symkin.graph.graph import Graph
from symkin.graph.network import Network
from symkin.graph.passes.collecting import collect
from symkin.graph.passes.dividing import divide_once
from symkin.graph.passes.factoring import factor
from symkin.graph.passes.numbering import number_values
from symkin.graph.passes.pairs import share_factors, share_terms
from symkin.graph.passes.resharing import reshare
from symkin.graph.signed import SignedGraph

Pass = Callable[[Graph], Graph]

DIVISION = 4
"""How many other operations a division weighs when rounds of passes are compared."""

PATIENCE = 2_000
"""Passes run again as long as a round takes one operation of this many out."""

EFFORT = 60_000
"""Rounds times operations, at most; one round is always done."""

_ON_NETWORKS: Mapping[str, Callable[[Network], None]] = {
    "collect": collect,
    "share_terms": share_terms,
    "factor": factor,
    "share_factors": share_factors,
}
_ON_GRAPHS: Mapping[str, Callable[[SignedGraph], SignedGraph]] = {
    "number_values": number_values,
    "reshare": reshare,
    "divide_once": divide_once,
}


def _alone(name: str) -> Pass:
    return lambda graph: _once(SignedGraph.of(graph), [name]).graph()


PASSES: Mapping[str, Pass] = {
    name: _alone(name) for name in ("number_values", *_ON_NETWORKS, "reshare", "divide_once")
}
"""By name, in the order in which they run; each numbers values, see `SignedGraph`."""


def optimise(graph: Graph, passes: Iterable[str] = tuple(PASSES)) -> Graph:
    """The graph after the named passes, in the order of `PASSES`, again while that gains.

    Values agree up to rounding wherever all intermediate values are finite. No pass raises the
    number of operations, but that `divide_once` may add one for each divisor. Raises ArgumentError
    for unknown names.
    """
    chosen = _chosen(passes)
    if not chosen:
        return graph
    signed = SignedGraph.of(graph)
    weight = _weight(signed)
    for _ in range(max(1, EFFORT // (1 + weight))):
        found = _once(signed, chosen)
        gain = weight - _weight(found)
        if gain > 0:
            signed, weight = found, weight - gain
        if gain * PATIENCE <= weight:
            break
    return signed.graph()


def gains(graph: Graph, passes: Iterable[str] = tuple(PASSES)) -> tuple[tuple[str, Counts], ...]:
    """What is left after each of the named passes, run once in their order: names and counts."""
    found = []
    for name in _chosen(passes):
        graph = PASSES[name](graph)
        found.append((name, count(graph)))
    return tuple(found)


def _once(signed: SignedGraph, names: Sequence[str]) -> SignedGraph:
    """The passes one after another; those on networks that follow one another share one."""
    for on_network, group in groupby(names, _ON_NETWORKS.__contains__):
        if on_network:
            network = Network(signed)
            for name in group:
                _ON_NETWORKS[name](network)
            signed = network.signed()
        else:
            for name in group:
                signed = _ON_GRAPHS[name](signed)
    return signed


def _weight(signed: SignedGraph) -> int:
    divisions = sum(signed.builder.operations[value] == "div" for value in signed.uses())
    return signed.size() + (DIVISION - 1) * divisions


def _chosen(passes: Iterable[str]) -> list[str]:
    wanted = set(passes)
    unknown = sorted(wanted - set(PASSES))
    if unknown:
        raise ArgumentError(f"unknown passes {unknown}; there are {list(PASSES)}")
    return [name for name in PASSES if name in wanted]
