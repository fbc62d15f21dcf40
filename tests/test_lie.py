"""exp, log and Jacobians of SO(3) and SE(3): at 0, near 0, near pi, at pi and beyond, exactly.

Errors are of the worst entry, relative to the largest entry (normwise).
"""

from __future__ import annotations

from functools import cache
from math import cos, factorial, pi, sin

import lie_oracle as oracle
import mpmath
import numpy as np
import pytest
import scalars
from hypothesis import given, settings
from hypothesis import strategies as st
from scalars import EPS, array, exact, relative_error, vector

from symkin import spatial
from symkin.algebra import Matrix, column, constant, hstack, identity, zeros
from symkin.spatial import Pose, lie, rotations

SMALL = [10.0**-k for k in (14, 12, 10, 8, 6, 5, 4, 3, 2, 1)]
NEAR_PI = [pi - 10.0**-k for k in (1, 2, 4, 6, 8, 10, 12)]
ANGLES = [0.0, *SMALL, 1.0, np.nextafter(2.0, 0.0), 2.0, 3.0, *NEAR_PI, pi]
BEYOND = [4.0, 6.0, 6.283]
FEW = [0.0, 1e-14, 1e-8, 1e-3, 0.03, 0.3, 1.0, 2.0, 3.0, pi - 1e-8, pi]

RANDOM = np.random.default_rng(7)
AXES = [*np.eye(3), *-np.eye(3), *RANDOM.normal(size=(3, 3))]
AXES = [axis / np.linalg.norm(axis) for axis in AXES]
V = RANDOM.normal(size=3)
DIRECTION = RANDOM.normal(size=6)

# The longest path from r to an entry has fewer than 30 roundings, and the closed forms above
# theta = 2 lose at most a factor of 8 once more.
VALUE = 32 * EPS
# Differentiating doubles the path, and divides by theta^2 >= 4 once more.
DERIVATIVE = 64 * EPS

SO3 = {
    "exp_so3": (spatial.exp_so3, oracle.exp_so3),
    "left_jacobian_so3": (spatial.left_jacobian_so3, oracle.left_so3),
    "right_jacobian_so3": (spatial.right_jacobian_so3, oracle.right_so3),
    "left_jacobian_so3_inverse": (
        spatial.left_jacobian_so3_inverse,
        lambda r: oracle.inverse(oracle.left_so3(r)),
    ),
    "right_jacobian_so3_inverse": (
        spatial.right_jacobian_so3_inverse,
        lambda r: oracle.inverse(oracle.right_so3(r)),
    ),
}
SE3 = {
    "exp_se3": (lambda xi: spatial.exp_se3(xi).matrix(), oracle.exp_se3),
    "left_jacobian_se3": (spatial.left_jacobian_se3, oracle.left_se3),
    "right_jacobian_se3": (spatial.right_jacobian_se3, oracle.right_se3),
    "left_jacobian_se3_inverse": (
        spatial.left_jacobian_se3_inverse,
        lambda xi: oracle.inverse(oracle.left_se3(xi)),
    ),
    "right_jacobian_se3_inverse": (
        spatial.right_jacobian_se3_inverse,
        lambda xi: oracle.inverse(oracle.right_se3(xi)),
    ),
}
ALL = SO3 | SE3
DOTS = ["left_jacobian_so3", "left_jacobian_so3_inverse"]
DOTS += ["right_jacobian_so3", "right_jacobian_so3_inverse"]


def inputs(name: str, angle: float, axes: list[np.ndarray]) -> list[np.ndarray]:
    return [axis * angle if name in SO3 else np.append(axis * angle, V) for axis in axes]


@cache
def symbolic(name: str) -> scalars.Symbolic:
    return scalars.Symbolic(ALL[name][0], 3 if name in SO3 else 6)


