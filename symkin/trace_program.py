"""Quantities to a Program: the graph of what algorithms do, with calls of the kernels they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Self, TypeAlias

import casadi

from symkin.algebra import Matrix, Scalar, symbols
from symkin.algebra.kernel import Kernel, recording
from symkin.algorithms.stacks import Each
from symkin.graph import count
from symkin.graph.casadi_import import graph_from_casadi
from symkin.graph.graph import Output
from symkin.graph.optimise import optimise
from symkin.graph.program import Call, Known, Loop, Made, Program, Returned, Row, Taken, merged
from symkin.quantities import Instance, Port
from symkin.trace import Face, graph_of, is_zero

Key: TypeAlias = Any
"""What tells one scalar from another: a float, or the address of an SX node."""


def trace_program(name: str | None, instances: Sequence[Instance]) -> Program:
    """Quantities of one robot as one function called ``name``, their kernels called in stages.

    Each is computed by its instance's formulation; what calls no kernels is a graph alone. One
    without ``name`` is a function of its own, called as it is.
    """
    face = Face.of(name, instances)
    recorder = _Recorder()
    with recording(recorder):
        outputs = [(port, list(compute())) for port, compute in face.outputs]
    program = recorder.program(name or instances[0].name, face, outputs)
    while True:
        program = replace(program, graph=optimise(program.graph, ("number_values",)))
        smaller = merged(program)
        if smaller is program:
            return program
        program = smaller


@dataclass
class _Recorder:
    """The calls so far, the rows that they need made, and where rows and entries come from."""

    calls: list[Call] = field(default_factory=list)
    results: list[Matrix] = field(default_factory=list)
    made: dict[tuple[Key, ...], tuple[int, tuple[Scalar, ...]]] = field(default_factory=dict)
    rows: dict[tuple[Key, ...], Returned] = field(default_factory=dict)
    places: dict[Key, tuple[int, int, int]] = field(default_factory=dict)
    columns: int = 0

    def __call__(self, kernel: Kernel, stacks: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
        self.columns = stacks[0].shape[1]
        if isinstance(kernel, Each):
            return self._each(kernel, stacks)
        rows = tuple(tuple(map(self._row, stack.rows)) for stack in stacks)
        return self._called(kernel, rows, *_pattern(kernel, stacks))

    def _each(self, kernel: Each, stacks: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
        """A loop over the columns; rows of one constant are folded into it."""
        taken: list[Row] = []
        columns: list[Matrix] = []
        entries: list[Scalar] = []
        for stack in stacks:
            own: list[Scalar] = []
            for row in stack.rows:
                if len(set(map(_key, row))) == 1 and type(row[0]) is float:
                    own.append(row[0])
                else:
                    taken.append(self._row(row))
                    entries += symbols("x", 1)
                    own.append(entries[-1])
            columns.append(Matrix([(x,) for x in own], columns=1))
        parts = kernel.function(*columns)
        whole = [x for part in parts for x in part]
        held = [x for x in whole if type(x) is not float]
        port, result = (Port(n, (len(x),), "1", "") for n, x in (("x", entries), ("y", held)))
        function = casadi.Function(
            kernel.function.__name__, [casadi.vertcat(*entries)], [casadi.vertcat(*held)]
        )
        graph = graph_from_casadi(function, [port], [result], [range(len(held))])
        pattern = Matrix([[1.0] * self.columns for _ in held], columns=self.columns)
        operations = count(graph).operations * self.columns
        (found,) = self._called(Loop(graph), (tuple(taken),), (pattern,), operations)
        rows = iter(found.rows)
        filled = [(x,) * self.columns if type(x) is float else next(rows) for x in whole]
        ends = accumulate(len(part) for part in parts)
        return tuple(
            Matrix(filled[end - len(part) : end], columns=self.columns)
            for part, end in zip(parts, ends, strict=True)
        )

    def _row(self, row: tuple[Scalar, ...]) -> Row:
        keys = tuple(map(_key, row))
        if all(type(x) is float for x in row):
            return Known(row)
        if keys in self.rows:
            return self.rows[keys]
        return Made(self.made.setdefault(keys, (len(self.made), row))[0])

    def _called(
        self,
        kernel: Kernel,
        stacks: tuple[tuple[Row, ...], ...],
        patterns: Sequence[Matrix],
        operations: int,
    ) -> tuple[Matrix, ...]:
        """Symbols in the place of the results, where those are not zero."""
        number, rows = len(self.calls), tuple(len(pattern) for pattern in patterns)
        self.calls.append(Call(kernel, stacks, rows, operations))
        whole = symbols(f"call{number}", sum(rows) * self.columns)
        self.results.append(whole)
        found: list[Matrix] = []
        start = 0
        for pattern in patterns:
            lines: list[list[Scalar]] = []
            for i, line in enumerate(pattern.rows, start):
                fresh = [whole[i * self.columns + j] for j in range(self.columns)]
                for j, x in enumerate(fresh):
                    self.places[_key(x)] = (number, i, j)
                lines.append([x if one else 0.0 for x, one in zip(fresh, line, strict=True)])
                self.rows[tuple(map(_key, lines[-1]))] = Returned(number, i)
            start += len(pattern)
            found.append(Matrix(lines, columns=self.columns))
        return tuple(found)

    def program(
        self, name: str, face: Face, outputs: Sequence[tuple[Port, list[Scalar]]]
    ) -> Program:
        """What was recorded, and the function's outputs, which may be results of calls."""
        width = self.columns
        made = [(Port(f"row{k}", (width,), "1", ""), row) for k, row in self.made.values()]
        sources: list[int | Taken] = []
        own: list[tuple[Port, Sequence[Scalar]]] = []
        for port, entries in outputs:
            taken = self._taken(port, entries)
            if taken is None:
                sources.append(len(made) + len(own))
                own.append((port, entries))
            else:
                sources.append(taken)
        ports = [*face.inputs]
        columns = dict(face.columns)
        for k, (call, result) in enumerate(zip(self.calls, self.results, strict=True)):
            ports.append(Port(f"call{k}", (sum(call.rows), width), "1", ""))
            columns[ports[-1].name] = result
        graph = graph_of(name, ports, columns, [*made, *own], **face.about)
        return Program(graph, face.inputs, tuple(sources), tuple(self.calls), width)

    def _taken(self, port: Port, entries: Sequence[Scalar]) -> Taken | None:
        """The output as places in the result of one call, if it is that."""
        calls: set[int] = set()
        nodes: list[int] = []
        for entry in entries:
            place = None if is_zero(entry) else self.places.get(_key(entry), (-1, 0, 0))
            nodes.append(-1 if place is None else place[1] * self.columns + place[2])
            calls |= set() if place is None else {place[0]}
        if len(calls) != 1 or -1 in calls:
            return None
        return Taken(Output(port, tuple(nodes)), calls.pop())


def _key(x: Scalar) -> Key:
    return x if type(x) is float else x.element_hash()


def _pattern(kernel: Kernel, stacks: Sequence[Matrix]) -> tuple[tuple[Matrix, ...], int]:
    """Where the results are not structurally zero: 1, elsewhere 0; and how many operations."""
    something = _Something()
    found = kernel.compute(*(s.map(lambda x: 0.0 if _zero(x) else something) for s in stacks))
    patterns = tuple(part.map(lambda x: 0.0 if _zero(x) else 1.0) for part in found)
    return patterns, something.operations


class _Something:
    """A number that is not zero, and how often it was computed with."""

    def __init__(self) -> None:
        self.operations = 0

    def _operate(self, _: Any) -> Self:
        self.operations += 1
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _operate
    __truediv__ = __rtruediv__ = _operate

    def __neg__(self) -> Self:
        return self


def _zero(x: Scalar) -> bool:
    return type(x) is float and x == 0.0
