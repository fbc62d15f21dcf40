"""What the options of several commands ask for: a robot, places on it, files, a form of output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import symkin
from symkin.cli import options
from symkin.cli.console import show
from symkin.emit import CModule
from symkin.errors import ArgumentError
from symkin.model import Robot
from symkin.plan import Plan
from symkin.quantities import Options
from symkin.report import Cell, Report, describe_module


@dataclass(frozen=True)
class Source:
    """Where a robot comes from, and how it is read."""

    robot: options.RobotSource
    snap: options.Snap = "digits"
    convention: options.Convention = None
    base: options.RootBase = options.Base.fixed

    def load(self) -> Robot:
        """The robot."""
        rule = options.snap_rule(self.snap)
        return symkin.load(self.robot, snap=rule, convention=self.convention, base=self.base.value)


@dataclass(frozen=True)
class Places:
    """Where on a robot quantities are meant, and which of its numbers are inputs."""

    frame: options.FrameName = None
    relative_to: options.RelativeTo = None
    force: options.Forces = None
    contact: options.Contacts = None
    parameter: options.Parameters = None

    @property
    def options(self) -> Options:
        """As the library takes them, without what is not said."""
        said = Options()
        if self.frame is not None or self.relative_to is not None:
            said |= Options(frame=self.frame, relative_to=self.relative_to)
        if self.force:
            said["forces"] = [_force(text) for text in self.force]
        if self.contact:
            said["contacts"] = [_contact(text) for text in self.contact]
        if self.parameter:
            said["parameters"] = tuple(self.parameter)
        return said


@dataclass(frozen=True)
class Files:
    """The C files that are wanted, and where."""

    output: options.Directory = Path()
    name: options.ModuleName = None
    real: options.RealType = options.Real.double
    order: options.ArrayOrder = options.Order.row
    zeros: options.ZeroStyle = options.Zeros.dense
    casadi: options.Casadi = False

    def emitted(self, robot: Robot, plans: Sequence[Plan]) -> CModule:
        """The text of them."""
        return symkin.emit_c(
            [plan.graph for plan in plans],
            name=self.name or robot.name,
            real=self.real.value,
            order=self.order.value,
            zeros=self.zeros.value,
            casadi=self.casadi,
        )


@dataclass(frozen=True)
class Form:
    """How a report is shown."""

    as_json: options.AsJson = False
    as_markdown: options.AsMarkdown = False

    @property
    def readable(self) -> bool:
        """Whether it is for reading."""
        return not (self.as_json or self.as_markdown)

    def show(self, report: Report) -> None:
        """The report on stdout."""
        show(report, self.as_json, self.as_markdown)

    def show_module(self, module: CModule, **where: Cell) -> None:
        """A module, and where it is."""
        described = describe_module(module)
        self.show(replace(described, facts=where | dict(described.facts)))


def _force(text: str) -> symkin.Force:
    """FRAME, FRAME:AXES or FRAME:AXES:ABOUT."""
    names = text.split(":")
    if len(names) > 3 or not all(names):
        raise ArgumentError(f"--force {text}: write FRAME, FRAME:AXES or FRAME:AXES:ABOUT")
    return symkin.Force(*names)


def _contact(text: str) -> symkin.Contact:
    """FRAME, FRAME:point or FRAME:full."""
    frame, _, kind = text.partition(":")
    if not frame or kind not in ("", "point", "full") or text.endswith(":"):
        raise ArgumentError(f"--contact {text}: write FRAME, FRAME:point or FRAME:full")
    return symkin.Contact(frame, full=kind == "full")
