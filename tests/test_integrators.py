"""Steps x+ = f(x, tau, h): orders, invariants, and A, B, dx+/dh against complex steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import casadi
import numpy as np
import pytest
from movers import MOVERS, free_body, pendulum, state
from scalars import CASES, EPS, array, checks, matrix, relative_error, symbols_of, vector

from symkin.algebra import Matrix, add, to_sx, vstack
from symkin.algorithms import integrators
from symkin.algorithms.aba import forward_dynamics
from symkin.algorithms.configuration import difference, integrate, position_rate
from symkin.algorithms.crba import inverse_mass_matrix
from symkin.algorithms.forward_derivatives import forward_dynamics_dq, forward_dynamics_dv
from symkin.algorithms.implicit_stages import eliminate, newton_iterations
from symkin.algorithms.integrators import IMPLICIT, SCHEMES, Transition, residual, step, transition
from symkin.algorithms.linearisation import linearisation
from symkin.algorithms.momentum import kinetic_energy, potential_energy
from symkin.errors import ArgumentError
from symkin.model import Robot, load

ORDERS = {
    "euler": 1,
    "semi_implicit_euler": 1,
    "rk4": 4,
    "implicit_euler": 1,
    "implicit_midpoint": 2,
}
H = np.float64(0.01)


def robots(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", names or tuple(MOVERS))


schemes = pytest.mark.parametrize("scheme", SCHEMES)


@cache
def robot_of(name: str) -> Robot:
    return MOVERS[name]()


@cache
def traced(name: str, scheme: str) -> casadi.Function:
    """(q, v, tau, h) -> (q+, v+) as an SX function."""
    robot = robot_of(name)
    return function_of(robot, lambda q, v, tau, h: step(robot, scheme, q, v, tau, h))


def function_of(robot: Robot, f: Callable[..., tuple[Matrix, ...]]) -> casadi.Function:
    sizes = {"q": robot.nq, "v": robot.nv, "tau": robot.nv}
    inputs = [casadi.SX.sym(name, size) for name, size in sizes.items()]
    h = casadi.SX.sym("h")
    outputs = f(*(symbols_of(x) for x in inputs), h)
    return casadi.Function("f", [*inputs, h], [to_sx(output) for output in outputs])


def test_every_scheme_has_an_order() -> None:
    assert SCHEMES.keys() == ORDERS.keys() >= IMPLICIT.keys()


# Derivatives


def complex_steps(robot: Robot, scheme: str, h: float) -> Iterator[np.ndarray]:
    """dx+ along (dq, dv), along tau and along h, all at once by the step on arrays."""
    q, v, tau = state(robot)
    n, tiny = robot.nv, 1e-40
    units = 1j * tiny * np.eye(3 * n + 1)

    def moved(x: Matrix, first: int) -> Matrix:
        return Matrix([[add(entry, units[first + i])] for i, entry in enumerate(x)])

    q_moved = integrate(robot, q, moved(vector(np.zeros(n)), 0))
    end = step(robot, scheme, q_moved, moved(v, n), moved(tau, 2 * n), h + units[3 * n])
    q_end, _ = step(robot, scheme, q, v, tau, h)
    dx = vstack(difference(robot, q_end, end[0]), end[1])
    J = np.array([np.imag(entry) / tiny for entry in dx])
    yield from (J[:, : 2 * n], J[:, 2 * n : 3 * n], J[:, 3 * n :])


@robots()
@schemes
def test_matrices_are_complex_steps_of_the_step(name: str, scheme: str) -> None:
    """Both ways use M by the same factors, so its condition cancels: 45 roundings are left."""
    robot = robot_of(name)
    n, moved = robot.nv, transition(robot, scheme, *state(robot), H)
    for ours, oracle in zip(
        (moved.A, moved.B, moved.dh), complex_steps(robot, scheme, H), strict=True
    ):
        for rows in (slice(0, n), slice(n, 2 * n)):
            for first in range(0, ours.shape[1], n):
                columns = slice(first, first + n)
                assert relative_error(array(ours[rows, columns]), oracle[rows, columns]) < 1e-14


@robots()
@schemes
def test_transition_ends_where_the_step_does(name: str, scheme: str) -> None:
    robot = robot_of(name)
    moved = transition(robot, scheme, *state(robot), H)
    q, v = step(robot, scheme, *state(robot), H)
    assert relative_error(array(moved.q), array(q)) < 8 * EPS
    assert relative_error(array(moved.v), array(v)) < 64 * EPS


@robots("planar_2r", "ur5")
def test_semi_implicit_euler_has_the_closed_form(name: str) -> None:
    robot = robot_of(name)
    q, v, tau = state(robot)
    one, h = np.eye(robot.nv), H
    a_q = array(forward_dynamics_dq(robot, q, v, tau))
    a_v = array(forward_dynamics_dv(robot, q, v, tau))
    inverse = array(inverse_mass_matrix(robot, q))
    A = np.block([[one + h * h * a_q, h * (one + h * a_v)], [h * a_q, one + h * a_v]])
    moved = transition(robot, "semi_implicit_euler", q, v, tau, h)
    assert relative_error(array(moved.A), A) < 8 * EPS
    assert relative_error(array(moved.B), np.vstack([h * h * inverse, h * inverse])) < 8 * EPS


@robots()
@schemes
def test_every_scheme_starts_along_the_linearisation(name: str, scheme: str) -> None:
    """A = 1 + h A_c, B = h B_c and x+ = x + h c to first order, by a complex step of h from 0."""
    robot = robot_of(name)
    q, v, tau = state(robot)
    system, tiny = linearisation(robot, q, v, tau), 1e-40
    moved = transition(robot, scheme, q, v, tau, np.complex128(1j * tiny))
    for ours, oracle in ((moved.A, system.A), (moved.B, system.B)):
        rate = np.array([[np.imag(entry) / tiny for entry in row] for row in ours.rows])
        assert relative_error(rate, array(oracle)) < 1e-14
    assert relative_error(np.real(np.array(moved.dh.rows)), array(system.c)) < 1e-14


# Order and invariants


@cache
def reference(name: str, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """The end of the motion by the classical RK4 in ambient coordinates, dq/dt = N v, 800 steps.

    Its error is below 1e-5 of what RK4 makes of the largest number of steps here, 40.
    """
    robot = robot_of(name)

    def rates(q: Matrix, v: Matrix, tau: Matrix, _: object) -> tuple[Matrix, Matrix]:
        return position_rate(robot, q) @ v, forward_dynamics(robot, q, v, tau)

    f = function_of(robot, rates)
    x = casadi.MX.sym("x", robot.nq + robot.nv)
    tau, h = array(state(robot)[2]), duration / 800

    def rate(x: casadi.MX) -> casadi.MX:
        return casadi.vertcat(*f(x[: robot.nq], x[robot.nq :], tau, 0.0))

    k1 = rate(x)
    k2 = rate(x + h / 2 * k1)
    k3 = rate(x + h / 2 * k2)
    k4 = rate(x + h * k3)
    once = casadi.Function("once", [x], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    start = array(vstack(*state(robot)[:2]))
    end = np.array(once.fold(800)(start)).ravel()
    return end[: robot.nq], end[robot.nq :]


def error_after(name: str, scheme: str, duration: float, steps: int) -> float:
    """How far from the reference, in the tangent space, a number of steps ends."""
    robot = robot_of(name)
    q, v, tau = (array(x) for x in state(robot))
    for _ in range(steps):
        q, v = traced(name, scheme)(q, v, tau, duration / steps)
    q_end, v_end = reference(name, duration)
    away = array(difference(robot, vector(q_end), vector(np.array(q).ravel())))
    return float(np.linalg.norm(np.concatenate([away.ravel(), np.array(v).ravel() - v_end])))


@robots()
@schemes
def test_order_of_accuracy_by_step_halving(name: str, scheme: str) -> None:
    """The slope differs from the order in proportion to the step, so two of them give it."""
    errors = [error_after(name, scheme, 0.05, steps) for steps in (10, 20, 40)]
    coarse, fine = np.log2(np.array(errors[:-1]) / errors[1:])
    assert 2 * fine - coarse == pytest.approx(ORDERS[scheme], abs=0.01)


def energies(robot: Robot, scheme: str, start: list[float], h: float, steps: int) -> np.ndarray:
    nq = robot.nq

    def both(q: Matrix, v: Matrix, tau: Matrix, h: object) -> tuple[Matrix, Matrix]:
        q_next, v_next = step(robot, scheme, q, v, tau, h)
        energy = kinetic_energy(robot, q, v) + potential_energy(robot, q)
        return vstack(q_next, v_next), energy

    f = function_of(robot, both)
    x, found = np.array(start), []
    for _ in range(steps):
        x, energy = f(x[:nq], x[nq:], np.zeros(robot.nv), h)
        x = np.array(x).ravel()
        found.append(float(energy))
    return np.array(found)


@schemes
def test_symplectic_schemes_keep_the_area_of_a_pendulum_and_bound_its_energy(scheme: str) -> None:
    """Of one degree of freedom and constant M: symplectic is det A = 1."""
    robot, symplectic = pendulum(), scheme in ("semi_implicit_euler", "implicit_midpoint")
    q, v, _ = state(robot)
    A = array(transition(robot, scheme, q, v, vector([0.0]), np.float64(0.05)).A)
    assert (abs(np.linalg.det(A) - 1.0) < 16 * EPS) == symplectic
    energy = energies(robot, scheme, [1.5, 0.0], 0.02, 4000)  # about 45 swings to and fro
    early, late = energy[:400], energy[-400:]
    assert (abs(early.mean() - late.mean()) < 0.1 * np.ptp(early)) == symplectic


def test_midpoint_keeps_the_kinetic_energy_of_a_free_body() -> None:
    """It keeps quadratic invariants, here that of a constant inertia; Euler's steps do not."""
    start = [0.0] * 6 + [1.0, 1.0, -2.0, 0.5, 0.3, 0.2, -0.1]
    kept = energies(free_body(), "implicit_midpoint", start, 0.05, 100)
    lost = energies(free_body(), "semi_implicit_euler", start, 0.05, 100)
    assert np.ptp(kept) < 100 * 16 * EPS * kept[0]
    assert np.ptp(lost) > 1e-3 * lost[0]


