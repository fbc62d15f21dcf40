"""An algorithm run once on scalars that write down what is done to them, to be done again.

Whatever numbers a quantity is computed with, floats, complex, dual or bounded ones, its algorithm
performs the same operations. They are recorded once, and repeated for all states at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra import Dual, Matrix
from symkin.algebra.bounded import DOUBLE, Bounded
from symkin.algebra.functions import register
from symkin.graph.graph import Node
from symkin.graph.levels import Levels
from symkin.quantities import Instance
from symkin.verify.doubt import doubtful

Array = npt.NDArray[Any]


class Recorder:
    """The operations so far, in their order, and the errors of constants that are in doubt."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.errors: list[float] = []

    def input(self, port: int, entry: int) -> Recorded:
        """An entry of an input."""
        return self._node(Node("input", (port, entry)))

    def constant(self, value: float, error: float) -> Recorded:
        """A constant known up to an error."""
        self.errors.append(error)
        return self._node(Node("constant", (), value))

    def apply(self, operation: str, *operands: Any) -> Any:
        """The result of an operation; NotImplemented if an operand is neither ours nor constant."""
        if not all(isinstance(x, Recorded | float | int) for x in operands):
            return NotImplemented
        return self._node(Node(operation, tuple(self.index(x) for x in operands)))

    def index(self, x: Recorded | float) -> int:
        """The number of the node; a constant of the model is one."""
        if isinstance(x, Recorded):
            return x.index
        return self.constant(float(x), DOUBLE.of_constant(x)).index

    def _node(self, node: Node) -> Recorded:
        self.nodes.append(node)
        return Recorded(self, len(self.nodes) - 1)


class Recorded:
    """A scalar, known by the operation it came from."""

    __slots__ = ("index", "recorder")
    __array_ufunc__ = None

    def __init__(self, recorder: Recorder, index: int) -> None:
        self.recorder = recorder
        self.index = index

    def __add__(self, other: Any) -> Any:
        return self.recorder.apply("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return self.recorder.apply("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return self.recorder.apply("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.recorder.apply("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return self.recorder.apply("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.recorder.apply("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.recorder.apply("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.recorder.apply("div", other, self)

    def __neg__(self) -> Any:
        return self.recorder.apply("neg", self)


class _RecordedArithmetic:
    def sin(self, x: Recorded) -> Any:
        return x.recorder.apply("sin", x)

    def cos(self, x: Recorded) -> Any:
        return x.recorder.apply("cos", x)

    def sqrt(self, x: Recorded) -> Any:
        return x.recorder.apply("sqrt", x)

    def atan2(self, y: Any, x: Any) -> Any:
        return _recorder(y, x).apply("atan2", y, x)

    def less(self, x: Any, y: Any) -> Any:
        return _recorder(x, y).apply("less", x, y)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        return _recorder(condition, yes, no).apply("select", condition, yes, no)


register(Recorded, _RecordedArithmetic())


def _recorder(*operands: Any) -> Recorder:
    return next(x.recorder for x in operands if isinstance(x, Recorded))


@dataclass(frozen=True, eq=False)
class Recording:
    """What computing an instance does, its robot's constants being `doubtful`.

    Inputs are arrays (..., entries of all inputs), results (..., entries of the output).
    """

    levels: Levels
    errors: Array

    @staticmethod
    def of(instance: Instance) -> Recording:
        """The instance run once."""
        recorder = Recorder()
        columns = [
            Matrix([(recorder.input(i, k),) for k in range(port.size)], columns=1)
            for i, port in enumerate(instance.inputs)
        ]
        robot = doubtful(instance.robot, recorder.constant)
        entries = list(replace(instance, robot=robot)(*columns))
        indices = [
            x.index
            if isinstance(x, Recorded)
            else recorder.constant(x, DOUBLE.of_constant(x)).index
            for x in entries
        ]
        sizes = [port.size for port in instance.inputs]
        return Recording(Levels(recorder.nodes, sizes, indices), np.array(recorder.errors))

    def values(self, x: Array) -> Array:
        """The values at x, real or complex."""
        return _back(self.levels(_forth(x), self.levels.constants), x)

    def bounded(self, x: Array, radius: float, exact: bool) -> Bounded:
        """The values and the bounds of their errors, x being known up to the radius."""
        columns = _forth(x)
        known = Bounded(columns, np.full(columns.shape, radius))
        found = self.levels(known, self._constants(exact))
        return Bounded(_back(found.value, x), _back(found.bound, x))

    def tangents(self, x: Array, directions: Array, radius: float) -> Bounded:
        """The derivatives at states x (states, entries) along directions (states, n, entries), and
        the bounds of their errors: (states, n, entries of the output)."""
        columns = np.moveaxis(x[:, None, :], -1, 0)
        seeds = np.moveaxis(directions, -1, 0)
        known = Dual(
            Bounded(columns, np.full(columns.shape, radius)),
            Bounded(seeds, np.full(seeds.shape, radius)),
        )
        constants = self._constants(exact=False)
        still = np.zeros(constants.value.shape)
        found = self.levels(known, Dual(constants, Bounded(still, still))).d
        return Bounded(np.moveaxis(found.value, 0, -1), np.moveaxis(found.bound, 0, -1))

    def _constants(self, exact: bool) -> Bounded:
        constants = self.levels.constants
        stored = np.array([DOUBLE.of_constant(c) for c in constants.tolist()])
        return Bounded(constants, stored if exact else self.errors)


def _forth(x: Array) -> Array:
    """(..., entries) as (entries, states)."""
    return (
        x.reshape((-1, x.shape[-1])).T if x.shape[-1] else np.zeros((0, int(np.prod(x.shape[:-1]))))
    )


def _back(found: Array, like: Array) -> Array:
    return found.T.reshape((*like.shape[:-1], len(found)))
