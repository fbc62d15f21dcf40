"""Quaternions among numbers that come from outside: scaled to length 1, or refused.

Inside, algorithms take unit quaternions as they are: other lengths would scale rotations.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.errors import ArgumentError
from symkin.quantities.table import Port

Array = npt.NDArray[Any]

SHORTEST = sys.float_info.epsilon**0.5
"""Errors of an epsilon, as numbers near 1 have, would turn a shorter quaternion by more than it."""


def normalised(owner: str, port: Port, array: Array) -> Array:
    """The array (..., n) with the port's quaternions scaled to length 1, complex ones as real ones.

    NaN passes. Raises ArgumentError that names the joint of a quaternion that is no direction.
    """
    for start in port.quaternions:
        part = array[..., start : start + 4]
        length = _length(part)
        if (np.real(length) < SHORTEST).any():
            joint = port.labels[start].removesuffix(".qx")
            raise ArgumentError(
                f"{owner}: {port.name}: the quaternion (x, y, z, w) of joint {joint!r} has length "
                f"{np.nanmin(np.real(length)):.3g}; expected 1 (no rotation is 0, 0, 0, 1)"
            )
        array = _replaced(array, start, part / length)
    return array


def normalised_tangent(port: Port, array: Array, tangent: Array) -> Array:
    """The tangent (..., n) of `normalised` along that of the array, both before scaling."""
    for start in port.quaternions:
        part, change = array[..., start : start + 4], tangent[..., start : start + 4]
        length = _length(part)
        unit = part / length
        along = (unit * change).sum(axis=-1, keepdims=True)
        tangent = _replaced(tangent, start, (change - unit * along) / length)
    return tangent


def _length(part: Array) -> Array:
    length: Array = np.sqrt((part * part).sum(axis=-1, keepdims=True))
    return length


def _replaced(array: Array, start: int, part: Array) -> Array:
    batch = np.broadcast_shapes(array.shape[:-1], part.shape[:-1])
    before, after = array[..., :start], array[..., start + 4 :]
    pieces = (before, part, after)
    return np.concatenate([np.broadcast_to(p, (*batch, p.shape[-1])) for p in pieces], axis=-1)