# Implicit stages


@robots()
@pytest.mark.parametrize("scheme", IMPLICIT)
def test_newton_squares_its_error_down_to_the_tolerance(name: str, scheme: str) -> None:
    """One more Newton step at least squares what the last one left, until rounding of the torques
    that residuals are differences of, at most 100 N m."""
    robot = robot_of(name)
    q, v, tau = state(robot)
    rounding = 100 * 16 * EPS
    left = [
        np.abs(array(residual(robot, scheme, q, v, tau, np.float64(0.05), tolerance))).max()
        for tolerance in (1e-2, 1e-4, 1e-8, 1e-15)
    ]
    for before, after in pairwise(left):
        assert after < max(10 * before**2, rounding)
    assert left[0] > rounding
    assert left[-1] < rounding


def test_iterations_of_newton() -> None:
    assert [newton_iterations(10.0**-k) for k in (1, 2, 3, 4, 8, 15, 16)] == [1, 1, 2, 2, 3, 4, 4]


def test_elimination_solves_unsymmetric_systems() -> None:
    rng = np.random.default_rng(5)
    A, B = np.eye(6) * 4 + rng.uniform(-1, 1, (6, 6)), rng.uniform(-1, 1, (6, 3))
    X = array(eliminate(matrix(A), matrix(B)))
    assert relative_error(A @ X, B) < 6 * EPS * np.linalg.cond(A)


