"""A mechanism as integrators see it: by its values alone, or with their first variation.

A step is written once, over either. With variations, every line of it carries the derivative of
its value along (q, v, tau, h), 3 nv + 1 columns; accelerations get theirs by the implicit route.
Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), section I.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from symkin.algebra import Matrix, Scalar, identity, zeros
from symkin.algorithms import configuration
from symkin.algorithms.aba import forward_dynamics
from symkin.algorithms.crba import factorise, mass_matrix, solve, solve_columns
from symkin.algorithms.implicit_stages import Stage, eliminate
from symkin.algorithms.rnea import bias
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.model import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Varied:
    """A column, or the scalar h, and its derivative along (q, v, tau, h).

    That of positions is in their tangent space: nv x (3 nv + 1).
    """

    value: Any
    variation: Matrix

    def __add__(self, other: Varied) -> Varied:
        return Varied(self.value + other.value, self.variation + other.variation)

    def __mul__(self, factor: Any) -> Varied:
        """Scaled by a constant or by a varied scalar."""
        if not isinstance(factor, Varied):
            return Varied(self.value * factor, self.variation * factor)
        by_factor = self.value @ factor.variation
        return Varied(self.value * factor.value, self.variation * factor.value + by_factor)


Column = TypeVar("Column", Matrix, Varied)


class Dynamics(Protocol[Column]):
    """What a step needs to know of a mechanism under joint forces that are held."""

    def acceleration(self, q: Column, v: Column) -> Column:
        """FD(q, v, tau)."""

    def stage_acceleration(self, q: Column, v: Column, h: Scalar, part: float) -> Column:
        """The acceleration of the implicit `Stage` at a part of a step h from (q, v)."""

    def moved(self, q: Column, d: Column) -> Column:
        """q moved along the tangent vector d."""

    def bracket(self, d: Column, e: Column) -> Column:
        """The Lie bracket [d, e] of tangent vectors."""


@dataclass(frozen=True, slots=True, eq=False)
class Valued:
    """Dynamics by values alone."""

    robot: Robot
    tau: Matrix
    tolerance: float

    def acceleration(self, q: Matrix, v: Matrix) -> Matrix:
        return forward_dynamics(self.robot, q, v, self.tau)

    def stage_acceleration(self, q: Matrix, v: Matrix, h: Scalar, part: float) -> Matrix:
        return Stage(self.robot, q, v, self.tau, h, part).acceleration(self.tolerance)

    def moved(self, q: Matrix, d: Matrix) -> Matrix:
        return configuration.integrate(self.robot, q, d)

    def bracket(self, d: Matrix, e: Matrix) -> Matrix:
        return configuration.bracket(self.robot, d) @ e


@dataclass(frozen=True, slots=True, eq=False)
class WithVariation:
    """Dynamics with the variation of every value."""

    robot: Robot
    tau: Varied
    tolerance: float

    def acceleration(self, q: Varied, v: Varied) -> Varied:
        """By M da = d tau - (d ID/dq) dq - (d ID/dv) dv."""
        factors = factorise(mass_matrix(self.robot, q.value))
        a = solve(factors, self.tau.value - bias(self.robot, q.value, v.value))
        by_q, by_v, _ = inverse_dynamics_derivatives(self.robot, q.value, v.value, a)
        force = self.tau.variation - by_q @ q.variation - by_v @ v.variation
        return Varied(a, solve_columns(factors, force))

    def stage_acceleration(self, q: Varied, v: Varied, h: Varied, part: float) -> Varied:
        """By the implicit function theorem at the solution, whichever way that was found."""
        stage = Stage(self.robot, q.value, v.value, self.tau.value, h.value, part)
        a = Varied(stage.acceleration(self.tolerance), zeros(*self.tau.variation.shape))
        v_s = v + a * (h * part)
        q_s = self.moved(q, v_s * (h * part))
        by_q, by_v, M = inverse_dynamics_derivatives(self.robot, q_s.value, v_s.value, a.value)
        residual = by_q @ q_s.variation + by_v @ v_s.variation - self.tau.variation
        along_a = stage.derivative(v_s.value, by_q, by_v, M)
        return Varied(a.value, -eliminate(along_a, residual))

    def moved(self, q: Varied, d: Varied) -> Varied:
        along_q = configuration.integrate_dq(self.robot, d.value) @ q.variation
        along_d = configuration.integrate_dd(self.robot, d.value) @ d.variation
        moved = configuration.integrate(self.robot, q.value, d.value)
        return Varied(moved, along_q + along_d)

    def bracket(self, d: Varied, e: Varied) -> Varied:
        ad_d = configuration.bracket(self.robot, d.value)
        ad_e = configuration.bracket(self.robot, e.value)
        return Varied(ad_d @ e.value, ad_d @ e.variation - ad_e @ d.variation)


def varied(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, h: Scalar
) -> tuple[Varied, Varied, Varied, Varied]:
    """q, v, tau and h, each with its variation along itself."""
    n = robot.nv
    unit = identity(3 * n + 1)
    return (
        Varied(q, unit[:n, :]),
        Varied(v, unit[n : 2 * n, :]),
        Varied(tau, unit[2 * n : 3 * n, :]),
        Varied(h, unit[3 * n :, :]),
    )
