"""A row bound to a robot and its frames."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symkin.algebra import Matrix
from symkin.algorithms.path import Path
from symkin.errors import ArgumentError
from symkin.model import Robot
from symkin.quantities import dynamics, kinematics, steps
from symkin.quantities.table import Port, Quantity

QUANTITIES: Mapping[str, Quantity] = {
    row.name: row for row in (*kinematics.ROWS, *dynamics.ROWS, *steps.ROWS)
}


@dataclass(frozen=True, eq=False)
class Instance:
    """A quantity of one robot and, for a quantity of a frame, of one frame relative to another.

    ``name`` is a C identifier: the quantity, then those frames that are not the usual ones.
    """

    robot: Robot
    quantity: Quantity
    formulation: str
    frame: str | None
    relative_to: str | None
    name: str

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The input ports."""
        return tuple(slot.of(self.robot) for slot in self.quantity.inputs)

    @property
    def output(self) -> Port:
        """The output port."""
        return self.quantity.output.of(self.robot)

    @property
    def doc(self) -> str:
        """The row's line, and the frames meant."""
        if self.frame is None:
            return self.quantity.doc
        return f"{self.quantity.doc} Frame: {self.frame}; relative to: {self.relative_to}."

    def __call__(self, *inputs: Matrix) -> Matrix:
        """The output's entries for column inputs of any scalar, its flat order row by row."""
        compute = self.quantity.formulations[self.formulation]
        if self.frame is None or self.relative_to is None:
            return compute(self.robot, *inputs)
        return compute(Path.between(self.robot, self.relative_to, self.frame), *inputs)


def bind(
    robot: Robot,
    quantity: str,
    *,
    frame: str | None = None,
    relative_to: str | None = None,
    formulation: str | None = None,
) -> Instance:
    """The instance of a row for a robot.

    ``frame`` may be left out when the robot has one tip only; ``relative_to`` is the root link
    unless given, and may move. Raises ArgumentError for unknown names, listing the known ones.
    """
    row = QUANTITIES.get(quantity)
    if row is None:
        raise ArgumentError(f"no quantity {quantity!r}; {_nearest(quantity, tuple(QUANTITIES))}")
    missing = row.demand(robot)
    if missing:
        raise ArgumentError(f"{quantity}: {missing}")
    available = row.formulations_of(robot)
    if formulation is None:
        formulation = available[0]
    elif formulation not in available:
        reason = row.limits[formulation](robot) if formulation in row.limits else "there is none"
        raise ArgumentError(
            f"{quantity}: no formulation {formulation!r} ({reason}); choose {', '.join(available)}"
        )
    if not row.per_frame:
        if frame is not None or relative_to is not None:
            raise ArgumentError(f"{quantity} belongs to the whole robot: it takes no frame")
        return Instance(robot, row, formulation, None, None, quantity)
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
    return Instance(robot, row, formulation, frame, relative_to, name)


def bind_all(
    robot: Robot,
    quantities: Iterable[str] | None = None,
    *,
    frame: str | None = None,
    relative_to: str | None = None,
) -> tuple[Instance, ...]:
    """The instances of the rows named, or of every usual row that the robot has, in their order.

    Without ``frame``, a quantity of a frame is bound once for each of the robot's tips; one of the
    whole robot takes no part in the choice of frames. Raises ArgumentError as `bind` does.
    """
    instances: list[Instance] = []
    if quantities is None:
        quantities = [
            row.name for row in QUANTITIES.values() if not row.on_request and not row.demand(robot)
        ]
    for name in dict.fromkeys(quantities):
        row = QUANTITIES.get(name)
        if row is None or not row.per_frame:
            instances.append(bind(robot, name))
            continue
        for tip in robot.tips if frame is None else (frame,):
            instances.append(bind(robot, name, frame=tip, relative_to=relative_to))
    return tuple(instances)


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
