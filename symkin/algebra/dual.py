"""Dual numbers v + d e with e^2 = 0: forward-mode differentiation of any algorithm.

Source: Griewank & Walther, Evaluating Derivatives, 2nd ed. (2008), section 3.1.
"""

from __future__ import annotations

from typing import Any

from symkin.algebra import functions
from symkin.algebra.functions import register


class Dual:
    """A value and a tangent: scalars of any other kind, or arrays of one shape (a batch)."""

    __slots__ = ("d", "v")
    __array_ufunc__ = None  # NumPy scalars on the left hand over to the reflected operators

    def __init__(self, v: Any, d: Any = 0.0) -> None:
        self.v = v
        self.d = d

    def __repr__(self) -> str:
        return f"Dual({self.v!r}, {self.d!r})"

    def __add__(self, other: Any) -> Dual:
        o = _dual(other)
        return Dual(self.v + o.v, self.d + o.d)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.v, -self.d)

    def __sub__(self, other: Any) -> Dual:
        o = _dual(other)
        return Dual(self.v - o.v, self.d - o.d)

    def __rsub__(self, other: Any) -> Dual:
        return _dual(other) - self

    def __mul__(self, other: Any) -> Dual:
        o = _dual(other)
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        o = _dual(other)
        value = self.v / o.v
        return Dual(value, (self.d - value * o.d) / o.v)

    def __rtruediv__(self, other: Any) -> Dual:
        return _dual(other) / self


def _dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(x)


class _DualArithmetic:
    def sin(self, x: Dual) -> Dual:
        return Dual(functions.sin(x.v), functions.cos(x.v) * x.d)

    def cos(self, x: Dual) -> Dual:
        return Dual(functions.cos(x.v), -functions.sin(x.v) * x.d)

    def sqrt(self, x: Dual) -> Dual:
        root = functions.sqrt(x.v)
        return Dual(root, x.d / (2.0 * root))

    def atan2(self, y: Any, x: Any) -> Dual:
        s, c = _dual(y), _dual(x)
        square = c.v * c.v + s.v * s.v
        return Dual(functions.atan2(s.v, c.v), (c.v * s.d - s.v * c.d) / square)

    def less(self, x: Any, y: Any) -> Any:
        return functions.less(_dual(x).v, _dual(y).v)

    def where(self, condition: Any, yes: Any, no: Any) -> Dual:
        a, b = _dual(yes), _dual(no)
        return Dual(functions.where(condition, a.v, b.v), functions.where(condition, a.d, b.d))


register(Dual, _DualArithmetic())
