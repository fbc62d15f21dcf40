"""Euler angles and quaternions: values, derivatives, the gimbal, half turns, the double cover."""

from __future__ import annotations

from itertools import product
from math import cos, pi, sin

import lie_oracle as oracle
import mpmath
import numpy as np
import pytest
import scalars
from hypothesis import given, settings
from hypothesis import strategies as st
from scalars import EPS, array, checks, exact, matrix, relative_error, vector

from symkin import spatial
from symkin.algebra import Matrix, constant

RANDOM = np.random.default_rng(11)
# The longest path has fewer than 16 roundings of numbers up to 1.
VALUE = 16 * EPS

ANGLES = st.tuples(st.floats(-3.1, 3.1), st.floats(-1.57, 1.57), st.floats(-3.1, 3.1)).map(np.array)
RATES = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)


def turn(axis: list[int], angle: object) -> np.ndarray:
    """The rotation about a coordinate axis in 50 digits."""
    return oracle.exp_so3(exact(axis) * angle)


def rotation_oracle(angles: np.ndarray) -> np.ndarray:
    phi, theta, psi = angles
    return turn([0, 0, 1], psi) @ turn([0, 1, 0], theta) @ turn([1, 0, 0], phi)


def rotation_entries(R: np.ndarray) -> Matrix:
    return matrix(R.astype(float))


