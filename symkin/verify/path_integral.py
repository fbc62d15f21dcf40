"""Integral consistency: what a rate adds up to along a path is how far its integral went."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra.bounded import DOUBLE, Bounded
from symkin.model import Coordinate, Robot
from symkin.verify.arrays import along, arranged
from symkin.verify.scene import Scene

Array = npt.NDArray[np.float64]

NODES = 16
TURNING = 6.0
"""The most, in rad or m, that all joints together move along a path."""


def integral_of(rate: str, whole: str) -> Callable[[Scene], tuple[Bounded, Bounded]]:
    """The law: along q(t) = q + t d, 0 <= t <= 1, the integral of ``rate`` is the change of
    ``whole``, its position part when it is a pose.

    Gauss-Legendre quadrature. The rate is a polynomial in the sines, cosines and coordinates of
    the joints, hence entire in t, and at complex t grows by at most exp(|Im t| W), W the sum of
    all |d_i|, times L, the largest that it can be at real t. On the ellipse with half axes
    (r + 1/r) / 4 and (r - 1/r) / 4 about the path the error of n nodes is at most
    (32/15) L exp(W (r - 1/r) / 4) r^(-2n) / (1 - r^-2), for every r > 1; the best r is taken.
    Trefethen, Approximation Theory and Approximation Practice (2013), theorem 19.3.
    """

    def sides(scene: Scene) -> tuple[Bounded, Bounded]:
        robot, d = scene.robot, _displacement(scene)
        t, weights = np.polynomial.legendre.leggauss(NODES)
        t, weights = (t + 1.0) / 2.0, weights / 2.0
        states = _moved(robot, scene.q[:, None, :], t[:, None] * d[:, None, :])
        states = states.reshape((scene.count * NODES, robot.nq))
        speeds = np.repeat(d, NODES, axis=0)
        moving = scene.at({"q": states, "v": speeds, "a": np.zeros_like(speeds)})
        values = moving.value(rate)
        if not rate.endswith("_dot"):
            values = along(values, speeds)
        ends = (
            scene.at({**scene.states, "q": _moved(robot, scene.q, part)}).value(whole)
            for part in (0.0 * d, d)
        )
        before, after = (_position(end) if whole == "forward_kinematics" else end for end in ends)
        if whole == "forward_kinematics":
            values = values[:, 3:]
        sums = _weighted(values, weights, scene.count)
        error = _quadrature_error(robot, scene.q, d)
        allowed = error.reshape((-1, *[1] * (sums.value.ndim - 1)))
        return Bounded(sums.value, sums.bound + allowed), after - before

    return sides


def _displacement(scene: Scene) -> Array:
    """Along v, as far as TURNING allows; joints of several degrees of freedom stand still."""
    d = np.zeros(scene.v.shape)
    single = [c.velocity for c in _single(scene.robot).values()]
    d[:, single] = scene.v[:, single]
    scale = np.array([min(1.0, TURNING / max(_turning(scene.robot, row), 1e-9)) for row in d])
    scaled: Array = d * scale[:, None]
    return scaled


def _moved(robot: Robot, q: Array, d: Array) -> Array:
    """q + d, for joints of one degree of freedom."""
    moved = np.array(np.broadcast_to(q, (*d.shape[:-1], q.shape[-1])))
    for index, velocity in {(c.index, c.velocity) for c in _single(robot).values()}:
        moved[..., index] += d[..., velocity]
    return moved


def _single(robot: Robot) -> dict[int, Coordinate]:
    """The coordinates of links on joints of one degree of freedom."""
    return {
        i: c
        for i, c in robot.coordinates.items()
        if (joint := robot.links[i].joint) is not None and joint.nv == 1
    }


def _turning(robot: Robot, d: Array) -> float:
    return sum(abs(c.multiplier * float(d[c.velocity])) for c in _single(robot).values())


def _position(T: Bounded) -> Bounded:
    return T[:, :3, 3]


def _weighted(values: Bounded, weights: Array, states: int) -> Bounded:
    """The sum over each path's nodes; nodes and weights are known to four roundings."""
    shape = (states, NODES, math.prod(values.value.shape[1:]))
    flat = arranged(values, lambda x: np.swapaxes(x.reshape(shape), 1, 2))
    sums = flat @ Bounded(weights[:, None], 4.0 * DOUBLE.unit * weights[:, None])
    return arranged(sums, lambda x: x.reshape((states, *values.value.shape[1:])))


def _quadrature_error(robot: Robot, q: Array, d: Array) -> Array:
    """Of each path, the bound above, and 4 u L W for the rounding of the nodes."""
    lengths = sum(
        math.dist(link.joint.origin.p, (0.0, 0.0, 0.0)) for link in robot.links if link.joint
    ) + max((math.dist(frame.pose.p, (0.0, 0.0, 0.0)) for frame in robot.frames), default=0.0)
    r = np.geomspace(1.01, 1e3, 400)
    errors = []
    for start, path in zip(q, d, strict=True):
        W = _turning(robot, path)
        reach = lengths + sum(
            abs(c.multiplier) * (abs(start[c.index]) + abs(path[c.velocity])) + abs(c.offset)
            for i, c in _single(robot).items()
            if _slides(robot, i)
        )
        reach += sum(math.hypot(*start[c.index : c.index + 3]) for c in _floating(robot))
        # A rate is at most W times a distance, its own rate W^2 times that, twice for two factors.
        L = 2.0 * W * max(W, 1.0) * max(reach, 1.0)
        logarithm = W * (r - 1.0 / r) / 4.0 - 2.0 * NODES * np.log(r) - np.log1p(-(r**-2))
        errors.append(
            32.0 / 15.0 * L * math.exp(float(logarithm.min())) + 4.0 * DOUBLE.unit * L * W
        )
    return np.array(errors)


def _floating(robot: Robot) -> list[Coordinate]:
    return [
        c
        for i, c in robot.coordinates.items()
        if (joint := robot.links[i].joint) is not None and joint.kind == "floating"
    ]


def _slides(robot: Robot, i: int) -> Any:
    joint = robot.links[i].joint
    return joint is not None and (joint.kind == "prismatic" or joint.pitch != 0.0)
