"""What the functions of a robot cost, where that comes from, and what would save some of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from symkin.analysis.attribution import Share, by_output, by_place, links
from symkin.analysis.growth import SIZES, Growth, growths
from symkin.analysis.savings import Saving, savings
from symkin.analysis.stages import stages
from symkin.errors import ArgumentError
from symkin.graph import Counts, count
from symkin.graph.optimise import gains
from symkin.graph.schedule import peak_live
from symkin.graph.size import code_size, compile_seconds
from symkin.model import Robot
from symkin.plan import LARGE, Plan, plan
from symkin.quantities import BUNDLES, QUANTITIES, Options

USUAL = (
    "pose_and_jacobian",
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
"""Quantities and bundles that are analysed unless others are named."""


@dataclass(frozen=True, slots=True)
class Way:
    """A formulation of a function, and the counts as traced and after each pass."""

    formulations: tuple[str, ...]
    preparation: tuple[str, ...]
    traced: Counts
    passes: tuple[tuple[str, Counts], ...]


@dataclass(frozen=True, eq=False)
class Function:
    """A planned function: all ways that count, where its operations go, what its code takes."""

    plan: Plan
    ways: tuple[Way, ...]
    by_link: tuple[Share, ...]
    by_stage: tuple[Share, ...]
    by_output: tuple[Share, ...]
    peak_live: int
    code_bytes: float
    compile_seconds: float

    @property
    def name(self) -> str:
        """That of the C function."""
        return self.plan.graph.name

    @property
    def operations(self) -> int:
        """As papers count them."""
        return count(self.plan.graph).operations

    @staticmethod
    def of(known: Plan) -> Function:
        """All of it for a plan."""
        graph = known.graph
        return Function(
            known,
            _ways(known),
            by_place(graph, links(graph, known.instances)),
            by_place(graph, stages(graph, known.instances)),
            by_output(graph),
            peak_live(graph),
            code_size(graph),
            compile_seconds(graph),
        )


@dataclass(frozen=True, eq=False)
class Analysis:
    """The functions of a robot, how such functions grow with its size, and what would be saved."""

    robot: Robot
    functions: tuple[Function, ...]
    growth: tuple[Growth, ...]
    savings: tuple[Saving, ...]

    @property
    def operations(self) -> Mapping[str, int]:
        """Those of each function by name."""
        return {function.name: function.operations for function in self.functions}

    def exceeding(self, limits: Mapping[str, int]) -> dict[str, int]:
        """The operations of the functions that have more than the limit of their name.

        Raises ArgumentError for limits of functions that were not analysed.
        """
        unknown = sorted(set(limits) - set(self.operations))
        if unknown:
            raise ArgumentError(
                f"no function {', '.join(unknown)} was analysed: {', '.join(self.operations)}"
            )
        found = self.operations
        return {name: found[name] for name, limit in limits.items() if found[name] > limit}


def analyse(
    robot: Robot,
    quantities: Sequence[str] | None = None,
    *,
    sizes: Sequence[int] = SIZES,
    try_savings: bool = True,
    **options: Unpack[Options],
) -> Analysis:
    """Analyse quantities and bundles of a robot: those of `USUAL` that it has unless named.

    ``sizes`` are the numbers of joints of the chains and trees on which growth is measured; none
    leave it out. Savings are changes of the robot, tried. Raises ArgumentError as `plan` does.
    """
    if quantities is None:
        quantities = usual(robot)
    return analyse_plans([plan(robot, name, **options) for name in quantities], sizes, try_savings)


def analyse_plans(
    plans: Sequence[Plan], sizes: Sequence[int] = SIZES, try_savings: bool = True
) -> Analysis:
    """`analyse` for what has been planned, of one robot."""
    if not plans:
        raise ArgumentError("there is nothing to analyse: name a quantity or a bundle")
    return Analysis(
        plans[0].instances[0].robot,
        tuple(Function.of(known) for known in plans),
        growths(plans, sizes) if sizes else (),
        savings(plans) if try_savings else (),
    )


def usual(robot: Robot) -> tuple[str, ...]:
    """Those of `USUAL` for which the robot has what they need."""

    def missing(name: str) -> bool:
        names = BUNDLES[name].quantities if name in BUNDLES else (name,)
        return any(QUANTITIES[each].missing(robot) for each in names)

    return tuple(name for name in USUAL if not missing(name))


def _ways(known: Plan) -> tuple[Way, ...]:
    """The formulations in the preparation that won; of a large graph only the one that won."""
    candidates = [c for c in known.candidates if c.preparation == known.winner.preparation]
    if len(known.graph.nodes) > LARGE:
        candidates = [known.winner]
    return tuple(
        Way(
            candidate.formulations,
            candidate.preparation,
            candidate.traced,
            gains(known.traced(None, None, candidate.formulations), known.passes),
        )
        for candidate in candidates
    )
