"""The robots whose operations are counted, and where they come from."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import symkin
from symkin.model import Robot
from symkin.model.generated import random_chain, random_tree

PACKAGE = "example-robot-data"
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")

OF_PACKAGE = {
    "panda": ("panda_description/urdf/panda.urdf", "fixed"),
    "solo12": ("solo_description/robots/solo12.urdf", "floating"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "floating"),
}
"""Robots with targets: file and base."""


def files() -> list[Path]:
    """All robot files of the package, none if it is not installed."""
    try:
        found = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in found if file.suffix == ".urdf")


def named(name: str) -> Robot | None:
    """A robot that has a target or a figure, by its name there; None if it is not to be had.

    panda is the arm with its hand, the fingers held; chain24 and the like are drawn at random with
    seed 0, other chains than those of the prototype; tree12 is bundled.
    """
    if name.startswith("chain"):
        return random_chain(int(name.removeprefix("chain")))
    if name.startswith("random_tree"):
        return random_tree(int(name.removeprefix("random_tree")))
    if name not in OF_PACKAGE:
        return symkin.load(name)
    end, base = OF_PACKAGE[name]
    for file in files():
        if file.as_posix().endswith(end):
            robot = symkin.load(file, base=base)
            return held(robot, FINGERS) if name == "panda" else robot
    return None


def held(robot: Robot, joints: Collection[str]) -> Robot:
    """The robot with these joints fixed at zero."""
    links = [
        replace(link, joint=replace(link.joint, kind="fixed", mimic=None))
        if link.joint is not None and link.joint.name in joints
        else link
        for link in robot.links
    ]
    return replace(robot, links=tuple(links))


def cleaned(robot: Robot) -> str:
    """What the snap rule did to the robot's file, in a few words."""
    moved = [note for note in robot.notes if note.kind == "cleaned" and "read as" in note.message]
    rotations = [note for note in robot.notes if "rotation cleaned" in note.message]
    summary = [note.message for note in robot.notes if "cleaning moved" in note.message]
    if not moved and not rotations:
        return "snap: nothing moved"
    return f"snap: {len(moved)} angles and {len(rotations)} rotations made exact; {summary[-1]}"