def test_series_are_cut_where_the_rest_is_below_rounding() -> None:
    """The terms left out of value and second derivative, in units of the leading ones."""
    s, n = lie.SERIES_END, lie.SERIES_TERMS
    for k in (5, 6):
        value = s**n * factorial(k) / factorial(2 * n + k)
        second = n * (n - 1) * s ** (n - 2) * factorial(4 + k) / 2 / factorial(2 * n + k)
        assert value < 3e-22
        assert second < 5e-18
    u, n = 1 - cos(pi / 8), len(rotations.LOG_SERIES)
    next_term = rotations.LOG_SERIES[-1] * n / (2 * n + 1)
    # Beyond the first neglected term the series falls faster than the geometric one of ratio u.
    assert next_term * u**n / (1 - u) < 2e-22
    second = n * (n - 1) * next_term * u ** (n - 2) / (1 - u) ** 3
    assert second / (2 * rotations.LOG_SERIES[2]) < 3e-17


@pytest.mark.parametrize("theta", [0.03, 0.3, *ANGLES, *BEYOND, 20.0])
def test_stumpff_functions_and_their_slopes(theta: float) -> None:
    s = theta * theta

    def c(k: int) -> mpmath.mpf:
        return mpmath.nsum(
            lambda n: (-exact(s)) ** n / mpmath.factorial(2 * n + k), [0, mpmath.inf]
        )

    def bound(k: int) -> float:
        """Series: in units of 1/k!. Closed forms: (1/(k-2)! - c_(k-2)) / s carries errors along."""
        if s < 4.0:
            return 2 * EPS / factorial(k)
        if k <= 2:  # theta and the sine are rounded, so the phase is off by theta eps
            return (2 + theta) * EPS * 2 / s
        return (bound(k - 2) + EPS / factorial(k - 2)) / s

    def f(x: Matrix) -> Matrix:
        return column(*lie.stumpff(x[0]).values())

    at, one = np.array([s]), np.ones(1)
    values, stepped, tangent = (
        array(f(vector(at))),
        *(lane(f, at, one) for lane in (scalars.complex_step, scalars.dual)),
    )
    for k in range(1, 7):
        slope = (k * c(k + 2) - c(k + 1)) / 2
        # A slope is of the order of k! / (k + 2)! beside its function, and divides by s once more.
        slope_bound = 8 * bound(k) * max(1 / s if s >= 4.0 else 0.0, 1 / (k + 2) / (k + 1))
        assert abs(values[k - 1, 0] - c(k)) <= bound(k), k
        assert abs(stepped[k - 1, 0] - slope) <= slope_bound, k
        assert abs(tangent[k - 1, 0] - slope) <= slope_bound, k


@pytest.mark.parametrize("theta", [*ANGLES, *BEYOND])
@pytest.mark.parametrize("name", ALL)
def test_values(name: str, theta: float) -> None:
    f, truth = ALL[name]
    for x in inputs(name, theta, AXES[:1] + AXES[-1:]):
        expected = truth(exact(x))
        # Inverses grow with 1 / (2 pi - theta), at which theta is rounded.
        bound = VALUE * (2 * pi / (2 * pi - theta) if "inverse" in name else 1.0)
        assert relative_error(array(f(vector(x))), expected) < bound
        assert relative_error(symbolic(name).value(x), expected) < bound


@pytest.mark.parametrize("theta", FEW)
@pytest.mark.parametrize("name", ALL)
def test_derivatives(name: str, theta: float) -> None:
    """Complex step, dual numbers and SX by both modes, against 50-digit differences."""
    f, truth = ALL[name]
    for x in inputs(name, theta, AXES[1:2] + AXES[-1:]):
        dx = DIRECTION[: len(x)]
        expected = scalars.difference(truth, exact(x), exact(dx))
        stepped, tangent = scalars.complex_step(f, x, dx), scalars.dual(f, x, dx)
        assert relative_error(stepped, expected) < DERIVATIVE
        assert relative_error(tangent, expected) < DERIVATIVE
        assert np.abs(stepped - tangent).max() < 1e-14 * np.abs(stepped).max()
        assert relative_error(symbolic(name).along(x, dx), expected) < DERIVATIVE
        weights = RANDOM.normal(size=expected.shape)
        along = sum((exact(weights) * expected).ravel())
        gradient = symbolic(name).gradient(x, weights)
        terms = sum(abs(gradient * dx)) + sum(abs(weights * array_of(expected)).ravel())
        assert abs(exact(gradient) @ exact(dx) - along) < DERIVATIVE * terms


