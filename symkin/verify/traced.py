"""A quantity as CasADi sees it: its graph, and directional derivatives of the graph."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import casadi
import numpy as np
import numpy.typing as npt

from symkin.graph import Graph
from symkin.graph.casadi_import import graph_from_casadi
from symkin.plan import plan_instances
from symkin.quantities import Instance, Port
from symkin.trace import trace_instance
from symkin.verify.recording import Recording

Array = npt.NDArray[np.float64]

LARGE = 5_000
"""Nodes beyond which planning, optimising compilers and CasADi's derivatives take seconds."""


@dataclass(frozen=True, eq=False)
class Traced:
    """What lanes need of a bound quantity whatever its state, each made once when asked for.

    A verification that is not ``thorough`` takes a large graph as it is traced.
    """

    instance: Instance
    thorough: bool = True
    _recordings: dict[str, Recording] = field(default_factory=dict, repr=False)

    def recording(self, formulation: str) -> Recording:
        """What a formulation does, of the robot as it is."""
        if formulation not in self._recordings:
            chosen = replace(self.instance, formulation=formulation)
            self._recordings[formulation] = Recording.of(chosen)
        return self._recordings[formulation]

    @cached_property
    def graph(self) -> Graph:
        """The quantity as users are given it, planned; as traced if it is `reduced`."""
        return self._large or plan_instances((self.instance,)).graph

    @property
    def reduced(self) -> bool:
        """Whether the graph is too large for more than what a quick verification does."""
        return self._large is not None

    @cached_property
    def _large(self) -> Graph | None:
        """The graph as traced, if it is large and the verification is not thorough."""
        if self.thorough:
            return None
        traced = trace_instance(self.instance.prepared())
        return traced if len(traced.nodes) > LARGE else None

    @cached_property
    def function(self) -> Any:
        """The graph as a CasADi function."""
        return self.graph.to_casadi()

    @cached_property
    def forward(self) -> Directional:
        """The graph's derivative along a direction s, by CasADi's forward mode."""
        x, y, rows = self._symbolic()
        s = casadi.SX.sym("s", *x.shape)
        ((y_dot,),) = casadi.forward([y], [x], [[s]])
        pattern = [rows[i] for i in y_dot.sparsity().row()]
        return Directional.of("forward", [x, s], y_dot, pattern, self.instance.output)

    @cached_property
    def reverse(self) -> Directional:
        """The gradient of the output's entries weighted by s, by CasADi's reverse mode."""
        x, y, rows = self._symbolic()
        s = casadi.SX.sym("s", *y.shape)
        ((x_bar,),) = casadi.reverse([y], [x], [[s]])
        port = Port("gradient", (x.shape[0],), "", "")
        return Directional.of("reverse", [x, s], x_bar, x_bar.sparsity().row(), port, rows)

    def _symbolic(self) -> tuple[Any, Any, tuple[int, ...]]:
        """All inputs as one column, the output's nonzeros as another, and their flat indices."""
        ports = [casadi.SX.sym(port.name, port.size) for port in self.instance.inputs]
        output = self.function(*ports)
        rows = self.graph.outputs[0].nonzeros
        columns = output.shape[1]
        entries = [output[i // columns, i % columns] for i in rows]
        return casadi.vertcat(*ports), casadi.vertcat(casadi.SX(0, 1), *entries), rows


@dataclass(frozen=True, eq=False)
class Directional:
    """A directional derivative as a CasADi function of (x, s), and as the graph of its operations.

    ``rows`` are the flat indices of the output's entries that a reverse seed belongs to.
    """

    function: Any
    graph: Graph
    rows: tuple[int, ...]

    @staticmethod
    def of(
        name: str,
        arguments: list[Any],
        expression: Any,
        pattern: list[int],
        output: Port,
        rows: tuple[int, ...] = (),
    ) -> Directional:
        """Of a column expression whose nonzeros are the entries ``pattern`` of the output."""
        nonzeros = casadi.vertcat(casadi.SX(0, 1), *expression.nonzeros())
        function = casadi.Function(name, arguments, [nonzeros])
        ports = [Port(n, (a.shape[0],), "", "") for n, a in zip("xs", arguments, strict=True)]
        graph = graph_from_casadi(function, ports, [output], [pattern])
        return Directional(function, graph, rows)

    def __call__(self, x: Array, s: Array) -> Array:
        """The output, (states, directions, *shape), at x along s, (states, directions, .)."""
        output = self.graph.outputs[0]
        states, directions = s.shape[:2]
        columns = (
            np.repeat(x, directions, axis=0).T,
            s.reshape((states * directions, s.shape[-1])).T,
        )
        result = np.zeros((states, directions, output.port.size))
        if result.size and output.nonzeros:
            nonzeros = self.function(*map(casadi.DM, columns)).full()
            result[..., list(output.nonzeros)] = nonzeros.T.reshape(states, directions, -1)
        return result.reshape((states, directions, *output.port.shape))
