"""What a robot's root hangs on: the world itself, or joints by which it moves there.

Joints of several degrees of freedom whose velocities are to be rates of their coordinates are
chains of joints of one, with links without mass between them. The joints of a chain are called
``name.x``, ``name.y`` and so on; the link that a joint of it carries has the joint's name, except
the last, which carries the chain's own link.

    planar        x, y (m, along two directions in the plane), angle (rad, about its normal)
    floating_zyx  x, y, z (m), yaw, pitch, roll (rad): R = Rz(yaw) Ry(pitch) Rx(roll);
                  singular where cos(pitch) = 0

A floating joint is none of these: see `Joint` for its quaternion and twist.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, get_args

from symkin.algebra import Matrix, constant, identity, norm
from symkin.errors import ArgumentError, ModelError
from symkin.model.joint import Joint
from symkin.model.robot import Link, Robot, listing
from symkin.spatial import Inertia, Pose, cross

BaseKind = Literal["fixed", "floating", "floating_zyx", "planar"]

WORLD_NAMES = ("world", "universe")
JOINT_NAMES = ("root", "root_joint")


def with_base(robot: Robot, kind: BaseKind) -> Robot:
    """The robot with its root link hung from a world in which it moves as ``kind`` says.

    ``"fixed"`` changes nothing. Otherwise the world is a link without mass called ``world`` (or
    ``universe`` where the robot has a frame of that name), and the joint ``root`` (or
    ``root_joint``) carries the robot's root: a floating joint, or a chain whose plane is x-y.
    Gravity keeps its direction, now in the world's axes.

    Raises ArgumentError for another kind, ModelError if a floating joint carries the robot already
    or if all these names are taken.
    """
    if kind not in get_args(BaseKind):
        kinds = ", ".join(repr(k) for k in get_args(BaseKind))
        raise ArgumentError(f"no base {kind!r}; there are {kinds}")
    if kind == "fixed":
        return robot
    _refuse_second_base(robot)
    taken = {link.joint.name for link in robot.links if link.joint is not None}
    joint = _free(robot, JOINT_NAMES, taken)
    joints = {
        "floating": lambda: [Joint(joint, "floating")],
        "floating_zyx": lambda: zyx_chain(joint),
        "planar": lambda: planar_chain(joint, Pose.identity(), constant([0, 0, 1])),
    }[kind]()
    root, *others = robot.links
    links = [Link(_free(robot, WORLD_NAMES, robot.frame_names), Inertia.zero(), None, -1)]
    links += [Link(j.name, Inertia.zero(), j, i) for i, j in enumerate(joints[:-1])]
    shift = len(joints)
    links.append(Link(root.name, root.inertia, joints[-1], shift - 1))
    links += [replace(link, parent=link.parent + shift) for link in others]
    frames = tuple(replace(frame, link=frame.link + shift) for frame in robot.frames)
    return replace(robot, links=tuple(links), frames=frames)


def _refuse_second_base(robot: Robot) -> None:
    for i in robot.children(0):
        joint = robot.links[i].joint
        if joint is not None and joint.kind == "floating":
            raise ModelError(
                f"{robot.name}: joint {joint.name!r} lets it float already; leave the base fixed"
            )


def _free(robot: Robot, names: Sequence[str], taken: Collection[str]) -> str:
    for name in names:
        if name not in taken:
            return name
    raise ModelError(f"{robot.name}: {listing(names)} are taken; rename one for the base to use")


def planar_chain(name: str, origin: Pose, normal: Matrix) -> list[Joint]:
    """Joints that move a link in the plane across ``normal``, a unit 3 x 1 column.

    The first direction is the axis of the joint's frame that is most across the normal (of equal
    ones the first of x, y, z), projected onto the plane; the second is normal x first.
    """
    across = [abs(float(c)) for c in normal]
    k = across.index(min(across))
    first = identity(3).column(k) - normal * normal[k]
    first = first * (1.0 / norm(first))
    return [
        Joint(f"{name}.x", "prismatic", origin, first),
        Joint(f"{name}.y", "prismatic", axis=cross(normal, first)),
        Joint(f"{name}.angle", "continuous", axis=normal),
    ]


def zyx_chain(name: str) -> list[Joint]:
    """Joints that move a link freely: its position, then yaw, pitch and roll."""
    x, y, z = (identity(3).column(k) for k in range(3))
    slides = zip("xyz", (x, y, z), strict=True)
    turns = zip(("yaw", "pitch", "roll"), (z, y, x), strict=True)
    return [
        *(Joint(f"{name}.{part}", "prismatic", axis=axis) for part, axis in slides),
        *(Joint(f"{name}.{part}", "continuous", axis=axis) for part, axis in turns),
    ]
