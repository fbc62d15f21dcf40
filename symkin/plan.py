"""Quantity to the best Graph: trace every way to compute it, optimise, keep the cheapest.

No formulation and no choice of frames is best for every robot. A *candidate* is a formulation of
the quantity, of the robot rewritten by some steps of `prepare`. All candidates are traced and
counted, those that might win are optimised, and the one that then costs least is the plan.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias, Unpack

from symkin.errors import ArgumentError
from symkin.graph import Counts, Graph, count
from symkin.graph.optimise import PASSES, optimise
from symkin.graph.schedule import schedule
from symkin.graph.size import code_size
from symkin.model import Robot
from symkin.model.prepare import STEPS, USUAL, prepare
from symkin.quantities import BUNDLES, STACKED, Instance, Options, bind, bind_all, identifier
from symkin.trace import trace_instance, trace_instances

Cost: TypeAlias = Callable[[Graph], float]

OBJECTIVES: dict[str, Cost] = {
    "operations": lambda graph: count(graph).operations,
    "code_size": code_size,
}
"""What a plan can minimise, by name; `symkin.timing` adds "time", for which it compiles."""

MARGIN = 1.5
"""How many times the operations of the smallest candidate, as traced, another may have and not be
given up: the first pass takes up to a third of some graphs, and nearly nothing of others."""

CLOSE = 1.08
"""The same after the first pass: the others differ less in what they take."""

WORK = 2_000
"""Nodes that all those may have together which go through the other passes, beside the first."""

DOUBTFUL = ("reframe", "regroup", "hold", "at_root")
"""Steps that cost operations on some robots and save some on others; the rest always save."""

GUIDE = "inverse_dynamics_dq"
"""The quantity whose plan says how else a robot is prepared for larger ones."""

MODERATE = 4_000
"""Nodes of a graph from which on preparations are not all tried, but as for `GUIDE`."""

LARGE = 20_000
"""Nodes beyond which a graph takes long: half these margins are, and for `GUIDE` itself no step of
the usual preparation is left out."""

MOST = 16
"""Formulations of a bundle that are tried in all combinations; of more, one at a time differs."""

PART = 8
"""Of a robot of more joints this many say first which formulations are hopeless: those that take
`HOPELESS` times the operations of another one there."""

HOPELESS = 2.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to compute quantities, and what it takes.

    ``formulations`` are those of the quantities in their order, ``preparation`` the steps by which
    the robot is rewritten. ``traced`` counts the operations as traced, ``counts`` those that the
    passes left; it and ``cost``, in the objective's measure, are None for what was given up.
    """

    formulations: tuple[str, ...]
    preparation: tuple[str, ...]
    traced: Counts
    counts: Counts | None = None
    cost: float | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """The cheapest graph that was found, and how it was found.

    ``instances`` are what it computes, each in the formulation and preparation that won, ``passes``
    what it went through. ``candidates`` are all that were tried: the winner first, those that were
    given up last.
    """

    graph: Graph
    instances: tuple[Instance, ...]
    objective: str
    passes: tuple[str, ...]
    candidates: tuple[Candidate, ...]

    @property
    def winner(self) -> Candidate:
        """The candidate that became the graph."""
        return self.candidates[0]

    def traced(
        self,
        robot: Robot | None = None,
        preparation: Sequence[str] | None = None,
        formulations: Sequence[str] | None = None,
    ) -> Graph:
        """What became the graph, as it was traced; of another robot, or in another way."""
        instances = tuple(
            replace(
                instance,
                robot=robot or instance.robot,
                formulation=formulations[k] if formulations else instance.formulation,
            ).prepared(instance.preparation if preparation is None else preparation)
            for k, instance in enumerate(self.instances)
        )
        alone = len(instances) == 1 and instances[0].name == self.graph.name
        return _trace(None if alone else self.graph.name, instances)


def plan(
    robot: Robot,
    quantity: str | Sequence[str],
    *,
    name: str | None = None,
    objective: str = "operations",
    passes: Sequence[str] = tuple(PASSES),
    **options: Unpack[Options],
) -> Plan:
    """The cheapest graph of a quantity, or of several as one function called ``name``.

    ``quantity`` is a row of the table, a bundle's name, or a sequence of rows; each is bound as
    ``options`` say, a quantity of a frame at every tip unless one is named. ``formulation`` leaves
    but that one to choose from. ``objective`` is one of `OBJECTIVES`, ``passes`` some of `PASSES`.
    Within a process the same question is answered once.

    Raises ArgumentError for unknown names, and as `bind` does.
    """
    if isinstance(quantity, str) and quantity not in BUNDLES:
        instances: tuple[Instance, ...] = (bind(robot, quantity, **options),)
    else:
        if isinstance(quantity, str):
            name, quantity = name or quantity, BUNDLES[quantity].quantities
        instances = bind_all(robot, quantity, **options)
        if name is None and len(instances) > 1:
            raise ArgumentError("several quantities as one function: give it a name")
    return plan_instances(
        instances,
        name=name,
        objective=objective,
        passes=passes,
        choose=options.get("formulation") is None,
    )


