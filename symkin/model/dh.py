"""Denavit-Hartenberg tables to Robot, in either convention.

``"standard"`` (Spong, Hutchinson & Vidyasagar (2006), section 3.2) and ``"modified"`` (Craig
(2005), section 3.4) give the same four numbers of a row different places:

    standard  A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)             a, alpha of this row's joint
    modified  A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)             a, alpha of the joint before

Turning about x and sliding along it commute, so a standard table is a modified one whose a and
alpha moved down by a row, the last of them into the tool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from symkin.algebra import column, constant
from symkin.errors import ArgumentError, ModelError
from symkin.model.assemble import Attachment, assemble
from symkin.model.joint import Joint
from symkin.model.notes import Note
from symkin.model.robot import Frame, Robot
from symkin.model.row import Row, rigid_pose
from symkin.model.snap import Snap, SnapRule, read_snapped, turn
from symkin.spatial import Inertia, Pose

Convention = Literal["standard", "modified"]
_CONVENTIONS = ("standard", "modified")
_KEYS = {"R": ("flip", "d", "theta_offset"), "P": ("flip", "theta", "d_offset"), "S": ()}


def load_dh(
    rows: Sequence[Mapping[str, Any]],
    convention: Convention,
    *,
    tool: Pose | Sequence[Sequence[float]] | None = None,
    name: str = "robot",
    base: str = "base",
    flange: str = "flange",
    snap: SnapRule = "digits",
) -> Robot:
    """The arm of a DH table, one mapping for each joint.

    Keys of a row: ``type`` ("R", "P" or "S"), ``a`` (m), ``alpha`` (rad), ``flip`` (bool: the
    coordinate counts the other way), for "R" ``d`` (m) and ``theta_offset`` (rad), theta = +-q +
    theta_offset, for "P" ``theta`` (rad) and ``d_offset`` (m), d = +-q + d_offset; and those of
    `symkin.model.row`, the body in the axes of the row's DH frame, about its centre of mass.
    "S" is a spherical joint in the place of Rz(theta) Tz(d); it has neither of these nor ``flip``.
    What is not given is zero; joints are called j0, j1 ..., links link0, link1 ...

    Each link's frame lies on the axis of its joint. The frames dh1, dh2 ... are those of the table,
    ``flange`` is the last of them times ``tool`` (4 x 4), the pose of the tool in it.
    Raises ModelError that names the row and key, ArgumentError for another convention or ``snap``.
    """
    return read_snapped(
        lambda rule: read_dh(
            rows, convention, rule, tool=tool, name=name, base=base, flange=flange, where=name
        ),
        snap,
    )


def read_dh(
    rows: Sequence[Mapping[str, Any]],
    convention: str,
    snap: Snap,
    *,
    tool: Pose | Sequence[Sequence[float]] | None,
    name: str,
    base: str,
    flange: str,
    where: str,
    inertia: bool = True,
) -> Robot:
    """As `load_dh`, under a rule at work; without ``inertia`` the links have no mass."""
    if convention not in _CONVENTIONS:
        raise ArgumentError(
            f'{where}: convention {convention!r}: say "standard" or "modified"; the numbers of a '
            "table do not tell which"
        )
    if not rows:
        raise ModelError(f"{where}: the table has no rows")
    table = [Row(values, f"{where}: row {i + 1}") for i, values in enumerate(rows)]
    notes: list[Note] = []
    bends = [_bend(row, snap) for row in table]
    if convention == "standard":
        # the joint's link frame sits before the row's bend, its DH frame after it
        before, after = [Pose.identity(), *bends[:-1]], bends
    else:
        before, after = bends, [Pose.identity()] * len(bends)

    links = {base: Inertia.zero()}
    attachments, frames = [], []
    for i, row in enumerate(table):
        parent, link = next(reversed(links)), row.text("link", f"link{i}")
        if link in links:
            raise row.error("link", f"another link is called {link!r}; rename one")
        joint = _joint(row, f"j{i}", before[i], snap)
        body = row.body(notes) if inertia else Inertia.zero()
        links[link] = body.seen_from(after[i])
        attachments.append(Attachment(joint, parent, link, row.where))
        frames.append(Frame(f"dh{i + 1}", i + 1, after[i], tip=False))
    end = rigid_pose(tool, f"{where}: tool", snap) if tool is not None else Pose.identity()
    frames.append(Frame(flange, len(table), after[-1] @ end))
    robot = assemble(name, links, attachments, notes=[*notes, *snap.notes])
    return robot.with_frames(frames)


def _bend(row: Row, snap: Snap) -> Pose:
    """Tx(a) Rx(alpha)."""
    alpha = snap.angle(row.number("alpha"), f"{row.where}: alpha")
    return Pose(turn((1, 0, 0), alpha), column(row.number("a"), 0.0, 0.0))


def _joint(row: Row, name: str, before: Pose, snap: Snap) -> Joint:
    """The joint that turns about z or slides along it after the constant parts theta and d."""
    kind = row.values.get("type")
    if kind not in _KEYS:
        raise row.error("type", '"R" (revolute), "P" (prismatic) or "S" (spherical) expected')
    row.allow("type", "a", "alpha", *_KEYS[kind])
    if kind == "S":
        return row.joint(name, "spherical", before, constant([0, 0, 1]))
    turned, slid = ("theta_offset", "d") if kind == "R" else ("theta", "d_offset")
    theta = snap.angle(row.number(turned), f"{row.where}: {turned}")
    screw_z = Pose(turn((0, 0, 1), theta), column(0.0, 0.0, row.number(slid)))
    axis = constant([0, 0, -1 if row.flag("flip") else 1])
    joint_kind: Literal["revolute", "prismatic"] = "revolute" if kind == "R" else "prismatic"
    return row.joint(name, joint_kind, before @ screw_z, axis)
