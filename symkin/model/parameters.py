"""Numbers of a robot that may be inputs at run time, by name, instead of constants.

    gravity          3: acceleration of free fall in the root's axes, m/s^2
    mass:<link>      1: kg; centre of mass and inertia about it stay
    com:<link>       3: centre of mass in the link's axes, m; mass and inertia about it stay
    inertia:<link>   10: all of the link's inertia, as in `symkin.spatial.INERTIAL`
    payload          10: a body welded to the only tip, in the tip's frame, as in `INERTIAL`
    payload:<frame>  the same at any frame; several may be carried
    tool:<frame>     6: x, y, z (m) and roll, pitch, yaw (rad, R = Rz Ry Rx) of an added frame in
                     its link, or of a link that a fixed joint carries in its parent
    armature         one for each joint that moves, kg m^2 or kg: rotor inertias as felt there
    damping          one for each joint that moves, N m s/rad or N s/m; it is counted
    friction         one for each joint that moves, N m or N: Coulomb friction, of a robot that says
                     how it is smoothed

A parameter puts scalars of any kind into a robot; algorithms then run as they are. Links that fixed
joints carry are links like others here, whatever preparing does to them afterwards.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from symkin.algebra import Matrix, Scalar
from symkin.errors import ArgumentError
from symkin.model.joint import Joint
from symkin.model.robot import Link, Robot, listing
from symkin.spatial import INERTIAL, Inertia, Pose, euler_zyx, rotation_zyx

Drive = Literal["armature", "damping", "friction"]

_DRIVES: dict[Drive, str] = {
    "armature": "kg m^2 | kg",
    "damping": "N m s/rad | N s/m",
    "friction": "N m | N",
}
_INERTIAL_UNIT = "kg, kg m, kg m^2"


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A named part of a robot's numbers: what its entries are called and what the robot has.

    ``sets`` are the parts of the robot that it replaces: two parameters must not share any.
    """

    name: str
    unit: str
    doc: str
    labels: tuple[str, ...]
    nominal: tuple[Scalar, ...]
    sets: tuple[str, ...]
    apply: Callable[[Robot, Matrix], Robot]
    """The robot with these scalars (``size`` x 1) for the parameter."""

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.labels)


def parameter_names(robot: Robot) -> tuple[str, ...]:
    """Every parameter that the robot has."""
    links = [link.name for link in robot.links]
    tools = [name for name in robot.frame_names if _is_tool(robot, name)]
    return (
        "gravity",
        *_DRIVES,
        *(f"{kind}:{name}" for kind in ("mass", "com", "inertia") for name in links),
        *(["payload"] if len(robot.tips) == 1 else []),
        *(f"payload:{name}" for name in robot.frame_names),
        *(f"tool:{name}" for name in tools),
    )


def parameter(robot: Robot, name: str) -> Parameter:
    """The parameter called ``name``; ArgumentError that names similar ones when there is none."""
    kind, colon, owner = name.partition(":")
    if name not in parameter_names(robot):
        raise ArgumentError(f"{robot.name}: no parameter {name!r}; {_hint(robot, name)}")
    if name == "gravity":
        return _gravity(robot)
    if kind in _DRIVES:
        return _drive(robot, kind)
    if kind == "payload":
        return _payload(name, owner if colon else robot.tips[0])
    if kind == "tool":
        return _tool(robot, name, owner)
    return {"mass": _mass, "com": _com, "inertia": _inertia}[kind](robot, name, owner)


def parameters(robot: Robot, names: Iterable[str]) -> tuple[Parameter, ...]:
    """The parameters called ``names``, in their order.

    Raises ArgumentError for unknown names and for two parameters that set the same numbers.
    """
    found = tuple(parameter(robot, name) for name in names)
    owners: dict[str, str] = {}
    for each in found:
        for part in each.sets:
            if part in owners:
                raise ArgumentError(
                    f"{robot.name}: parameters {owners[part]!r} and {each.name!r} both set {part}; "
                    "keep one"
                )
            owners[part] = each.name
    return found


def with_parameters(robot: Robot, names: Sequence[str], values: Sequence[Matrix]) -> Robot:
    """The robot with a column of scalars for each parameter named.

    Masses come first and payloads last, whatever the order: centres of mass need the former, and
    the latter add to what the others set. Raises ArgumentError as `parameters` does.
    """
    turn = {"mass": 0, "payload": 2}
    pairs = list(zip(parameters(robot, names), values, strict=True))
    pairs.sort(key=lambda pair: turn.get(pair[0].name.partition(":")[0], 1))
    for each, column in pairs:
        robot = each.apply(robot, column)
    return robot


def _gravity(robot: Robot) -> Parameter:
    return Parameter(
        "gravity",
        "m/s^2",
        "acceleration of free fall in the root's axes",
        ("x", "y", "z"),
        tuple(robot.gravity),
        ("gravity",),
        lambda robot, g: replace(robot, gravity=(g[0], g[1], g[2])),
    )