def array_of(expected: np.ndarray) -> np.ndarray:
    return expected.astype(float)


@pytest.mark.parametrize("theta", FEW)
@pytest.mark.parametrize("name", ["exp_se3", "left_jacobian_se3", "left_jacobian_se3_inverse"])
def test_hessians(name: str, theta: float) -> None:
    truth = ALL[name][1]
    (x,) = inputs(name, theta, AXES[-1:])
    expected = scalars.second_difference(truth, exact(x), exact(DIRECTION))
    weights = RANDOM.normal(size=expected.shape)
    along = sum((exact(weights) * expected).ravel())
    hessian = symbolic(name).hessian(x, weights)
    terms = np.abs(DIRECTION) @ np.abs(hessian) @ np.abs(DIRECTION)
    assert abs(DIRECTION @ hessian @ DIRECTION - along) < 4 * DERIVATIVE * terms


@pytest.mark.parametrize("theta", ANGLES)
@pytest.mark.parametrize("name", DOTS)
def test_rates_of_jacobians(name: str, theta: float) -> None:
    rate = getattr(spatial, name + "_dot")
    for axis in AXES[2:3] + AXES[-1:]:
        r, r_dot = axis * theta, DIRECTION[:3]
        expected = scalars.difference(ALL[name][1], exact(r), exact(r_dot))
        assert relative_error(array(rate(vector(r), vector(r_dot))), expected) < DERIVATIVE


def rounded_rotation(r: np.ndarray) -> np.ndarray:
    return oracle.exp_so3(exact(r)).astype(float)


@pytest.mark.parametrize("theta", ANGLES)
def test_log_so3_of_a_rounded_rotation(theta: float) -> None:
    """Rounded entries move r by at most |J^-1| eps <= pi/2 eps."""
    for axis in AXES:
        r = axis * theta
        value = array(spatial.log_so3(scalars.matrix(rounded_rotation(r)))).ravel()
        if pi - theta < 4 * EPS and value @ r < 0:
            value = -value
        assert relative_error(value, exact(r)) < 8 * EPS


def log_at(r: np.ndarray) -> scalars.Function:
    """x -> log(exp(r) exp(x)), whose derivative at 0 is the inverse of the right Jacobian at r."""
    R = scalars.matrix(rounded_rotation(r))
    return lambda x: spatial.log_so3(R @ spatial.exp_so3(x))


@pytest.mark.parametrize("theta", ANGLES)
def test_derivative_of_log_so3(theta: float) -> None:
    for axis in AXES:
        r, dx = axis * theta, DIRECTION[:3]
        f = log_at(r)
        value = array(f(vector(np.zeros(3)))).ravel()
        if value @ r < 0:
            r = -r
        expected = oracle.inverse(oracle.right_so3(exact(r))) @ exact(dx)
        for lane in (scalars.complex_step, scalars.dual):
            assert relative_error(lane(f, np.zeros(3), dx), expected) < VALUE


@cache
def symbolic_log_se3() -> scalars.Symbolic:
    """log(T exp(x)) as a function of x and of the twelve numbers of T."""

    def f(x: Matrix) -> Matrix:
        R = Matrix([list(x[6 + 3 * i : 9 + 3 * i]) for i in range(3)])
        return spatial.log_se3(Pose(R, x[15:]) @ spatial.exp_se3(x[:6]))

    return scalars.Symbolic(f, 18)


