"""URDF to Robot. Only direct children of <robot> count; what is not used is noted.

The format: http://wiki.ros.org/urdf/XML. A joint follows the link it hangs on by ``origin`` (xyz in
m, rpy in rad, R = Rz Ry Rx); siblings keep the file's order. A planar joint becomes a chain of
three, see `symkin.model.base`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from symkin.algebra import Matrix, constant, identity, zeros
from symkin.model.assemble import Attachment, assemble
from symkin.model.base import planar_chain
from symkin.model.inertia import checked, tensor_of
from symkin.model.joint import Joint, JointKind, Limits, Mimic
from symkin.model.markup import Tag, is_plain, parse
from symkin.model.notes import Note
from symkin.model.robot import Robot
from symkin.model.snap import Snap, turn_rpy
from symkin.spatial import Inertia, Pose

_KINDS: Mapping[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "floating",
}
# Where a planar joint is a chain of three.
_TYPES = (*_KINDS, "planar")

# What is read: of each element, its attributes and the elements in it.
_READ: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "robot": (("name", "version"), ("link", "joint")),
    "link": (("name",), ("inertial",)),
    "inertial": ((), ("origin", "mass", "inertia")),
    "origin": (("xyz", "rpy"), ()),
    "mass": (("value",), ()),
    "inertia": (("ixx", "iyy", "izz", "ixy", "iyz", "ixz"), ()),
    "joint": (
        ("name", "type"),
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    ),
    "parent": (("link",), ()),
    "child": (("link",), ()),
    "axis": (("xyz",), ()),
    "limit": (("lower", "upper", "velocity", "effort"), ()),
    "dynamics": (("damping", "friction"), ()),
    "mimic": (("joint", "multiplier", "offset"), ()),
}
# Known elements that say nothing about motion.
_UNUSED = (
    *("visual", "collision", "material", "sensor", "transmission", "gazebo", "ros2_control"),
    *("calibration", "safety_controller"),
)
# What is not used of a joint of these types.
_IDLE: Mapping[str, tuple[str, ...]] = {
    "fixed": ("axis", "limit", "dynamics", "mimic"),
    "floating": ("axis", "limit", "dynamics"),
    "planar": ("limit", "dynamics"),
}


def read_urdf(data: str | bytes, file: str, snap: Snap, *, inertia: bool = True) -> Robot:
    """The robot of URDF text or bytes; ``file`` is what messages call it.

    Without ``inertia`` its links have no mass. Raises ModelError that names file, line, element
    and attribute.
    """
    root = parse(data, file)
    notes: list[Note] = []
    links: dict[str, Inertia] = {}
    for tag in root.children("link"):
        name = tag.text("name")
        if name in links:
            raise tag.error("another link has this name; rename one", "name")
        links[name] = _inertia(_owned(tag), snap, notes) if inertia else Inertia.zero()
    attachments: list[Attachment] = []
    for tag in root.children("joint"):
        attachments += _attachments(_owned(tag), links, snap, notes)
    notes += snap.notes
    _note_unread(root, notes)
    robot_name = root.element.get("name")
    if not robot_name:
        notes.append(Note("warning", root.where, "<robot> has no name, the file's is used"))
        robot_name = Path(file).stem.strip("<>")
    return assemble(robot_name, links, attachments, notes=notes)


def _owned(tag: Tag) -> Tag:
    return Tag(tag.element, tag.file, f"{tag.name} {tag.text('name')!r}")


def _inertia(link: Tag, snap: Snap, notes: list[Note]) -> Inertia:
    inertial = link.child("inertial")
    if inertial is None:
        return Inertia.zero()
    place = _origin(inertial, snap)
    mass = inertial.required("mass")
    tensor = inertial.child("inertia")
    if tensor is None:
        notes.append(Note("warning", inertial.where, "<inertial> without <inertia>: a point mass"))
        moments: tuple[float, ...] = (0.0,) * 6
    else:
        moments = tuple(tensor.number(name) for name in _READ["inertia"][0])
    body = Inertia.of_body(mass.number("value"), zeros(3), tensor_of(moments))
    return checked(body.seen_from(place), mass.where, notes)


def _attachments(
    joint: Tag, links: dict[str, Inertia], snap: Snap, notes: list[Note]
) -> list[Attachment]:
    """The joint or, if it is planar, the chain that it stands for, whose links join ``links``."""
    joints = _joints(joint, snap, notes)
    parent, child = joint.required("parent").text("link"), joint.required("child").text("link")
    where = f"{joint.file}:{joint.element.sourceline}"
    between = [part.name for part in joints[:-1]]
    for name in between:
        if name in links:
            raise joint.error(f"its chain needs the name of link {name!r}; rename that link")
        links[name] = Inertia.zero()
    ends = zip([parent, *between], [*between, child], strict=True)
    return [
        Attachment(part, carrier, carried, where)
        for part, (carrier, carried) in zip(joints, ends, strict=True)
    ]


def _joints(joint: Tag, snap: Snap, notes: list[Note]) -> list[Joint]:
    name, kind = joint.text("name"), joint.text("type")
    if kind not in _TYPES:
        raise joint.error(_unknown_type(kind), "type")
    for part in _IDLE.get(kind, ()):
        if joint.child(part) is not None:
            notes.append(Note("ignored", joint.where, f"<{part}> of a {kind} joint"))
    origin = _origin(joint, snap)
    if kind == "fixed":
        return [Joint(name, "fixed", origin)]
    mimic = _mimic(joint)
    if kind in ("floating", "planar") and mimic is not None:
        raise joint.error("<mimic>: only joints of one coordinate can follow another", "type")
    if kind == "floating":
        return [Joint(name, "floating", origin)]
    if kind == "planar":
        return planar_chain(name, origin, _axis(joint, snap))
    damping, friction = _dynamics(joint, notes)
    return [
        Joint(
            name,
            _KINDS[kind],
            origin,
            axis=_axis(joint, snap),
            limits=_limits(joint, kind, notes),
            damping=damping,
            friction=friction,
            mimic=mimic,
        )
    ]


def _unknown_type(kind: str) -> str:
    if kind in ("spherical", "ball"):
        return (
            "URDF has no such type; write three revolute joints in series, or hang the links on "
            'Joint(name, "spherical") in Python'
        )
    return f"unknown type; there are {', '.join(_TYPES)}"


def _origin(tag: Tag, snap: Snap) -> Pose:
    origin = tag.child("origin")
    if origin is None:
        return Pose.identity()
    p, R = zeros(3), identity(3)
    if origin.element.get("xyz") is not None:
        p = constant(origin.numbers("xyz", 3))
    if origin.element.get("rpy") is not None:
        angles = origin.numbers("rpy", 3)
        words = origin.text("rpy").split()
        roll, pitch, yaw = (
            snap.angle(value, origin.where, word) for value, word in zip(angles, words, strict=True)
        )
        R = snap.rotation(turn_rpy(roll, pitch, yaw), origin.where)
    return Pose(R, p)


def _axis(joint: Tag, snap: Snap) -> Matrix:
    axis = joint.child("axis")
    if axis is None:
        return constant([1, 0, 0])
    direction = constant(axis.numbers("xyz", 3))
    if not any(direction):
        raise axis.error("a joint that moves needs an axis that is not zero", "xyz")
    return snap.direction(direction, axis.where)


def _limits(joint: Tag, kind: str, notes: list[Note]) -> Limits:
    def warn(message: str) -> None:
        notes.append(Note("warning", joint.where, message))

    limit = joint.child("limit")
    if limit is None:
        if kind != "continuous":
            warn("no <limit>: position, speed and effort are unbounded")
        return Limits()
    lower, upper = limit.number("lower", -math.inf), limit.number("upper", math.inf)
    velocity, effort = limit.number("velocity", math.inf), limit.number("effort", math.inf)
    for attribute, bound in (("velocity", velocity), ("effort", effort)):
        if bound == math.inf:
            warn(f"<limit> without {attribute}: unbounded")
        elif bound < 0.0:
            raise limit.error("a bound on a magnitude is not negative", attribute)
    if kind == "continuous":
        if math.isfinite(lower) or math.isfinite(upper):
            notes.append(Note("ignored", joint.where, "position limits of a continuous joint"))
        return Limits(velocity=velocity, effort=effort)
    for attribute, bound in (("lower", lower), ("upper", upper)):
        if math.isinf(bound):
            warn(f"<limit> without {attribute}: unbounded on that side")
    if lower > upper:
        warn("<limit> has lower above upper: no position is allowed")
    return Limits(lower, upper, velocity, effort)


def _dynamics(joint: Tag, notes: list[Note]) -> tuple[float, float]:
    dynamics = joint.child("dynamics")
    if dynamics is None:
        return 0.0, 0.0
    damping, friction = dynamics.number("damping", 0.0), dynamics.number("friction", 0.0)
    if damping < 0.0 or friction < 0.0:
        notes.append(Note("warning", dynamics.where, "negative damping or friction drives a joint"))
    return damping, friction


def _mimic(joint: Tag) -> Mimic | None:
    mimic = joint.child("mimic")
    if mimic is None:
        return None
    return Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))


def _note_unread(root: Tag, notes: list[Note]) -> None:
    """Note every attribute and element that reading the robot passes over, in the file's order."""
    stack = [root]
    while stack:
        tag = stack.pop()
        attributes, children = _READ[tag.name]
        for attribute in tag.element.attrib:
            if attribute not in attributes:
                message = f"attribute {attribute!s} of <{tag.name}>"
                notes.append(Note("ignored", tag.where, message))
        read: list[Tag] = []
        for element in tag.element.iterchildren("{*}*"):
            child = Tag(element, tag.file, tag.owner)
            if is_plain(element) and child.name in children:
                read.append(_owned(child) if child.name in ("link", "joint") else child)
                continue
            known = is_plain(element) and child.name in _UNUSED
            message = f"<{child.name}>" if known else f"unknown element <{child.name}>"
            notes.append(Note("ignored", child.where, message))
        stack.extend(reversed(read))
