"""Screw axes and a home pose to Robot, and a robot's serial path to screw axes.

A screw is a column (omega; v), angular first, of the joint's twist at unit speed when all of q is
zero: in the base's axes S_i (``"space"``) or in the tool's B_i (``"body"``), so that
T(q) = exp([S_1] q_1) ... exp([S_n] q_n) M = M exp([B_1] q_1) ... exp([B_n] q_n).
Lynch & Park, Modern Robotics (2017), section 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from symkin.algebra import Matrix, hstack, identity, zeros
from symkin.errors import ArgumentError, ModelError
from symkin.model.assemble import Attachment, assemble
from symkin.model.joint import Joint, JointKind, motion_subspace
from symkin.model.notes import Note
from symkin.model.robot import Frame, Robot
from symkin.model.row import Row, rigid_pose
from symkin.model.snap import Snap, SnapRule, read_snapped
from symkin.spatial import Inertia, Pose, cross

ScrewFrame = Literal["space", "body"]

_EPS = 2.0**-52


def load_screws(
    screws: Matrix | Sequence[Sequence[float]],
    home: Pose | Sequence[Sequence[float]],
    frame: ScrewFrame = "space",
    *,
    joints: Sequence[Mapping[str, Any]] | None = None,
    name: str = "robot",
    base: str = "base",
    tool: str = "tool",
    snap: SnapRule = "digits",
) -> Robot:
    """The arm of ``screws``, 6 x n, one column (omega; v) for each joint, and its ``home`` pose.

    ``frame`` says whether the columns are in the base's axes ("space") or the tool's ("body").
    A column is scaled to |omega| = 1, or to |v| = 1 where omega is zero, with a note: q is in rad,
    or in m. A part of v along omega is kept as the pitch of a helical joint. ``home`` is 4 x 4, the
    pose of the frame ``tool`` at q = 0. ``joints`` may give each joint's names, limits and body,
    keys as in `symkin.model.row`, the body in the base's axes at q = 0.

    Link frames have the base's axes at q = 0; their origins are the points of the joint axes
    nearest to the base's.
    Raises ModelError that names the column, ArgumentError for another ``frame`` or ``snap``.
    """
    rows = screws.rows if isinstance(screws, Matrix) else tuple(tuple(row) for row in screws)
    if len(rows) != 6 or len({len(row) for row in rows}) != 1:
        raise ModelError(
            f"{name}: screws are the columns of a 6 x n matrix, not of {len(rows)} rows"
        )
    columns = list(zip(*rows, strict=True))
    return read_snapped(
        lambda rule: read_screws(
            columns, home, frame, rule, joints=joints, name=name, base=base, tool=tool, where=name
        ),
        snap,
    )


def read_screws(
    columns: Sequence[Sequence[float]],
    home: Pose | Sequence[Sequence[float]],
    frame: str,
    snap: Snap,
    *,
    joints: Sequence[Mapping[str, Any]] | None,
    name: str,
    base: str,
    tool: str,
    where: str,
    inertia: bool = True,
) -> Robot:
    """As `load_screws`, under a rule at work; without ``inertia`` the links have no mass."""
    if frame not in ("space", "body"):
        raise ArgumentError(f'{where}: frame {frame!r}: screws are given in "space" or "body"')
    if not columns:
        raise ModelError(f"{where}: there are no screws")
    if joints is not None and len(joints) != len(columns):
        raise ModelError(f"{where}: {len(columns)} screws, but {len(joints)} joints")
    M = rigid_pose(home, f"{where}: home", snap)
    notes: list[Note] = []
    links = {base: Inertia.zero()}
    attachments = []
    previous = zeros(3)
    for i, column in enumerate(columns):
        row = Row(joints[i] if joints is not None else {}, f"{where}: screw {i + 1} (j{i})")
        row.allow()
        S = Matrix([[x] for x in Row({"screw": column}, row.where).numbers("screw", 6)])
        kind, axis, point, pitch = _axis(M.Ad(S) if frame == "body" else S, row.where, snap)
        if kind == "prismatic":
            point = previous  # a sliding joint has a direction but no place
        parent, link = next(reversed(links)), row.text("link", f"link{i}")
        if link in links:
            raise row.error("link", f"another link is called {link!r}; rename one")
        body = row.body(notes) if inertia else Inertia.zero()
        links[link] = body.seen_from(Pose(identity(3), -point))
        origin = Pose(identity(3), point - previous)
        joint = row.joint(f"j{i}", kind, origin, axis, pitch)
        attachments.append(Attachment(joint, parent, link, row.where))
        previous = point
    robot = assemble(name, links, attachments, notes=[*notes, *snap.notes])
    return robot.with_frames([Frame(tool, len(columns), Pose(M.R, M.p - previous))])


def _axis(S: Matrix, where: str, snap: Snap) -> tuple[JointKind, Matrix, Matrix, float]:
    """Kind, unit axis, its point nearest to the origin, and pitch of a screw of any length.

    v = -omega x p + h omega: p = omega x v, h = omega . v. Modern Robotics, section 3.3.2.2.
    """
    w, v = S[:3], S[3:]
    length, speed = math.hypot(*w), math.hypot(*v)  # of any size: no square overflows
    if length == 0.0 and speed == 0.0:
        raise ModelError(
            f"{where}: the screw is zero; a joint turns about or slides along something"
        )
    turns = length > max(snap.noise, _EPS) * speed
    size = length if turns else speed
    if abs(size - 1.0) > 4 * _EPS:
        message = f"screw scaled by 1/{size:.9g}: its coordinate is in {'rad' if turns else 'm'}"
        snap.notes.append(Note("cleaned", where, message))
    w, v = (part.map(lambda x: x / size) for part in (w, v))
    if not turns:
        return "prismatic", snap.direction(v, where), zeros(3), 0.0
    axis = snap.direction(w, where)
    pitch = float((axis.T @ v)[0, 0])
    speed = math.hypot(*v)
    if abs(pitch) > max(snap.noise, 4 * _EPS) * speed:
        return "helical", axis, cross(axis, v), pitch
    if abs(pitch) > 4 * _EPS * speed:
        snap.notes.append(Note("cleaned", where, f"pitch of {pitch:.1e} m/rad read as 0"))
    return "revolute", axis, cross(axis, v), 0.0


def space_screws(robot: Robot, frame: str) -> tuple[Matrix, Pose]:
    """The screws (6 x n, columns S_i in the root's axes) of the joints from root to ``frame``.

    And the home pose M of the frame. Columns are in the order of the joints on the way, which is
    that of q. Raises ModelError for a path with a joint that follows another one or has several
    coordinates: it is no product of exponentials of independent coordinates.
    Modern Robotics, section 4.1.1.
    """
    place = robot.frame(frame)
    columns: list[Matrix] = []
    i = place.link
    while i > 0:
        joint = robot.links[i].joint
        if joint is not None and joint.moves:
            _check_independent(robot, joint, frame)
            columns.append(robot.home[i].Ad(motion_subspace(joint)[0]))
        i = robot.links[i].parent
    screws = hstack(*reversed(columns)) if columns else zeros(6, 0)
    return screws, robot.home[place.link] @ place.pose


def body_screws(robot: Robot, frame: str) -> tuple[Matrix, Pose]:
    """As `space_screws`, the columns B_i = Ad_{M^-1} S_i in the axes of ``frame``.

    Modern Robotics, equation 4.16.
    """
    screws, M = space_screws(robot, frame)
    columns = [M.Ad_inverse(screws.column(j)) for j in range(screws.shape[1])]
    return (hstack(*columns) if columns else screws), M


def _check_independent(robot: Robot, joint: Joint, frame: str) -> None:
    place = f"{robot.name}: joint {joint.name!r} on the way to {frame!r}"
    if joint.mimic is not None:
        raise ModelError(
            f"{place} follows {joint.mimic.leader!r}; screws need joints that are independent"
        )
    if joint.nv != 1:
        raise ModelError(f"{place} is {joint.kind}; screws need joints of one coordinate")
