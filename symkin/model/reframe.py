"""Link frames on the joints' axes and their common normals.

z of a link lies on the axis of its joint, x on the common normal of that and of the axis of the
joint that carries most of what comes after. A displacement from link to link then has one angle and
two offsets, and right angles between axes are zeros. Denavit & Hartenberg (1955); Khalil &
Kleinfinger, A new geometric notation for open and closed-loop robots (1986).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from symkin.algebra import Matrix, hstack, zeros
from symkin.model.notes import Note
from symkin.model.robot import Frame, Link, Robot
from symkin.spatial import Pose, cross

_ON_AXIS = ("revolute", "continuous", "helical", "prismatic")
_ROUNDING = 32 * sys.float_info.epsilon
"""What a few products and sums of numbers of order 1 may be off by."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """An axis: a point on it and its direction, of length 1."""

    p: Matrix
    a: Matrix

    def seen_from(self, pose: Pose) -> Line:
        """The same in the frame in which its own has this pose."""
        return Line(pose.act(self.p), pose.R @ self.a)

    def normal(self, other: Line) -> Matrix | None:
        """The direction from this axis to another one, square to both; None if they are one."""
        normal, away = cross(self.a, other.a), other.p - self.p
        length = _length(normal)
        if length <= _ROUNDING:
            normal = away - self.a * _dot(self.a, away)
            length = _length(normal)
            if length <= _ROUNDING * (_length(away) + 1.0):
                return None
        elif _dot(normal, away) < -_ROUNDING * _length(away) * length:
            normal = -normal
        return normal * (1.0 / length)

    def foot(self, other: Line, reach: float) -> float | None:
        """How far along this axis the common normal to another one stands; None if parallel.

        Also if it stands farther away than ``reach``, as that of nearly parallel axes: numbers
        that large would leave no digits to the small ones.
        """
        across = cross(self.a, other.a)
        square = _dot(across, across)
        away = _dot(cross(other.p - self.p, other.a), across)
        return away / square if abs(away) < reach * square else None


def reframe(robot: Robot) -> Robot:
    """Move the frame of every link whose joint acts along one axis; the old one stays a frame.

    Where a frame may turn about its axis or slide along it the choice that leaves most zeros is
    taken. What slides on a link that turns may be described in the frame of that link, as it is
    when the slide is at zero. Positions, their zero and their sense stay. Links on joints of
    several degrees of freedom keep their frames. Robots whose joints' places are inputs stay as
    they are.
    """
    if not _known(robot):
        return robot
    sizes, scale, reach = _sizes(robot), _scale(robot), _reach(robot)
    chosen: list[Pose] = []  # of each link: its new frame in the old one
    origins: list[Pose] = []  # of each link: its joint's in the parent's new frame
    for i, link in enumerate(robot.links):
        if link.joint is None or link.joint.kind not in _ON_AXIS:
            chosen.append(Pose.identity())
        elif _rides(robot, i, chosen[link.parent].R, sizes):
            chosen.append(link.joint.origin.inverse() @ chosen[link.parent])
        else:
            chosen.append(_frame(robot, i, chosen, sizes, scale, reach))
        before = chosen[link.parent].inverse() if link.parent >= 0 else Pose.identity()
        origin = link.joint.origin if link.joint is not None else Pose.identity()
        origins.append(_cleaned(before @ origin @ chosen[i], scale))
    moved = dict.fromkeys(i for i, pose in enumerate(chosen) if not _is_identity(pose))
    links = tuple(
        _moved(robot, i, chosen[i], origins[i]) if i in moved else _rehung(link, origins[i])
        for i, link in enumerate(robot.links)
    )
    frames = [replace(f, pose=chosen[f.link].inverse() @ f.pose) for f in robot.frames]
    carriers = {f.link for f in robot.frames if f.tip is not False}
    for i in moved:
        tip = not robot.children(i) and i not in carriers
        frames.append(Frame(robot.links[i].name, i, chosen[i].inverse(), tip))
    notes = [
        Note(
            "prepared", f"link {robot.links[i].name!r}", "described in a frame on its joint's axis"
        )
        for i in moved
    ]
    tips = set(robot.tips)
    frames = [replace(frame, tip=frame.name in tips) for frame in frames]
    return replace(robot, links=links, frames=tuple(frames), notes=(*robot.notes, *notes))


def _rides(robot: Robot, i: int, parent: Matrix, sizes: Sequence[int]) -> bool:
    """Whether link i slides on one that turns, and nothing behind it wants an axis of its own.

    That is a joint which turns about the line of the slide, unless this is the parent's z anyway.
    """
    joint, after = robot.links[i].joint, _main_axis(robot, i, sizes)
    if joint is None or joint.kind != "prismatic" or not _is_turned(robot, robot.links[i].parent):
        return False
    level = _length(cross(joint.origin.R @ joint.axis, parent.column(2))) <= _ROUNDING
    return level or after is None or _length(cross(joint.axis, after.a)) > _ROUNDING


def _is_turned(robot: Robot, i: int) -> bool:
    """Whether a joint that does not only slide carries link i."""
    while i > 0:
        joint = robot.links[i].joint
        if joint is not None and joint.kind not in ("prismatic", "fixed"):
            return True
        i = robot.links[i].parent
    return False


def _frame(
    robot: Robot,
    i: int,
    chosen: Sequence[Pose],
    sizes: Sequence[int],
    scale: float,
    reach: float,
) -> Pose:
    """The new frame of link i, in its old one."""
    joint, parent = robot.links[i].joint, robot.links[i].parent
    assert joint is not None
    own = Line(zeros(3), joint.axis)
    back = joint.origin.inverse()  # from the parent's old frame, the joint at its zero
    before = _axis(robot, parent)
    before = before.seen_from(back) if before is not None else None
    after = _main_axis(robot, i, sizes)
    x = own.normal(after) if after is not None else None
    if x is None:
        x = _free_x(own, back.R @ chosen[parent].R, before)
    R = hstack(x, cross(own.a, x), own.a)
    best: tuple[int, int] | None = None
    found = Pose(R, zeros(3))
    feet = [own.foot(other, reach) for other in (before, after) if other is not None]
    level = _dot(own.a, (back @ chosen[parent]).p)
    for order, s in enumerate([*(s for s in feet if s is not None), level, 0.0]):
        place = Pose(R, own.a * s)
        p = (chosen[parent].inverse() @ joint.origin @ place).p
        entries = sum(abs(entry) > _ROUNDING * scale for entry in p)
        if after is not None:
            foot = own.foot(after, reach)
            entries += foot is not None and abs(foot - s) > _ROUNDING * scale
        if best is None or (entries, order) < best:
            best, found = (entries, order), place
    return found


def _free_x(own: Line, parent: Matrix, before: Line | None) -> Matrix:
    """x where no axis comes after: such that the parent's displacement turns about its x alone."""
    x = own.normal(before) if before is not None else None
    candidates = [-x] if x is not None else []
    candidates += [parent.column(k) for k in range(3)]
    for candidate in candidates:
        square = candidate - own.a * _dot(own.a, candidate)
        length = _length(square)
        if length > 0.5:
            return square * (1.0 / length)
    return candidates[0]


