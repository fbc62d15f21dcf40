"""Scalars and small matrices: every kind of scalar computes the same function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import casadi
import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from long_numbers import long

from symkin import algebra
from symkin.algebra import (
    DOUBLE,
    SINGLE,
    Bounded,
    Dual,
    Matrix,
    atan2,
    block,
    block_diagonal,
    column,
    constant,
    cos,
    diagonal,
    hstack,
    identity,
    less,
    norm,
    row,
    sin,
    sqrt,
    symbols,
    to_sx,
    vstack,
    where,
    zeros,
)
from symkin.algebra.bounded import stack

EPS = np.finfo(float).eps

numbers = st.floats(-4.0, 4.0).filter(lambda x: x == 0.0 or abs(x) > 1e-3)
matrices = hnp.arrays(np.float64, (3, 3), elements=numbers)


def run_time(values: Any) -> Matrix:
    """A matrix of run-time numbers: Python floats would be constants."""
    return Matrix([[np.float64(x) for x in row_] for row_ in values])


def array(matrix: Matrix) -> np.ndarray:
    return np.array(matrix.rows, dtype=np.float64).reshape(matrix.shape)


# Matrices.


@given(matrices, matrices, numbers)
def test_matrices_compute_as_arrays_do(a: np.ndarray, b: np.ndarray, s: float) -> None:
    A, B, factor = run_time(a), run_time(b), np.float64(s)
    assert np.array_equal(array(A + B), a + b)
    assert np.array_equal(array(A - B), a - b)
    assert np.array_equal(array(-A), -a)
    assert np.array_equal(array(A * factor), a * s)
    assert np.array_equal(array(A.T), a.T)
    bound = 3 * EPS * (np.abs(a) @ np.abs(b))
    assert np.all(np.abs(array(A @ B) - a @ b) <= bound)


def test_parts_and_shapes() -> None:
    A = constant([[1, 2, 3], [4, 5, 6]])
    assert A.shape == (2, 3)
    assert (A[1, 2], len(A)) == (6.0, 2)
    assert array(A[:, 1:]).tolist() == [[2, 3], [5, 6]]
    assert array(A[1, :]).tolist() == [[4, 5, 6]]
    assert array(A[-1:, -1]).tolist() == [[6]]
    assert array(A.column(0)).tolist() == [[1], [4]]
    assert list(A) == [1, 2, 3, 4, 5, 6]
    v = column(1.0, 2.0, 3.0)
    assert v[-1] == 3.0
    assert list(v[1:]) == [2.0, 3.0]
    assert row(1.0, 2.0).shape == (1, 2)
    assert repr(v) == "Matrix([[1.0], [2.0], [3.0]])"
    assert array(A.map(lambda x: x * 2)).tolist() == [[2, 4, 6], [8, 10, 12]]


def test_matrices_of_matrices() -> None:
    A, b = identity(2), zeros(2)
    assert hstack(A, b).shape == (2, 3)
    assert vstack(A, b.T).shape == (3, 2)
    assert block([[A, b], [b.T, identity(1)]]).shape == (3, 3)
    assert array(block_diagonal([A, constant([[7]])])).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 7]]
    assert array(diagonal(2.0, 3.0)).tolist() == [[2, 0], [0, 3]]


def test_matrices_without_entries() -> None:
    assert zeros(6, 0).shape == (6, 0)
    assert zeros(6, 0).T.shape == (0, 6)
    assert zeros(0, 6).T.shape == (6, 0)
    assert (zeros(6, 0) @ zeros(0)).shape == (6, 1)
    assert list(zeros(6, 0) @ zeros(0)) == [0.0] * 6
    assert zeros(6, 2)[:, 2:].shape == (6, 0)
    assert hstack(zeros(3, 0), identity(3)).shape == (3, 3)


def test_shapes_that_do_not_fit_are_named() -> None:
    with pytest.raises(ValueError, match=r"\(2, 2\) and \(3, 3\)"):
        identity(2) + identity(3)
    with pytest.raises(ValueError, match=r"\(2, 2\) by \(3, 3\)"):
        identity(2) @ identity(3)
    with pytest.raises(ValueError, match=r"\[1, 2\]"):
        Matrix([[1.0], [1.0, 2.0]])


def test_norm() -> None:
    assert norm(column(np.float64(3.0), 0.0, np.float64(4.0))) == 5.0


# Constants of the model.


@given(matrices, hnp.arrays(np.int64, (3, 3), elements=st.sampled_from([-1, 0, 1])))
def test_folding_constants_changes_no_value(a: np.ndarray, c: np.ndarray) -> None:
    """0, 1 and -1 cost nothing when constant; the result is that of computing with them."""
    A, folded, computed = run_time(a), constant(c), run_time(c)
    for f in (
        lambda X: A @ X,
        lambda X: X @ A,
        lambda X: A + X,
        lambda X: X - A,
        lambda X: (X @ A) @ X.T,
    ):
        assert np.array_equal(array(f(folded)), array(f(computed)))


def test_folding_saves_operations() -> None:
    R = constant([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    turned = R @ symbols("x", 3)
    assert str(to_sx(turned)) == "[(-x_1), x_0, x_2]"
    assert to_sx(zeros(3) + R @ zeros(3)).nnz() == 0


def test_only_python_floats_are_constants() -> None:
    x = np.float64(0.0)
    assert isinstance(algebra.mul(x, casadi.SX.sym("y")), casadi.SX)
    assert algebra.mul(0.0, casadi.SX.sym("y")) == 0.0
    assert math.isnan(algebra.mul(x, np.float64(math.nan)))


# One function over every scalar.


def smooth(x: Any, y: Any) -> Any:
    """Every operation there is, away from all branches."""
    r = sqrt(x * x + y * y + 1.0)
    angle = atan2(y + 0.25 * sin(x), 2.0 + cos(y))
    return where(less(angle, 0.3 * r), 1.0 - angle / r, angle * r) - 2.0 * (-x)


def gradient(x: float, y: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    """To thirty digits."""
    with mpmath.workdps(40):
        return (
            mpmath.diff(lambda a: smooth(a, long(y)), long(x)),
            mpmath.diff(lambda b: smooth(long(x), b), long(y)),
        )


def by_dual(x: float, y: float) -> tuple[float, float]:
    X, Y = np.float64(x), np.float64(y)
    return smooth(Dual(X, np.float64(1)), Dual(Y)).d, smooth(Dual(X), Dual(Y, np.float64(1))).d


def by_complex_step(x: float, y: float) -> tuple[float, float]:
    h = 2.0**-100
    X, Y = np.complex128(x), np.complex128(y)
    return np.imag(smooth(X + 1j * h, Y)) / h, np.imag(smooth(X, Y + 1j * h)) / h


def by_casadi(x: float, y: float) -> tuple[float, float]:
    X, Y = casadi.SX.sym("x"), casadi.SX.sym("y")
    f = casadi.Function("f", [X, Y], [casadi.gradient(smooth(X, Y), casadi.vertcat(X, Y))])
    first, second = np.array(f(x, y)).ravel()
    return first, second


@pytest.mark.parametrize("differentiate", [by_dual, by_complex_step, by_casadi])
@given(x=st.floats(-2, 2), y=st.floats(-2, 2))
@settings(max_examples=30, deadline=None)
def test_every_scalar_differentiates_alike(
    differentiate: Callable[[float, float], tuple[float, float]], x: float, y: float
) -> None:
    margin = 0.3 * math.hypot(x, y, 1.0) - math.atan2(y + 0.25 * math.sin(x), 2.0 + math.cos(y))
    assume(abs(margin) > 1e-6)
    # Some fifteen operations, none of which shrinks its operands by more than two.
    for found, exact in zip(differentiate(x, y), gradient(x, y), strict=True):
        assert abs(float(found - exact)) <= 30 * EPS * max(1.0, abs(float(exact)))


def test_batches_are_as_good_as_single_numbers() -> None:
    x, y = np.linspace(-2, 2, 5), np.linspace(1, -1, 5)
    batch = smooth(x, y)
    single = [smooth(np.float64(a), np.float64(b)) for a, b in zip(x, y, strict=True)]
    assert np.array_equal(batch, single)


SCALARS: dict[str, tuple[Callable[[float], Any], Callable[[Any], float]]] = {
    "float": (float, float),
    "numpy": (np.float64, float),
    "array": (lambda x: np.array([x, x]), lambda x: float(x[1])),
    "complex": (lambda x: np.complex128(complex(x, 1e-30)), lambda x: float(np.real(x))),
    "dual": (lambda x: Dual(np.float64(x), np.float64(1.0)), lambda x: float(x.v)),
    "bounded": (Bounded, lambda x: float(x.value)),
    "bounded dual": (lambda x: Dual(Bounded(x), Bounded(1.0)), lambda x: float(x.v.value)),
    "sx": (casadi.SX, float),
    "mpmath": (long, float),
}


@pytest.mark.parametrize("kind", SCALARS)
@pytest.mark.parametrize(("x", "y"), [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (-1.0, 0.0)])
def test_comparing_and_choosing(kind: str, x: float, y: float) -> None:
    of, value = SCALARS[kind]
    chosen = where(less(of(x), of(y)), of(3.0), of(4.0))
    assert value(chosen) == (3.0 if x < y else 4.0)
    assert value(where(less(of(x), y), of(3.0), 4.0) * 1.0) == (3.0 if x < y else 4.0)


@pytest.mark.parametrize("kind", SCALARS)
def test_elementary_functions(kind: str) -> None:
    of, value = SCALARS[kind]
    for function, reference in ((sin, math.sin), (cos, math.cos), (sqrt, math.sqrt)):
        assert value(function(of(0.7))) == pytest.approx(reference(0.7), rel=EPS)
    assert value(atan2(of(-0.3), of(-0.4))) == pytest.approx(math.atan2(-0.3, -0.4), rel=EPS)


# The angle of a vector, continued to complex numbers.

QUADRANTS = [(y, x) for y in (-0.8, 0.0, 0.6) for x in (-0.7, 0.0, 0.5) if (y, x) != (0.0, 0.0)]


@pytest.mark.parametrize(("y", "x"), QUADRANTS)
def test_complex_angle_has_the_derivative_of_the_real_one(y: float, x: float) -> None:
    h = 1e-30
    square = x * x + y * y
    along_y = atan2(np.complex128(complex(y, h)), np.complex128(x))
    along_x = atan2(np.complex128(y), np.complex128(complex(x, h)))
    assert np.real(along_y) == np.arctan2(y, x)
    assert np.imag(along_y) / h == pytest.approx(x / square, rel=4 * EPS)
    assert np.imag(along_x) / h == pytest.approx(-y / square, rel=4 * EPS)


def test_complex_angle_is_the_analytic_one() -> None:
    """-i log((x + i y) / sqrt(x^2 + y^2)), for complex x and y."""
    y, x = 0.3 + 0.1j, -0.8 + 0.2j
    exact = -1j * mpmath.log((x + 1j * y) / mpmath.sqrt(x * x + y * y))
    found = complex(atan2(np.complex128(y), np.complex128(x)))
    assert abs(found - complex(exact)) <= 8 * EPS


def test_angle_of_nothing() -> None:
    assert atan2(np.float64(0.0), np.float64(0.0)) == 0.0
    assert atan2(0.0, 0.0) == 0.0
    assert np.isfinite(atan2(np.complex128(1e-30j), np.complex128(0.0)))


# Dual numbers.


def test_dual_of_dual_is_a_second_derivative() -> None:
    x = np.float64(0.4)
    twice = Dual(Dual(x, np.float64(1.0)), Dual(np.float64(1.0), np.float64(0.0)))
    third = sin(twice) / (1.0 + twice * twice)
    with mpmath.workdps(30):
        exact = mpmath.diff(lambda t: mpmath.sin(t) / (1 + t * t), 0.4, 2)
    assert float(third.d.d) == pytest.approx(float(exact), rel=20 * EPS)


def test_dual_stands_on_either_side() -> None:
    x = Dual(np.float64(2.0), np.float64(1.0))
    five = np.float64(5.0)
    for result, value, slope in (
        (five + x, 7.0, 1.0),
        (five - x, 3.0, -1.0),
        (five * x, 10.0, 5.0),
        (five / x, 2.5, -1.25),
        (x - five, -3.0, 1.0),
        (x / five, 0.4, 0.2),
    ):
        assert (result.v, result.d) == (value, pytest.approx(slope))
    assert repr(Dual(1.0, 2.0)) == "Dual(1.0, 2.0)"


# Bounded numbers.

OPERATIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, lambda x, y: x + y),
    "sub": (2, lambda x, y: x - y),
    "mul": (2, lambda x, y: x * y),
    "div": (2, lambda x, y: x / y),
    "neg": (1, lambda x: -x),
    "shift": (1, lambda x: 0.1 + x),
    "scale": (1, lambda x: x * (1.0 / 3.0)),
    "from": (1, lambda x: 0.7 - x),
    "inverse": (1, lambda x: 1.0 / x),
    "sin": (1, sin),
    "cos": (1, cos),
    "sqrt": (1, lambda x: sqrt(x * x + 0.5)),
    "root": (1, lambda x: sqrt(x * x)),
    "atan2": (2, atan2),
    "select": (3, lambda x, y, z: where(less(x, y), y, z)),
}
programs = st.lists(
    st.tuples(st.sampled_from(sorted(OPERATIONS)), *[st.integers(0, 10**6)] * 3), max_size=25
)


def execute(program: list[tuple[str, int, int, int]], values: list[Any]) -> list[Any]:
    """Every step's operands are earlier values; quotients by almost nothing are left out."""
    values = list(values)
    for name, *places in program:
        arity, function = OPERATIONS[name]
        values.append(function(*(values[p % len(values)] for p in places[:arity])))
    return values


