"""Where links and frames of a robot are, by multiplying poses: an oracle of a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symkin.algebra import constant
from symkin.model import Robot, motion
from symkin.spatial import Pose


def link_poses(robot: Robot, q: Sequence[float]) -> list[Pose]:
    """The pose of each link in the root at q, in the order of ``robot.links``."""
    poses: list[Pose] = []
    for i, link in enumerate(robot.links):
        if link.joint is None:
            poses.append(Pose.identity())
            continue
        pose = poses[link.parent] @ link.joint.origin
        if link.joint.moves:
            own = robot.coordinates[i].position(link.joint, constant(q))
            pose = pose @ motion(link.joint, own)
        poses.append(pose)
    return poses


def fk(robot: Robot, q: Sequence[float], frame: str) -> np.ndarray:
    """The 4 x 4 pose of a frame in the root."""
    place = robot.frame(frame)
    return array((link_poses(robot, q)[place.link] @ place.pose).matrix())


def array(matrix: Any) -> np.ndarray:
    return np.array(matrix.rows, dtype=float)


def ordered(robot: Robot, names: Sequence[str], values: Sequence[float]) -> list[float]:
    """Values given for joints in the order ``names``, in the robot's own order."""
    given = dict(zip(names, values, strict=True))
    return [given[name] for name in robot.joint_names]
