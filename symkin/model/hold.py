"""Frames in which bodies are described other than those of their links.

`hold`: where consecutive joints turn about parallel axes, as shoulder, elbow and wrist of many
arms or hip and knee of a leg, the axes before the first of them serve all. Nothing that passes
between these links is rotated, and each link's own constants are, by the sum of the angles, once.

`at_root`: on long chains every pair of joints meets in the root's frame for the price of a product
of six-vectors; carrying one to the other costs more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symkin.algebra import column
from symkin.model.joint import Joint
from symkin.model.notes import Note
from symkin.model.robot import Robot
from symkin.spatial import keeps_axis

_TURNING = ("revolute", "continuous", "helical")


def hold(robot: Robot) -> Robot:
    """Mark the links to be described so: neighbours on parallel axes, and the first of them.

    Their joints must act along z of their frames, as `reframe` leaves them. A first joint that
    gravity does not feel turns with its link all the same: nothing then depends on its position.
    """
    members: set[int] = set()
    for i in range(len(robot.links)):
        if _parallel_to_parent(robot, i, members):
            members.add(i)
    firsts = {robot.links[i].parent for i in members} - members
    held = members | {i for i in firsts if not _indifferent(robot, i)}
    if not held:
        return robot
    links = tuple(replace(link, held=i in held) for i, link in enumerate(robot.links))
    names = ", ".join(repr(robot.links[i].name) for i in sorted(held))
    note = Note("prepared", "parallel axes", f"described in axes that stay: {names}")
    return replace(robot, links=links, notes=(*robot.notes, note))


def at_root(robot: Robot) -> Robot:
    """Let pairs of joints meet in the root's frame."""
    return replace(robot, at_root=True)


def _parallel_to_parent(robot: Robot, i: int, members: Collection[int]) -> bool:
    """Whether the joint acts along the axis about which its parent turns, or one before that."""
    joint, parent = robot.links[i].joint, robot.links[i].parent
    if joint is None or parent < 0 or not (_turns_about_z(joint) or _slides_along_z(joint)):
        return False
    before = robot.links[parent].joint
    turned = before is not None and (_turns_about_z(before) or parent in members)
    return turned and keeps_axis(joint.origin.R, 2, 2)


def _indifferent(robot: Robot, i: int) -> bool:
    """Whether dynamics do not depend on the joint's position: it turns about gravity, from rest."""
    link = robot.links[i]
    if link.joint is None or link.parent != 0:
        return False
    x, y, _ = link.joint.origin.R.T @ column(*robot.gravity)
    return all(type(component) is float and component == 0.0 for component in (x, y))


def _turns_about_z(joint: Joint) -> bool:
    return joint.kind in _TURNING and tuple(joint.axis) == (0.0, 0.0, 1.0)


def _slides_along_z(joint: Joint) -> bool:
    x, y, _ = joint.axis
    return joint.kind == "prismatic" and x == y == 0.0