@pytest.mark.parametrize(("real", "rounding"), [(np.float64, DOUBLE), (np.float32, SINGLE)])
@given(program=programs, x=numbers.map(np.float32), y=numbers.map(np.float32))
@settings(max_examples=150, deadline=None)
def test_the_bound_holds(
    real: Any, rounding: Any, program: list[tuple[str, int, int, int]], x: float, y: float
) -> None:
    """The exact result of any program differs by no more than the bound from the rounded one."""
    x, y = float(x), float(y)
    with np.errstate(all="ignore"):
        rounded = execute(program, [real(x), real(y)])
        bounded = execute(program, [Bounded(x, 0.0, rounding), Bounded(y, 0.0, rounding)])
    for place, (found, known) in enumerate(zip(rounded, bounded, strict=True)):
        if not np.isfinite(known.bound) or not np.isfinite(found):
            continue
        if 0.0 < abs(float(known.value)) < 1e-30 or abs(found) > 1e30:
            return  # nearly out of single precision's range
        with mpmath.workdps(80):
            try:
                steps = program[: max(0, place - 1)]
                exact = execute(steps, [long(x), long(y)])[place]
            except ZeroDivisionError:
                continue
            assert abs(long(float(found)) - exact) <= float(known.bound) * 1.001


def test_the_bound_is_no_more_than_it_must_be() -> None:
    """A sum of n products of numbers up to one is off by 2 n roundings of n at most."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (2, 20))
    total = Bounded(0.0)
    for x, y in zip(a, b, strict=True):
        total = total + Bounded(x) * Bounded(y)
    assert 0.0 < float(total.bound) <= 2 * 20 * DOUBLE.unit * 20


def test_bounded_constants_are_rounded_unless_short() -> None:
    x = Bounded(0.0)
    assert float((x + 0.5).bound) == DOUBLE.unit * 0.5
    assert float((x + 0.1).bound) == pytest.approx(2 * DOUBLE.unit * 0.1)
    assert float((x + np.float64(0.1)).bound) == pytest.approx(DOUBLE.unit * 0.1)


def test_bounds_of_what_may_vanish() -> None:
    almost = Bounded(1e-20, 1e-16)
    with np.errstate(all="ignore"):
        assert np.isinf((1.0 / almost).bound)
    assert float(sqrt(almost).bound) >= 1e-8
    assert float(sqrt(Bounded(0.0)).bound) == 0.0


def test_an_undecided_branch_is_bounded_by_both_sides() -> None:
    near = Bounded(1.0, 1e-16)
    undecided = where(less(near, 1.0), Bounded(2.0), Bounded(5.0))
    assert float(undecided.bound) == 3.0
    decided = where(less(Bounded(1.0), 1.0), Bounded(2.0), Bounded(5.0))
    assert float(decided.bound) == 0.0


@pytest.mark.parametrize("y", [0.0, -0.0, 1e-17])
def test_an_angle_on_the_cut_may_be_off_by_a_turn(y: float) -> None:
    assert float(atan2(Bounded(y, 1e-16), Bounded(-1.0)).bound) >= 2 * math.pi
    assert float(atan2(Bounded(y, 1e-16), Bounded(1.0)).bound) <= 2e-16


def test_arrays_of_bounded_numbers() -> None:
    parts = [Bounded(np.array([1.0, 2.0]), 1e-10), 3.0, 0.0, np.array([4.0, 5.0])]
    joined = stack(parts, (2, 2), (2,))
    assert joined.value.tolist() == [[[1, 3], [0, 4]], [[2, 3], [0, 5]]]
    assert joined.bound[:, 0, 0].tolist() == [1e-10, 1e-10]
    square = joined @ np.eye(2)
    assert np.array_equal(square.value, joined.value)
    assert float(square.bound[1, 0, 0]) >= 1e-10
    assert stack([], (6, 0), (3,)).value.shape == (3, 6, 0)
    assert repr(Bounded(1.0)) == "Bounded(array(1.), array(0.))"