def _axis(robot: Robot, i: int) -> Line | None:
    """The axis of link i's joint in its old frame."""
    joint = robot.links[i].joint if i >= 0 else None
    if joint is None or joint.kind not in _ON_AXIS:
        return None
    return Line(zeros(3), joint.axis)


def _main_axis(robot: Robot, i: int, sizes: Sequence[int]) -> Line | None:
    """The axis, in link i's old frame, of the joint behind it that moves most other joints."""
    behind = [c for c in robot.children(i) if _axis(robot, c) is not None]
    if not behind:
        return None
    main = max(behind, key=lambda c: (sizes[c], -c))
    joint = robot.links[main].joint
    assert joint is not None
    return Line(joint.origin.p, joint.origin.R @ joint.axis)


def _sizes(robot: Robot) -> list[int]:
    """How many joints each link carries, its own among them."""
    sizes = [int(link.moves) for link in robot.links]
    for i in range(len(sizes) - 1, 0, -1):
        sizes[robot.links[i].parent] += sizes[i]
    return sizes


def _moved(robot: Robot, i: int, pose: Pose, origin: Pose) -> Link:
    """Link i in its new frame, under a name that no user asks for."""
    link = robot.links[i]
    assert link.joint is not None
    inverse = pose.inverse()
    axis = (inverse.R @ link.joint.axis).map(_nearest)
    joint = replace(link.joint, origin=origin, axis=axis)
    name = f"{link.name} on its axis"
    while name in robot.frame_names:
        name += "'"
    return replace(link, name=name, inertia=link.inertia.seen_from(inverse), joint=joint)


def _rehung(link: Link, origin: Pose) -> Link:
    return replace(link, joint=replace(link.joint, origin=origin)) if link.joint else link


def _cleaned(pose: Pose, scale: float) -> Pose:
    """Without what rounding left of zeros and ones; turns about x and then z as such."""
    R = pose.R
    if abs(R[0, 2]) <= _ROUNDING:
        (c, s), (cosine, sine) = _trim(R[2, 2], -R[1, 2]), _trim(R[0, 0], -R[0, 1])
        about_x = Matrix([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        about_z = Matrix([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
        R = about_x @ about_z
    else:
        R = R.map(_nearest)
    p = pose.p.map(lambda x: 0.0 if abs(x) <= _ROUNDING * scale else x)
    return Pose(R.map(lambda x: x + 0.0), p)


def _trim(c: float, s: float) -> tuple[float, float]:
    """Cosine and sine of length 1, exact at right angles."""
    c, s = _nearest(c), _nearest(s)
    length = math.hypot(c, s)
    return c / length, s / length


def _nearest(x: float) -> float:
    """-1, 0 or 1 where x is that but for rounding."""
    near = float(round(x))
    return near if abs(x - near) <= _ROUNDING else x


def _is_identity(pose: Pose) -> bool:
    unit = Pose.identity()
    return tuple(pose.R) == tuple(unit.R) and tuple(pose.p) == tuple(unit.p)


def _known(robot: Robot) -> bool:
    """Whether the places of joints are numbers."""
    poses = [link.joint.origin for link in robot.links if link.joint is not None]
    return all(type(x) is float for pose in poses for x in (*pose.R, *pose.p))


def _scale(robot: Robot) -> float:
    """The largest offset between joints."""
    offsets = [abs(x) for link in robot.links if link.joint for x in link.joint.origin.p]
    return max(offsets, default=0.0)


def _reach(robot: Robot) -> float:
    """No two joints are farther apart, those that slide at zero."""
    return sum(_length(link.joint.origin.p) for link in robot.links if link.joint is not None)


def _dot(a: Matrix, b: Matrix) -> float:
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


def _length(a: Matrix) -> float:
    return math.sqrt(_dot(a, a))
