"""A quantity under test: at many states, with what several lanes share computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra import Dual, Matrix
from symkin.algebra.bounded import DOUBLE, Bounded, stack
from symkin.algorithms.configuration import position_rate
from symkin.evaluate import evaluate_instance
from symkin.graph.error_bound import error_bound
from symkin.library import Library
from symkin.model import Robot
from symkin.quantities import Instance
from symkin.spatial import Pose
from symkin.verify.traced import Traced

Array = npt.NDArray[Any]

CONSTANT_ROUNDINGS = 8.0
"""Units of roundoff by which a robot's constants may differ between lanes that prepare it
differently: a product of two displacements changes an entry by six, storing it by one."""

QUATERNION_ERROR = 2.0 * DOUBLE.unit
"""How far the entries of a quaternion are from those of one of length one."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A bound quantity at the states ``x``, an array (states, entries of all inputs).

    ``compiled`` gives the library of a compiled lane.
    """

    instance: Instance
    x: Array
    traced: Traced
    compiled: Callable[[str], Library]

    @property
    def shape(self) -> tuple[int, ...]:
        """The output's."""
        return self.instance.output.shape

    @property
    def unsure(self) -> float:
        """The error of inputs: `QUATERNION_ERROR` where there are quaternions."""
        robot = self.instance.robot
        return QUATERNION_ERROR if robot.nq != robot.nv else 0.0

    @cached_property
    def _doubtful(self) -> Instance:
        return replace(self.instance, robot=doubtful(self.instance.robot))

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

    def evaluate(self, x: Array) -> Array:
        """The quantity in NumPy: (..., *shape), real or complex like x."""
        return evaluate_instance(self.instance, self.split(x))

    def bounded(self, x: Array, *, radius: float = 0.0, exact: bool = False) -> Bounded:
        """`evaluate` and its error's bound, for inputs known up to ``radius``.

        The robot's constants are `doubtful` unless they are meant ``exact``.
        """
        instance, radius = self.instance if exact else self._doubtful, radius + self.unsure
        columns = [
            Matrix([(Bounded(part[..., i], radius),) for i in range(part.shape[-1])], columns=1)
            for part in self.split(x).values()
        ]
        return stack(instance(*columns), self.shape, x.shape[:-1])

    @cached_property
    def exact_bound(self) -> Array:
        """The bound of `evaluate` at the states, the constants meant exact."""
        return self.bounded(self.x, exact=True).bound

    @cached_property
    def tangents(self) -> Bounded:
        """The derivatives that dual numbers give, (states, *shape, tangents), and their bounds."""
        values, seeds = self.split(self.x[:, None, :]), self.split(self.directions)
        columns = []
        for name, part in values.items():
            pairs = [
                (
                    Dual(
                        Bounded(part[..., i], self.unsure),
                        Bounded(seeds[name][..., i], self.unsure),
                    ),
                )
                for i in range(part.shape[-1])
            ]
            columns.append(Matrix(pairs, columns=1))
        entries = [x.d if isinstance(x, Dual) else 0.0 for x in self._doubtful(*columns)]
        tangents = stack(entries, self.shape, self.directions.shape[:2])
        return Bounded(last(tangents.value), last(tangents.bound))

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


def doubtful(robot: Robot) -> Robot:
    """The robot with every constant but 0, 1 and -1 known to `CONSTANT_ROUNDINGS` only."""
    links = []
    for link in robot.links:
        joint = link.joint
        if joint is not None:
            joint = replace(joint, origin=_doubtful_pose(joint.origin), axis=_doubt(joint.axis))
        inertia = replace(link.inertia, moment=_doubt(link.inertia.moment))
        links.append(replace(link, joint=joint, inertia=inertia))
    frames = tuple(replace(frame, pose=_doubtful_pose(frame.pose)) for frame in robot.frames)
    return replace(robot, links=tuple(links), frames=frames)


def _doubtful_pose(pose: Pose) -> Pose:
    return Pose(_doubt(pose.R), _doubt(pose.p))


def _doubt(constants: Matrix) -> Matrix:
    """Errors are relative to the largest entry: turning mixes them."""
    error = CONSTANT_ROUNDINGS * DOUBLE.unit * max(abs(c) for c in constants)
    return constants.map(lambda c: c if abs(c) in (0.0, 1.0) else Bounded(c, error))


def last(array: Array) -> Array:
    """Axis 1, the direction, moved behind the output's axes."""
    return np.moveaxis(array, 1, -1)
