"""A robot of one joint as URDF text, and what its load report says."""

from __future__ import annotations

from symkin.model import Robot

MOMENTS = '<inertia ixx="1" iyy="1" izz="1" ixy="0" iyz="0" ixz="0"/>'
BODY = f'<inertial><mass value="1"/>{MOMENTS}</inertial>'
LIMIT = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'


def one_joint(inside: str = LIMIT, kind: str = "revolute", body: str = BODY) -> str:
    """A robot of one joint, with something in the joint (line 4) and in the link (line 3)."""
    return (
        '<robot name="r">\n<link name="base"/>\n'
        f'<link name="a">{body}</link>\n'
        f'<joint name="j" type="{kind}"><parent link="base"/><child link="a"/>{inside}</joint>\n'
        "</robot>"
    )


def messages(robot: Robot, kind: str) -> list[str]:
    return [f"{note.where}: {note.message}" for note in robot.notes if note.kind == kind]
