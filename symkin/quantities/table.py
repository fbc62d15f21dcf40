"""What a row of the table is: ports, slots that depend on the robot, and the row itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from symkin.algebra import Matrix
from symkin.algorithms.regressor import inertial_parameter_names
from symkin.model import Robot
from symkin.quantities.demands import Demand, nothing

Size: TypeAlias = int | Literal["nq", "nv", "nx", "2nv", "3nv", "6k", "10n"]
Formulation: TypeAlias = Callable[..., Matrix]


WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")
"""The entries of a wrench (n, f), moment first."""


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

    def of(self, robot: Robot, wrenches: Sequence[str] = ()) -> Port:
        """The port for one robot and, where forces act on it, names of their wrenches.

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
            "6k": tuple(f"{name}.{axis}" for name in wrenches for axis in WRENCH),
            "10n": inertial_parameter_names(robot),
        }
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

    A quantity of a frame is computed by functions of a `Path` from its base to the frame; one of
    the whole robot by functions of the `Robot`. ``per_frame`` says which. ``demand`` says
    why a robot does not have the quantity, and ``limits`` why it does not have a formulation. A
    large one ``on_request`` is left out where all quantities of a robot are meant. One
    ``with_forces`` is computed by functions of the robot and the places where forces act.
    """

    name: str
    doc: str
    reference: str
    inputs: tuple[Slot, ...]
    output: Slot
    formulations: Mapping[str, Formulation]
    per_frame: bool = True
    demand: Demand = nothing
    limits: Mapping[str, Demand] = field(default_factory=dict)
    on_request: bool = False
    with_forces: bool = False

    def formulations_of(self, robot: Robot) -> tuple[str, ...]:
        """The formulations that can compute the quantity of this robot."""
        return tuple(
            name for name in self.formulations if not self.limits.get(name, nothing)(robot)
        )


Q = Slot("q", ("nq",), "rad | m", "joint positions")
V = Slot("v", ("nv",), "rad/s | m/s", "joint velocities")
A = Slot("a", ("nv",), "rad/s^2 | m/s^2", "joint accelerations")

MODERN_ROBOTICS = "Lynch & Park, Modern Robotics (2017)"
FEATHERSTONE = "Featherstone, Rigid Body Dynamics Algorithms (2008)"