def difference_mod_turn(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs((a - b + pi) % (2 * pi) - pi)


@settings(deadline=None)  # a busy machine is no error
@given(ANGLES)
def test_rotation_zyx_and_back(angles: np.ndarray) -> None:
    R = spatial.rotation_zyx(vector(angles))
    assert relative_error(array(R), rotation_oracle(exact(angles))) < VALUE
    back = spatial.euler_zyx(R)
    assert np.abs(array(spatial.rotation_zyx(back) - R)).max() < VALUE
    # Roll and yaw are found from entries of size cos theta.
    error = difference_mod_turn(array(back).ravel(), angles)
    assert error.max() < VALUE / cos(angles[1])


@pytest.mark.parametrize("theta", [0.0, 0.7, -1.5, 1.57, pi / 2 - 1e-6, -pi / 2 + 1e-9])
def test_derivatives_of_angles(theta: float) -> None:
    """angles(R(angles)) is the identity; its derivative is found from entries of size cos theta."""
    angles, rates = np.array([0.3, theta, -2.0]), np.array([0.5, -0.8, 1.1])

    def f(x: Matrix) -> Matrix:
        return spatial.euler_zyx(spatial.rotation_zyx(x))

    traced = scalars.Symbolic(f, 3)
    for lane in (scalars.complex_step, scalars.dual, lambda _f, x, dx: traced.along(x, dx)):
        error = np.abs(lane(f, angles, rates).ravel() - rates).max()
        assert error < 2 * VALUE / cos(theta) ** 2
    gradient = [traced.gradient(angles, row) @ rates for row in np.eye(3)]
    assert np.abs(gradient - rates).max() < 2 * VALUE / cos(theta) ** 2


def gimbal_rotations() -> list[np.ndarray]:
    """Pitch exactly +-pi/2, by exact entries and by products of rounded ones."""
    rounded = [
        array(spatial.rotation_zyx(vector([phi, theta, psi])))
        for phi, theta, psi in product([0.0, 0.3, -1.1, pi], [pi / 2, -pi / 2], [0.0, 0.8, 3.0])
    ]
    exactly = [
        np.array([[0, sin(a) * s, cos(a) * s], [0, cos(a), -sin(a)], [-s, 0, 0]])
        for a, s in product([0.0, 0.4, -2.0, pi / 2, pi], [1.0, -1.0])
    ]
    return rounded + exactly


def test_gimbal() -> None:
    """Finite angles that rebuild R, finite derivatives, over every scalar."""
    traced = scalars.Symbolic(lambda x: spatial.euler_zyx(square(x)), 9)
    for R in gimbal_rotations():
        angles = array(spatial.euler_zyx(matrix(R)))
        assert np.abs(array(spatial.rotation_zyx(vector(angles.ravel()))) - R).max() < VALUE
        assert np.abs(traced.value(R.ravel()) - angles).max() < VALUE
        R_dot = (array(spatial.skew(vector([0.3, -0.5, 0.8]))) @ R).ravel()
        rates = traced.along(R.ravel(), R_dot)
        assert np.isfinite(rates).all()
        assert np.isfinite(traced.gradient(R.ravel(), np.ones((3, 1)))).all()
        for lane in (scalars.complex_step, scalars.dual):
            value = lane(lambda x: spatial.euler_zyx(square(x)), R.ravel(), R_dot)
            assert np.abs(value - rates).max() < VALUE


def square(x: Matrix) -> Matrix:
    return Matrix([list(x[3 * i : 3 * i + 3]) for i in range(3)])


@pytest.mark.parametrize("check", checks("L07_rpy_extraction_at_gimbal"))
def test_case_of_the_gimbal(check: dict) -> None:
    angles = spatial.euler_zyx(matrix(check["in"]["R"]))
    assert np.isfinite(array(angles)).all()
    rebuilt = array(spatial.rotation_zyx(angles))
    assert np.abs(rebuilt - check["rebuild"]).max() <= check["rebuild_atol"]
    if check["expect"] is not None:
        error = difference_mod_turn(array(angles).ravel(), np.array(check["expect"]))
        assert (error <= check["atol"]).all()


@settings(deadline=None)  # a busy machine is no error
@given(ANGLES, RATES)
def test_rates_of_euler_angles(angles: np.ndarray, rates: np.ndarray) -> None:
    """[E rates] = (dR/dt) R', E^-1 E = 1, det E = cos theta, and the time derivatives of both."""
    E, size = spatial.rate_zyx(vector(angles)), max(1.0, float(np.abs(rates).max()))
    R = array(spatial.rotation_zyx(vector(angles)))
    R_dot = scalars.complex_step(spatial.rotation_zyx, angles, rates)
    w = E @ vector(rates)
    assert np.abs(R_dot @ R.T - array(spatial.skew(w))).max() < VALUE * size
    assert abs(np.linalg.det(array(E)) - cos(angles[1])) < VALUE
    E_inverse, secant = spatial.rate_zyx_inverse(vector(angles)), 1 / cos(angles[1])
    assert np.abs(array(E_inverse @ E) - np.eye(3)).max() < VALUE * secant
    E_dot = array(spatial.rate_zyx_dot(vector(angles), vector(rates)))
    stepped = scalars.complex_step(spatial.rate_zyx, angles, rates)
    assert np.abs(E_dot - stepped).max() < VALUE * size
    inverse_dot = array(spatial.rate_zyx_inverse_dot(vector(angles), vector(rates)))
    stepped = scalars.complex_step(spatial.rate_zyx_inverse, angles, rates)
    # The product E^-1 (dE/dt) E^-1 has terms of size secant^2, each with its roundings.
    assert np.abs(inverse_dot - stepped).max() < 2 * VALUE * size * secant**2


def test_rates_grow_towards_the_gimbal() -> None:
    """The largest entry of E^-1 is cos(psi) / cos(theta): 1.5e6 at 6.3e-7 rad from the gimbal."""
    for distance in (0.63, 0.063, 6.3e-3, 6.3e-4, 6.3e-7):
        E_inverse = spatial.rate_zyx_inverse(vector([0.0, pi / 2 - distance, 0.3]))
        largest = np.abs(array(E_inverse)).max()
        assert largest == pytest.approx(cos(0.3) / sin(distance), rel=4 * EPS / distance)


AXES = [np.array(a) / np.linalg.norm(a) for a in product([-1, 0, 1], repeat=3) if any(a)]
AXES += [a / np.linalg.norm(a) for a in RANDOM.normal(size=(4, 3))]
TURNS = [0.0, 1e-14, 1e-8, 1e-3, 1.0, pi / 2, 2 * pi / 3, 2.5, pi - 1e-3, pi - 1e-10, pi]


def quaternion(axis: np.ndarray, angle: float) -> np.ndarray:
    """x, y, z, w in 50 digits; the axis is made a unit vector."""
    a, half = exact(axis), mpmath.mpf(angle) / 2
    return np.append(a / mpmath.norm(list(a)) * mpmath.sin(half), mpmath.cos(half))


def rotation_of(axis: np.ndarray, angle: float) -> np.ndarray:
    a = exact(axis)
    return oracle.exp_so3(a / mpmath.norm(list(a)) * mpmath.mpf(angle))


@pytest.mark.parametrize("angle", TURNS)
def test_quaternions(angle: float) -> None:
    for axis in AXES:
        R, q = rotation_of(axis, angle), quaternion(axis, angle)
        value = array(spatial.quaternion_from_rotation(rotation_entries(R))).ravel()
        assert value[3] >= 0.0
        sign = -1.0 if angle == pi and value @ q.astype(float) < 0 else 1.0
        assert relative_error(sign * value, q) < VALUE
        unit = spatial.rotation_from_unit_quaternion(vector(q.astype(float)))
        assert relative_error(array(unit), R) < VALUE
        for scale in (1.0, -1.0, 2.0, 1.000001):
            scaled = vector(scale * q.astype(float))
            assert relative_error(array(spatial.rotation_from_quaternion(scaled)), R) < VALUE
            log = array(spatial.quaternion_log(scaled)).ravel()
            expected = exact(axis) / mpmath.norm(list(exact(axis))) * mpmath.mpf(angle)
            assert relative_error(log, expected) < VALUE or angle == pi
            assert relative_error(abs(log), abs(expected)) < VALUE


def rotated(q: np.ndarray) -> scalars.Function:
    """x -> the quaternion of R(q) exp(x): its rate along omega_body is the rate map's."""
    R = matrix(array(spatial.rotation_from_quaternion(vector(q))))
    return lambda x: spatial.quaternion_from_rotation(R @ spatial.exp_so3(x))


@pytest.mark.parametrize("angle", TURNS)
def test_rates_of_quaternions(angle: float) -> None:
    w = np.array([0.4, -0.7, 0.2])
    for axis in AXES:
        q = quaternion(axis, angle).astype(float)
        f = rotated(q)
        value = array(f(vector(np.zeros(3)))).ravel()
        rate = array(spatial.quaternion_rate(vector(value)) @ vector(w))
        for lane in (scalars.complex_step, scalars.dual):
            assert np.abs(lane(f, np.zeros(3), w) - rate).max() < VALUE


def test_quaternions_in_sx_have_finite_derivatives_on_every_branch() -> None:
    """Each of the four columns is picked somewhere, also where two or all are equally long."""
    direct = scalars.Symbolic(lambda x: spatial.quaternion_from_rotation(square(x)), 9)
    log = scalars.Symbolic(spatial.quaternion_log, 4)
    w = np.array([0.4, -0.7, 0.2])
    for axis, angle in product(AXES, TURNS):
        R = rotation_of(axis, angle).astype(float)
        R_dot = R @ array(spatial.skew(vector(w)))
        q = direct.value(R.ravel()).ravel()
        rate = array(spatial.quaternion_rate(vector(q)) @ vector(w))
        assert np.abs(direct.along(R.ravel(), R_dot.ravel()) - rate).max() < VALUE
        gradient = [direct.gradient(R.ravel(), row) @ R_dot.ravel() for row in np.eye(4)]
        assert np.abs(gradient - rate.ravel()).max() < VALUE
        r_dot = spatial.right_jacobian_so3_inverse(vector(log.value(q).ravel())) @ vector(w)
        assert np.abs(log.along(q, rate.ravel()) - array(r_dot)).max() < 2 * VALUE


def test_batches_of_rotations() -> None:
    R = np.array([rotation_of(axis, angle).astype(float) for axis in AXES for angle in TURNS])
    batch = Matrix([[R[:, i, j] for j in range(3)] for i in range(3)])
    for f in (spatial.quaternion_from_rotation, spatial.log_so3, spatial.euler_zyx):
        values = np.array(f(batch).rows)[:, 0].T
        singles = [array(f(matrix(single))).ravel() for single in R]
        assert np.abs(values - singles).max() <= 4 * EPS * pi


def test_constants_stay_constants() -> None:
    """A file's rpy and quaternions become constants of the model; right angles stay exact zeros."""
    R = spatial.rotation_zyx(constant([0.0, 0.0, 0.5]))
    assert R.rows[2] == (0.0, 0.0, 1.0)
    q = spatial.quaternion_from_rotation(R)
    for A in (R, spatial.euler_zyx(R), q, spatial.quaternion_log(q)):
        assert all(type(entry) is float for entry in A)


@pytest.mark.parametrize("check", checks("L09_quaternion_double_cover"))
def test_case_of_the_double_cover(check: dict) -> None:
    f = {"quat_log": spatial.quaternion_log, "quat_to_R": spatial.rotation_from_quaternion}
    value = array(f[check["op"]](vector(check["in"]["quat_xyzw"])))
    expect = np.array(check["expect"]).reshape(value.shape)
    assert (np.abs(value - expect) <= check["atol"] + check["rtol"] * np.abs(expect)).all()


NOT_UNIT = checks("K10_quaternion_not_unit")


@pytest.mark.parametrize("check", [c for c in NOT_UNIT if c.values[0]["op"] == "fk"])
def test_case_of_a_quaternion_that_is_not_unit(check: dict) -> None:
    """The trunk's rotation, and both joints (about y and x) below it: the foot's."""
    q = check["in"]["q"]
    trunk = spatial.rotation_from_quaternion(vector(q[3:7]))
    assert np.abs(array(trunk.T @ trunk) - np.eye(3)).max() < VALUE
    foot = trunk @ spatial.rotation_zyx(vector([0, q[7], 0]))
    foot = array(foot @ spatial.rotation_zyx(vector([q[8], 0, 0])))
    expect = np.array(check["expect"])[:3, :3]
    assert (np.abs(foot - expect) <= check["atol"] + check["rtol"] * np.abs(expect)).all()


def test_zero_quaternion_is_not_a_number() -> None:
    zero = np.zeros(4)
    for f in (spatial.rotation_from_quaternion, spatial.quaternion_log):
        assert np.isnan(scalars.Symbolic(f, 4).value(zero)).any()
        with np.errstate(divide="ignore", invalid="ignore"):
            assert np.isnan(array(f(vector(zero)))).any()


def test_case_of_the_quaternion_rate_map() -> None:
    (check,) = [
        c.values[0]
        for c in checks("K11_tangent_vs_ambient_derivative")
        if c.values[0]["op"] == "quat_rate_map"
    ]
    value = array(spatial.quaternion_rate(vector(check["in"]["quat"])))
    assert np.abs(value - check["expect"]).max() <= check["atol"]
