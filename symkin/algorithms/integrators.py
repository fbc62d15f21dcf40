"""One step x+ = f(x, tau, h) of each integration scheme, and its transition matrices.

The state x = (q, v) moves for h seconds under joint forces tau that are held. The matrices act on
displacements (dq, dv) in the tangent spaces of x and of x+, 2 nv of them whatever nq is: a
displacement dq moves q to `configuration.integrate`(q, dq).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from symkin.algebra import Matrix, Scalar, vstack
from symkin.algorithms.implicit_stages import Stage
from symkin.algorithms.variation import Column, Dynamics, Valued, WithVariation, varied
from symkin.errors import ArgumentError
from symkin.model import Robot

ROUNDING = 1e-15
"""The tolerance that implicit stages are solved to unless another is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """A step and its derivatives: the state it ends in, q (nq x 1) and v (nv x 1), and there

    A = dx+/dx (2 nv x 2 nv), B = dx+/dtau (2 nv x nv) and dh = dx+/dh (2 nv x 1, per second).
    """

    q: Matrix
    v: Matrix
    A: Matrix
    B: Matrix
    dh: Matrix


class Scheme(Protocol):
    """From (q, v) to where they are h seconds later, over values or varied values."""

    def __call__(
        self, dynamics: Dynamics[Column], q: Column, v: Column, h: Scalar
    ) -> tuple[Column, Column]: ...


def step(
    robot: Robot,
    scheme: str,
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    h: Scalar,
    tolerance: float = ROUNDING,
) -> tuple[Matrix, Matrix]:
    """The state (q+, v+) that one step of `SCHEMES`[scheme] ends in. h in s: a number or an input.

    ``tolerance`` says how exactly implicit schemes solve for their stage: see `residual`.
    Raises ArgumentError for an unknown scheme.
    """
    return _scheme(scheme)(Valued(robot, tau, tolerance), q, v, h)


def transition(
    robot: Robot,
    scheme: str,
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    h: Scalar,
    tolerance: float = ROUNDING,
) -> Transition:
    """The same step with its derivatives. Raises ArgumentError for an unknown scheme."""
    q_, v_, tau_, h_ = varied(robot, q, v, tau, h)
    q_next, v_next = _scheme(scheme)(WithVariation(robot, tau_, tolerance), q_, v_, h_)
    n, both = robot.nv, vstack(q_next.variation, v_next.variation)
    A, B, dh = both[:, : 2 * n], both[:, 2 * n : 3 * n], both[:, 3 * n :]
    return Transition(q_next.value, v_next.value, A, B, dh)


def residual(
    robot: Robot,
    scheme: str,
    q: Matrix,
    v: Matrix,
    tau: Matrix,
    h: Scalar,
    tolerance: float = ROUNDING,
) -> Matrix:
    """What an implicit step leaves of its equation, nv x 1 in N m or N: it is solved if tiny.

    The number of Newton steps is fixed by the tolerance, for a start that is a tenth off; it is
    for the caller to see whether h is short enough. Raises ArgumentError for explicit schemes.
    """
    if scheme not in IMPLICIT:
        raise ArgumentError(
            f"no equation is solved by scheme {scheme!r}, only by {_list(IMPLICIT)}"
        )
    stage = Stage(robot, q, v, tau, h, IMPLICIT[scheme])
    return stage.residual(stage.acceleration(tolerance))


def explicit_euler(
    dynamics: Dynamics[Column], q: Column, v: Column, h: Scalar
) -> tuple[Column, Column]:
    """q+ = q + h v, v+ = v + h a. First order."""
    return dynamics.moved(q, v * h), v + dynamics.acceleration(q, v) * h


def semi_implicit_euler(
    dynamics: Dynamics[Column], q: Column, v: Column, h: Scalar
) -> tuple[Column, Column]:
    """v+ = v + h a, q+ = q + h v+. First order, symplectic where M is constant.

    Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), section I.1.2.
    """
    v_next = v + dynamics.acceleration(q, v) * h
    return dynamics.moved(q, v_next * h), v_next


def rk4(dynamics: Dynamics[Column], q: Column, v: Column, h: Scalar) -> tuple[Column, Column]:
    """The classical Runge-Kutta method in the coordinates u of q_u = q exp(u). Fourth order.

    Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), section IV.8.2.
    """

    def rates(u: Column, v_u: Column) -> tuple[Column, Column]:
        a = dynamics.acceleration(dynamics.moved(q, u), v_u)
        return _coordinate_rate(dynamics, u, v_u), a

    half, sixth = h * 0.5, h * (1.0 / 6.0)
    k1, a1 = v, dynamics.acceleration(q, v)
    k2, a2 = rates(k1 * half, v + a1 * half)
    k3, a3 = rates(k2 * half, v + a2 * half)
    k4, a4 = rates(k3 * h, v + a3 * h)
    u = (k1 + (k2 + k3) * 2.0 + k4) * sixth
    return dynamics.moved(q, u), v + (a1 + (a2 + a3) * 2.0 + a4) * sixth


def _coordinate_rate(dynamics: Dynamics[Column], u: Column, v: Column) -> Column:
    """du/dt of q_u = q exp(u) at velocity v: v + [u, v]/2 + [u, [u, v]]/12.

    What is left out of the inverse right Jacobian is of fourth order in u, which keeps the order
    of `rk4`. Hairer, Lubich & Wanner (2006), theorem IV.8.5.
    """
    once = dynamics.bracket(u, v)
    return v + once * 0.5 + dynamics.bracket(u, once) * (1.0 / 12.0)


def implicit_euler(
    dynamics: Dynamics[Column], q: Column, v: Column, h: Scalar
) -> tuple[Column, Column]:
    """v+ = v + h a(q+, v+), q+ = q + h v+. First order, stable on stiff mechanisms."""
    v_next = v + dynamics.stage_acceleration(q, v, h, IMPLICIT["implicit_euler"]) * h
    return dynamics.moved(q, v_next * h), v_next


def implicit_midpoint(
    dynamics: Dynamics[Column], q: Column, v: Column, h: Scalar
) -> tuple[Column, Column]:
    """v+ = v + h a(q_m, v_m), q+ = q + h v_m, v_m = (v + v+)/2, q_m = q + v_m h/2. Second order.

    It keeps quadratic invariants, such as the kinetic energy of a free body. Hairer, Lubich &
    Wanner, Geometric Numerical Integration (2006), theorem IV.2.1.
    """
    a = dynamics.stage_acceleration(q, v, h, IMPLICIT["implicit_midpoint"])
    return dynamics.moved(q, (v + a * (h * 0.5)) * h), v + a * h


IMPLICIT: Mapping[str, float] = {"implicit_euler": 1.0, "implicit_midpoint": 0.5}
"""The schemes that solve an equation: at which part of the step it stands."""

SCHEMES: Mapping[str, Scheme] = {
    "euler": explicit_euler,
    "semi_implicit_euler": semi_implicit_euler,
    "rk4": rk4,
    "implicit_euler": implicit_euler,
    "implicit_midpoint": implicit_midpoint,
}
"""The integration schemes by name."""


def _scheme(name: str) -> Scheme:
    if name not in SCHEMES:
        raise ArgumentError(f"no integration scheme {name!r}; there are {_list(SCHEMES)}")
    return SCHEMES[name]


def _list(names: Mapping[str, object]) -> str:
    return ", ".join(repr(name) for name in names)