def bundle(
    robot: Robot, quantities: str | Sequence[str], name: str | None = None, **options: Any
) -> Graph:
    """Quantities as one function that computes what they share once: the graph of their `plan`.

    ``quantities`` are rows of the table, or the name of a bundle, which then need not be given
    again. Raises ArgumentError as `plan` does.
    """
    return plan(robot, quantities, name=name, **options).graph


def plan_instances(
    instances: Sequence[Instance],
    *,
    name: str | None = None,
    objective: str = "operations",
    passes: Sequence[str] = tuple(PASSES),
    choose: bool = True,
) -> Plan:
    """`plan` for bound quantities; unless ``choose``, their formulations are those that they say.

    One without ``name`` is a function of its own, called as it is.
    """
    if objective not in OBJECTIVES:
        raise ArgumentError(f"no objective {objective!r}; there are {', '.join(OBJECTIVES)}")
    key = _Key(tuple(instances), name, objective, tuple(passes), choose)
    return _planned(key)


def in_words(preparation: Sequence[str]) -> str:
    """A preparation as it differs from the usual one."""
    without = [step for step in USUAL if step not in preparation]
    more = [step for step in preparation if step not in USUAL]
    text = "usual"
    if without:
        text += f" without {', '.join(without)}"
    return f"{text} with {', '.join(more)}" if more else text


@dataclass(frozen=True, eq=False)
class _Key:
    """A question, equal to another if its answer is."""

    instances: tuple[Instance, ...]
    name: str | None
    objective: str
    passes: tuple[str, ...]
    choose: bool

    @cached_property
    def _content(self) -> tuple[object, ...]:
        own = []
        for instance in self.instances:
            said = {field.name: getattr(instance, field.name) for field in fields(instance)}
            row = instance.quantity
            said |= {"robot": instance.robot.digest}
            said |= {"quantity": (row.name, tuple(row.formulations.items()))}
            if self.choose:
                del said["formulation"]
            own.append(tuple(said.items()))
        return tuple(own), self.name, self.objective, self.passes, self.choose

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)


@lru_cache(maxsize=128)
def _planned(key: _Key) -> Plan:
    """`plan_instances`."""
    traced = _traced(key)
    near, given_up = _near(traced, MARGIN)
    if len(near) > 1 and key.passes:
        numbered = [(c, optimise(graph, key.passes[:1])) for c, graph in near]
        near, others = _near(numbered, CLOSE)
        near.sort(key=lambda pair: count(pair[1]).operations)
        work = itertools.accumulate(len(graph.nodes) for _, graph in near)
        most = max(1, sum(nodes <= WORK for nodes in work))
        given_up += [*others, *(candidate for candidate, _ in near[most:])]
        near = near[:most]
    cost = OBJECTIVES[key.objective]
    kept: list[tuple[float, Candidate, Graph]] = []
    for candidate, graph in near:
        best = schedule(optimise(graph, key.passes)) if key.passes else graph
        price = cost(best)
        kept.append((price, replace(candidate, counts=count(best), cost=price), best))
    kept.sort(key=lambda entry: entry[0])
    given_up.sort(key=lambda candidate: candidate.traced.operations)
    candidates = (*(candidate for _, candidate, _ in kept), *given_up)
    winner = candidates[0]
    instances = _bound(key, winner.formulations, winner.preparation)
    return Plan(kept[0][2], instances, key.objective, key.passes, candidates)


_Graphs: TypeAlias = list[tuple[Candidate, Graph]]


def _near(graphs: _Graphs, margin: float) -> tuple[_Graphs, list[Candidate]]:
    """Those that have at most ``margin`` times the least operations, and the other candidates."""
    counts = [count(graph).operations for _, graph in graphs]
    if max(len(graph.nodes) for _, graph in graphs) > LARGE:
        margin = 1.0 + (margin - 1.0) / 2.0
    few = [operations <= margin * min(counts) for operations in counts]
    near = [pair for pair, is_near in zip(graphs, few, strict=True) if is_near]
    return near, [pair[0] for pair, is_near in zip(graphs, few, strict=True) if not is_near]


