"""Program: a graph in stages, with kernels between them that work on rows of numbers.

A *row* has a number for each degree of freedom. A call of a kernel takes rows, which the graph
made, an earlier call returned or the robot's data are, and returns rows, whose entries the graph
may use as inputs. What depends on no call is the first stage; what depends on the result of a call
comes after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from symkin.algebra import Matrix, Scalar
from symkin.algebra.kernel import Kernel
from symkin.graph.graph import Graph, Output
from symkin.graph.operations import OPERATIONS
from symkin.quantities import Port, normalised


@dataclass(frozen=True, slots=True)
class Made:
    """A row that the graph computes: its output of this number."""

    output: int


@dataclass(frozen=True, slots=True)
class Returned:
    """A row that a call returned."""

    call: int
    row: int


@dataclass(frozen=True, slots=True)
class Known:
    """A row of constants."""

    values: tuple[float, ...]


Row: TypeAlias = Made | Returned | Known


@dataclass(frozen=True, eq=False)
class Loop:
    """A graph that computes one column; its one input holds the entries of the rows that it takes,
    its one output those of the rows that it returns."""

    graph: Graph

    def compute(self, stack: Matrix) -> tuple[Matrix, ...]:
        """All columns."""
        (output,) = self.graph.outputs
        columns = []
        for j in range(stack.shape[1]):
            values = self.graph.values([list(stack.column(j))])
            columns.append([values[i] for i in output.nodes])
        return (Matrix(zip(*columns, strict=True), columns=stack.shape[1]),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loop) and self.graph.digest == other.graph.digest

    def __hash__(self) -> int:
        return hash(self.graph.digest)


@dataclass(frozen=True, slots=True)
class Call:
    """A kernel, the rows of each stack that it takes, and how many rows each result has.

    ``operations`` are the additions, products and divisions that it takes.
    """

    kernel: Kernel
    stacks: tuple[tuple[Row, ...], ...]
    rows: tuple[int, ...]
    operations: int

    def part(self, row: int) -> tuple[int, int]:
        """Of a row that is returned: its result, and its number there."""
        for k, count in enumerate(self.rows):
            if row < count:
                return k, row
            row -= count
        raise IndexError(row)


@dataclass(frozen=True, slots=True)
class Taken:
    """An output that is the result of a call: its nodes are flat places in that, -1 is zero."""

    output: Output
    call: int


@dataclass(frozen=True, eq=False)
class Program:
    """A function as a graph with calls of kernels.

    The graph's inputs are ``inputs``, then the results of each call, row by row; its outputs are
    rows for calls, and outputs of the function. Those are ``sources``: the number of an output of
    the graph, or what is taken of a call.
    """

    graph: Graph
    inputs: tuple[Port, ...]
    sources: tuple[int | Taken, ...]
    calls: tuple[Call, ...]
    columns: int

    @staticmethod
    def of(graph: Graph) -> Program:
        """A graph alone."""
        return Program(graph, graph.inputs, tuple(range(len(graph.outputs))), (), 0)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The outputs of the function: ports, and where they are not structurally zero."""
        return tuple(
            source.output if isinstance(source, Taken) else self.graph.outputs[source]
            for source in self.sources
        )

    @property
    def name(self) -> str:
        """The graph's."""
        return self.graph.name

    @property
    def doc(self) -> str:
        """The graph's."""
        return self.graph.doc

    @property
    def reference(self) -> str:
        """The graph's."""
        return self.graph.reference

    @property
    def origin(self) -> str:
        """The graph's."""
        return self.graph.origin

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that the function's value and interface depend on."""
        calls = [
            (
                call.kernel.graph.digest if isinstance(call.kernel, Loop) else call.kernel,
                call.stacks,
            )
            for call in self.calls
        ]
        content = (self.graph.digest, self.inputs, self.sources, calls)
        return hashlib.sha256(repr(content).encode()).hexdigest()

    @cached_property
    def stages(self) -> tuple[int, ...]:
        """Of each node of the graph the number of calls that must have returned before."""
        own = len(self.inputs)
        stages: list[int] = []
        for node in self.graph.nodes:
            if node.operation == "input":
                stages.append(max(0, node.operands[0] - own + 1))
            else:
                stages.append(max((stages[i] for i in node.operands), default=0))
        return tuple(stages)

    def evaluate(self, inputs: Mapping[str, npt.ArrayLike]) -> dict[str, npt.NDArray[Any]]:
        """The outputs at inputs of shape (..., *port.shape), real or complex.

        Quaternions are scaled to length 1; raises ArgumentError for those of none.
        """
        arrays = [normalised(self.name, p, np.asarray(inputs[p.name])) for p in self.inputs]
        batches = [
            a.shape[: a.ndim - len(p.shape)] for a, p in zip(arrays, self.inputs, strict=True)
        ]
        batch = np.broadcast_shapes(*batches)
        entries = [
            list(np.moveaxis(array.reshape((*own, port.size)), -1, 0))
            for array, own, port in zip(arrays, batches, self.inputs, strict=True)
        ]
        values, results = self._values(entries)
        found = {}
        for output, source in zip(self.outputs, self.sources, strict=True):
            pool = results[source.call] if isinstance(source, Taken) else values
            parts = [np.broadcast_to(pool[i] if i >= 0 else 0.0, batch) for i in output.nodes]
            whole = np.stack(parts, axis=-1) if parts else np.zeros((*batch, 0))
            found[output.port.name] = whole.reshape((*batch, *output.port.shape))
        return found

    def _values(
        self, inputs: Sequence[Sequence[Scalar]]
    ) -> tuple[list[Scalar], list[list[Scalar]]]:
        """Every node's value, and the entries of every result."""
        values: list[Scalar] = [0.0] * len(self.graph.nodes)
        results: list[list[Scalar]] = []
        for stage in range(len(self.calls) + 1):
            known = (*inputs, *results)
            for number in self.of_stage(stage):
                operation, operands, value = self.graph.nodes[number]
                if operation == "input":
                    values[number] = known[operands[0]][operands[1]]
                elif operation == "constant":
                    values[number] = value
                else:
                    taken = (values[i] for i in operands)
                    values[number] = OPERATIONS[operation].numeric(*taken)
            if stage < len(self.calls):
                results.append(self._run(self.calls[stage], values, results))
        return values, results

    def _run(self, call: Call, values: list[Scalar], results: list[list[Scalar]]) -> list[Scalar]:
        def entries(row: Row) -> Sequence[Scalar]:
            if isinstance(row, Known):
                return row.values
            if isinstance(row, Made):
                nodes = self.graph.outputs[row.output].nodes
                return [values[i] if i >= 0 else 0.0 for i in nodes]
            return results[row.call][row.row * self.columns : (row.row + 1) * self.columns]

        stacks = [Matrix(map(entries, rows), columns=self.columns) for rows in call.stacks]
        return [entry for stack in call.kernel.compute(*stacks) for entry in stack]

    def of_stage(self, stage: int) -> Sequence[int]:
        """The numbers of the nodes of a stage."""
        return self._by_stage.get(stage, ())

    @cached_property
    def _by_stage(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, stage in enumerate(self.stages):
            found.setdefault(stage, []).append(number)
        return found


def merged(program: Program) -> Program:
    """The program without calls that do what an earlier one did; values must be numbered."""
    seen: dict[tuple[Any, ...], int] = {}
    same: dict[int, int] = {}
    for k, call in enumerate(program.calls):
        rows = [[_content(program, row, same) for row in stack] for stack in call.stacks]
        key = (call.kernel, repr(rows))
        same[k] = seen.setdefault(key, k)
    if all(k == other for k, other in same.items()):
        return program
    return _without(program, same)


def _content(program: Program, row: Row, same: Mapping[int, int]) -> tuple[Any, ...]:
    if isinstance(row, Made):
        return ("made", *program.graph.outputs[row.output].nodes)
    if isinstance(row, Returned):
        return ("returned", same[row.call], row.row)
    return ("known", *row.values)


def _without(program: Program, same: Mapping[int, int]) -> Program:
    """The program with the results of ``same[k]`` in the place of those of call k."""
    graph, own = program.graph, len(program.inputs)
    kept = [k for k, other in same.items() if k == other]
    place = {k: kept.index(other) for k, other in same.items()}
    made: dict[int, int] = {}

    def moved(row: Row) -> Row:
        if isinstance(row, Made):
            return Made(made.setdefault(row.output, len(made)))
        return Returned(place[row.call], row.row) if isinstance(row, Returned) else row

    calls = tuple(
        replace(call, stacks=tuple(tuple(map(moved, stack)) for stack in call.stacks))
        for call in (program.calls[k] for k in kept)
    )
    sources = tuple(
        replace(source, call=place[source.call])
        if isinstance(source, Taken)
        else made.setdefault(source, len(made))
        for source in program.sources
    )
    nodes = tuple(
        node._replace(operands=(own + place[node.operands[0] - own], node.operands[1]))
        if node.operation == "input" and node.operands[0] >= own
        else node
        for node in graph.nodes
    )
    inputs = (*program.inputs, *(graph.inputs[own + k] for k in kept))
    outputs = tuple(graph.outputs[i] for i in made)
    smaller = replace(graph, inputs=inputs, outputs=outputs, nodes=nodes)
    return replace(program, graph=smaller, calls=calls, sources=sources)
