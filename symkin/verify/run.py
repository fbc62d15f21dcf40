"""`verify`: every quantity by every lane, against its laws and against other libraries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from symkin.errors import ArgumentError
from symkin.library import Library
from symkin.model import Robot
from symkin.model.parameters import parameters as parameters_of
from symkin.quantities import Instance, Options, bind_all, identifier
from symkin.verify.checks import Check, Verification
from symkin.verify.compiled import Compiled
from symkin.verify.examination import Examination
from symkin.verify.lanes import COMPILED_LANES, DERIVATIVE_LANES, value_lanes
from symkin.verify.laws import LAWS
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
    thorough: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Verification:
    """Check the quantity or quantities named, or all, of a frame, or of each of the robot's tips.

    Every quantity is computed by every lane, at ``samples`` random states inside the joints' limits
    and at zero; ``seed`` makes them the same again. Values are compared with the first formulation,
    derivatives with dual numbers, and both must obey the quantity's laws. Where Pinocchio, Modern
    Robotics or the Robotics Toolbox are installed, they are asked too, unless ``oracles`` is False.
    Tolerances are derived from the operations performed, state by state and entry by entry.

    ``lanes`` restricts the lanes, by name. The compiled lanes use ``library``, or build one for
    each quantity, and for complex steps the same C in complex numbers. What cannot be carried out
    for want of a compiler, a package or a regular state is listed as such.

    A quantity of more than `LARGE` operations is compiled without optimisation. Unless the
    verification is ``thorough`` it is also taken as traced, not as planned, and neither CasADi nor
    C in complex numbers differentiate it; this too is listed as not carried out.

    ``jobs`` processes share the work; with more than one, a script must be importable, as
    `multiprocessing` demands. ``progress`` is called with the number of quantities done, the number
    of all, and the name of the next.

    ``options`` say of which frame quantities are meant, which forces act and what is held;
    parameters have the values of the robot.

    Raises ArgumentError for unknown quantities, frames and lanes, and for a formulation: all are
    compared.
    """
    if options.get("formulation") is not None:
        raise ArgumentError("all formulations are compared; restrict lanes instead")
    if jobs < 1:
        raise ArgumentError(f"{jobs} jobs; at least 1 is needed")
    names = quantities if quantities is None or isinstance(quantities, str) else tuple(quantities)
    instances = bind_all(robot, names, **options)
    task = _Task(
        robot, names, _chosen(instances, lanes), library, samples, seed, oracles, thorough, options
    )
    _states(robot, samples, seed, options)
    told = progress or _unheard
    found: dict[int, list[Check]] = {}
    families = _families(instances)
    if jobs == 1 or len(families) == 1:
        for index, checks in task.carried_out(range(len(instances)), told):
            found[index] = checks
    else:
        told(0, len(instances), instances[0].name)
        with ProcessPoolExecutor(min(jobs, len(families)), get_context("spawn")) as pool:
            # Large quantities stand behind small ones in the table: the largest are begun first.
            running = [pool.submit(_family, task, family) for family in reversed(families)]
            for future in as_completed(running):
                found |= future.result()
                left = (i.name for k, i in enumerate(instances) if k not in found)
                told(len(found), len(instances), next(left, ""))
    return Verification(robot.name, tuple(c for index in sorted(found) for c in found[index]))


@dataclass(frozen=True)
class _Task:
    """What is asked of `verify`, in a form that other processes understand."""

    robot: Robot
    quantities: str | tuple[str, ...] | None
    wanted: frozenset[str]
    library: Library | None
    samples: int
    seed: int
    oracles: bool
    thorough: bool
    options: Options

    def carried_out(
        self, indices: Sequence[int], told: Progress
    ) -> Iterator[tuple[int, list[Check]]]:
        """The checks of some of the instances, each with its place among all."""
        robot, options = self.robot, self.options
        instances = bind_all(robot, self.quantities, **options)
        states = _states(robot, self.samples, self.seed, options)
        root = robot.links[0].name
        with ThreadPoolExecutor(len(COMPILED_LANES)) as pool, np.errstate(all="ignore"):
            compiled = Compiled(robot.name, self.wanted, pool, self.library)
            scenes = {
                i.frame: Scene(
                    robot, i.frame, i.relative_to or root, states, compiled, options, self.thorough
                )
                for i in instances
            }
            chosen = [instances[index] for index in indices]
            compiled.start(scenes[i.frame].subject(i.quantity.name).traced for i in chosen)
            for done, index in enumerate(indices):
                told(done, len(indices), instances[index].name)
                instance = instances[index]
                examination = Examination(instance, scenes[instance.frame], self.wanted)
                yield index, list(examination.checks(self.oracles))
        told(len(indices), len(indices), "")


def _unheard(*_: object) -> None:
    """Progress that nobody asked for."""


def _family(task: _Task, indices: Sequence[int]) -> dict[int, list[Check]]:
    return dict(task.carried_out(indices, _unheard))


def _families(instances: Sequence[Instance]) -> list[tuple[int, ...]]:
    """Instances that one process had better do: those of one frame, and those of which laws
    differentiate one another."""
    family = list(range(len(instances)))
    places = {(i.quantity.name, i.frame): k for k, i in enumerate(instances)}
    frames: dict[str, int] = {}
    for k, instance in enumerate(instances):
        laws = LAWS.get(instance.quantity.name, ())
        others = [
            places.get((name, instance.frame), k) for law in laws for name in law.differentiates
        ]
        if instance.frame is not None:
            others.append(frames.setdefault(instance.frame, k))
        for other in others:
            one, two = sorted((family[k], family[other]))
            family = [one if member == two else member for member in family]
    members: dict[int, list[int]] = {}
    for k, one in enumerate(family):
        members.setdefault(one, []).append(k)
    return [tuple(group) for group in members.values()]


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
