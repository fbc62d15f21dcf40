"""Graph: what a traced quantity is, between CasADi and C."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import casadi
import numpy as np
import numpy.typing as npt

from symkin.algebra import Scalar
from symkin.graph.levels import Levels
from symkin.graph.operations import OPERATIONS
from symkin.quantities import Port, normalised


class Node(NamedTuple):
    """One value: ``operation`` of earlier values ``operands``.

    Two operations are leaves: "input" with operands (port, entry), and "constant" with ``value``.
    """

    operation: str
    operands: tuple[int, ...] = ()
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Output:
    """An output port and, for each entry in row-major order, its node; -1 is a structural zero."""

    port: Port
    nodes: tuple[int, ...]

    @property
    def nonzeros(self) -> tuple[int, ...]:
        """Flat row-major indices of the entries that are not structural zeros."""
        return tuple(i for i, node in enumerate(self.nodes) if node >= 0)


@dataclass(frozen=True, eq=False)
class Graph:
    """A function as a list of nodes, operands before users, with named ports.

    ``name`` is a C identifier, ``doc`` says what is computed, in which frames, ``reference`` where
    it is derived, ``origin`` from which robot.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Output, ...]
    nodes: tuple[Node, ...]
    doc: str = ""
    reference: str = ""
    origin: str = ""

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that the function's value and interface depend on."""
        content = (self.name, self.inputs, self.outputs, self.nodes)
        return hashlib.sha256(repr(content).encode()).hexdigest()

    @cached_property
    def depth(self) -> int:
        """Length of the longest chain of operations."""
        depths: list[int] = []
        for node in self.nodes:
            leaf = node.operation in ("input", "constant")
            depths.append(0 if leaf else 1 + max(depths[i] for i in node.operands))
        return max(depths, default=0)

    @cached_property
    def levels(self) -> Levels:
        """The nodes made ready for arrays of states; its outputs are all structural nonzeros."""
        wanted = (node for output in self.outputs for node in output.nodes if node >= 0)
        return Levels(self.nodes, [port.size for port in self.inputs], wanted)

    def arranged(self, numbers: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """The outputs (*states, *port.shape) whose nonzeros are the rows of ``numbers``."""
        found, start, batch = {}, 0, numbers.shape[1:]
        for output in self.outputs:
            nonzeros = list(output.nonzeros)
            whole = np.zeros((output.port.size, *batch), numbers.dtype)
            whole[nonzeros] = numbers[start : start + len(nonzeros)]
            start += len(nonzeros)
            found[output.port.name] = np.moveaxis(whole, 0, -1).reshape(
                (*batch, *output.port.shape)
            )
        return found

    def sparsity(self, output: str | None = None) -> npt.NDArray[np.bool_]:
        """Boolean array of an output's shape: where it is not structurally zero."""
        chosen = self._output(output)
        return np.array([n >= 0 for n in chosen.nodes], dtype=bool).reshape(chosen.port.shape)

    def _output(self, name: str | None) -> Output:
        return next(o for o in self.outputs if name in (None, o.port.name))

    def values(self, inputs: Sequence[Sequence[Scalar]]) -> list[Scalar]:
        """Every node's value, for the entries of every input as any scalar but SX."""
        values: list[Scalar] = []
        for node in self.nodes:
            if node.operation == "input":
                port, entry = node.operands
                values.append(inputs[port][entry])
            elif node.operation == "constant":
                values.append(node.value)
            else:
                operands = (values[i] for i in node.operands)
                values.append(OPERATIONS[node.operation].numeric(*operands))
        return values

    def evaluate(self, inputs: Mapping[str, npt.ArrayLike]) -> dict[str, npt.NDArray[Any]]:
        """The outputs at inputs of shape (..., *port.shape), real or complex.

        Quaternions are scaled to length 1; raises ArgumentError for those of none.
        """
        arrays = [normalised(self.name, p, np.asarray(inputs[p.name])) for p in self.inputs]
        columns, batch = side_by_side(self.inputs, arrays)
        with np.errstate(all="ignore"):
            numbers = self.levels(columns, self.levels.constants)
        return self.arranged(numbers.reshape((len(numbers), *batch)))

    def to_casadi(self) -> Any:
        """The graph as a ``casadi.Function`` of SX with the ports' names and true sparsity.

        An input is the column of its entries; an output of shape (a, b, c) is a b x c.
        """
        symbols = [casadi.SX.sym(port.name, port.size) for port in self.inputs]
        values: list[Any] = []
        for node in self.nodes:
            if node.operation == "input":
                port, entry = node.operands
                values.append(symbols[port][entry])
            elif node.operation == "constant":
                values.append(casadi.SX(node.value))
            else:
                operands = (values[i] for i in node.operands)
                values.append(OPERATIONS[node.operation].symbolic(*operands))
        outputs = [_sparse(output, values) for output in self.outputs]
        return casadi.Function(
            self.name,
            symbols,
            outputs,
            [port.name for port in self.inputs],
            [output.port.name for output in self.outputs],
        )


def side_by_side(
    ports: Sequence[Port], arrays: Sequence[npt.NDArray[Any]]
) -> tuple[npt.NDArray[Any], tuple[int, ...]]:
    """Inputs (..., *port.shape) as one array (entries, states), and the shape of the states."""
    batches = [a.shape[: a.ndim - len(p.shape)] for a, p in zip(arrays, ports, strict=True)]
    batch = np.broadcast_shapes(*batches)
    states = math.prod(batch)
    parts = [np.zeros((0, states))]
    for port, array, own in zip(ports, arrays, batches, strict=True):
        flat = np.broadcast_to(array.reshape((*own, port.size)), (*batch, port.size))
        parts.append(flat.reshape((states, port.size)).T)
    return np.concatenate(parts), batch


def _sparse(output: Output, values: Sequence[Any]) -> Any:
    shape = output.port.shape
    columns = shape[-1] if len(shape) > 1 else 1
    result = casadi.SX(math.prod(shape[:-1]) if len(shape) > 1 else shape[0], columns)
    for index in output.nonzeros:
        result[index // columns, index % columns] = values[output.nodes[index]]
    return result
