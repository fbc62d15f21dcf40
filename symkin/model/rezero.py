"""Displacements between joints in the form of Denavit and Hartenberg.

Between frames whose z are joint axes and whose x are common normals lies a screw about x and one
about z: Rx(alpha) at a along x, then Rz(phi) at d along z. Khalil & Kleinfinger, A new geometric
notation for open and closed-loop robots (1986).
"""

from __future__ import annotations

import math
from dataclasses import replace

from symkin.algebra import Matrix, column, identity
from symkin.model.joint import Joint
from symkin.model.notes import Note
from symkin.model.robot import Frame, Link, Robot
from symkin.spatial import Inertia, Pose

_TURNING = ("revolute", "continuous", "helical")


def rezero(robot: Robot) -> Robot:
    """Count joints that turn about z from the common normal: phi becomes part of the position.

    Their angle is then q + phi, for one addition, and the constant part of the displacement is a
    rotation about x alone. Right angles about z stay where they are: they cost nothing.
    """
    links: list[Link] = []
    for link in robot.links:
        joint = link.joint
        if joint is not None and _turns_about_z(joint) and _is_turn_about_x_then_z(joint.origin.R):
            R = joint.origin.R
            phi = math.atan2(-R[0, 1], R[0, 0])
            if 0.0 not in (R[0, 0], R[0, 1]):
                pose = Pose(_about_x(R), joint.origin.p)
                if joint.kind == "helical":
                    pose = pose @ Pose(identity(3), column(0.0, 0.0, -joint.pitch * phi))
                joint = replace(joint, origin=pose, home=joint.home + phi)
        links.append(replace(link, joint=joint))
    return replace(robot, links=tuple(links))


def split(robot: Robot) -> Robot:
    """Put a massless link between the screw about x and the screw about z of a displacement.

    Vectors and tensors then pass in two turns about one axis each, which cost less than one of no
    structure. Where alpha is a multiple of a right angle the first is free already.
    """
    links: list[Link] = []
    numbers: dict[int, int] = {-1: -1}
    names: list[str] = []
    for i, link in enumerate(robot.links):
        joint = link.joint
        if joint is not None and _is_oblique(joint):
            between = Joint(f"{joint.name} about x", "fixed", joint.origin)
            middle = Link(f"{link.name} before z", Inertia.zero(), between, numbers[link.parent])
            joint = replace(joint, origin=Pose.identity())
            links.append(middle)
            names.append(joint.name)
            links.append(replace(link, joint=joint, parent=len(links) - 1))
        else:
            links.append(replace(link, parent=numbers[link.parent]))
        numbers[i] = len(links) - 1
    if not names:
        return robot
    note = Note("prepared", "oblique axes", f"passed in two turns: {', '.join(map(repr, names))}")
    frames = tuple(_on(frame, numbers) for frame in robot.frames)
    return replace(robot, links=tuple(links), frames=frames, notes=(*robot.notes, note))


def _on(frame: Frame, numbers: dict[int, int]) -> Frame:
    return replace(frame, link=numbers[frame.link])


def _turns_about_z(joint: Joint) -> bool:
    return joint.kind in _TURNING and tuple(joint.axis) == (0.0, 0.0, 1.0)


def _is_turn_about_x_then_z(R: Matrix) -> bool:
    """Whether R = Rx(alpha) Rz(phi): its upper right entry is a zero that is no coincidence."""
    return all(type(x) is float for x in R) and R[0, 2] == 0.0


def _about_x(R: Matrix) -> Matrix:
    """The rotation about x in Rx(alpha) Rz(phi)."""
    sine, cosine = -R[1, 2], R[2, 2]
    return Matrix([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])


def _is_oblique(joint: Joint) -> bool:
    """Whether the displacement turns about x by no multiple of a right angle."""
    R = joint.origin.R
    return _turns_about_z(joint) and R[0, 0] == 1.0 and R[2, 2] not in (-1.0, 0.0, 1.0)