# One algorithm over every scalar


@robots()
@schemes
def test_traced_is_evaluated(name: str, scheme: str) -> None:
    """The same operations in the same order, up to what CasADi simplifies."""
    robot = robot_of(name)
    inputs = [array(x) for x in state(robot)]
    q, v = (np.array(x) for x in traced(name, scheme)(*inputs, H))
    q_float, v_float = step(robot, scheme, *state(robot), H)
    assert relative_error(q, array(q_float)) < 8 * EPS
    assert relative_error(v, array(v_float)) < 256 * EPS


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("planar_2r", "rk4"),
        ("ur5", "implicit_euler"),
        ("flying", "semi_implicit_euler"),
        ("flying", "implicit_midpoint"),
    ],
)
def test_traced_matrices_with_h_a_constant_or_an_input(name: str, scheme: str) -> None:
    robot = robot_of(name)
    inputs = [array(x) for x in state(robot)]

    def parts(moved: Transition) -> tuple[Matrix, ...]:
        return moved.A, moved.B, moved.dh

    evaluated = parts(transition(robot, scheme, *state(robot), H))
    given = function_of(robot, lambda *args: parts(transition(robot, scheme, *args)))
    fixed = function_of(
        robot, lambda q, v, tau, _: parts(transition(robot, scheme, q, v, tau, float(H)))
    )
    for one, two, oracle in zip(given(*inputs, H), fixed(*inputs, np.nan), evaluated, strict=True):
        assert relative_error(np.array(one), array(oracle)) < 1e-14
        assert relative_error(np.array(two), array(oracle)) < 1e-14


# Trouble cases and errors


@pytest.mark.parametrize("check", checks("D06_transition_matrices"))
def test_transition_matrices_of_the_case(check: dict) -> None:
    given = check["in"]
    robot = load(CASES / "D06_transition_matrices" / given["file"])
    q, v, tau = (vector(given[name]) for name in ("q", "qd", "tau"))
    which, kind = check["op"].split("_")
    if kind == "continuous":
        system = linearisation(robot, q, v, tau)
    else:
        system = transition(robot, given["scheme"], q, v, tau, np.float64(given["h"]))
    assert relative_error(array(getattr(system, which)), np.array(check["expect"])) < 1e-9


def test_unknown_schemes_are_refused() -> None:
    robot = robot_of("planar_2r")
    with pytest.raises(ArgumentError, match="no integration scheme 'verlet'; there are 'euler'"):
        step(robot, "verlet", *state(robot), H)
    with pytest.raises(ArgumentError, match="no integration scheme 'verlet'"):
        transition(robot, "verlet", *state(robot), H)
    with pytest.raises(ArgumentError, match="scheme 'rk4', only by 'implicit_euler', 'impl"):
        residual(robot, "rk4", *state(robot), H)


@pytest.mark.parametrize("tolerance", [0.0, 1.0, -1e-3, float("nan")])
def test_tolerances_out_of_reach_are_refused(tolerance: float) -> None:
    robot = robot_of("planar_2r")
    with pytest.raises(ArgumentError, match=r"between 0 and 1, not .*; 1e-15 solves to rounding"):
        integrators.step(robot, "implicit_euler", *state(robot), H, tolerance=tolerance)
