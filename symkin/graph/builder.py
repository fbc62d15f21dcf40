"""Values with a sign: the book-keeping under every pass.

A `Builder` numbers values so that a - b and b - a, (-a) * b and a * b, sin(-x) and sin(x) are one
value, used with a sign. A signed value is an int: twice the value's number, plus 1 for its
negative, as in and-inverter graphs (Kuehlmann et al., IEEE TCAD 21, 2002). Constants are folded.

All rules are identities that hold wherever every value is finite. Arithmetic of constants that
overflows, underflows or is undefined is left to be done at run time.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from keyword import iskeyword
from typing import TypeAlias

from symkin.graph.operations import OPERATIONS

Signed: TypeAlias = int
ZERO, ONE, TWO = 0, 2, 4
_CONDITIONS = ("less", "not", "and")
_SMALLEST = sys.float_info.min


class Builder:
    """Distinct values, made by methods named after the operations of a graph.

    Value k is ``operations[k]`` of the signed values ``operands[k]``; an input has (port, entry)
    there, and a constant is in ``numbers``.
    """

    def __init__(self) -> None:
        self.operations: list[str] = []
        self.operands: list[tuple[int, ...]] = []
        self.numbers: dict[Signed, float] = {}  # without sign
        self._found: dict[tuple[str | float, ...], Signed] = {}
        self._makers: dict[str, Callable[..., Signed]] = {
            name: getattr(self, name + "_" * iskeyword(name)) for name in ("input", *OPERATIONS)
        }
        for value in (0.0, 1.0, 2.0):
            self.constant(value)

    def _value(self, operation: str, *operands: int) -> Signed:
        key: tuple[str | float, ...] = (operation, *operands)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = 2 * len(self.operations)
            self.operations.append(operation)
            self.operands.append(operands)
        return found

    def make(self, operation: str, operands: Iterable[int]) -> Signed:
        """What the method named after an operation makes."""
        return self._makers[operation](*operands)

    def input(self, port: int, entry: int) -> Signed:
        return self._value("input", port, entry)

    def constant(self, value: float) -> Signed:
        size = abs(value) if value == value else math.nan  # one object, so that it finds itself
        key = ("constant", size)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = 2 * len(self.operations)
            self.operations.append("constant")
            self.operands.append(())
            self.numbers[found] = size
        return found | (value < 0.0)

    def known(self, x: Signed) -> float | None:
        """The number that a value is, if it is a constant."""
        value = self.numbers.get(x & ~1)
        return -value if value is not None and x & 1 else value

    def _folded(self, compute: Callable[..., float], *operands: Signed) -> Signed | None:
        """The constant that an operation of constants gives, unless it over- or underflows."""
        for x in operands:
            if x & ~1 not in self.numbers:
                return None
        try:
            result = compute(*map(self.known, operands))
        except (ArithmeticError, ValueError):
            return None
        sound = result == 0.0 or _SMALLEST <= abs(result) < math.inf
        return self.constant(result) if sound else None

    def add(self, x: Signed, y: Signed) -> Signed:
        if x > y:
            x, y = y, x
        if x <= ZERO | 1:
            return y
        if x >> 1 == y >> 1:
            return self.mul(TWO, x) if x == y else ZERO
        folded = self._folded(lambda a, b: a + b, x, y)
        if folded is not None:
            return folded
        sign = x & 1
        return self._value("add", x ^ sign, y ^ sign) ^ sign

    def sub(self, x: Signed, y: Signed) -> Signed:
        return self.add(x, y ^ 1)

    def neg(self, x: Signed) -> Signed:
        return x ^ 1

    def mul(self, x: Signed, y: Signed) -> Signed:
        sign = (x ^ y) & 1
        x, y = x & ~1, y & ~1
        if x > y:
            x, y = y, x
        if x == ZERO:
            return ZERO
        if x == ONE:
            return y ^ sign
        if y in self.numbers:
            x, y = y, x
        if x in self.numbers:
            return self._multiple(x, y) ^ sign
        if x == y and self.operations[x >> 1] == "sqrt":
            return self.operands[x >> 1][0] ^ sign
        return self._value("mul", x, y) ^ sign

    def _multiple(self, c: Signed, y: Signed) -> Signed:
        """A constant times a value; constants of chains and of quotients are multiplied out.

        A reciprocal stays, because several values may be multiplied by it.
        """
        operation, operands = self.operations[y >> 1], self.operands[y >> 1]
        inner = y
        if operation in ("mul", "div") and operands[0] in self.numbers and operands[0] != ONE:
            inner = operands[0]
        product = self._folded(lambda a, b: a * b, c, inner)
        if product is None or (product == ZERO and inner != ZERO):
            return self._value("mul", c, y)
        if inner == y:
            return product
        return (self.mul if operation == "mul" else self.div)(product, operands[1])

    def div(self, x: Signed, y: Signed) -> Signed:
        """A quotient; by a constant, the product with its reciprocal, which rounds once more."""
        inverse = self._folded(lambda a: 1.0 / a, y)
        if inverse is not None and inverse > ZERO | 1:
            return self.mul(x, inverse)
        if x <= ZERO | 1 and y > ZERO | 1:
            return ZERO
        sign = (x ^ y) & 1
        return self._value("div", x & ~1, y & ~1) ^ sign

    def sqrt(self, x: Signed) -> Signed:
        folded = self._folded(math.sqrt, x)
        return self._value("sqrt", x) if folded is None else folded

    def sin(self, x: Signed) -> Signed:
        folded = self._folded(math.sin, x)
        return self._value("sin", x & ~1) ^ (x & 1) if folded is None else folded

    def cos(self, x: Signed) -> Signed:
        folded = self._folded(math.cos, x)
        return self._value("cos", x & ~1) if folded is None else folded

    def atan2(self, y: Signed, x: Signed) -> Signed:
        """An angle. Its sign at y = 0 is that of a zero, which is not looked into."""
        folded = self._folded(math.atan2, y, x)
        return self._value("atan2", y, x) if folded is None else folded

    def less(self, x: Signed, y: Signed) -> Signed:
        if x & y & 1 or ((x | y) & 1 and (x <= ZERO | 1 or y <= ZERO | 1)):
            x, y = y ^ 1, x ^ 1
        if x == y:
            return ZERO
        folded = self._folded(lambda a, b: float(a < b), x, y)
        return self._value("less", x, y) if folded is None else folded

    def not_(self, x: Signed) -> Signed:
        folded = self._folded(lambda a: float(not a), x)
        if folded is not None:
            return folded
        if self.operations[x >> 1] == "not" and self._is_condition(self.operands[x >> 1][0]):
            return self.operands[x >> 1][0]
        return self._value("not", x)

    def and_(self, x: Signed, y: Signed) -> Signed:
        if x > y:
            x, y = y, x
        if x <= ZERO | 1:
            return ZERO
        if self._is_condition(y) and x in (ONE, y):
            return y
        return self._value("and", x, y)

    def _is_condition(self, x: Signed) -> bool:
        return not x & 1 and self.operations[x >> 1] in _CONDITIONS

    def select(self, condition: Signed, yes: Signed, no: Signed) -> Signed:
        if self.operations[condition >> 1] == "not":
            (condition,), yes, no = self.operands[condition >> 1], no, yes
        known = self.known(condition)
        if known is not None:
            return yes if known else no
        if yes == no:
            return yes
        sign = yes & 1 if yes > ZERO | 1 else no & 1
        yes, no = (ZERO if x <= ZERO | 1 else x ^ sign for x in (yes, no))
        return self._value("select", condition, yes, no) ^ sign
