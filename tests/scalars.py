"""The scalars an algorithm runs on as ways to differentiate it, 50-digit differences, cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import casadi
import mpmath
import numpy as np
import pytest

from symkin.algebra import Dual, Matrix, symbols, to_sx

Function: TypeAlias = Callable[[Matrix], Matrix]
Oracle: TypeAlias = Callable[[np.ndarray], np.ndarray]

CASES = Path(__file__).parent / "cases"
EPS = float(np.finfo(float).eps)
mpmath.mp.dps = 50


def vector(values: Any) -> Matrix:
    """A column of run-time numbers (never Python floats, which are constants of the model)."""
    return Matrix([[np.float64(x)] for x in values])


def matrix(values: Any) -> Matrix:
    return Matrix([[np.float64(x) for x in row] for row in values])


def array(A: Matrix) -> np.ndarray:
    return np.array(A.rows, dtype=float).reshape(A.shape)


def complex_step(f: Function, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    h = 1e-40
    y = f(Matrix([[np.complex128(complex(a, h * b))] for a, b in zip(x, dx, strict=True)]))
    return np.imag(np.array(y.rows, dtype=complex)).reshape(y.shape) / h


def dual(f: Function, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    pairs = zip(x, dx, strict=True)
    y = f(Matrix([[Dual(np.float64(a), np.float64(b))] for a, b in pairs]))
    return array(y.map(lambda entry: entry.d if isinstance(entry, Dual) else 0.0))


class Symbolic:
    """f traced to SX: its value, its derivative along dx and its gradient, by either mode."""

    def __init__(self, f: Function, size: int) -> None:
        x = to_sx(symbols("x", size))
        y = casadi.densify(to_sx(f(symbols_of(x))))
        dx, weights = casadi.SX.sym("dx", size), casadi.SX.sym("w", *y.shape)
        cost = casadi.dot(weights, y)
        self.shape = y.shape
        self._functions = (
            casadi.Function("value", [x], [y]),
            casadi.Function("along", [x, dx], [casadi.jtimes(y, x, dx)]),
        )
        self._gradient = casadi.Function("gradient", [x, weights], [casadi.gradient(cost, x)])
        self._hessian = casadi.Function("hessian", [x, weights], [casadi.hessian(cost, x)[0]])

    def value(self, x: np.ndarray) -> np.ndarray:
        return np.array(self._functions[0](x))

    def along(self, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
        return np.array(self._functions[1](x, dx))

    def gradient(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.array(self._gradient(x, weights)).ravel()

    def hessian(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.array(self._hessian(x, weights))


def symbols_of(x: casadi.SX) -> Matrix:
    return Matrix([[x[i]] for i in range(x.shape[0])])


def exact(values: Any) -> np.ndarray:
    """The same numbers with 50 digits."""
    return np.vectorize(lambda x: mpmath.mpf(float(x)), otypes=[object])(np.asarray(values))


def difference(f: Oracle, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """Central difference in 50 digits: truncated at 1e-34, rounded at 1e-33."""
    h = mpmath.mpf(10) ** -17
    return (f(x + h * dx) - f(x - h * dx)) / (2 * h)


def second_difference(f: Oracle, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """Second central difference along dx in 50 digits: truncated at 1e-24, rounded at 1e-26."""
    h = mpmath.mpf(10) ** -12
    return (f(x + h * dx) - 2 * f(x) + f(x - h * dx)) / (h * h)


def relative_error(value: Any, oracle: Any) -> float:
    """The largest error of an entry over the largest entry; absolute where that is zero."""
    oracle = np.asarray(oracle, dtype=object)
    value = np.asarray(value, dtype=float).reshape(oracle.shape)
    assert np.isfinite(value).all()
    size = max(abs(x) for x in oracle.ravel())
    return float(max(abs(x) for x in (exact(value) - oracle).ravel()) / (size or 1))


def checks(case: str) -> list[Any]:
    """The checks of a trouble case as parameters of a test."""
    expected = json.loads((CASES / case / "expected.json").read_text())
    return [pytest.param(check, id=check["name"]) for check in expected["checks"]]
