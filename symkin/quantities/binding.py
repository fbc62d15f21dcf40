"""A row bound to a robot and its frames."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Unpack

from symkin.algebra import Matrix
from symkin.algorithms.contact import Contact
from symkin.algorithms.external_forces import Force
from symkin.algorithms.path import Path
from symkin.errors import ArgumentError
from symkin.model import Robot
from symkin.model.parameters import parameters as parameters_of
from symkin.model.parameters import with_parameters
from symkin.model.prepare import USUAL, prepare
from symkin.quantities import contacts, dynamics, forces, kinematics, steps
from symkin.quantities.demands import firm
from symkin.quantities.options import PLACE_OPTIONS, PLACES, Options, check_options
from symkin.quantities.places import contacts_of, described, entries_of, forces_on
from symkin.quantities.table import Port, Quantity, Slot

QUANTITIES: Mapping[str, Quantity] = {
    row.name: row
    for row in (*kinematics.ROWS, *dynamics.ROWS, *forces.ROWS, *contacts.ROWS, *steps.ROWS)
}


@dataclass(frozen=True, eq=False)
class Instance:
    """A quantity of one robot and, for a quantity of a frame, of one frame relative to another.

    ``forces`` say where wrenches from outside act and ``contacts`` which frames are held, for a
    quantity that takes them; ``parameters`` name numbers of the robot that are inputs instead.
    ``name`` is a C identifier: the quantity,
    then those frames that are not the usual ones. ``preparation`` names the steps of `prepare` by
    which the robot is rewritten, once the parameters are in it.
    """

    robot: Robot
    quantity: Quantity
    formulation: str
    frame: str | None
    relative_to: str | None
    name: str
    forces: tuple[Force, ...] = ()
    contacts: tuple[Contact, ...] = ()
    parameters: tuple[str, ...] = ()
    preparation: tuple[str, ...] = ()

    @cached_property
    def inputs(self) -> tuple[Port, ...]:
        """The input ports: the quantity's own, then the parameters."""
        own = tuple(self._port(slot) for slot in self.quantity.inputs)
        given = parameters_of(self.robot, self.parameters)
        return own + tuple(
            Port(identifier(p.name), (p.size,), p.unit, p.doc, p.labels) for p in given
        )

    @cached_property
    def output(self) -> Port:
        """The output port."""
        return self._port(self.quantity.output)

    def _port(self, slot: Slot) -> Port:
        wrenches = [entry for force in self.forces for entry in entries_of(force)]
        held = [entry for contact in self.contacts for entry in entries_of(contact)]
        return slot.of(self.robot, wrenches, held)

    @property
    def doc(self) -> str:
        """The row's line, the frames meant, where forces act and what is held."""
        text = self.quantity.doc
        if self.frame is not None:
            text += f" Frame: {self.frame}; relative to: {self.relative_to}."
        for k, force in enumerate(self.forces):
            text += f" Wrench {k}: {described(force)}."
        for k, contact in enumerate(self.contacts):
            text += f" Contact {k}: {described(contact)}."
        return text

    def prepared(self, steps: Iterable[str] = USUAL) -> Instance:
        """The same, of the robot rewritten by those of these steps that the quantity allows."""
        allowed = tuple(step for step in steps if step not in self.quantity.bars)
        return replace(self, preparation=allowed)

    def __call__(self, *inputs: Matrix) -> Matrix:
        """The output's entries for column inputs of any scalar, its flat order row by row."""
        own = len(self.quantity.inputs)
        robot = self.robot
        if self.parameters:
            robot = with_parameters(robot, self.parameters, inputs[own:])
        robot = prepare(robot, self.preparation)
        compute = self.quantity.formulations[self.formulation]
        if self.frame is not None and self.relative_to is not None:
            return compute(Path.between(robot, self.relative_to, self.frame), *inputs[:own])
        places = (getattr(self, option) for option in self.quantity.takes)
        return compute(robot, *places, *inputs[:own])


def bind(robot: Robot, quantity: str, **options: Unpack[Options]) -> Instance:
    """The instance of a row for a robot, as the `Options` say.

    Raises ArgumentError for unknown names, listing the known ones, for options that the quantity
    has no use for, and for contacts whose forces cannot be told apart.
    """
    _check_robot(robot)
    row = _row(quantity)
    check_options(quantity, options)
    _check_places(quantity, row.takes, options)
    missing = row.demand(robot)
    if missing:
        raise ArgumentError(f"{quantity}: {missing}")
    parameters = tuple(options.get("parameters", ()))
    parameters_of(robot, parameters)
    bound = Instance(
        robot, row, _formulation(robot, row, options), None, None, quantity, parameters=parameters
    )
    if row.belongs_to == "frame":
        return _of_frame(bound, options.get("frame"), options.get("relative_to"))
    if row.belongs_to == "forces":
        return replace(bound, forces=forces_on(robot, options.get("forces")))
    if row.belongs_to == "contacts":
        held = contacts_of(robot, options.get("contacts"))
        loose = firm(robot, held)
        if loose:
            raise ArgumentError(f"{quantity}: {loose}")
        return replace(bound, contacts=held)
    return bound


