"""Where the rows and values of a program lie in its workspace, one array of numbers.

What is not needed at the same time may lie in the same place.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symkin.algorithms.stacks import Factors, Invert, Solve
from symkin.emit.division import Kernel, Section
from symkin.errors import EmitError
from symkin.graph.program import Made, Program, Returned, Row

LANES = 8
"""Rows are filled up with zeros to a multiple of this: no loop over one has a remainder."""

Step: TypeAlias = Section | Kernel
Block: TypeAlias = tuple[str, int, int]
"""What lies together: ("made", output, 0), ("returned", call, result), ("scratch", call, 0) or
("value", node, 0)."""


@dataclass
class _Span:
    """From which step to which a block is needed, and how many numbers it has."""

    start: int
    end: int
    size: int


def rounded(columns: int) -> int:
    """How many numbers a row takes."""
    return -(-columns // LANES) * LANES


class Workspace:
    """Where everything lies that steps hand on to each other."""

    def __init__(
        self, program: Program, steps: Sequence[Step], elsewhere: Collection[tuple[int, int]]
    ) -> None:
        """``elsewhere`` are the results, (call, result), that lie in outputs."""
        self.program, self.steps, self.elsewhere = program, steps, elsewhere
        self.width = rounded(program.columns)
        self.made_in = _sections(program, steps)
        self.aliases: dict[Block, Block] = {}
        self._spans = self._needed()
        self._alias()
        self._places = _placed(self._spans)
        self.size = max((self._places[b] + span.size for b, span in self._spans.items()), default=0)

    def row(self, row: Row) -> int:
        """The place of a row's first number."""
        if isinstance(row, Made):
            return self._place(("made", row.output, 0))
        if isinstance(row, Returned):
            result, own = self.program.calls[row.call].part(row.row)
            return self.result(row.call, result) + own * self.width
        raise EmitError(f"{self.program.name}: rows of constants lie in a table")

    def result(self, call: int, number: int = 0) -> int:
        """The place of a result of a call."""
        return self._place(("returned", call, number))

    def scratch(self, call: int) -> int:
        """The place that a call may use as it likes."""
        return self._place(("scratch", call, 0))

    def value(self, number: int) -> int:
        """The place of a value that sections hand on."""
        return self._place(("value", number, 0))

    @property
    def handed_on(self) -> list[int]:
        """The nodes whose values sections hand on."""
        return [number for kind, number, _ in self._spans if kind == "value"]

    def in_place(self, call: int) -> bool:
        """Whether a call's result lies where what it works on did."""
        return ("returned", call, 0) in self.aliases

    def _place(self, block: Block) -> int:
        return self._places[self.aliases.get(block, block)]

    def _needed(self) -> dict[Block, _Span]:
        spans: dict[Block, _Span] = {}
        program, width = self.program, self.width
        time = {step.call: t for t, step in enumerate(self.steps) if isinstance(step, Kernel)}
        for k, call in enumerate(program.calls):
            for part, rows in enumerate(call.rows):
                if (k, part) not in self.elsewhere:
                    spans["returned", k, part] = _Span(time[k], time[k], rows * width)
            if isinstance(call.kernel, Invert):
                spans["scratch", k, 0] = _Span(time[k], time[k], call.rows[0] * width)
            for row in (row for stack in call.stacks for row in stack):
                if isinstance(row, Made):
                    nodes = program.graph.outputs[row.output].nodes
                    start = min(self.made_in[n] if n >= 0 else 0 for n in nodes)
                    span = spans.setdefault(("made", row.output, 0), _Span(start, start, width))
                    span.end = max(span.end, time[k])
                elif isinstance(row, Returned):
                    spans[self._returned(row)].end = time[k]
        own = len(program.inputs)
        for t, step in enumerate(self.steps):
            if not isinstance(step, Section):
                continue
            for number in _operands(program, step.numbers):
                node = program.graph.nodes[number]
                if node.operation == "input" and node.operands[0] >= own:
                    port, entry = node.operands
                    block = self._returned(Returned(port - own, entry // program.columns))
                    spans[block].end = max(spans[block].end, t)
                elif node.operation != "constant" and self.made_in[number] < t:
                    span = spans.setdefault(("value", number, 0), _Span(self.made_in[number], t, 1))
                    span.end = t
        return spans

    def _alias(self) -> None:
        """Kernels that work in place do so where nothing else needs what they work on."""
        for k, call in enumerate(self.program.calls):
            if not isinstance(call.kernel, Factors | Solve):
                continue
            rows = call.stacks[-1]
            first = rows[0]
            if not isinstance(first, Returned):
                continue
            block = self._returned(first)
            count = self.program.calls[first.call].rows[block[2]]
            if rows != tuple(Returned(first.call, first.row + i) for i in range(count)):
                continue
            block = self.aliases.get(block, block)
            own = self._spans["returned", k, 0]
            if self._spans[block].end == own.start:
                self._spans[block].end = own.end
                self.aliases["returned", k, 0] = block
                del self._spans["returned", k, 0]

    def _returned(self, row: Returned) -> Block:
        return "returned", row.call, self.program.calls[row.call].part(row.row)[0]


def _sections(program: Program, steps: Sequence[Step]) -> dict[int, int]:
    """The step that computes each node; inputs and constants belong to the first."""
    found = {}
    for t, step in enumerate(steps):
        if isinstance(step, Section):
            found.update(dict.fromkeys(step.numbers, t))
    for number, node in enumerate(program.graph.nodes):
        if node.operation == "constant":
            found[number] = 0
        elif node.operation == "input":
            call = node.operands[0] - len(program.inputs)
            after = 0 if call < 0 else 1 + steps.index(Kernel(call))
            found.setdefault(number, after)
    return found


def _operands(program: Program, numbers: Iterable[int]) -> Iterable[int]:
    for number in numbers:
        node = program.graph.nodes[number]
        if node.operation != "input":
            yield from node.operands


def _placed(spans: dict[Block, _Span]) -> dict[Block, int]:
    """A place for each block, the first that is free while it is needed; single values last."""
    rows = [block for block in spans if block[0] != "value"]
    places: dict[Block, int] = {}
    for block in sorted(rows, key=lambda b: (-spans[b].size, spans[b].start, b)):
        own = spans[block]
        busy = sorted(
            (places[other], places[other] + spans[other].size)
            for other in places
            if spans[other].start <= own.end and own.start <= spans[other].end
        )
        place = 0
        for start, end in busy:
            if start - place >= own.size:
                break
            place = max(place, end)
        places[block] = place
    size = max((places[block] + spans[block].size for block in rows), default=0)
    free: list[tuple[int, int]] = []  # until when a place is taken, and the place
    values = [block for block in spans if block[0] == "value"]
    for block in sorted(values, key=lambda b: (spans[b].start, b)):
        if free and free[0][0] < spans[block].start:
            _, places[block] = heapq.heappop(free)
        else:
            places[block] = size
            size += 1
        heapq.heappush(free, (spans[block].end, places[block]))
    return places
