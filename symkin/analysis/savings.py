"""What would still save operations: small changes of the robot, and sharing; tried, not guessed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from symkin.analysis.changes import KINDS, Kind
from symkin.analysis.inputs import generic_inputs
from symkin.graph import Graph, count
from symkin.graph.optimise import optimise
from symkin.model import Robot
from symkin.plan import Plan
from symkin.trace import trace_instances

MOST = 3
"""Savings that are told."""

WORTH = 0.01
"""The least part of the operations that is worth telling."""

ENOUGH = 0.9
"""Of several tolerances the smallest is meant that saves this part of what the largest does."""

TOLERABLE = 0.01
"""The most that a change may do to an output, as a part of its largest entry."""

WORK = 12_000
"""Nodes of the functions for which changes are tried: the smallest functions come first."""

STATES = 4
"""At so many states is measured what a change does to the values."""


@dataclass(frozen=True, slots=True)
class Saving:
    """A change, in words, and what ``functions`` take together ``before`` and ``after`` it.

    ``effect`` is by how much it changes an output, as a part of the output's largest entry, at
    some states; 0 for what changes no value.
    """

    change: str
    functions: tuple[str, ...]
    before: int
    after: int
    effect: float

    @property
    def part(self) -> float:
        """The part of the operations that is saved."""
        return 1.0 - self.after / self.before

    def __str__(self) -> str:
        words = self.change[:1].upper() + self.change[1:]
        size = f"{self.before:,} to {self.after:,} operations of {_listed(self.functions)}"
        text = f"{words} would save {self.part:.0%} ({size})"
        if not self.effect:
            return f"{text} and changes no value"
        return f"{text} and changes outputs by {self.effect:.0e} of their largest entry"


@dataclass(frozen=True, slots=True)
class _Trial:
    words: str
    robot: Robot
    operations: int


def savings(plans: Sequence[Plan]) -> tuple[Saving, ...]:
    """The largest that were found for the planned functions together, largest first.

    Of many or large functions the smallest are looked at, up to `WORK`. Changes are tried on the
    graphs as the first pass leaves them; those that are told are measured after all passes, in the
    formulation and preparation that the plans chose.
    """
    plans = _smallest(plans)
    before = _operations([known.graph for known in plans])
    if not before:
        return ()
    brief = _graphs(plans, None, brief=True)
    trials = [trial for kind in KINDS if (trial := _best(kind, plans, brief))]
    trials.sort(key=lambda trial: trial.operations)
    found = [_measured(trial, plans, before) for trial in trials[:MOST]]
    found += _shared(plans, before)
    found = [saving for saving in found if saving.part >= WORTH]
    return tuple(sorted(found, key=lambda saving: -saving.part)[:MOST])


def _best(kind: Kind, plans: Sequence[Plan], brief: Sequence[Graph]) -> _Trial | None:
    """Of the tolerances that change little, the smallest that saves about as much as any."""
    robot = plans[0].instances[0].robot
    before = _operations(brief)
    trials: list[_Trial] = []
    digests = {robot.digest}
    for tolerance in kind.tolerances:
        changed, number = kind.change(robot, tolerance)
        if changed.digest in digests or not _possible(plans, changed):
            continue
        digests.add(changed.digest)
        graphs = _graphs(plans, changed, brief=True)
        if _effect(brief, graphs) > TOLERABLE:
            break
        trials.append(_Trial(kind.words(number, tolerance), changed, _operations(graphs)))
    most = max((before - trial.operations for trial in trials), default=0)
    enough = (t for t in trials if before - t.operations >= ENOUGH * most)
    return next(enough, None) if most > 0 else None


def _possible(plans: Sequence[Plan], robot: Robot) -> bool:
    """Whether the robot still has what the functions need: a mass, an inertia of every motion."""
    return not any(i.quantity.demand(robot) for known in plans for i in known.instances)


def _measured(trial: _Trial, plans: Sequence[Plan], before: int) -> Saving:
    graphs = _graphs(plans, trial.robot, brief=False)
    effect = _effect([known.graph for known in plans], graphs)
    return Saving(trial.words, _names(plans), before, _operations(graphs), effect)


def _shared(plans: Sequence[Plan], before: int) -> list[Saving]:
    """One function in the place of all those that are one quantity of the whole robot."""
    alone = [p for p in plans if len(p.instances) == 1 and p.instances[0].frame is None]
    if len(alone) < 2:
        return []
    first = alone[0].instances[0]
    instances = [known.instances[0].prepared(first.preparation) for known in alone]
    together = optimise(trace_instances("together", instances), alone[0].passes)
    saved = _operations([known.graph for known in alone]) - count(together).operations
    words = f"computing {_listed(_names(alone))} as one function"
    return [Saving(words, _names(plans), before, before - saved, 0.0)] if saved > 0 else []


def _smallest(plans: Sequence[Plan]) -> Sequence[Plan]:
    """The smallest functions, in their order: as many as `WORK` allows, but one at the least."""
    sizes = sorted(len(known.graph.nodes) for known in plans)
    allowed = [size for size, work in zip(sizes, accumulate(sizes), strict=True) if work <= WORK]
    largest = max(allowed, default=sizes[0])
    return [known for known in plans if len(known.graph.nodes) <= largest]


def _names(plans: Sequence[Plan]) -> tuple[str, ...]:
    return tuple(known.graph.name for known in plans)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _operations(graphs: Sequence[Graph]) -> int:
    return sum(count(graph).operations for graph in graphs)


def _graphs(plans: Sequence[Plan], robot: Robot | None, *, brief: bool) -> list[Graph]:
    """The plans' functions of another robot, after the first pass or all of them."""
    return [
        optimise(known.traced(robot), known.passes[:1] if brief else known.passes)
        for known in plans
    ]


def _effect(graphs: Sequence[Graph], others: Sequence[Graph]) -> float:
    """The largest difference of an output's entries, as a part of its largest entry."""
    largest = 0.0
    for graph, other in zip(graphs, others, strict=True):
        for seed in range(STATES):
            inputs = {name: np.array(x) for name, x in generic_inputs(graph.inputs, seed).items()}
            shaped = {port.name: inputs[port.name].reshape(port.shape) for port in graph.inputs}
            ours, theirs = graph.evaluate(shaped), other.evaluate(shaped)
            for name, values in ours.items():
                size = np.abs(values).max(initial=0.0)
                change = np.abs(values - theirs[name]).max(initial=0.0)
                if change > 0.0 and not change <= largest * size:
                    largest = float(change / size) if size > 0.0 else math.inf
    return largest
