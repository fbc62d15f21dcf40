"""Where forces act on a robot and which of its frames are held: as said, or else at its tips."""

from __future__ import annotations

from collections.abc import Sequence

from symkin.algorithms.contact import Contact
from symkin.algorithms.external_forces import Force
from symkin.model import Robot

WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")
"""The entries of a wrench (n, f), moment first."""


def forces_on(robot: Robot, forces: Sequence[Force] | None = None) -> tuple[Force, ...]:
    """The forces given, or one at every tip in the root's axes; ModelError for unknown frames."""
    if forces is None:
        forces = [Force(tip, axes=robot.links[0].name) for tip in robot.tips]
    for force in forces:
        for name in (force.frame, force.axes, force.about):
            if name is not None:
                robot.frame(name)
    return tuple(forces)


def contacts_of(robot: Robot, contacts: Sequence[Contact] | None = None) -> tuple[Contact, ...]:
    """The contacts given, or the origin of every tip; ModelError for unknown frames."""
    if contacts is None:
        contacts = [Contact(tip) for tip in robot.tips]
    for contact in contacts:
        robot.frame(contact.frame)
    return tuple(contacts)


def entries_of(place: Force | Contact) -> tuple[str, ...]:
    """Names of the entries of its wrench, or of what holds it."""
    size = place.size if isinstance(place, Contact) else len(WRENCH)
    return tuple(f"{place.frame}.{entry}" for entry in WRENCH[-size:])


def described(place: Force | Contact) -> str:
    """Where and how, in words."""
    if isinstance(place, Force):
        axes, about = place.axes or place.frame, place.about or place.frame
        return f"on {place.frame}, in axes of {axes}, moment about {about}"
    text = f"{'the rotation and ' if place.full else ''}the origin of {place.frame}"
    for name in ("damping", "stiffness", "softness"):
        value = getattr(place, name)
        if value != 0:
            text += f", {name} {float(value)!r}"
    return text