def _formulation(robot: Robot, row: Quantity, options: Options) -> str:
    available = row.formulations_of(robot)
    formulation = options.get("formulation") or available[0]
    if formulation not in available:
        reason = row.limits[formulation](robot) if formulation in row.limits else "there is none"
        raise ArgumentError(
            f"{row.name}: no formulation {formulation!r} ({reason}); choose {', '.join(available)}"
        )
    return formulation


def _of_frame(bound: Instance, frame: str | None, relative_to: str | None) -> Instance:
    """The same of a frame, named after it."""
    robot, name = bound.robot, bound.name
    if frame is None:
        if len(robot.tips) != 1:
            raise ArgumentError(
                f"{name}: robot {robot.name!r} has {len(robot.tips)} tips "
                f"({', '.join(robot.tips)}); say which frame is meant"
            )
        frame = robot.tips[0]
    root = robot.links[0].name
    relative_to = root if relative_to is None else relative_to
    for frame_name in (frame, relative_to):
        robot.frame(frame_name)
    if robot.tips != (frame,):
        name += f"_{identifier(frame)}"
    if relative_to != root:
        name += f"_relative_to_{identifier(relative_to)}"
    return replace(bound, frame=frame, relative_to=relative_to, name=name)


def _check_places(owner: str, taken: Collection[str], options: Options) -> None:
    """ArgumentError for places given to what has no use for them."""
    for option, value in options.items():
        if not value or option in taken or option not in PLACE_OPTIONS:
            continue
        if option in PLACES["frame"]:
            raise ArgumentError(f"{owner} belongs to the whole robot: it takes no frame")
        takers = [row.name for row in QUANTITIES.values() if option in row.takes]
        raise ArgumentError(f"{owner} takes no {option}; these do: {', '.join(takers)}")


def bind_all(
    robot: Robot, quantities: Iterable[str] | None = None, **options: Unpack[Options]
) -> tuple[Instance, ...]:
    """The instances of the rows named, or of every usual row that the robot has, in their order.

    ``quantities`` may be one name. Without ``frame``, a quantity of a frame is bound once for each
    of the robot's tips. Each quantity takes the places that it has a use for, frames, forces or
    contacts. Raises ArgumentError as `bind` does, when there is no name, and for forces or contacts
    that no quantity takes.
    """
    _check_robot(robot)
    if quantities is None:
        quantities = [
            row.name for row in QUANTITIES.values() if not row.on_request and not row.missing(robot)
        ]
    else:
        quantities = (quantities,) if isinstance(quantities, str) else tuple(quantities)
        if not quantities:
            raise ArgumentError("no quantities are named; leave them out for all of them")
    rows = {name: _row(name) for name in quantities}
    taken = {option for row in rows.values() for option in row.takes}
    _check_places(", ".join(rows), {*taken, *PLACES["frame"]}, options)
    instances: list[Instance] = []
    for name, row in rows.items():
        own = row.own(options)
        if row.per_frame and own.get("frame") is None:
            instances += [bind(robot, name, **(own | {"frame": tip})) for tip in robot.tips]
        else:
            instances.append(bind(robot, name, **own))
    return tuple(instances)


def _check_robot(robot: Robot) -> None:
    """ArgumentError, which says how one is made, unless it is a robot."""
    if isinstance(robot, str | PathLike):
        raise ArgumentError(
            f"a robot is needed: pass symkin.load({str(robot)!r}), not {robot!r} itself"
        )
    if not isinstance(robot, Robot):
        raise ArgumentError(
            f"a robot is needed, as symkin.load makes one, and not one of {type(robot).__name__}"
        )


def _row(quantity: str) -> Quantity:
    row = QUANTITIES.get(quantity) if isinstance(quantity, str) else None
    if row is None:
        near = _nearest(str(quantity), tuple(QUANTITIES))
        raise ArgumentError(f"no quantity {quantity!r}; {near}")
    return row


def identifier(name: str) -> str:
    """A C identifier that resembles ``name``: accents dropped, other letters by code point.

    Runs of anything else become one underscore, since C++ keeps double ones for itself. The result
    may be a keyword.
    """
    text = "".join(c if c.isascii() else _spelled(c) for c in name)
    text = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return text if re.match(r"[A-Za-z]", text) else f"n{text}"


def _spelled(character: str) -> str:
    base = unicodedata.normalize("NFKD", character)[0]
    return base if base.isascii() else f"u{ord(character):04x}"


def _nearest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
