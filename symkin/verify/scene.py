"""A robot, a frame and states: what laws and oracles look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from symkin.algebra.bounded import Bounded
from symkin.library import Library
from symkin.model import Robot
from symkin.quantities import QUANTITIES, Instance, Options, bind
from symkin.verify.lanes import measured_derivative, measured_value
from symkin.verify.subject import Subject
from symkin.verify.traced import Traced

Array = npt.NDArray[np.float64]
Kept = TypeVar("Kept")


@dataclass(frozen=True, eq=False)
class Scene:
    """A frame of a robot, relative to another, at states ``q``, ``v``, ``a``: (states, n) each.

    ``frame`` is None for the whole robot alone. ``options`` are those beside frames: the forces
    that act, the contacts that hold, the parameters, whose values are states too. What is computed
    is kept.
    """

    robot: Robot
    frame: str | None
    relative_to: str
    states: Mapping[str, Array]
    compiled: Callable[[str, Traced], Library]
    options: Options = field(default_factory=Options)
    thorough: bool = True
    _traced: dict[str, Traced] = field(default_factory=dict, repr=False)
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def q(self) -> Array:
        """Joint positions."""
        return self.states["q"]

    @property
    def v(self) -> Array:
        """Joint velocities."""
        return self.states["v"]

    @property
    def a(self) -> Array:
        """Joint accelerations."""
        return self.states["a"]

    @property
    def count(self) -> int:
        """Number of states."""
        return len(self.q)

    def instance(self, quantity: str) -> Instance:
        """The quantity of this frame, or of the whole robot."""
        here: Options = {**self.options, "frame": self.frame, "relative_to": self.relative_to}
        return bind(self.robot, quantity, **QUANTITIES[quantity].own(here))

    def subject(self, quantity: str) -> Subject:
        """The quantity under test."""

        def make() -> Subject:
            instance = self.instance(quantity)
            x = np.concatenate([self.states[port.name] for port in instance.inputs], axis=-1)
            traced = self._traced.setdefault(quantity, Traced(instance, self.thorough))
            return Subject(instance, x, traced, self.compiled)

        return self.kept(quantity, make)

    def value(self, quantity: str, lane: str | None = None) -> Bounded:
        """Its value and the bound of its error, by a lane or as its first formulation has it."""
        subject = self.subject(quantity)
        if lane is None:
            return self.kept((quantity, None), lambda: subject.bounded(subject.x))
        return self.kept((quantity, lane), lambda: measured_value(subject, lane))

    def derivative(self, quantity: str, lane: str) -> Bounded:
        """Its derivatives with respect to its own inputs by a lane, (states, *shape, tangents)."""
        return self.full_derivative(quantity, lane)[..., : self.subject(quantity).own_tangents]

    def full_derivative(self, quantity: str, lane: str) -> Bounded:
        """The same with respect to parameters too, which come last."""
        subject = self.subject(quantity)
        return self.kept((quantity, "d", lane), lambda: measured_derivative(subject, lane))

    def kept(self, key: Any, compute: Callable[[], Kept]) -> Kept:
        """What was computed under a key, now or before."""
        if key not in self._kept:
            self._kept[key] = compute()
        found: Kept = self._kept[key]
        return found

    def of(self, frame: str, relative_to: str) -> Scene:
        """Other frames of the same robot, in the same states."""
        return replace(self, frame=frame, relative_to=relative_to, _traced={}, _kept={})

    def at(self, states: Mapping[str, Array]) -> Scene:
        """The same frame in other states."""
        return replace(self, states=states, _kept={})
