"""A robot rewritten for cheap evaluation, exactly: a pipeline of named steps.

No step changes the value of any quantity, the order of q, or what a frame's name finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from symkin.errors import ArgumentError
from symkin.model.hold import at_root, hold
from symkin.model.inertia import welded
from symkin.model.notes import Note
from symkin.model.reframe import reframe
from symkin.model.regroup import regroup
from symkin.model.rescale import rescale
from symkin.model.rezero import rezero, split
from symkin.model.robot import Frame, Link, Robot
from symkin.spatial import Inertia, Pose


def lump(robot: Robot) -> Robot:
    """Weld every link that hangs on a fixed joint to its parent; its name becomes a frame there."""
    links: list[Link] = []
    parts: list[list[Inertia]] = []
    frames: list[Frame] = []
    notes: list[Note] = []
    places: list[tuple[int, Pose]] = []  # of each old link: the new link that carries it, and where
    tips = set(robot.tips)
    for link in robot.links:
        carrier, pose = places[link.parent] if link.parent >= 0 else (-1, Pose.identity())
        origin = link.joint.origin if link.joint is not None else Pose.identity()
        place = pose @ origin
        if link.joint is None or link.joint.moves:
            joint = replace(link.joint, origin=place) if link.joint is not None else None
            places.append((len(links), Pose.identity()))
            links.append(Link(link.name, link.inertia, joint, carrier))
            parts.append([link.inertia])
        else:
            places.append((carrier, place))
            frames.append(Frame(link.name, carrier, place, tip=link.name in tips))
            parts[carrier].append(link.inertia.seen_from(place))
            notes.append(
                Note("prepared", f"link {link.name!r}", f"welded to {links[carrier].name!r}")
            )
    if not notes:
        return robot
    for frame in robot.frames:
        carrier, pose = places[frame.link]
        frames.append(Frame(frame.name, carrier, pose @ frame.pose, tip=frame.name in tips))
    return replace(
        robot,
        links=tuple(
            replace(link, inertia=welded(bodies)) for link, bodies in zip(links, parts, strict=True)
        ),
        frames=tuple(frames),
        notes=(*robot.notes, *notes),
    )


STEPS: Mapping[str, Callable[[Robot], Robot]] = {
    "lump": lump,
    "reframe": reframe,
    "regroup": regroup,
    "rezero": rezero,
    "hold": hold,
    "split": split,
    "rescale": rescale,
    "at_root": at_root,
}
"""All steps, in the order in which they are taken."""

USUAL = tuple(step for step in STEPS if step != "at_root")
"""Those that rarely cost anything."""


def prepare(robot: Robot, steps: Iterable[str] = USUAL) -> Robot:
    """The robot after the named steps, in the order of `STEPS`; raises ArgumentError for others.

    ``rescale`` is only for quantities of joint space: lengths are others after it.
    """
    wanted = set(steps)
    unknown = sorted(wanted - set(STEPS))
    if unknown:
        raise ArgumentError(f"unknown steps {unknown}; there are {list(STEPS)}")
    for name, step in STEPS.items():
        if name in wanted:
            robot = step(robot)
    return robot
