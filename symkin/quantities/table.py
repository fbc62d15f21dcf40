"""What a row of the table is: ports, slots that depend on the robot, and the row itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from symkin.algebra import Matrix
from symkin.algorithms.regressor import inertial_parameter_names
from symkin.model import Robot
from symkin.quantities.demands import Demand, firm, nothing
from symkin.quantities.options import PLACE_OPTIONS, PLACES, Options, Owner
from symkin.quantities.places import contacts_of

Size: TypeAlias = int | Literal["nq", "nv", "nx", "2nv", "3nv", "6k", "c", "10n"]
Formulation: TypeAlias = Callable[..., Matrix]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output array: its name, shape, unit and meaning. Flat order is row-major.

    A unit "a, b" is that of the angular, then of the linear part; "a | b" is that of entries which
    belong to revolute, then to prismatic joints.
    ``labels`` name the entries along the axes that run over joints. ``quaternions`` are the places
    in the flat order where one of unit length, x, y, z, w, begins.
    """

    name: str
    shape: tuple[int, ...]
    unit: str
    doc: str
    labels: tuple[str, ...] = ()
    quaternions: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Slot:
    """A port of the table, whose shape depends on the robot."""

    name: str
    shape: tuple[Size, ...]
    unit: str
    doc: str

    def of(self, robot: Robot, wrenches: Sequence[str] = (), held: Sequence[str] = ()) -> Port:
        """The port for one robot: names of the wrenches and of the held coordinates are given.

        A vector of nq entries is a position, with its quaternions.

        The axes of nq and of nv entries have labels of their own: those of the first are given.
        """
        positions, velocities = robot.position_names, robot.velocity_names
        names = {
            "nq": positions,
            "nv": velocities,
            "nx": (*positions, *velocities),
            "2nv": 2 * velocities,
            "3nv": 3 * velocities,
            "6k": tuple(wrenches),
            "c": tuple(held),
        }
        if "10n" in self.shape:
            names["10n"] = inertial_parameter_names(robot)
        shape = tuple(s if isinstance(s, int) else len(names[s]) for s in self.shape)
        labels: tuple[str, ...] = next((names[s] for s in self.shape if not isinstance(s, int)), ())
        quaternions = robot.quaternions if self.shape == ("nq",) else ()
        doc = self.doc
        if quaternions:
            doc += ", quaternions (x, y, z, w) of unit length"
        return Port(self.name, shape, self.unit, doc, labels, quaternions)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One row: what can be computed, from what, and by which formulations (the first is usual).

    ``belongs_to`` says what it is a quantity of, and so what its formulations are functions of,
    before the inputs: the `Path` from a base to a frame; the `Robot`; the robot and the forces that
    act on it; the robot and the contacts that hold it. ``demand`` says why a robot does not have
    the quantity, and ``limits`` why it does not have a formulation. A large or special one
    ``on_request`` is left out where all quantities of a robot are meant. ``bars`` are the steps of
    `prepare` after which it would mean something else.
    """

    name: str
    doc: str
    reference: str
    inputs: tuple[Slot, ...]
    output: Slot
    formulations: Mapping[str, Formulation]
    belongs_to: Owner = "frame"
    demand: Demand = nothing
    limits: Mapping[str, Demand] = field(default_factory=dict)
    on_request: bool = False
    bars: tuple[str, ...] = ("rescale",)

    @property
    def per_frame(self) -> bool:
        """Whether it is one of a frame relative to another."""
        return self.belongs_to == "frame"

    @property
    def takes(self) -> tuple[str, ...]:
        """The options that say where it is meant."""
        return PLACES[self.belongs_to]

    def own(self, options: Options) -> Options:
        """The options without the places of other quantities."""
        others = PLACE_OPTIONS - set(self.takes)
        return cast(Options, {name: x for name, x in options.items() if name not in others})

    def missing(self, robot: Robot) -> str:
        """Why the robot does not have it where no options are given; "" if it does."""
        reason = self.demand(robot)
        if not reason and self.belongs_to == "contacts":
            return firm(robot, contacts_of(robot))
        return reason

    def formulations_of(self, robot: Robot) -> tuple[str, ...]:
        """The formulations that can compute the quantity of this robot."""
        return tuple(
            name for name in self.formulations if not self.limits.get(name, nothing)(robot)
        )


STACKED = "stacked"
"""The formulation of whole-body dynamics that loops over all degrees of freedom alike."""

OWN_LINKS = ("reframe", "regroup", "rezero", "hold", "split", "rescale")
"""Steps that a quantity bars which speaks of each link as it was given."""

Q = Slot("q", ("nq",), "rad | m", "joint positions")
V = Slot("v", ("nv",), "rad/s | m/s", "joint velocities")
A = Slot("a", ("nv",), "rad/s^2 | m/s^2", "joint accelerations")

MODERN_ROBOTICS = "Lynch & Park, Modern Robotics (2017)"
FEATHERSTONE = "Featherstone, Rigid Body Dynamics Algorithms (2008)"