@pytest.mark.parametrize("theta", ANGLES)
def test_log_se3_and_its_derivative(theta: float) -> None:
    dx = np.concatenate([DIRECTION, np.zeros(12)])
    for axis in AXES[:1] + AXES[-1:]:
        xi = np.append(axis * theta, V)
        T = oracle.exp_se3(exact(xi)).astype(float)
        x = np.concatenate([np.zeros(6), T[:3, :3].ravel(), T[:3, 3]])
        pose = Pose.from_matrix(scalars.matrix(T))
        value = array(spatial.log_se3(pose)).ravel()
        if value[:3] @ axis < 0:  # the other logarithm of a half turn
            xi = np.append(-axis * theta, oracle_translation(-axis * theta, T[:3, 3]))
        # The translation is rounded, and moved by an error of r, each times |J^-1| <= pi/2.
        assert relative_error(value, exact(xi)) < VALUE
        assert relative_error(symbolic_log_se3().value(x), exact(xi)) < VALUE
        expected = oracle.inverse(oracle.right_se3(exact(xi))) @ exact(DIRECTION)
        assert relative_error(symbolic_log_se3().along(x, dx), expected) < DERIVATIVE
        gradients = [symbolic_log_se3().gradient(x, row)[:6] @ DIRECTION for row in np.eye(6)]
        assert relative_error(gradients, expected) < DERIVATIVE

        def f(x: Matrix, pose: Pose = pose) -> Matrix:
            return spatial.log_se3(pose @ spatial.exp_se3(x))

        for lane in (scalars.complex_step, scalars.dual):
            assert relative_error(lane(f, np.zeros(6), DIRECTION), expected) < DERIVATIVE


def oracle_translation(r: np.ndarray, p: np.ndarray) -> np.ndarray:
    return (oracle.inverse(oracle.left_so3(exact(r))) @ exact(p)).astype(float)


@pytest.mark.parametrize("theta", FEW)
def test_hessian_of_log_so3(theta: float) -> None:
    """Along exp(r) exp(t dx) the rate of r is J_r^-1(r) dx, whose rate is differenced."""
    dx = DIRECTION[:3]

    def rate(r: np.ndarray) -> np.ndarray:
        return oracle.inverse(oracle.right_so3(r)) @ exact(dx)

    for axis in AXES:
        x = np.concatenate([np.zeros(6), rounded_rotation(axis * theta).ravel(), np.zeros(3)])
        r = exact(symbolic_log_se3().value(x).ravel()[:3])
        expected = scalars.difference(rate, r, rate(r))
        hessians = [symbolic_log_se3().hessian(x, row)[:3, :3] for row in np.eye(6)[:3]]
        terms = max(np.abs(dx) @ np.abs(hessian) @ np.abs(dx) for hessian in hessians)
        value = exact([dx @ hessian @ dx for hessian in hessians])
        assert max(abs(value - expected)) < DERIVATIVE * max(terms, 1.0)


MAGNITUDES = st.floats(-14, 0.0).map(lambda k: 3.14159 * 10.0**k)
UNITS = st.tuples(*[st.floats(-1, 1)] * 3).map(np.array).filter(lambda a: np.linalg.norm(a) > 0.1)
ROTATION_VECTORS = st.builds(lambda m, a: m * a / np.linalg.norm(a), MAGNITUDES, UNITS)
TRANSLATIONS = st.tuples(*[st.floats(-10, 10)] * 3).map(np.array)


def norm(A: Matrix) -> float:
    return float(np.abs(array(A)).max())


@settings(deadline=None)  # a busy machine is no error
@given(ROTATION_VECTORS, TRANSLATIONS)
def test_round_trips(r: np.ndarray, v: np.ndarray) -> None:
    xi = vector([*r, *v])
    T = spatial.exp_se3(xi)
    back = spatial.log_se3(T)
    size = max(1.0, float(np.abs(v).max()))
    assert norm(back[:3] - xi[:3]) < VALUE * norm(xi[:3])
    assert norm(back - xi) < VALUE * size
    again = spatial.exp_se3(back)
    assert norm(again.R - T.R) < VALUE
    assert norm(again.p - T.p) < VALUE * size


