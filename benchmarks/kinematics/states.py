"""Robots, states drawn from fixed seeds, and how errors are measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import symkin
from symkin.model import Robot

Array = npt.NDArray[Any]

EPS = float(np.finfo(float).eps)
KINDS = ("space", "body", "position", "zyx", "rotvec")


@cache
def load(name: str) -> Robot:
    """The bundled robot, every number as its file has it, so that peers can be given the same."""
    return symkin.load(name, snap="off")


@dataclass(frozen=True)
class States:
    """A robot and positions, velocities and accelerations (..., n) of its joints."""

    robot: Robot
    q: Array
    v: Array
    a: Array

    def __len__(self) -> int:
        return len(self.q)

    def of(self, quantity: str, formulation: str | None = None) -> Array:
        """The quantity at these states."""
        row = symkin.QUANTITIES[quantity]
        inputs = {slot.name: getattr(self, slot.name) for slot in row.inputs}
        return symkin.evaluate(self.robot, quantity, formulation=formulation, **inputs)

    def along(self, s: complex | Array) -> States:
        """The states a time s later, at constant acceleration; s may be complex, a step."""
        return replace(self, q=self.q + s * self.v + s * s / 2.0 * self.a, v=self.v + s * self.a)

    def turned(self, k: int, s: complex) -> States:
        """The states after joint k has moved by s."""
        return replace(self, q=self.q + s * np.eye(self.robot.nv)[k])

    def where(self, chosen: Array) -> States:
        """Those states for which ``chosen`` is true."""
        return replace(self, q=self.q[chosen], v=self.v[chosen], a=self.a[chosen])


def draw(name: str, count: int, seed: int = 28) -> States:
    """States of a bundled robot: angles within 3 rad, velocities and accelerations within 1."""
    robot = load(name)
    generator = np.random.default_rng(seed)
    q, v, a = (generator.uniform(-1.0, 1.0, (count, robot.nv)) for _ in range(3))
    return States(robot, 3.0 * q, v, a)


def one_state() -> States:
    """The state of the UR5 in which all joints move: for experiments on a single one."""
    q = np.array([0.4, -1.1, 1.3, -0.6, 0.9, 0.5])
    v = np.array([0.9, -0.7, 0.8, 0.6, -0.5, 0.7])
    return States(load("ur5"), q, v, np.zeros(6))


@dataclass(frozen=True)
class Pairs:
    """States for every kind of Jacobian: not all have coordinates that are good everywhere.

    As in the document, ``zyx`` has cos(theta) > 0.2. ``rotvec`` has |r| < 3: a rotation vector
    jumps at a half turn, and differences across the jump mean nothing.
    """

    every: States
    zyx: States
    rotvec: States

    @staticmethod
    def draw(name: str, quick: bool) -> Pairs:
        """200 pairs, as many as the document's."""
        every = draw(name, 50 if quick else 200)
        cosine = every.of("zyx_condition")[:, 0]
        angle = np.linalg.norm(every.of("pose_rotvec")[:, :3], axis=-1)
        return Pairs(every, every.where(cosine > 0.2), every.where(angle < 3.0))

    def suited(self, kind: str) -> States:
        """The states at which a kind of Jacobian is tried."""
        return {"zyx": self.zyx, "rotvec": self.rotvec}.get(kind, self.every)

    def weights(self, kind: str) -> Array | float:
        """The inverse conditions of a rate: 1, but cos^2 theta for ``zyx``.

        J_zyx sums entries of E^-1, each as large as 1 / cos, that cancel.
        """
        return self.zyx.of("zyx_condition")[:, 0] ** 2 if kind == "zyx" else 1.0

    def __str__(self) -> str:
        return (
            f"{len(self.every)} pairs; zyx: {len(self.zyx)} with cos(theta) > 0.2; "
            f"rotvec: {len(self.rotvec)} with |r| < 3.\n"
            "Errors are parts of the state's largest entry where that exceeds 1; "
            "those of zyx rates are multiplied by cos^2(theta)."
        )


def error(ours: Any, right: Any) -> float:
    """The largest difference."""
    return float(np.max(np.abs(np.asarray(ours) - np.asarray(right))))


def scaled(ours: Array, right: Array, weights: Array | float = 1.0) -> float:
    """The largest difference, as a part of the state's largest entry where that exceeds 1.

    The first axis counts the states; ``weights``, one for each, multiply their differences.
    """
    difference, size = (np.abs(x).reshape(len(right), -1).max(1) for x in (ours - right, right))
    return float(np.max(weights * difference / np.maximum(size, 1.0)))
