"""Laws of held frames: what holds them, and the motion that is left. By default every tip's origin.

Featherstone, Rigid Body Dynamics Algorithms (2008), equations 8.1 to 8.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from symkin.algebra import Matrix
from symkin.algebra.bounded import Bounded, stack
from symkin.algorithms.contact import Contact
from symkin.spatial import Pose, log_so3
from symkin.verify.arrays import along, exactly, joined, transposed
from symkin.verify.laws.law import Law, Sides, columns_of
from symkin.verify.scene import Scene


def _contacts(scene: Scene) -> Iterator[tuple[Contact, Scene, Bounded]]:
    """Each contact, its frame, and the force that holds it."""
    root, start = scene.robot.links[0].name, 0
    f = scene.value("contact_force")
    for contact in scene.instance("contact_force").contacts:
        yield contact, scene.of(contact.frame, root), f[:, start : start + contact.size]
        start += contact.size


def _held_still(scene: Scene) -> Sides:
    """J a of every contact, and what it must be: -(dJ/dt v + d J v + k e + s f)."""
    a = scene.value("contact_acceleration")[:, :, None]
    ours, wanted = [], []
    for contact, frame, f in _contacts(scene):
        held = slice(6 - contact.size, 6)
        ours.append((frame.value("jacobian_position") @ a)[:, held, 0])
        rest = along(frame.value("jacobian_position_dot"), scene.v)
        rest = rest + frame.value("twist_position") * contact.damping
        if contact.place is not None:
            rest = rest + _drift(frame, contact.place) * contact.stiffness
        wanted.append(-(rest[:, held] + f * contact.softness))
    return joined(ours), joined(wanted)


def _drift(frame: Scene, place: Pose) -> Bounded:
    """How far the frame is from its place: rotation vector and translation."""
    T = frame.value("forward_kinematics")
    R = Matrix([[T[:, i, j] for j in range(3)] for i in range(3)])
    turned = stack(log_so3(R @ place.R.T), (3,), (frame.count,))
    return joined([turned, T[:, :3, 3] - exactly([float(x) for x in place.p])])


def _balance(scene: Scene) -> Sides:
    """inverse_dynamics at a, and tau + J' f."""
    a = scene.value("contact_acceleration")
    moved = scene.at({**scene.states, "a": a.value}).value("inverse_dynamics")
    off = np.abs(scene.value("mass_matrix").value) @ a.bound[:, :, None]
    given = exactly(scene.states["tau"])
    for contact, frame, f in _contacts(scene):
        J = frame.value("jacobian_position")[:, 6 - contact.size :]
        given = given + (transposed(J) @ f[:, :, None])[..., 0]
    return Bounded(moved.value, moved.bound + off[..., 0]), given


LAWS: Mapping[str, tuple[Law, ...]] = {
    "contact_acceleration": (
        Law("held frames: J a + dJ/dt v + d J v + k e + s f = 0", _held_still),
    ),
    "contact_force": (Law("inverse_dynamics at a = tau + J' f", _balance),),
    **{
        f"{whole}_{by}": (columns_of(f"{whole}_{by}", whole, number),)
        for whole in ("contact_acceleration", "contact_force")
        for number, by in enumerate(("dq", "dv", "dtau"))
    },
}
