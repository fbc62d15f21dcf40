"""A row bound to a robot and its frames."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Unpack

from symkin.algebra import Matrix
from symkin.algorithms.external_forces import Force
from symkin.algorithms.path import Path
from symkin.errors import ArgumentError
from symkin.model import Robot
from symkin.model.parameters import parameters as parameters_of
from symkin.model.parameters import with_parameters
from symkin.model.prepare import STEPS, prepare
from symkin.quantities import dynamics, forces, kinematics, steps
from symkin.quantities.options import Options, check_options
from symkin.quantities.table import Port, Quantity, Slot

QUANTITIES: Mapping[str, Quantity] = {
    row.name: row for row in (*kinematics.ROWS, *dynamics.ROWS, *forces.ROWS, *steps.ROWS)
}


@dataclass(frozen=True, eq=False)
class Instance:
    """A quantity of one robot and, for a quantity of a frame, of one frame relative to another.

    ``forces`` say where wrenches from outside act, for a quantity that takes them; ``parameters``
    name numbers of the robot that are inputs instead. ``name`` is a C identifier: the quantity,
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
    parameters: tuple[str, ...] = ()
    preparation: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The input ports: the quantity's own, then the parameters."""
        own = tuple(self._port(slot) for slot in self.quantity.inputs)
        given = parameters_of(self.robot, self.parameters)
        return own + tuple(
            Port(identifier(p.name), (p.size,), p.unit, p.doc, p.labels) for p in given
        )

    @property
    def output(self) -> Port:
        """The output port."""
        return self._port(self.quantity.output)

    def _port(self, slot: Slot) -> Port:
        return slot.of(self.robot, [force.frame for force in self.forces])

    @property
    def doc(self) -> str:
        """The row's line, the frames meant, and where forces act."""
        text = self.quantity.doc
        if self.frame is not None:
            text += f" Frame: {self.frame}; relative to: {self.relative_to}."
        for k, force in enumerate(self.forces):
            axes, about = force.axes or force.frame, force.about or force.frame
            text += f" Wrench {k}: on {force.frame}, in axes of {axes}, moment about {about}."
        return text

    def prepared(self, steps: Iterable[str] = tuple(STEPS)) -> Instance:
        """The same, of the robot rewritten by these steps of `prepare`: by all unless said."""
        return replace(self, preparation=tuple(steps))

    def __call__(self, *inputs: Matrix) -> Matrix:
        """The output's entries for column inputs of any scalar, its flat order row by row."""
        own = len(self.quantity.inputs)
        robot = self.robot
        if self.parameters:
            robot = with_parameters(robot, self.parameters, inputs[own:])
        robot = prepare(robot, self.preparation)
        compute = self.quantity.formulations[self.formulation]
        if self.quantity.with_forces:
            return compute(robot, self.forces, *inputs[:own])
        if self.frame is None or self.relative_to is None:
            return compute(robot, *inputs[:own])
        return compute(Path.between(robot, self.relative_to, self.frame), *inputs[:own])


def bind(robot: Robot, quantity: str, **options: Unpack[Options]) -> Instance:
    """The instance of a row for a robot, as the `Options` say.

    Raises ArgumentError for unknown names, listing the known ones, and for options that the
    quantity has no use for.
    """
    _check_robot(robot)
    row = _row(quantity)
    check_options(quantity, options)
    missing = row.demand(robot)
    if missing:
        raise ArgumentError(f"{quantity}: {missing}")
    available = row.formulations_of(robot)
    formulation = options.get("formulation") or available[0]
    if formulation not in available:
        reason = row.limits[formulation](robot) if formulation in row.limits else "there is none"
        raise ArgumentError(
            f"{quantity}: no formulation {formulation!r} ({reason}); choose {', '.join(available)}"
        )
    parameters = tuple(options.get("parameters", ()))
    parameters_of(robot, parameters)
    acting = _acting(robot, row, options.get("forces"))
    frame, relative_to = options.get("frame"), options.get("relative_to")
    if not row.per_frame:
        if frame is not None or relative_to is not None:
            raise ArgumentError(f"{quantity} belongs to the whole robot: it takes no frame")
        return Instance(robot, row, formulation, None, None, quantity, acting, parameters)
    if frame is None:
        if len(robot.tips) != 1:
            raise ArgumentError(
                f"{quantity}: robot {robot.name!r} has {len(robot.tips)} tips "
                f"({', '.join(robot.tips)}); say which frame is meant"
            )
        frame = robot.tips[0]
    root = robot.links[0].name
    relative_to = root if relative_to is None else relative_to
    for frame_name in (frame, relative_to):
        robot.frame(frame_name)
    name = quantity
    if robot.tips != (frame,):
        name += f"_{identifier(frame)}"
    if relative_to != root:
        name += f"_relative_to_{identifier(relative_to)}"
    return Instance(robot, row, formulation, frame, relative_to, name, acting, parameters)


def _acting(robot: Robot, row: Quantity, forces: Sequence[Force] | None) -> tuple[Force, ...]:
    """The forces meant, their frames known; ArgumentError for a quantity that takes none."""
    if not row.with_forces:
        if forces:
            takers = [other.name for other in QUANTITIES.values() if other.with_forces]
            raise ArgumentError(f"{row.name} takes no forces; these do: {', '.join(takers)}")
        return ()
    if forces is None:
        forces = [Force(tip, axes=robot.links[0].name) for tip in robot.tips]
    for force in forces:
        for name in (force.frame, force.axes, force.about):
            if name is not None:
                robot.frame(name)
    return tuple(forces)


def bind_all(
    robot: Robot, quantities: Iterable[str] | None = None, **options: Unpack[Options]
) -> tuple[Instance, ...]:
    """The instances of the rows named, or of every usual row that the robot has, in their order.

    ``quantities`` may be one name. Without ``frame``, a quantity of a frame is bound once for each
    of the robot's tips; one of the whole robot takes no part in the choice of frames, and one
    without forces none in theirs. Raises ArgumentError as `bind` does, and when there is no name.
    """
    _check_robot(robot)
    instances: list[Instance] = []
    if quantities is None:
        quantities = [
            row.name for row in QUANTITIES.values() if not row.on_request and not row.demand(robot)
        ]
    else:
        quantities = (quantities,) if isinstance(quantities, str) else tuple(quantities)
        if not quantities:
            raise ArgumentError("no quantities are named; leave them out for all of them")
    for name in dict.fromkeys(_row(name).name for name in quantities):
        own = options.copy()
        if not QUANTITIES[name].with_forces:
            own.pop("forces", None)
        if QUANTITIES[name].per_frame and own.get("frame") is None:
            instances += [bind(robot, name, **(own | {"frame": tip})) for tip in robot.tips]
            continue
        if not QUANTITIES[name].per_frame:
            own.pop("frame", None)
            own.pop("relative_to", None)
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
