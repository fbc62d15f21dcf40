"""What a body's mass and inertia may be: the impossible is refused, the odd is noted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from symkin.algebra import Matrix, constant
from symkin.errors import ModelError
from symkin.model.notes import Note
from symkin.spatial import Inertia

# Tables give a tensor to six significant digits, so its principal moments are known to this part
# of the largest. There is no absolute tolerance: a robot of milligrams is as good as any.
TENSOR_PRECISION = 1e-6


def rigid_body(
    mass: float,
    com: Sequence[float],
    moments: Sequence[float],
    where: str,
    notes: list[Note],
) -> Inertia:
    """The inertia of mass (kg), centre of mass (3, m) and tensor about it, in one frame's axes.

    ``moments`` are Ixx, Iyy, Izz, Ixy, Iyz, Ixz (kg m^2). Raises ModelError, which begins with
    ``where``, for what no body can have: a negative mass, a tensor that is not positive
    semidefinite, NaN or infinity. A tensor that only violates the triangle inequality
    (Ixx <= Iyy + Izz in principal axes) or has no mass is noted and used as it is.
    Featherstone (2008), section 2.13; Wensing, Kim & Slotine (2018), section III.
    """
    if not (math.isfinite(mass) and mass >= 0.0):
        raise ModelError(f"{where}: mass {mass:g} kg; a mass is zero or positive")
    if not all(math.isfinite(x) for x in (*com, *moments)):
        raise ModelError(f"{where}: centre of mass and inertia must be finite numbers")
    xx, yy, zz, xy, yz, xz = moments
    tensor = constant([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    size = max(abs(x) for x in moments)
    if size == 0.0:
        return Inertia(mass, constant(com) if mass else constant([0, 0, 0]), tensor)
    small, middle, large = np.linalg.eigvalsh(np.array(tensor.rows) / size) * size
    if small < -TENSOR_PRECISION * max(large, -small):
        raise ModelError(
            f"{where}: inertia is not positive semidefinite (principal moments "
            f"{small:.6g}, {middle:.6g}, {large:.6g} kg m^2): no body has it; "
            "check the signs of the products of inertia and the unit"
        )
    if large > (small + middle) + TENSOR_PRECISION * large:
        notes.append(
            Note("warning", where, "inertia violates the triangle inequality, used as it is")
        )
    if mass == 0.0:
        notes.append(Note("warning", where, "inertia without mass (a rotor?), used as it is"))
        return Inertia(0.0, constant([0, 0, 0]), tensor)
    return Inertia(mass, constant(com), tensor)


def is_massless(inertia: Inertia) -> bool:
    """Whether a body has neither mass nor inertia."""
    return float(inertia.mass) == 0.0 and not any(inertia.tensor)


def welded(parts: Iterable[Inertia]) -> Inertia:
    """The bodies as one, all described in one frame; a body without mass changes no digit."""
    heavy = [part for part in parts if not is_massless(part)]
    return sum(heavy[1:], start=heavy[0]) if heavy else Inertia.zero()


def moments_of(tensor: Matrix) -> tuple[float, ...]:
    """Ixx, Iyy, Izz, Ixy, Iyz, Ixz of a symmetric 3 x 3 tensor."""
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)))