def _drive(robot: Robot, kind: Drive) -> Parameter:
    joints = [link.joint for link in robot.links if link.joint is not None and link.moves]
    if kind == "friction" and robot.friction.smoothing is None:
        raise ArgumentError(
            f"{robot.name}: for parameter 'friction' say first how it is smoothed: "
            "robot.with_friction(smoothing=...)"
        )

    def apply(robot: Robot, values: Matrix) -> Robot:
        given = iter(values)
        links = [
            replace(link, joint=_driven(link.joint, kind, next(given)))
            if link.joint is not None and link.moves
            else link
            for link in robot.links
        ]
        changed = replace(robot, links=tuple(links))
        if kind != "damping":
            return changed
        return replace(changed, friction=replace(robot.friction, damping=True))

    return Parameter(
        kind,
        _DRIVES[kind],
        f"{kind} of each joint that moves, followers too",
        tuple(joint.name for joint in joints),
        tuple(getattr(joint, kind) for joint in joints),
        (f"the joints' {kind}",),
        apply,
    )


def _driven(joint: Joint, kind: Drive, value: float) -> Joint:
    if kind == "armature":
        return replace(joint, armature=value)
    if kind == "damping":
        return replace(joint, damping=value)
    return replace(joint, friction=value)


def _mass(robot: Robot, name: str, link: str) -> Parameter:
    inertia = _link(robot, link).inertia
    com, tensor = inertia.com, inertia.tensor
    return Parameter(
        name,
        "kg",
        f"mass of link {link!r}; its centre and its inertia about it stay",
        ("m",),
        (inertia.mass,),
        (f"the mass of {link!r}",),
        lambda robot, m: _rebuilt(robot, link, lambda _: Inertia.of_body(m[0], com, tensor)),
    )


def _com(robot: Robot, name: str, link: str) -> Parameter:
    inertia = _link(robot, link).inertia
    tensor = inertia.tensor
    return Parameter(
        name,
        "m",
        f"centre of mass of link {link!r} in its axes; its inertia about it stays",
        ("x", "y", "z"),
        tuple(inertia.com),
        (f"the centre of mass of {link!r}",),
        lambda robot, c: _rebuilt(robot, link, lambda old: Inertia.of_body(old.mass, c, tensor)),
    )


def _inertia(robot: Robot, name: str, link: str) -> Parameter:
    return Parameter(
        name,
        _INERTIAL_UNIT,
        f"mass, first moments and inertia of link {link!r} about the origin of its frame",
        INERTIAL,
        tuple(_link(robot, link).inertia.parameters),
        (f"the mass of {link!r}", f"the centre of mass of {link!r}"),
        lambda robot, pi: _rebuilt(robot, link, lambda _: Inertia.of_parameters(pi)),
    )


def _payload(name: str, frame: str) -> Parameter:
    def apply(robot: Robot, pi: Matrix) -> Robot:
        place = robot.frame(frame)
        body = Inertia.of_parameters(pi).seen_from(place.pose)
        return _rebuilt(robot, robot.links[place.link].name, lambda old: old + body)

    return Parameter(
        name,
        _INERTIAL_UNIT,
        f"mass, first moments and inertia of a body that {frame!r} carries, about its origin",
        INERTIAL,
        (0.0,) * len(INERTIAL),
        (f"the payload at {frame!r}",),
        apply,
    )


def _tool(robot: Robot, name: str, frame: str) -> Parameter:
    def apply(robot: Robot, offset: Matrix) -> Robot:
        pose = Pose(rotation_zyx(offset[3:]), offset[:3])
        frames = [replace(x, pose=pose) if x.name == frame else x for x in robot.frames]
        links = [
            replace(link, joint=replace(link.joint, origin=pose))
            if link.name == frame and link.joint is not None
            else link
            for link in robot.links
        ]
        return replace(robot, frames=tuple(frames), links=tuple(links))

    pose = _offset(robot, frame)
    return Parameter(
        name,
        "m, rad",
        f"position and roll, pitch, yaw of {frame!r} in the link that carries it",
        ("x", "y", "z", "roll", "pitch", "yaw"),
        (*pose.p, *euler_zyx(pose.R)),
        (f"the pose of {frame!r}",),
        apply,
    )


def _is_tool(robot: Robot, name: str) -> bool:
    if name not in robot.link_names:
        return True
    link = _link(robot, name)
    return link.joint is not None and not link.moves


def _offset(robot: Robot, name: str) -> Pose:
    if name not in robot.link_names:
        return robot.frame(name).pose
    joint = _link(robot, name).joint
    return joint.origin if joint is not None else Pose.identity()


def _link(robot: Robot, name: str) -> Link:
    return robot.links[robot.link_index(name)]


def _rebuilt(robot: Robot, name: str, body: Callable[[Inertia], Inertia]) -> Robot:
    links = [
        replace(link, inertia=body(link.inertia)) if link.name == name else link
        for link in robot.links
    ]
    return replace(robot, links=tuple(links))


def _hint(robot: Robot, name: str) -> str:
    known = parameter_names(robot)
    close = difflib.get_close_matches(name, known, n=3)
    if close:
        return f"did you mean {listing(close)}?"
    kinds = dict.fromkeys(x.partition(":")[0] for x in known)
    return f"there are {', '.join(kinds)}, some of a link or frame: 'mass:<link>', 'tool:<frame>'"
