"""Lengths counted in a unit of the robot's own.

Joint forces, and all that relates them to positions of joints that only turn, know no length: with
offsets p/L, moments h L, masses m L^2 and gravity g/L they are the same. The unit that makes the
offset which most is carried across a 1 takes a product from each carrying.
"""

from __future__ import annotations

from dataclasses import replace

from symkin.algebra import Matrix, Scalar
from symkin.model.joint import Joint
from symkin.model.notes import Note
from symkin.model.robot import Robot
from symkin.spatial import Inertia, Pose

_WITHOUT_LENGTH = ("revolute", "continuous", "fixed", "spherical")


def rescale(robot: Robot) -> Robot:
    """Measure lengths in that offset between joint axes which most bodies are carried across.

    Only for quantities of joint space, and for robots all of whose joints turn; others, and those
    whose numbers are inputs, stay as they are.
    """
    joints = [link.joint for link in robot.links if link.joint is not None]
    if any(joint.kind not in _WITHOUT_LENGTH for joint in joints) or not _known(robot):
        return robot
    carried = _carried(robot)
    offsets: dict[float, list[int]] = {}
    for i, link in enumerate(robot.links):
        if link.joint is not None and carried[i] and not robot.on_root(i):
            for x in link.joint.origin.p:
                offsets.setdefault(abs(x), []).append(carried[i])
    offsets.pop(0.0, None)
    if not offsets:
        return robot
    L = min(offsets, key=lambda x: (-max(offsets[x]), -sum(offsets[x]), x))
    links = tuple(
        replace(link, inertia=_inertia(link.inertia, L), joint=_joint(link.joint, L))
        for link in robot.links
    )
    frames = tuple(replace(frame, pose=_pose(frame.pose, L)) for frame in robot.frames)
    x, y, z = robot.gravity
    note = Note("prepared", "lengths", f"counted in units of {L!r} m")
    return replace(
        robot,
        links=links,
        frames=frames,
        gravity=(x / L, y / L, z / L),
        notes=(*robot.notes, note),
    )


def _known(robot: Robot) -> bool:
    """Whether all numbers of the robot are known."""
    numbers: list[Scalar] = list(robot.gravity)
    for link in robot.links:
        numbers += [link.inertia.mass, *link.inertia.moment, *link.inertia.about_origin]
        numbers += list(link.joint.origin.p) if link.joint is not None else []
    numbers += [x for frame in robot.frames for x in frame.pose.p]
    return all(type(x) is float for x in numbers)


def _carried(robot: Robot) -> list[int]:
    """For each link how many joints that move are in its branch, its own among them."""
    counts = [int(link.moves) for link in robot.links]
    for i in range(len(counts) - 1, 0, -1):
        counts[robot.links[i].parent] += counts[i]
    return counts


def _inertia(inertia: Inertia, L: float) -> Inertia:
    return Inertia(inertia.mass * L * L, inertia.moment * L, inertia.about_origin)


def _pose(pose: Pose, L: float) -> Pose:
    def counted(x: float) -> float:
        return x / L

    p: Matrix = pose.p.map(counted)
    return Pose(pose.R, p)


def _joint(joint: Joint | None, L: float) -> Joint | None:
    return replace(joint, origin=_pose(joint.origin, L)) if joint is not None else None
