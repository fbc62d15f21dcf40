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
        """The outputs at inputs of shape (..., *port.shape), real or complex, node by node.

        Quaternions are scaled to length 1; raises ArgumentError for those of none.
        """
        arrays = [normalised(self.name, p, np.asarray(inputs[p.name])) for p in self.inputs]
        batch = np.broadcast_shapes(
            *(a.shape[: a.ndim - len(p.shape)] for a, p in zip(arrays, self.inputs, strict=True))
        )
        flat = [
            a.reshape((*a.shape[: a.ndim - len(p.shape)], p.size))
            for a, p in zip(arrays, self.inputs, strict=True)
        ]
        values = self.values([[array[..., i] for i in range(array.shape[-1])] for array in flat])
        results = {}
        for output in self.outputs:
            entries = [np.broadcast_to(0.0 if i < 0 else values[i], batch) for i in output.nodes]
            stacked = np.stack(entries, axis=-1) if entries else np.zeros((*batch, 0))
            results[output.port.name] = stacked.reshape((*batch, *output.port.shape))
        return results

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


def _sparse(output: Output, values: Sequence[Any]) -> Any:
    shape = output.port.shape
    columns = shape[-1] if len(shape) > 1 else 1
    result = casadi.SX(math.prod(shape[:-1]) if len(shape) > 1 else shape[0], columns)
    for index in output.nonzeros:
        result[index // columns, index % columns] = values[output.nodes[index]]
    return result
