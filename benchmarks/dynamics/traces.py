"""Several outputs traced as one function: what they share is computed, and counted, once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import casadi

from symkin.algebra import Matrix, symbols
from symkin.algorithms import rnea_tangents
from symkin.algorithms.aba import forward_dynamics
from symkin.algorithms.crba import solve_columns
from symkin.algorithms.forward_derivatives import implicit
from symkin.algorithms.rnea import inverse_dynamics
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.graph import Graph
from symkin.graph.casadi_import import graph_from_casadi
from symkin.model import Robot
from symkin.model.prepare import USUAL, prepare
from symkin.quantities import Port

Compute: TypeAlias = Callable[[Robot, Matrix, Matrix, Matrix], tuple[Matrix, ...]]
"""From (q, v, a) or (q, v, tau) to the outputs."""


def torque(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> tuple[Matrix, ...]:
    """Inverse dynamics."""
    return (inverse_dynamics(robot, q, v, a),)


def spatial(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> tuple[Matrix, ...]:
    """Inverse dynamics as the document computes them."""
    return (rnea_tangents.inverse_dynamics(robot, q, v, a),)


def plain(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> tuple[Matrix, ...]:
    """dtau/dq and dtau/dv by the document's tangents."""
    compute = rnea_tangents.inverse_dynamics_dq, rnea_tangents.inverse_dynamics_dv
    return tuple(derivative(robot, q, v, a) for derivative in compute)


def compact(robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> tuple[Matrix, ...]:
    """The same by perturbing whole subtrees."""
    return inverse_dynamics_derivatives(robot, q, v, a)[:2]


def acceleration(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> tuple[Matrix, ...]:
    """Forward dynamics."""
    return (forward_dynamics(robot, q, v, tau),)


def solved(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> tuple[Matrix, ...]:
    """da/dq and da/dv by the implicit route."""
    factors, derivatives = implicit(robot, q, v, tau)
    return tuple(-solve_columns(factors, derivative) for derivative in derivatives)


@dataclass(frozen=True, eq=False)
class Traced:
    """A CasADi function of three columns of ``n``; its outputs are columns, entry by entry."""

    function: Any
    n: int
    shapes: tuple[tuple[int, int], ...]

    @staticmethod
    def of(robot: Robot, compute: Compute, steps: Iterable[str] = USUAL) -> Traced:
        """The outputs of the prepared robot, as `symkin.trace` has them."""
        columns = [symbols(name, robot.nv) for name in "qvx"]
        outputs = compute(prepare(robot, steps), *columns)
        function = casadi.Function(
            compute.__name__,
            [casadi.vertcat(*column) for column in columns],
            [casadi.vertcat(*map(casadi.SX, output)) for output in outputs],
        )
        return Traced(function, robot.nv, tuple(output.shape for output in outputs))

    def graph(self) -> Graph:
        """The graph of its operations, equal values once."""
        inputs = [Port(name, (self.n,), "", "") for name in "qvx"]
        outputs = [Port(f"y{k}", shape, "", "") for k, shape in enumerate(self.shapes)]
        entries = [range(port.size) for port in outputs]
        return graph_from_casadi(self.function, inputs, outputs, entries)

    def jacobian(self) -> Any:
        """CasADi's Jacobians of the first output by q and by v, as another function."""
        columns = [casadi.SX.sym(name, self.n) for name in "qvx"]
        value = self.function(*columns)
        by = [casadi.jacobian(value, column) for column in columns[:2]]
        return casadi.Function(f"jacobian_of_{self.function.name()}", columns, by)


FUNCTIONS: Mapping[str, tuple[Compute, Compute]] = {
    "dtau/d(q, v)": (torque, compact),
    "da/d(q, v)": (acceleration, solved),
}
"""What is differentiated, and its derivatives by q and v."""
