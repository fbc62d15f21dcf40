"""What a body's mass and inertia may be: the impossible is refused, the odd is noted."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence

import numpy as np

from symkin.algebra import Matrix, constant, zeros
from symkin.errors import ModelError
from symkin.model.notes import Note
from symkin.spatial import Inertia

# Tables give a tensor to six significant digits, so its principal moments are known to this part
# of the largest. There is no absolute tolerance: a robot of milligrams is as good as any.
_PRECISION = 1e-6


def tensor_of(moments: Sequence[float]) -> Matrix:
    """The symmetric 3 x 3 tensor of Ixx, Iyy, Izz, Ixy, Iyz, Ixz."""
    xx, yy, zz, xy, yz, xz = moments
    return constant([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def checked(body: Inertia, where: str, notes: list[Note]) -> Inertia:
    """The body if there can be one like it; messages and notes begin with ``where``.

    Raises ModelError for a negative mass, a tensor that is not positive semidefinite, NaN and
    infinity. A tensor that only violates the triangle inequality (Ixx <= Iyy + Izz in principal
    axes), or that has no mass, is noted and used as it is.
    Featherstone (2008), section 2.13; Wensing, Kim & Slotine (2018), section III.
    """
    mass = float(body.mass)
    if not (math.isfinite(mass) and mass >= 0.0):
        raise ModelError(f"{where}: mass of {mass:g} kg; a mass is zero or positive")
    if not all(math.isfinite(x) for x in (*body.com, *body.tensor)):
        raise ModelError(f"{where}: centre of mass and inertia must be finite numbers")
    _check_tensor(body, where, notes)
    if mass == 0.0:
        if any(body.tensor):
            message = "inertia without mass (a rotor?), used as it is"
            notes.append(Note("warning", where, message))
        return Inertia(0.0, zeros(3), body.tensor)
    return body


def _check_tensor(body: Inertia, where: str, notes: list[Note]) -> None:
    size = max(abs(x) for x in body.tensor)
    if size == 0.0:
        return
    small, middle, large = np.linalg.eigvalsh(np.array(body.tensor.rows) / size) * size
    # The tensor of a point mass may be what rounding left when it was moved to the centre.
    lever = sum(x * x for x in body.com)
    rounding = 8 * sys.float_info.epsilon * float(body.mass) * lever
    uncertain = max(_PRECISION * max(large, -small), rounding)
    if small < -uncertain:
        raise ModelError(
            f"{where}: inertia is not positive semidefinite (principal moments "
            f"{small:.6g}, {middle:.6g}, {large:.6g} kg m^2): no body has it; check its unit and "
            "the signs of its products, or load with inertia=False for kinematics alone"
        )
    if large > small + middle + uncertain:
        message = "inertia violates the triangle inequality, used as it is"
        notes.append(Note("warning", where, message))


def is_massless(inertia: Inertia) -> bool:
    """Whether a body has neither mass nor inertia: constants, not values of parameters."""
    entries = (inertia.mass, *inertia.moment, *inertia.about_origin)
    return all(type(x) is float and x == 0.0 for x in entries)


def welded(parts: Iterable[Inertia]) -> Inertia:
    """The bodies as one, all described in one frame; a body without mass changes no digit."""
    heavy = [part for part in parts if not is_massless(part)]
    return sum(heavy[1:], start=heavy[0]) if heavy else Inertia.zero()
