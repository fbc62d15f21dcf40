"""A program as a sequence of steps: parts of its graph, no longer than compilers like, and calls.

Compilers take more than twice as long for a function twice as long, and fetching instructions
costs more than the work where they do not stay in a cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from symkin.graph.program import Program

PART = 3000
"""Statements of a part."""


@dataclass(frozen=True, slots=True)
class Section:
    """A step that computes these nodes."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A step that makes the call of this number."""

    call: int


def divide(program: Program, size: int = PART) -> list[Section | Kernel]:
    """The steps: the first one is a section, which all inputs and constants belong to."""
    nodes = program.graph.nodes
    alive = live(program)
    stored = {number for output in program.graph.outputs for number in output.nodes}
    steps: list[Section | Kernel] = []
    for stage in range(len(program.calls) + 1):
        work = [n for n in program.of_stage(stage) if alive[n]]
        leaves = [n for n in work if nodes[n].operation in ("input", "constant")]
        others = [n for n in work if nodes[n].operation not in ("input", "constant")]
        if stage:
            leaves = [n for n in leaves if n in stored]
        if leaves or others or not stage:
            parts = _parts(program, others, size)
            whole = [n for n in work if n in {*leaves, *others}] if len(parts) == 1 else ()
            first = whole or [*leaves, *parts[0]]
            steps += [Section(tuple(part)) for part in (first, *parts[1:])]
        if stage < len(program.calls):
            steps.append(Kernel(stage))
    return steps


def live(program: Program) -> list[bool]:
    """For each node, whether an output of the graph depends on it."""
    nodes = program.graph.nodes
    alive = [False] * len(nodes)
    for output in program.graph.outputs:
        for number in output.nodes:
            if number >= 0:
                alive[number] = True
    for number in range(len(nodes) - 1, -1, -1):
        if alive[number] and nodes[number].operation != "input":
            for operand in nodes[number].operands:
                alive[operand] = True
    return alive


def _parts(program: Program, work: Sequence[int], size: int) -> list[Sequence[int]]:
    """About equal parts, cut where few values are handed on."""
    count = -(-len(work) // size)
    if count < 2:
        return [work]
    crossing = _crossing(program, work)
    length = len(work) / count
    cuts = [0]
    for k in range(1, count):
        middle, play = round(k * length), int(length / 6)
        places = range(max(cuts[-1] + 1, middle - play), min(len(work), middle + play + 1))
        cuts.append(min(places, key=lambda place: (crossing[place], abs(place - middle))))
    cuts.append(len(work))
    return [work[start:end] for start, end in itertools.pairwise(cuts)]


def _crossing(program: Program, work: Sequence[int]) -> list[int]:
    """How many of these values are needed on both sides of each place between them."""
    nodes = program.graph.nodes
    place = {number: k for k, number in enumerate(work)}
    last: dict[int, int] = {}
    for k, number in enumerate(work):
        if nodes[number].operation != "input":
            for operand in nodes[number].operands:
                if operand in place and nodes[operand].operation != "constant":
                    last[operand] = k
    change = [0] * (len(work) + 2)
    for number, end in last.items():
        change[place[number] + 1] += 1
        change[end + 1] -= 1
    found, total = [], 0
    for step in change:
        total += step
        found.append(total)
    return found
