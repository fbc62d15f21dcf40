"""Fewer operations for the same values: the passes over a graph, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from symkin.errors import ArgumentError
from symkin.graph.counts import Counts, count
from symkin.graph.graph import Graph
from symkin.graph.network import Network
from symkin.graph.passes.collecting import collect
from symkin.graph.passes.factoring import factor
from symkin.graph.passes.numbering import number_values
from symkin.graph.passes.pairs import share_factors, share_terms

Pass = Callable[[Graph], Graph]


def _rewriting(rewrite: Callable[[Network], None]) -> Pass:
    def run(graph: Graph) -> Graph:
        network = Network(graph)
        rewrite(network)
        return network.graph()

    return run


PASSES: Mapping[str, Pass] = {
    "number_values": number_values,
    "collect": _rewriting(collect),
    "share_terms": _rewriting(share_terms),
    "share_factors": _rewriting(share_factors),
    "factor": _rewriting(factor),
}


def optimise(graph: Graph, passes: Iterable[str] = tuple(PASSES)) -> Graph:
    """The graph after the named passes, in the order of `PASSES`, again until nothing is gained.

    Values agree up to rounding wherever all intermediate values are finite. No pass raises the
    number of operations. Raises ArgumentError for unknown names.
    """
    chosen = _chosen(passes)
    while True:
        before = count(graph).operations
        for run in chosen.values():
            graph = run(graph)
        if count(graph).operations >= before:
            return graph


def gains(graph: Graph, passes: Iterable[str] = tuple(PASSES)) -> tuple[tuple[str, Counts], ...]:
    """What is left after each of the named passes, run once in their order: names and counts."""
    found = []
    for name, run in _chosen(passes).items():
        graph = run(graph)
        found.append((name, count(graph)))
    return tuple(found)


def _chosen(passes: Iterable[str]) -> dict[str, Pass]:
    wanted = set(passes)
    unknown = sorted(wanted - set(PASSES))
    if unknown:
        raise ArgumentError(f"unknown passes {unknown}; there are {list(PASSES)}")
    return {name: run for name, run in PASSES.items() if name in wanted}
