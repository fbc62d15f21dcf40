"""Base parameters: the smallest set of numbers that a robot's forces tell apart.

Gautier, Numerical calculation of the base inertial parameters of robots (1991): parameters whose
columns of the regressor depend on those of others at every state only act together with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from symkin.algebra import Matrix
from symkin.algorithms.regressor import (
    inertial_parameter_names,
    inertial_parameters,
    inverse_dynamics_regressor,
)
from symkin.model import Robot

Array = npt.NDArray[np.float64]

DEPENDENT = np.finfo(np.float64).eps ** 0.5
"""A column of length 1 of which less is left beside the others depends on them: far above what
rounding leaves, far below what a measurement could tell."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Which parameters tell, and what acts together: base = ``grouping`` @ pi, tau = Y_b base.

    ``independent`` are the places in pi of the parameters that stay, Y_b these columns of Y. Of
    the columns of length 1, ``left_kept`` is the least that was left of one that stayed, beside
    those before it, and ``left_dropped`` the most of one that went: a gap of less than some
    orders of magnitude between them means a robot whose parameters can hardly be told apart.
    """

    names: tuple[str, ...]
    independent: tuple[int, ...]
    grouping: Array
    left_kept: float
    left_dropped: float

    def values(self, robot: Robot) -> Array:
        """The base parameters of a robot of the same shape, from its `inertial_parameters`."""
        pi = np.array([float(x) for x in inertial_parameters(robot)])
        base: Array = self.grouping @ pi
        return base

    def describe(self) -> tuple[str, ...]:
        """Each base parameter as a sum, ``fore.Izz`` or ``upper.Izz + 0.16 fore.m`` for example."""
        return tuple(_sum(row, self.names) for row in self.grouping)


def base_parameters(robot: Robot, *, seed: int = 0) -> BaseParameters:
    """The base inertial parameters of a robot, found at random states.

    Parameters stay in the order of the links, so that what a link's regroup with belongs to it
    and the links that carry it, as in Khalil & Dombre (2002), section 9.4.
    """
    names = inertial_parameter_names(robot)
    W = _observations(robot, len(names), seed)
    sizes = np.linalg.norm(W, axis=0)
    seen = sizes > DEPENDENT * sizes.max(initial=0.0)  # others are zero but for rounding
    unit = np.where(seen, W, 0.0) / np.where(seen, sizes, 1.0)
    R: Array = np.asarray(np.linalg.qr(unit, mode="r"))
    kept: list[int] = []
    basis = np.zeros((R.shape[0], 0))
    left_kept, left_dropped = math.inf, 0.0
    for k in range(len(names)):
        rest = R[:, k]
        for _ in range(2):  # the second time for what rounding left of the first
            rest = rest - basis @ (basis.T @ rest)
        left = float(np.linalg.norm(rest))
        if left > DEPENDENT:
            kept.append(k)
            basis = np.hstack([basis, rest[:, None] / left])
            left_kept = min(left_kept, left)
        else:
            left_dropped = max(left_dropped, left)
    X = np.linalg.lstsq(R[:, kept], R, rcond=None)[0]
    X[np.abs(X) < DEPENDENT] = 0.0
    X[:, kept] = np.eye(len(kept))
    grouping = X * sizes / sizes[kept][:, None]
    grouping[:, ~seen] = 0.0
    return BaseParameters(names, tuple(kept), grouping, left_kept, left_dropped)


def _observations(robot: Robot, columns: int, seed: int) -> Array:
    """The regressor at random states, one below the other: three rows for each column or more."""
    states = max(10, math.ceil(3 * columns / max(robot.nv, 1)))
    random = np.random.default_rng(seed)
    q, v, a = (random.normal(size=(size, states)) for size in (robot.nq, robot.nv, robot.nv))
    for start in robot.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4], axis=0)
    state = (Matrix([(x,) for x in part], columns=1) for part in (q, v, a))
    Y = inverse_dynamics_regressor(robot, *state)
    rows = [[np.broadcast_to(entry, states) for entry in row] for row in Y.rows]
    return np.concatenate([np.stack(row, axis=1) for row in rows]) if rows else np.zeros((0, 0))


def _sum(row: Array, names: tuple[str, ...]) -> str:
    text = ""
    for factor, name in zip(row, names, strict=True):
        if factor:
            size = f"{abs(factor):.6g} ".removeprefix("1 ")
            sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
            text += f"{sign}{size}{name}"
    return text
