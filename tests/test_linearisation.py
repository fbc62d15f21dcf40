"""The linearised dynamics held for a step: against 50 digits, by laws, and beside the motion."""

from __future__ import annotations

import casadi
import mpmath
import numpy as np
import pytest
from movers import MOVERS, body, state
from scalars import EPS, array, exact, relative_error, symbols_of, vector

from symkin.algebra import Matrix, hstack, to_sx
from symkin.algorithms.configuration import difference, integrate, integrate_dq
from symkin.algorithms.integrators import step
from symkin.algorithms.linearisation import LinearSystem, linearisation, taylor_plan
from symkin.errors import ArgumentError
from symkin.model import Attachment, Joint, Robot, assemble
from symkin.spatial import Inertia

robots = pytest.mark.parametrize("robot", [make() for make in MOVERS.values()], ids=tuple(MOVERS))


def rate_of(system: LinearSystem) -> float:
    """A norm of A in 1/s: that of largest row sums, with lengths of q in units of v times 1/r."""
    A = array(system.A)
    n = len(A) // 2
    r = np.sqrt(np.abs(A[n:, :n]).sum(axis=1).max())
    scale = np.repeat([1.0 / r, 1.0], n)
    return float(np.abs(A / scale[:, None] * scale).sum(axis=1).max())


def exponential(system: LinearSystem, h: float) -> np.ndarray:
    """(A, B, c) of the held system with 50 digits: the upper rows of exp([[A, B, c], 0] h)."""
    rows = exact(array(hstack(system.A, system.B, system.c)))
    size, n = rows.shape[1], rows.shape[0]
    whole = np.vstack([rows, exact(np.zeros((size - n, size)))]) * mpmath.mpf(h)
    return np.array(mpmath.expm(mpmath.matrix(whole.tolist())).tolist(), dtype=object)[:n]


@robots
@pytest.mark.parametrize("bound", [0.05, 1.0, 5.0])
def test_held_system_is_the_matrix_exponential(robot: Robot, bound: float) -> None:
    """Each of the products of n terms behind E rounds it by n eps, in terms of up to e^norm."""
    system = linearisation(robot, *state(robot))
    h = np.float64(bound / rate_of(system))
    held, oracle = system.held(h, bound), exponential(system, float(h))
    n, rounding = robot.nv, 2 * robot.nv * np.exp(2 * bound) * EPS
    assert relative_error(array(held.A), oracle[:, : 2 * n]) < rounding
    assert relative_error(array(held.B), oracle[:, 2 * n : 3 * n]) < rounding
    assert relative_error(array(held.c), oracle[:, 3 * n :]) < rounding
    if bound == 5.0:
        beyond = system.held(h, 0.05)
        assert relative_error(array(beyond.A), oracle[:, : 2 * n]) > 1e-6


def test_taylor_plan_leaves_out_less_than_rounding() -> None:
    """The exponential of a number alone, as large as the bound allows, and as negative."""
    for bound in (1e-6, 0.1, 0.5, 1.0, 3.0):
        for x in (bound, -bound):
            system = LinearSystem(*(Matrix([[np.float64(a)]]) for a in (x, 1.0, 0.0)))
            squarings = taylor_plan(bound)[0]
            value = array(system.held(np.float64(1.0), bound).A)[0, 0]
            assert value == pytest.approx(np.exp(x), rel=2**squarings * 16 * EPS)
    assert taylor_plan(1.0) == (0, 18)
    assert taylor_plan(4.0)[0] == 2
    assert taylor_plan(0.01)[1] < taylor_plan(0.1)[1] < taylor_plan(1.0)[1]


@robots
def test_held_system_changes_along_h_as_it_says(robot: Robot) -> None:
    system = linearisation(robot, *state(robot))
    h = 0.5 / rate_of(system)
    held, moved = system.held(np.float64(h)), system.held(np.complex128(h + 1e-40j))
    for ours, oracle in (
        (moved.A, system.A @ held.A),
        (moved.B, held.A @ system.B),
        (moved.c, held.A @ system.c),
    ):
        rate = np.array([[np.imag(x) for x in row] for row in ours.rows]) / 1e-40
        assert relative_error(rate, array(oracle)) < 2 * robot.nv * np.exp(1.0) * EPS


@robots
def test_held_system_moves_the_state_to_second_order(robot: Robot) -> None:
    """Beside a step of fourth order: the local error has slope 3."""
    q, v, tau = state(robot)
    system, away = linearisation(robot, q, v, tau), []
    for h in (np.float64(0.002), np.float64(0.001)):
        held = system.held(h)
        moved = integrate(robot, integrate(robot, q, v * h), held.c[: robot.nv] - v * h)
        q_end, v_end = step(robot, "rk4", q, v, tau, h)
        error = difference(robot, q_end, moved), v + held.c[robot.nv :] - v_end
        away.append(np.linalg.norm([array(part) for part in error]))
    assert np.log2(away[0] / away[1]) == pytest.approx(3.0, abs=0.1)


def test_displacements_of_a_steady_screw_are_exact() -> None:
    """About a principal axis nothing accelerates: exp(-ad_v h) is all that happens to dq."""
    free = Attachment(Joint("free", "floating"), "world", "body")
    bodies = {"world": Inertia.zero(), "body": body(2.0, 0.0, 0.0, 0.0)}
    robot = assemble("top", bodies, [free], gravity=(0.0, 0.0, 0.0))
    q, v = state(robot)[0], vector([0.0, 0.0, 1.4, 0.0, 0.0, -0.6])
    h = np.float64(0.5)
    held = linearisation(robot, q, v, vector(np.zeros(6))).held(h, bound=2.0)
    assert relative_error(array(held.A[:6, :6]), array(integrate_dq(robot, v * h))) < 16 * EPS
    assert relative_error(array(held.c), np.array([0, 0, 0.7, 0, 0, -0.3, *[0] * 6])) < 16 * EPS


def test_traced_with_h_an_input_or_a_constant() -> None:
    robot = MOVERS["ur5"]()
    inputs = [casadi.SX.sym(name, robot.nv) for name in ("q", "v", "tau")]
    h, values = casadi.SX.sym("h"), [array(x) for x in state(robot)]
    system = linearisation(robot, *(symbols_of(x) for x in inputs))
    oracle = linearisation(robot, *state(robot)).held(np.float64(0.004))
    for given in (system.held(h), system.held(0.004)):
        outputs = [to_sx(x) for x in (given.A, given.B, given.c)]
        found = casadi.Function("held", [*inputs, h], outputs)(*values, 0.004)
        for one, other in zip(found, (oracle.A, oracle.B, oracle.c), strict=True):
            assert relative_error(np.array(one), array(other)) < 1e-14


@pytest.mark.parametrize("bound", [0.0, -1.0, float("inf"), float("nan")])
def test_bounds_that_bound_nothing_are_refused(bound: float) -> None:
    with pytest.raises(ArgumentError, match="bound is of the norm of A h and must be positive"):
        taylor_plan(bound)
