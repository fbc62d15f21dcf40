"""mpmath's numbers as one more scalar: the oracle of all the others."""

from __future__ import annotations

from typing import Any

import mpmath

from symkin.algebra.functions import register


class _LongArithmetic:
    def sin(self, x: Any) -> Any:
        return mpmath.sin(x)

    def cos(self, x: Any) -> Any:
        return mpmath.cos(x)

    def sqrt(self, x: Any) -> Any:
        return mpmath.sqrt(x)

    def atan2(self, y: Any, x: Any) -> Any:
        return mpmath.atan2(y, x)

    def less(self, x: Any, y: Any) -> Any:
        return bool(x < y)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        return yes if condition else no


register(mpmath.mpf, _LongArithmetic())


def long(x: float) -> Any:
    """The same number, to be computed with in as many digits as mpmath is set to."""
    return mpmath.mpf(float(x))
