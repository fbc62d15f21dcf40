"""A quantity under test: at many states, with what several lanes share computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra import Matrix
from symkin.algebra.bounded import DOUBLE, Bounded, stack
from symkin.algorithms.configuration import position_rate
from symkin.evaluate import evaluate_instance
from symkin.graph.error_bound import error_bound
from symkin.library import Library
from symkin.model import Robot
from symkin.quantities import Instance, normalised
from symkin.verify.arrays import arranged
from symkin.verify.recording import Recording
from symkin.verify.traced import Traced

Array = npt.NDArray[Any]

QUATERNION_ERROR = 2.0 * DOUBLE.unit
"""How far the entries of a quaternion are from those of one of length one."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A bound quantity at the states ``x``, an array (states, entries of all inputs).

    ``compiled`` gives the library of a compiled lane, or raises BuildError.
    """

    instance: Instance
    x: Array
    traced: Traced
    compiled: Callable[[str, Traced], Library]

    @property
    def shape(self) -> tuple[int, ...]:
        """The output's."""
        return self.instance.output.shape

    @property
    def unsure(self) -> float:
        """The error of inputs: `QUATERNION_ERROR` where there are quaternions."""
        robot = self.instance.robot
        return QUATERNION_ERROR if robot.nq != robot.nv else 0.0

    def formulated(self, formulation: str) -> Subject:
        """The same, computed by another formulation."""
        return replace(self, instance=replace(self.instance, formulation=formulation))

    def split(self, x: Array) -> dict[str, Array]:
        """The inputs by name, of an array (..., entries of all inputs)."""
        return self._parts(x, [port.size for port in self.instance.inputs])

    def split_tangents(self, x: Array) -> dict[str, Array]:
        """The same of an array (..., tangents of all inputs): nv of them for positions."""
        return self._parts(x, self._tangents)

    def _parts(self, x: Array, sizes: Sequence[int]) -> dict[str, Array]:
        ends = np.cumsum(sizes)
        names = (port.name for port in self.instance.inputs)
        return {n: x[..., e - k : e] for n, e, k in zip(names, ends, sizes, strict=True)}

    @property
    def _tangents(self) -> list[int]:
        nv = self.instance.robot.nv
        return [nv if port.quaternions else port.size for port in self.instance.inputs]

    @property
    def own_tangents(self) -> int:
        """How many tangents the quantity's own inputs have, without parameters."""
        return sum(self._tangents[: len(self.instance.quantity.inputs)])

    @cached_property
    def directions(self) -> Array:
        """The directions of all derivatives, (states, tangents, entries): v moves q by N(q) v."""
        sizes = [port.size for port in self.instance.inputs]
        found = np.zeros((len(self.x), sum(self._tangents), sum(sizes)))
        row = column = 0
        for port, size, tangents in zip(self.instance.inputs, sizes, self._tangents, strict=True):
            q = self.split(self.x)[port.name]
            found[:, row : row + tangents, column : column + size] = (
                np.eye(size) if size == tangents else tangent_basis(self.instance.robot, q)
            )
            row, column = row + tangents, column + size
        return found

    @property
    def recording(self) -> Recording:
        """What the formulation does."""
        return self.traced.recording(self.instance.formulation)

    def evaluate(self, x: Array) -> Array:
        """The quantity in NumPy: (..., *shape), real or complex like x."""
        return evaluate_instance(self.instance, self.split(x))

    def repeated(self, x: Array) -> Array:
        """The same numbers, from the recording."""
        name, ports = self.instance.quantity.name, self.instance.inputs
        parts = zip(ports, self.split(x).values(), strict=True)
        units = [normalised(name, port, part) for port, part in parts]
        values = self.recording.values(np.concatenate(units, axis=-1))
        return values.reshape((*x.shape[:-1], *self.shape))

    def bounded(self, x: Array, *, radius: float = 0.0, exact: bool = False) -> Bounded:
        """The same with the bound of its error, for inputs known up to ``radius``.

        The robot's constants are `doubtful` unless they are meant ``exact``.
        """
        found = self.recording.bounded(x, radius + self.unsure, exact)
        return arranged(found, lambda y: y.reshape((*x.shape[:-1], *self.shape)))

    @cached_property
    def exact_bound(self) -> Array:
        """The bound of `evaluate` at the states, the constants meant exact."""
        return self.bounded(self.x, exact=True).bound

    @cached_property
    def tangents(self) -> Bounded:
        """The derivatives that dual numbers give, (states, *shape, tangents), and their bounds."""
        found = self.recording.tangents(self.x, self.directions, self.unsure)
        shape = (*self.directions.shape[:2], *self.shape)
        return arranged(found, lambda y: last(y.reshape(shape)))

    @cached_property
    def graph_bound(self) -> Array:
        """The bound of the graph's values at the states."""
        found = error_bound(self.traced.graph, self.split(self.x), radius=self.unsure)
        return found[self.instance.output.name].bound

    @cached_property
    def forward_bound(self) -> Array:
        """The bound of the derivatives by `Traced.forward`, (states, *shape, tangents)."""
        states = {"x": self.x[:, None, :], "s": self.directions}
        found = error_bound(self.traced.forward.graph, states, radius=self.unsure)
        return last(found[self.instance.output.name].bound)


def tangent_basis(robot: Robot, q: Array) -> Array:
    """N(q) transposed, (states, nv, nq)."""
    columns = Matrix([(q[..., i],) for i in range(robot.nq)], columns=1)
    N = position_rate(robot, columns)
    return np.moveaxis(stack(N, N.shape, q.shape[:-1]).value, -1, -2)


def last(array: Array) -> Array:
    """Axis 1, the direction, moved behind the output's axes."""
    return np.moveaxis(array, 1, -1)
