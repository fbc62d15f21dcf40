"""Inertias regrouped joint by joint: what a joint cannot turn belongs to the link before it.

A point mass on a joint's axis moves with the link before the joint as well as with the one behind
it, and so does a rotational inertia diag(t, t, 0) about the axis z. Given to the link before, they
leave masses and moments of zero: the base parameters of Khalil & Dombre, Modeling, Identification
and Control of Robots (2002), section 9.4, before tracing.
"""

from __future__ import annotations

from dataclasses import replace

from symkin.algebra import Matrix, column, diagonal, sub, zeros
from symkin.model.joint import Joint
from symkin.model.notes import Note
from symkin.model.robot import Robot
from symkin.spatial import Inertia


def regroup(robot: Robot) -> Robot:
    """Hand every link's inertia, as far as its joint allows, to the link before it.

    Joints that turn must do so about z, as `reframe` leaves them. What the root would be given
    stays: it costs nothing there. Sums over links, of mass, momentum, energy, remain; wrenches
    between links do not.
    """
    inertias = [link.inertia for link in robot.links]
    regrouped: list[str] = []
    for i in range(len(robot.links) - 1, 0, -1):
        link = robot.links[i]
        if link.joint is None or robot.on_root(i):
            continue
        kept, handed = _parts(link.joint, inertias[i])
        if handed is not None:
            inertias[i] = kept
            inertias[link.parent] = inertias[link.parent] + handed.seen_from(link.joint.origin)
            regrouped.append(link.name)
    if not regrouped:
        return robot
    links = tuple(
        replace(link, inertia=inertia) for link, inertia in zip(robot.links, inertias, strict=True)
    )
    names = ", ".join(map(repr, reversed(regrouped)))
    note = Note("prepared", "inertias", f"regrouped with the link before: {names}")
    return replace(robot, links=links, notes=(*robot.notes, note))


def _parts(joint: Joint, inertia: Inertia) -> tuple[Inertia, Inertia | None]:
    """What stays, and what the joint lets go: None if that is nothing."""
    h, I = inertia.moment, inertia.about_origin  # noqa: E741 - the book's letter
    turns = joint.kind in ("revolute", "continuous", "helical")
    if turns and tuple(joint.axis) == (0.0, 0.0, 1.0):
        t = I[1, 1]
        flat = Matrix(
            [
                [sub(I[0, 0], t), I[0, 1], I[0, 2]],
                [I[0, 1], 0.0, I[1, 2]],
                [I[0, 2], I[1, 2], I[2, 2]],
            ]
        )
        if joint.kind == "helical":
            return (
                Inertia(inertia.mass, h, flat),
                Inertia(0.0, zeros(3), diagonal(t, t, 0.0)),
            )
        return (
            Inertia(0.0, column(h[0], h[1], 0.0), flat),
            Inertia(inertia.mass, column(0.0, 0.0, h[2]), diagonal(t, t, 0.0)),
        )
    if joint.kind == "prismatic":
        return Inertia(inertia.mass, h, zeros(3, 3)), Inertia(0.0, zeros(3), I)
    if joint.kind == "spherical":
        return Inertia(0.0, h, I), Inertia(inertia.mass, zeros(3), zeros(3, 3))
    return inertia, None
