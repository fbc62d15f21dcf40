"""Numbers that carry a bound on what rounding has done to them: running error analysis.

Every operation adds its own rounding to the errors that its operands bring along, second order
included. The computed number and the exact one, of the same expression and the same inputs, never
differ by more than the bound. Where rounding leaves a branch undecided it is at least the
difference between the branches: a whole turn for an angle that may be pi or -pi. Numbers are
taken to be large enough not to underflow.

Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. (2002), section 3.3, with
fl(x op y) = (x op y) / (1 + d), |d| <= u, his equation 2.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra.dual import Dual
from symkin.algebra.functions import register

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rounding:
    """An arithmetic: its unit roundoff, and relative errors in units of it.

    ``elementary`` is that of sin, cos and atan2: two units are one unit in the last place, what C
    libraries and NumPy keep. ``constants`` is that of a model constant, from storing it;
    those of at most ten binary places are exact.
    """

    unit: float = 2.0**-53
    elementary: float = 2.0
    constants: float = 1.0

    def of_constant(self, c: float) -> float:
        """Bound on the error of a constant."""
        exact = abs(c) < 1024.0 and float(c * 1024.0).is_integer()
        return 0.0 if exact else self.constants * self.unit * abs(c)


DOUBLE = Rounding()
SINGLE = Rounding(unit=2.0**-24)


def _operator(
    method: Callable[[Bounded, Bounded], Bounded],
) -> Callable[[Bounded, Any], Bounded]:
    """A binary operator whose other operand has been made Bounded; those of `Dual` come first."""

    def operate(self: Bounded, other: Any) -> Bounded:
        return NotImplemented if isinstance(other, Dual) else method(self, self._with(other))

    return operate


class Bounded:
    """A real value and the bound of its error: numbers, or arrays of one shape."""

    __slots__ = ("bound", "rounding", "value")
    __array_ufunc__ = None  # NumPy operands on the left hand over to the reflected operators

    value: Array
    bound: Array
    rounding: Rounding

    def __init__(
        self, value: npt.ArrayLike, bound: npt.ArrayLike = 0.0, rounding: Rounding = DOUBLE
    ) -> None:
        self.value = np.asarray(value, dtype=np.float64)
        self.bound = np.asarray(bound, dtype=np.float64)
        self.rounding = rounding

    def __repr__(self) -> str:
        return f"Bounded({self.value!r}, {self.bound!r})"

    def _rounded(self, value: Array, brought: Array, units: float = 1.0) -> Bounded:
        rounding = units * self.rounding.unit * np.abs(value)
        return Bounded(value, brought + rounding, self.rounding)

    def _with(self, other: Any) -> Bounded:
        """The other operand: a Python number is a model constant, a NumPy one an exact value."""
        if isinstance(other, Bounded):
            return other
        constant = type(other) in (float, int)
        return Bounded(other, self.rounding.of_constant(other) if constant else 0.0, self.rounding)

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.bound, self.rounding)

    @_operator
    def __add__(self, y: Bounded) -> Bounded:
        return self._rounded(self.value + y.value, self.bound + y.bound)

    __radd__ = __add__

    @_operator
    def __sub__(self, y: Bounded) -> Bounded:
        return self._rounded(self.value - y.value, self.bound + y.bound)

    @_operator
    def __rsub__(self, x: Bounded) -> Bounded:
        return x - self

    @_operator
    def __mul__(self, y: Bounded) -> Bounded:
        brought = np.abs(self.value) * y.bound + self.bound * (np.abs(y.value) + y.bound)
        return self._rounded(self.value * y.value, brought)

    __rmul__ = __mul__

    @_operator
    def __truediv__(self, y: Bounded) -> Bounded:
        value = self.value / y.value
        margin = np.abs(y.value) - y.bound
        brought = np.where(margin > 0.0, (self.bound + np.abs(value) * y.bound) / margin, np.inf)
        return self._rounded(value, brought)

    @_operator
    def __rtruediv__(self, x: Bounded) -> Bounded:
        return x / self

    @_operator
    def __matmul__(self, y: Bounded) -> Bounded:
        """Product of (stacks of) matrices; a sum of n products rounds n times."""
        a, b = np.abs(self.value), np.abs(y.value)
        rounding = self.value.shape[-1] * self.rounding.unit * (a @ b)
        own, others = (np.broadcast_to(x.bound, x.value.shape) for x in (self, y))
        brought = a @ others + own @ (b + others)
        return Bounded(self.value @ y.value, brought + rounding, self.rounding)

    def __getitem__(self, index: Any) -> Bounded:
        """A part of an array."""
        return Bounded(self.value[index], self.bound[index], self.rounding)


class _BoundedArithmetic:
    def sin(self, x: Bounded) -> Bounded:
        return x._rounded(np.sin(x.value), x.bound, x.rounding.elementary)

    def cos(self, x: Bounded) -> Bounded:
        return x._rounded(np.cos(x.value), x.bound, x.rounding.elementary)

    def sqrt(self, x: Bounded) -> Bounded:
        root = np.sqrt(x.value)
        below = np.sqrt(np.maximum(x.value - x.bound, 0.0))
        slope = root + below
        # Where the exact number may be zero, the root may be off by as much as sqrt(2 bound).
        brought = np.where(
            x.value > x.bound, x.bound / np.where(slope > 0.0, slope, 1.0), np.sqrt(2.0 * x.bound)
        )
        return x._rounded(root, brought)

    def atan2(self, y: Any, x: Any) -> Bounded:
        s, c = _pair(y, x)
        angle = np.arctan2(s.value, c.value)
        off = np.hypot(s.bound, c.bound)
        margin = np.hypot(s.value, c.value) - off
        small = np.where(off == 0.0, 0.0, np.where(margin > 0.0, off / margin, np.inf))
        # On the negative x-axis and at 0 the angle is pi or -pi, even by the sign of an exact zero.
        cut = (np.abs(s.value) <= s.bound) & (c.value <= c.bound)
        brought = 1.6 * small + np.where(cut, 2.0 * np.pi, 0.0)
        return s._rounded(angle, brought, s.rounding.elementary)

    def less(self, x: Any, y: Any) -> Bounded:
        """1 or 0; off by 1 where rounding may have turned the comparison round."""
        a, b = _pair(x, y)
        off = a.bound + b.bound
        undecided = (np.abs(a.value - b.value) <= off) & (off > 0.0)
        return Bounded(a.value < b.value, undecided | np.isnan(off), a.rounding)

    def where(self, condition: Any, yes: Any, no: Any) -> Bounded:
        given = next(x for x in (condition, yes, no) if isinstance(x, Bounded))
        test, a, b = given._with(condition), given._with(yes), given._with(no)
        value = np.where(test.value != 0.0, a.value, b.value)
        bound = np.where(test.value != 0.0, a.bound, b.bound)
        either = np.maximum(a.bound, b.bound) + np.abs(a.value - b.value)
        return Bounded(value, np.where(test.bound < 0.5, bound, either), given.rounding)


def _pair(x: Any, y: Any) -> tuple[Bounded, Bounded]:
    given: Bounded = x if isinstance(x, Bounded) else y
    return given._with(x), given._with(y)


register(Bounded, _BoundedArithmetic())


def stack(
    entries: Iterable[Any],
    shape: tuple[int, ...],
    batch: tuple[int, ...],
    rounding: Rounding = DOUBLE,
) -> Bounded:
    """Entries in flat order, of any kind of real scalar, as one array (*batch, *shape)."""
    zero = Bounded(0.0, 0.0, rounding)
    own = [zero._with(entry) for entry in entries]

    def join(parts: list[Array]) -> Array:
        full = [np.broadcast_to(part, batch) for part in parts]
        return np.stack(full, axis=-1) if full else np.zeros((*batch, 0))

    value, bound = join([x.value for x in own]), join([x.bound for x in own])
    full_shape = (*batch, *shape)
    return Bounded(value.reshape(full_shape), bound.reshape(full_shape), rounding)
