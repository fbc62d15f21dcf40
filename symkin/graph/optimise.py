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

Pass = Callable[[Graph], Graph]

DIVISION = 4
"""How many other operations a division weighs when rounds of passes are compared."""

PATIENCE = 2000
"""Passes run again as long as a round takes one operation of this many out."""

_REWRITINGS: Mapping[str, Callable[[Network], None]] = {
    "collect": collect,
    "share_terms": share_terms,
    "factor": factor,
    "share_factors": share_factors,
}


def _alone(rewrite: Callable[[Network], None]) -> Pass:
    def run(graph: Graph) -> Graph:
        network = Network(graph)
        rewrite(network)
        return network.graph()

    return run


PASSES: Mapping[str, Pass] = {
    "number_values": number_values,
    **{name: _alone(rewrite) for name, rewrite in _REWRITINGS.items()},
    "reshare": reshare,
    "divide_once": divide_once,
}


def optimise(graph: Graph, passes: Iterable[str] = tuple(PASSES)) -> Graph:
    """The graph after the named passes, in the order of `PASSES`, again while that gains.

    Values agree up to rounding wherever all intermediate values are finite. No pass raises the
    number of operations, but that `divide_once` may add one for each divisor. Raises ArgumentError
    for unknown names.
    """
    chosen = _chosen(passes)
    while True:
        found = _once(graph, chosen)
        gain = _weight(graph) - _weight(found)
        if gain < 0 or (gain == 0 and len(found.nodes) >= len(graph.nodes)):
            return graph
        if gain * PATIENCE < len(graph.nodes):
            return found
        graph = found


def gains(graph: Graph, passes: Iterable[str] = tuple(PASSES)) -> tuple[tuple[str, Counts], ...]:
    """What is left after each of the named passes, run once in their order: names and counts."""
    found = []
    for name in _chosen(passes):
        graph = PASSES[name](graph)
        found.append((name, count(graph)))
    return tuple(found)


def _once(graph: Graph, names: Sequence[str]) -> Graph:
    """The passes one after another; rewritings that follow one another share a network."""
    for rewriting, group in groupby(names, _REWRITINGS.__contains__):
        if rewriting:
            network = Network(graph)
            for name in group:
                _REWRITINGS[name](network)
            graph = network.graph()
        else:
            for name in group:
                graph = PASSES[name](graph)
    return graph


def _weight(graph: Graph) -> int:
    counts = count(graph)
    return counts.operations + (DIVISION - 1) * counts.div


def _chosen(passes: Iterable[str]) -> list[str]:
    wanted = set(passes)
    unknown = sorted(wanted - set(PASSES))
    if unknown:
        raise ArgumentError(f"unknown passes {unknown}; there are {list(PASSES)}")
    return [name for name in PASSES if name in wanted]
