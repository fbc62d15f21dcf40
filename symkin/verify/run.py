"""`verify`: every quantity by every lane, against its laws and against other libraries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from symkin.emit import CModule, emit_c
from symkin.errors import ArgumentError
from symkin.graph import Graph
from symkin.library import Library, build
from symkin.model import Robot
from symkin.model.parameters import parameters as parameters_of
from symkin.quantities import Instance, Options, bind_all, identifier
from symkin.verify.checks import Check, Verification
from symkin.verify.examination import Examination
from symkin.verify.lanes import COMPILED_LANES, DERIVATIVE_LANES, value_lanes
from symkin.verify.scene import Scene
from symkin.verify.states import sample_states

Array = npt.NDArray[Any]
Progress: TypeAlias = Callable[[int, int, str], None]


def verify(
    robot: Robot,
    quantities: Iterable[str] | None = None,
    *,
    lanes: Collection[str] | None = None,
    library: Library | None = None,
    samples: int = 8,
    seed: int = 0,
    oracles: bool = True,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Verification:
    """Check the quantity or quantities named, or all, of a frame, or of each of the robot's tips.

    Every quantity is computed by every lane, at ``samples`` random states inside the joints' limits
    and at zero; ``seed`` makes them the same again. Values are compared with the first formulation,
    derivatives with dual numbers, and both must obey the quantity's laws. Where Pinocchio, Modern
    Robotics or the Robotics Toolbox are installed, they are asked too, unless ``oracles`` is False.
    Tolerances are derived from the operations performed, state by state and entry by entry.

    ``lanes`` restricts the lanes, by name. The compiled lanes use ``library``, or build one, and
    for complex steps the same C in complex numbers. What cannot be carried out for want of a
    compiler, a package or a regular state is listed as such. ``progress`` is called with the number
    of quantities done, the number of all, and the name of the next.

    ``options`` say of which frame quantities are meant, which forces act and what is held;
    parameters have the values of the robot.

    Raises ArgumentError for unknown quantities, frames and lanes, and for a formulation: all are
    compared.
    """
    if options.get("formulation") is not None:
        raise ArgumentError("all formulations are compared; restrict lanes instead")
    instances = bind_all(robot, quantities, **options)
    wanted = _chosen(instances, lanes)
    states = _states(robot, samples, seed, options)
    root = robot.links[0].name
    checks: list[Check] = []
    with ThreadPoolExecutor(max_workers=len(COMPILED_LANES)) as pool, np.errstate(all="ignore"):
        compiled = _Compiled(pool, library)
        scenes = {
            i.frame: Scene(robot, i.frame, i.relative_to or root, states, compiled.library, options)
            for i in instances
        }
        graphs = (scenes[i.frame].subject(i.quantity.name).traced.graph for i in instances)
        compiled.start(robot.name, graphs, wanted)
        for done, instance in enumerate(instances):
            if progress is not None:
                progress(done, len(instances), instance.name)
            checks += Examination(instance, scenes[instance.frame], wanted).checks(oracles)
    if progress is not None:
        progress(len(instances), len(instances), "")
    return Verification(robot.name, tuple(checks))


def _states(robot: Robot, samples: int, seed: int, options: Options) -> dict[str, Array]:
    """Random states, in which parameters are what they are in the robot."""
    forces = options.get("forces")
    states = sample_states(robot, samples, seed, None if forces is None else len(forces))
    for parameter in parameters_of(robot, options.get("parameters", ())):
        values = np.broadcast_to(parameter.nominal, (len(states["q"]), parameter.size))
        states[identifier(parameter.name)] = values
    return states


def _chosen(instances: tuple[Instance, ...], lanes: Collection[str] | None) -> frozenset[str]:
    """The lanes wanted, all unless said; ArgumentError for one that no quantity has."""
    known = {*DERIVATIVE_LANES, *(lane for i in instances for lane in value_lanes(i))}
    unknown = sorted(set(lanes or ()) - known)
    if unknown:
        raise ArgumentError(f"no lanes {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return frozenset(known if lanes is None else lanes)


_BUILDS: Mapping[str, Callable[[CModule], Library]] = {
    "compiled": build,
    # Complex arithmetic takes long to optimise, and is run a few times only.
    "compiled complex step": partial(build, arithmetic="complex", flags="-O0"),
}


class _Compiled:
    """The libraries of the compiled lanes: compilers make them while other lanes are at work."""

    def __init__(self, pool: ThreadPoolExecutor, given: Library | None) -> None:
        self._pool = pool
        self._given = given
        self._futures: dict[str, Future[Library]] = {}

    def start(self, name: str, graphs: Iterable[Graph], wanted: frozenset[str]) -> None:
        """Begin to build what lanes need and was not given."""
        missing = [
            lane
            for lane in COMPILED_LANES
            if lane in wanted and not (lane == "compiled" and self._given is not None)
        ]
        if not missing:
            return
        module = emit_c(tuple(graphs), name=name)
        for lane in missing:
            self._futures[lane] = self._pool.submit(_BUILDS[lane], module)

    def library(self, lane: str) -> Library:
        """That of a compiled lane; raises BuildError if it cannot be built."""
        if lane == "compiled" and self._given is not None:
            return self._given
        return self._futures[lane].result()
