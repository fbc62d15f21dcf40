"""Poses and twists as NumPy batches (..., 4, 4) and (..., 6), written apart from symkin's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra import Matrix, column

Array = npt.NDArray[Any]


def transposed(A: Array) -> Array:
    """A' of each matrix, never conjugated."""
    return np.swapaxes(A, -1, -2)


def inverse(T: Array) -> Array:
    """T^-1."""
    R_T, p = transposed(T[..., :3, :3]), T[..., :3, 3:]
    bottom = np.broadcast_to(np.eye(4)[3:], (*T.shape[:-2], 1, 4))
    return np.concatenate([np.concatenate([R_T, -R_T @ p], axis=-1), bottom], axis=-2)


def hat(V: Array) -> Array:
    """[V], 4 x 4, of a twist (omega, v)."""
    top = np.concatenate([skew(V[..., :3]), V[..., 3:, None]], axis=-1)
    return np.concatenate([top, np.zeros((*V.shape[:-1], 1, 4))], axis=-2)


def vee(W: Array) -> Array:
    """The twist (omega, v) of [V], 4 x 4."""
    return np.concatenate([axial(W), W[..., :3, 3]], axis=-1)


def axial(W: Array) -> Array:
    """omega of [omega], the upper left 3 x 3: the mean of its two copies."""
    above = np.stack([W[..., 1, 2], W[..., 2, 0], W[..., 0, 1]], axis=-1)
    below = np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)
    return (below - above) / 2.0


def skew(p: Array) -> Array:
    """[p], 3 x 3."""
    return transposed(np.cross(p[..., None, :], np.eye(3)))


def Ad(T: Array) -> Array:
    """Ad_T, 6 x 6."""
    R = T[..., :3, :3]
    return _blocks(R, np.zeros_like(R), skew(T[..., :3, 3]) @ R, R)


def L(p: Array) -> Array:
    """L(p), 6 x 6: from (omega, v) at the origin to (omega, dp/dt)."""
    one = np.broadcast_to(np.eye(3), (*p.shape, 3))
    return _blocks(one, np.zeros_like(one), -skew(p), one)


def ad(V: Array) -> Array:
    """ad_V, 6 x 6."""
    w = skew(V[..., :3])
    return _blocks(w, np.zeros_like(w), skew(V[..., 3:]), w)


def diagonal(A: Array, D: Array) -> Array:
    """diag(A, D), 6 x 6."""
    return _blocks(A, np.zeros_like(A), np.zeros_like(D), D)


def to_column(vectors: Array) -> Matrix:
    """Vectors (N, n) as one column of batches."""
    return column(*vectors.T)


def from_matrix(matrix: Matrix, count: int) -> Array:
    """A matrix of batches, or of constants, as (N, rows, columns)."""
    entries = [np.broadcast_to(np.asarray(entry), count) for entry in matrix]
    return np.stack(entries, axis=-1).reshape((count, *matrix.shape))


def times(J: Array, v: Array) -> Array:
    """J v, state by state."""
    return (J @ v[..., None])[..., 0]


def _blocks(a: Array, b: Array, c: Array, d: Array) -> Array:
    above, below = np.concatenate([a, b], axis=-1), np.concatenate([c, d], axis=-1)
    return np.concatenate([above, below], axis=-2)
