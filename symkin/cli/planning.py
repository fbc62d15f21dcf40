"""What commands generate, count or analyse: quantities and bundles, each planned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

from symkin.cli import options
from symkin.cli.console import watched
from symkin.errors import ArgumentError
from symkin.graph.optimise import PASSES
from symkin.model import Robot
from symkin.plan import Plan, plan, plan_instances
from symkin.quantities import bind_all
from symkin.quantities.options import Options

ALL = "all"
"""In the place of names: every quantity that is not left out for its size."""


@dataclass(frozen=True)
class Wish:
    """What the options of a command ask for.

    ``quantities`` may be `ALL` of them, which are meant too where neither quantities nor bundles
    are named; ``bundles`` are names of known ones, or NAME=quantity,quantity.
    """

    quantities: options.Quantities = None
    bundles: options.Bundles = None
    formulation: options.Formulation = None
    optimise: options.Optimise = True
    objective: options.Objective = "operations"

    def named(self) -> Self:
        """The wish, if it names anything: nobody wants megabytes of C by an oversight."""
        if not self.quantities and not self.bundles:
            raise ArgumentError(
                f"say which functions: -q QUANTITY or --bundle NAME (symkin list), or -q {ALL}"
            )
        return self

    def plans(self, robot: Robot, places: Options | None = None) -> list[Plan]:
        """A plan for each quantity at each tip, or at ``places``, then for each bundle."""
        said = Options(formulation=self.formulation) | (places or Options())
        passes = tuple(PASSES) if self.optimise else ()
        one = partial(plan_instances, objective=self.objective, passes=passes)
        several = partial(plan, robot, objective=self.objective, passes=passes, **said)
        tasks: list[Callable[[], Plan]] = []
        if self.quantities or not self.bundles:
            choose = self.formulation is None
            named = None if self.quantities == [ALL] else self.quantities
            instances = bind_all(robot, named or None, **said)
            tasks += [partial(one, (instance,), choose=choose) for instance in instances]
        for text in self.bundles or ():
            name, quantities = _bundle(text)
            tasks.append(partial(several, quantities, name=name))
        return [task() for task in watched(tasks, "Planning")]


def _bundle(text: str) -> tuple[str | None, str | list[str]]:
    """A bundle's name and its quantities, of NAME or NAME=quantity,quantity."""
    name, equals, listed = text.partition("=")
    if not equals:
        return None, name
    quantities = [quantity.strip() for quantity in listed.split(",") if quantity.strip()]
    if not name or not quantities:
        raise ArgumentError(f"--bundle {text}: write NAME=quantity,quantity or a bundle's name")
    return name, quantities
