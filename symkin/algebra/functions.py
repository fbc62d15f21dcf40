"""Elementary functions over every scalar, each the analytic continuation of the real one.

Complex arguments arise from complex steps: comparisons look at the real part only and nothing
takes an absolute value or a conjugate, so the imaginary part keeps carrying the derivative.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np


class Arithmetic(Protocol):
    """The elementary functions of one kind of scalar."""

    def sin(self, x: Any) -> Any: ...
    def cos(self, x: Any) -> Any: ...
    def sqrt(self, x: Any) -> Any: ...
    def atan2(self, y: Any, x: Any) -> Any: ...
    def less(self, x: Any, y: Any) -> Any: ...
    def where(self, condition: Any, yes: Any, no: Any) -> Any: ...


class Numeric:
    """Floats, complex numbers and NumPy arrays of either. Constants stay Python floats."""

    def sin(self, x: Any) -> Any:
        return math.sin(x) if type(x) is float else np.sin(x)

    def cos(self, x: Any) -> Any:
        return math.cos(x) if type(x) is float else np.cos(x)

    def sqrt(self, x: Any) -> Any:
        return math.sqrt(x) if type(x) is float else np.sqrt(x)

    def atan2(self, y: Any, x: Any) -> Any:
        """Continued from the reals by atan(t), t = (y xr - x yr) / (x xr + y yr), zero on them."""
        if type(x) is float and type(y) is float:
            return math.atan2(y, x)
        xr, yr = np.real(x), np.real(y)
        angle = np.arctan2(yr, xr)
        if not (np.iscomplexobj(x) or np.iscomplexobj(y)):
            return angle
        along = x * xr + y * yr
        return angle + np.arctan((y * xr - x * yr) / np.where(along == 0.0, 1.0, along))

    def less(self, x: Any, y: Any) -> Any:
        return np.real(x) < np.real(y)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        if np.ndim(condition) == 0:
            return yes if condition else no
        return np.where(condition, yes, no)


_NUMERIC = Numeric()
_EXTENSIONS: list[tuple[type, Arithmetic]] = []


def register(kind: type, arithmetic: Arithmetic) -> None:
    """Teach the functions below one more kind of scalar; earlier kinds win in mixed calls."""
    _EXTENSIONS.append((kind, arithmetic))


def _arithmetic(*operands: Any) -> Arithmetic:
    for kind, arithmetic in _EXTENSIONS:
        if any(isinstance(x, kind) for x in operands):
            return arithmetic
    return _NUMERIC


def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return _arithmetic(x).sin(x)


def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return _arithmetic(x).cos(x)


def sqrt(x: Any) -> Any:
    """Principal square root of a scalar whose real part is not negative."""
    return _arithmetic(x).sqrt(x)


def atan2(y: Any, x: Any) -> Any:
    """Angle of the vector (x, y), in (-pi, pi]; 0 at the origin."""
    return _arithmetic(y, x).atan2(y, x)


def less(x: Any, y: Any) -> Any:
    """Whether the real part of x is below that of y: a condition for `where`."""
    return _arithmetic(x, y).less(x, y)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """``yes`` where the condition holds, else ``no``. Both are computed: both must be finite."""
    return _arithmetic(condition, yes, no).where(condition, yes, no)
