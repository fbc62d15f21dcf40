"""A robot as readable text: a chain is a plain list, only branches are indented."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symkin.algebra import Matrix

if TYPE_CHECKING:
    from symkin.model.robot import Coordinate, Robot

_AXIS_NAMES = {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}
_ALONG = {"revolute": "about", "continuous": "about", "prismatic": "along", "helical": "about"}


def render_tree(robot: Robot) -> str:
    """One line for each link: joint, kind and coordinate, then link, mass and added frames."""
    lines = [
        f"{robot.name}: {len(robot.links)} links, {robot.nq} coordinates, "
        f"{robot.moving_mass:.6g} kg moving"
    ]
    frames: list[list[str]] = [[] for _ in robot.links]
    for frame in robot.frames:
        frames[frame.link].append(frame.name)
    stack = [(0, "", "")]
    while stack:
        index, first, rest = stack.pop()
        added = f"  [{', '.join(frames[index])}]" if frames[index] else ""
        lines.append(first + _describe(robot, index) + added)
        below = robot.children(index)
        if len(below) == 1:
            stack.append((below[0], rest, rest))
            continue
        branches = [(child, f"{rest}├─ ", f"{rest}│  ") for child in below[:-1]]
        branches += [(child, f"{rest}└─ ", f"{rest}   ") for child in below[-1:]]
        stack.extend(reversed(branches))
    return "\n".join(lines)


def _describe(robot: Robot, index: int) -> str:
    link = robot.links[index]
    mass = float(link.inertia.mass)
    text = link.name + (f"  {mass:.6g} kg" if mass else "")
    joint = link.joint
    if joint is None:
        return text
    detail: str = joint.kind
    if joint.kind in _ALONG:
        detail += f" {_ALONG[joint.kind]} {_direction(joint.axis)}"
    if joint.nq == 1:
        detail += f", {_coordinate(robot.coordinates[index])}"
    elif joint.moves:
        start = robot.coordinates[index].index
        detail += f", q[{start}] to q[{start + joint.nq - 1}]"
    return f"{joint.name} ({detail}) -> {text}"


def _direction(axis: Matrix) -> str:
    entries = tuple(float(c) + 0.0 for c in axis)
    opposite = tuple(-c + 0.0 for c in entries)
    if entries in _AXIS_NAMES:
        return _AXIS_NAMES[entries]
    if opposite in _AXIS_NAMES:
        return f"-{_AXIS_NAMES[opposite]}"
    return "(" + " ".join(f"{c:.4g}" for c in entries) + ")"


def _coordinate(coordinate: Coordinate) -> str:
    text = f"q[{coordinate.index}]"
    if coordinate.multiplier != 1.0:
        text = f"{coordinate.multiplier:.6g} {text}"
    if coordinate.offset:
        text += f" {'+' if coordinate.offset > 0 else '-'} {abs(coordinate.offset):.6g}"
    return text