def _traced(key: _Key) -> _Graphs:
    """The candidates as traced, the usual one first; of those that are one graph, the first."""
    found: dict[str, tuple[Candidate, Graph]] = {}
    usual, *others = _preparations(key)

    def trace(preparation: tuple[str, ...], ways: Sequence[tuple[str, ...]]) -> _Graphs:
        graphs = [_trace(key.name, _bound(key, way, preparation)) for way in ways]
        pairs = [
            (Candidate(way, preparation, count(graph)), graph)
            for way, graph in zip(ways, graphs, strict=True)
        ]
        for candidate, graph in pairs:
            found.setdefault(graph.digest, (candidate, graph))
        return pairs

    near, _ = _near(trace(usual, _promising(key, list(_formulations(key)))), MARGIN)
    nodes = max(len(graph.nodes) for _, graph in near)
    for preparation in _worth_trying(key, usual, others, nodes):
        trace(preparation, [candidate.formulations for candidate, _ in near])
    return list(found.values())


def _worth_trying(
    key: _Key, usual: tuple[str, ...], others: list[tuple[str, ...]], nodes: int
) -> list[tuple[str, ...]]:
    """Those of the other preparations for which a graph of so many nodes is traced again."""
    if nodes <= MODERATE:
        return others
    first = key.instances[0]
    if first.quantity.name == GUIDE:
        return others if nodes <= LARGE else [way for way in others if len(way) > len(usual)]
    best = plan(first.robot, GUIDE, passes=tuple(PASSES)[:1]).winner.preparation
    return [way for way in others if set(way) == set(best) & {*usual, *way}]


def _bound(
    key: _Key, formulations: tuple[str, ...], preparation: tuple[str, ...]
) -> tuple[Instance, ...]:
    return tuple(
        replace(instance, formulation=formulation).prepared(preparation)
        for instance, formulation in zip(key.instances, formulations, strict=True)
    )


def _trace(name: str | None, instances: tuple[Instance, ...]) -> Graph:
    if name is None:
        return trace_instance(instances[0])
    return trace_instances(identifier(name), instances)


def _promising(key: _Key, ways: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The formulations that are not hopeless, judged by the robot's first joints alone."""
    robot = key.instances[0].robot
    whole = all(
        i.frame is None and not (i.forces or i.contacts or i.parameters) for i in key.instances
    )
    part = _first_joints(robot) if whole and len(ways) > 1 and len(robot.joints) > PART else None
    if part is None or any(i.quantity.demand(part) for i in key.instances):
        return ways
    small = replace(key, instances=tuple(replace(i, robot=part) for i in key.instances))
    counts = [count(_trace(key.name, _bound(small, way, USUAL))).operations for way in ways]
    limit = HOPELESS * min(counts)
    return [way for way, operations in zip(ways, counts, strict=True) if operations <= limit]


def _first_joints(robot: Robot) -> Robot | None:
    """The robot up to the link that its first `PART` joints move; None if one follows another."""
    moving = itertools.accumulate(link.moves for link in robot.links)
    size = sum(number <= PART for number in moving)
    joints = (link.joint for link in robot.links[:size])
    if any(joint.mimic for joint in joints if joint is not None):
        return None
    frames = tuple(frame for frame in robot.frames if frame.link < size)
    return replace(robot, links=robot.links[:size], frames=frames)


def _preparations(key: _Key) -> list[tuple[str, ...]]:
    """The usual steps, then one more or one less; of those that do the same, the first.

    What every quantity bars is left out.
    """
    robot = key.instances[0].robot
    steps = [s for s in STEPS if not all(s in i.quantity.bars for i in key.instances)]
    usual = tuple(step for step in steps if step in USUAL)
    ways = [usual, *(tuple(s for s in steps if (s in usual) != (s == x)) for x in DOUBTFUL)]
    found: dict[str, tuple[str, ...]] = {}
    for way in ways:
        found.setdefault(prepare(robot, way).digest, way)
    return list(found.values())


def _formulations(key: _Key) -> Iterator[tuple[str, ...]]:
    """The formulations of the instances to try, the usual ones first; `STACKED` is for loops.

    Those that have the same to choose from choose alike: they share most then.
    """
    known = [
        tuple(f for f in i.quantity.formulations_of(i.robot) if f != STACKED)
        if key.choose
        else (i.formulation,)
        for i in key.instances
    ]
    groups = list(dict.fromkeys(known))
    ways = list(itertools.islice(itertools.product(*groups), MOST + 1))
    if len(ways) > MOST:
        ways = [ways[0]]
        for k, group in enumerate(groups):
            ways += [(*ways[0][:k], other, *ways[0][k + 1 :]) for other in group[1:]]
    for way in ways:
        chosen = dict(zip(groups, way, strict=True))
        yield tuple(chosen[own] for own in known)
