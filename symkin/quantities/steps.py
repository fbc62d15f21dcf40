"""Rows of the time steps: integration schemes, their transition matrices, the linearisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from symkin.algebra import Matrix, vstack
from symkin.algorithms.integrators import (
    IMPLICIT,
    SCHEMES,
    Transition,
    residual,
    step,
    transition,
)
from symkin.algorithms.linearisation import LinearSystem, linearisation
from symkin.model import Robot
from symkin.quantities import demands
from symkin.quantities.dynamics import TAU
from symkin.quantities.table import Formulation, Q, Quantity, Slot, V

H = Slot("h", (1,), "s", "length of the step")
INPUTS = (Q, V, TAU, H)
USUAL = "semi_implicit_euler"
"""The scheme whose rows belong to all quantities of a robot; the others are large."""

_SCHEMES = {
    "euler": "explicit Euler",
    "semi_implicit_euler": "semi-implicit Euler",
    "rk4": "the classical Runge-Kutta scheme of order four",
    "implicit_euler": "implicit Euler",
    "implicit_midpoint": "the implicit midpoint rule",
}
_HAIRER = "Hairer, Lubich & Wanner, Geometric Numerical Integration (2006)"
_VAN_LOAN = "Van Loan, Computing integrals involving the matrix exponential (1978)"
_TANGENT = "displacements (dq, dv), dq in the tangent space"

Picked: TypeAlias = Callable[[Transition], Matrix]


def _scheme_rows(scheme: str) -> list[Quantity]:
    what = _SCHEMES[scheme]

    def end(robot: Robot, q: Matrix, v: Matrix, tau: Matrix, h: Matrix) -> Matrix:
        return vstack(*step(robot, scheme, q, v, tau, h[0]))

    def left(robot: Robot, q: Matrix, v: Matrix, tau: Matrix, h: Matrix) -> Matrix:
        return residual(robot, scheme, q, v, tau, h[0])

    def of(pick: Picked) -> Formulation:
        def compute(robot: Robot, q: Matrix, v: Matrix, tau: Matrix, h: Matrix) -> Matrix:
            return pick(transition(robot, scheme, q, v, tau, h[0]))

        return compute

    def row(suffix: str, doc: str, output: Slot, compute: Formulation) -> Quantity:
        name = f"step_{scheme}{suffix}"
        formulations = {"stages": compute}
        return Quantity(
            name, doc, _HAIRER, INPUTS, output, formulations, "robot", demands.inertia, bars=()
        )

    x = Slot("x_end", ("nx",), "rad, rad/s | m, m/s", "state (q, v) after the step")
    A = Slot("A", ("2nv", "2nv"), "1, s, 1/s", f"dx+/dx for {_TANGENT}")
    B = Slot("B", ("2nv", "nv"), "1/(kg m^2) | 1/kg, times s^2, s", f"dx+/dtau for {_TANGENT}")
    dh = Slot("dx_dh", ("2nv",), "rad/s, rad/s^2 | m/s, m/s^2", f"dx+/dh for {_TANGENT}")
    rows = [
        row("", f"The state (q, v) after h seconds by {what}, tau held.", x, end),
        row("_dx", f"A = dx+/dx of a step by {what}.", A, of(lambda t: t.A)),
        row("_dtau", f"B = dx+/dtau of a step by {what}.", B, of(lambda t: t.B)),
        row("_dh", f"dx+/dh of a step by {what}.", dh, of(lambda t: t.dh)),
    ]
    if scheme in IMPLICIT:
        missing = Slot("residual", ("nv",), "N m | N", "tau missing in the stage's equation")
        rows.append(row("_residual", f"How well {what} has solved its step.", missing, left))
    return rows


def _linear_rows() -> list[Quantity]:
    def of(pick: Callable[[LinearSystem], Matrix]) -> Formulation:
        def compute(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
            return pick(linearisation(robot, q, v, tau))

        return compute

    def held(pick: Callable[[LinearSystem], Matrix]) -> Formulation:
        def compute(robot: Robot, q: Matrix, v: Matrix, tau: Matrix, h: Matrix) -> Matrix:
            return pick(linearisation(robot, q, v, tau).held(h[0]))

        return compute

    def row(
        name: str, doc: str, inputs: tuple[Slot, ...], output: Slot, compute: Formulation
    ) -> Quantity:
        formulations = {"implicit": compute}
        return Quantity(
            name, doc, _VAN_LOAN, inputs, output, formulations, "robot", demands.inertia, bars=()
        )

    parts: dict[str, tuple[Slot, Callable[[LinearSystem], Matrix]]] = {
        "dx": (Slot("A", ("2nv", "2nv"), "1/s, 1, 1/s^2", f"for {_TANGENT}"), lambda s: s.A),
        "dtau": (Slot("B", ("2nv", "nv"), "1/(kg m^2) | 1/kg", f"for {_TANGENT}"), lambda s: s.B),
        "rate": (Slot("c", ("2nv",), "rad/s, rad/s^2 | m/s, m/s^2", "affine term"), lambda s: s.c),
    }
    meaning = {"dx": "A = df/dx", "dtau": "B = df/dtau", "rate": "c = f = (v, a)"}
    rows = []
    for name, (slot, pick) in parts.items():
        doc = f"{meaning[name]} of dx/dt = f(x, tau), the dynamics in continuous time."
        kept = f"{meaning[name]} of the linearised dynamics, exact for tau held over h seconds."
        rows += [
            row(f"linearised_{name}", doc, (Q, V, TAU), slot, of(pick)),
            row(f"held_{name}", kept, INPUTS, slot, held(pick)),
        ]
    return rows


ROWS = [*(row for scheme in SCHEMES for row in _scheme_rows(scheme)), *_linear_rows()]