@settings(deadline=None)  # a busy machine is no error
@given(ROTATION_VECTORS, TRANSLATIONS)
def test_group_laws(r: np.ndarray, v: np.ndarray) -> None:
    """J_l = R J_r, Ad_T J_r = J_l, J J^-1 = 1, J_r(xi) = J_l(-xi), exp(-xi) = exp(xi)^-1."""
    xi, omega = vector([*r, *v]), vector(r)
    T = spatial.exp_se3(xi)
    size = max(1.0, float(np.abs(v).max()))
    left, right = spatial.left_jacobian_so3(omega), spatial.right_jacobian_so3(omega)
    assert norm(left - T.R @ right) < VALUE
    assert norm(left - spatial.right_jacobian_so3(-omega)) == 0.0
    assert norm(left @ spatial.left_jacobian_so3_inverse(omega) - identity(3)) < VALUE
    assert norm(right @ spatial.right_jacobian_so3_inverse(omega) - identity(3)) < VALUE
    left, right = spatial.left_jacobian_se3(xi), spatial.right_jacobian_se3(xi)
    Ad = hstack(*[T.Ad(identity(6).column(j)) for j in range(6)])
    assert norm(left - Ad @ right) < VALUE * size
    assert norm(left @ spatial.left_jacobian_se3_inverse(xi) - identity(6)) < VALUE * size
    assert norm(right @ spatial.right_jacobian_se3_inverse(xi) - identity(6)) < VALUE * size
    assert norm((spatial.exp_se3(-xi) @ T).matrix() - identity(4)) < VALUE * size


def test_right_jacobian_is_the_second_seeds_matrix() -> None:
    """A(r) = 1 - (1 - cos a)/a^2 [r] + (a - sin a)/a^3 [r]^2 and det A = 2 (1 - cos a)/a^2."""
    for r in RANDOM.normal(size=(20, 3)):
        a, S = np.linalg.norm(r), array(spatial.skew(vector(r)))
        A = np.eye(3) - (1 - cos(a)) / a**2 * S + (a - sin(a)) / a**3 * S @ S
        # The closed forms cancel: their rounding is eps / a^2 and eps / a^3.
        bound = 8 * EPS * (1 + 1 / a)
        value = array(spatial.right_jacobian_so3(vector(r)))
        assert np.abs(value - A).max() < bound
        assert abs(np.linalg.det(value) - 2 * (1 - cos(a)) / a**2) < 8 * EPS * (1 + 1 / a**2)


@pytest.mark.parametrize("name", ALL)
def test_batches_equal_single_calls_and_warn_of_nothing(name: str) -> None:
    f = ALL[name][0]
    x = np.array([inputs(name, angle, AXES[-1:])[0] for angle in [*ANGLES, 4.0, 20.0]])
    batch = f(Matrix([[x[:, i]] for i in range(x.shape[1])]))
    for n, row in enumerate(x):
        single = array(f(vector(row)))
        value = array(batch.map(lambda y, n=n: np.broadcast_to(y, len(x))[n]))
        assert np.abs(value - single).max() <= EPS * np.abs(single).max()


def test_batches_of_logarithms() -> None:
    r = np.array([AXES[-1] * angle for angle in ANGLES])
    T = spatial.exp_se3(Matrix([[r[:, i]] for i in range(3)] + [[np.full(len(r), x)] for x in V]))
    batch = np.array(spatial.log_se3(T).rows)[:, 0]
    assert np.abs(batch[:3].T - r).max() < VALUE * pi
    assert np.abs(batch[3:].T - V).max() < VALUE * pi


def test_constants_stay_constants() -> None:
    xi = constant([0.1, -0.2, 0.3, 1.0, 2.0, 3.0])
    T = spatial.exp_se3(xi)
    for A in (T.matrix(), spatial.log_se3(T), spatial.left_jacobian_se3_inverse(xi)):
        assert all(type(entry) is float for entry in A)
    assert spatial.exp_so3(zeros(3)).rows == identity(3).rows
    assert list(spatial.log_so3(identity(3))) == [0.0, 0.0, 0.0]
