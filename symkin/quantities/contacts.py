"""Rows of forward dynamics while frames are held: accelerations, contact forces, derivatives."""

from __future__ import annotations

from typing import Literal

from symkin.algebra import Matrix
from symkin.algorithms import contact
from symkin.algorithms.contact import Contact
from symkin.model import Robot
from symkin.quantities import demands
from symkin.quantities.dynamics import TAU
from symkin.quantities.table import FEATHERSTONE, Formulation, Q, Quantity, Slot, V

_REFERENCES = {
    "operational_space": f"{FEATHERSTONE}, sections 8.1 to 8.4; Baumgarte (1972)",
    "implicit": (
        "Budhiraja, Carpentier, Mastalli & Mansard, Differential dynamic programming for "
        "multi-phase rigid contact dynamics (2018)"
    ),
}
_UNITS = {
    "a": {"": "rad/s^2 | m/s^2", "q": "1/s^2", "v": "1/s", "tau": "1/(kg m^2) | 1/kg"},
    "f": {
        "": "N m, N",
        "q": "N m, N | N, N/m",
        "v": "N m s, N s | N s, N s/m",
        "tau": "1, 1/m | m, 1",
    },
}
_SHAPES: dict[str, tuple[Literal["nv", "c"], str]] = {
    "a": ("nv", "joint accelerations"),
    "f": ("c", "of each contact (n, f), or f, on the robot, in the root's axes"),
}


def _rows(part: Literal["a", "f"], name: str, doc: str) -> list[Quantity]:
    """Accelerations or forces, and their derivatives by q, v and tau."""

    def of(suffix: str) -> Formulation:
        compute = getattr(contact, f"contact_dynamics{suffix}")

        def formulation(robot: Robot, contacts: tuple[Contact, ...], *inputs: Matrix) -> Matrix:
            entries: Matrix = getattr(compute(robot, contacts, *inputs), part)
            return entries

        return formulation

    def row(suffix: str, doc: str, way: str, inputs: tuple[Slot, ...], output: Slot) -> Quantity:
        return Quantity(
            f"{name}{suffix}",
            doc,
            _REFERENCES[way],
            inputs,
            output,
            {way: of(suffix)},
            belongs_to="contacts",
            demand=demands.inertia,
            on_request=True,
        )

    size, meaning = _SHAPES[part]
    units = _UNITS[part]
    inputs = (Q, V, TAU)
    rows = [row("", doc, "operational_space", inputs, Slot(part, (size,), units[""], meaning))]
    for by, given in (("q", inputs), ("v", inputs), ("tau", (Q,))):
        how = "along q in the tangent space" if by == "q" else f"by {by}"
        slot = Slot(f"d{part}_d{by}", (size, "nv"), units[by], f"d {part} / d {by}")
        rows.append(row(f"_d{by}", f"Derivative of {name} {how}.", "implicit", given, slot))
    return rows


ROWS = [
    *_rows(
        "a",
        "contact_acceleration",
        "Accelerations a under joint forces tau while frames are held: dynamics in contact.",
    ),
    *_rows(
        "f",
        "contact_force",
        "Forces that hold the frames, under joint forces tau: M a + C v + g = tau + J' f.",
    ),
]
