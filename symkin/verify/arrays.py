"""Stacks of small matrices that carry their error's bound, for laws written as equations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra import Matrix
from symkin.algebra.bounded import Bounded, stack

Array = npt.NDArray[Any]

SERIES_TERMS = 24
"""Of the exponential of a matrix of norm one: the next term is 1/25! = 6e-26."""

# The basis of the twists: hat(V) = sum_r V[r] HAT[r], angular first.
HAT = np.zeros((6, 4, 4))
for _axis, (_i, _j) in enumerate(((2, 1), (0, 2), (1, 0))):
    HAT[_axis, _i, _j], HAT[_axis, _j, _i] = 1.0, -1.0
    HAT[3 + _axis, _axis, 3] = 1.0


def exactly(value: npt.ArrayLike) -> Bounded:
    """An array without error."""
    array = np.asarray(value, dtype=np.float64)
    return Bounded(array, np.zeros(array.shape))


def bounded_matrix(matrix: Matrix) -> Bounded:
    """A constant matrix of numbers or `Bounded` scalars as one array."""
    return stack(matrix, matrix.shape, ())


def arranged(array: Bounded, arrange: Callable[[Array], Array]) -> Bounded:
    """Entries picked, moved or repeated, without arithmetic."""
    return Bounded(arrange(array.value), arrange(array.bound), array.rounding)


def transposed(array: Bounded) -> Bounded:
    """Every matrix of a stack transposed."""
    return arranged(array, lambda x: np.swapaxes(x, -1, -2))


def joined(parts: Iterable[Bounded], axis: int = -1) -> Bounded:
    """Arrays side by side."""
    parts = tuple(parts)
    value = np.concatenate([part.value for part in parts], axis)
    return Bounded(value, np.concatenate([part.bound for part in parts], axis))


def last_to(array: Bounded, axis: int) -> Bounded:
    """The last axis moved to another place."""
    return arranged(array, lambda x: np.moveaxis(x, -1, axis))


def hat(twists: Bounded) -> Bounded:
    """[V], (..., 4, 4), of twists (..., 6). Modern Robotics, equation 3.70."""
    value = np.einsum("...r,rij->...ij", twists.value, HAT)
    return Bounded(value, np.einsum("...r,rij->...ij", twists.bound, np.abs(HAT)))


def skew_of(w: Bounded) -> Bounded:
    """[w], (..., 3, 3), of vectors (..., 3)."""
    turning = arranged(w, lambda x: np.concatenate([x, np.zeros_like(x)], axis=-1))
    return hat(turning)[..., :3, :3]


def inverse(T: Bounded) -> Bounded:
    """Every pose of a stack inverted: (R', -R' p; 0, 1)."""
    R, p = transposed(T[..., :3, :3]), T[..., :3, 3:]
    return joined([joined([R, -(R @ p)]), T[..., 3:, :]], axis=-2)


def adjoint(T: Bounded) -> Bounded:
    """[Ad_T], (..., 6, 6): (R, 0; [p] R, R). Modern Robotics, definition 3.20."""
    R, p = T[..., :3, :3], T[..., :3, 3]
    lower = skew_of(p) @ R
    zero = exactly(np.zeros(R.value.shape))
    return joined([joined([R, zero]), joined([lower, R])], axis=-2)


def rotated(R: Bounded, twists: Bounded) -> Bounded:
    """diag(R, R) V for matrices of twists (..., 6, n)."""
    return joined([R @ twists[..., :3, :], R @ twists[..., 3:, :]], axis=-2)


def along(derivative: Bounded, direction: Array) -> Bounded:
    """The directional derivative (states, *shape) of derivatives (states, *shape, n)."""
    shape = derivative.value.shape
    entries = math.prod(shape[1:-1])
    flat = arranged(derivative, lambda x: x.reshape((shape[0], entries, shape[-1])))
    product = flat @ direction[:, :, None]
    return arranged(product, lambda x: x.reshape(shape[:-1]))


def exponential(A: Bounded) -> Bounded:
    """exp of every matrix of a stack, by its power series after halving it to norm one."""
    size = float(np.max(np.linalg.norm(A.value, axis=(-2, -1)), initial=1.0))
    halvings = int(np.ceil(np.log2(size)))
    unit = np.eye(A.value.shape[-1])
    small = A * 0.5**halvings
    result = exactly(np.broadcast_to(unit, A.value.shape))
    for k in range(SERIES_TERMS, 0, -1):
        result = (small @ result) * (1.0 / k) + unit
    for _ in range(halvings):
        result = result @ result
    return result
