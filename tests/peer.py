"""Pinocchio's model of a robot without followers, its states and answers in our coordinates."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pytest
from scalars import array, vector

from symkin.algebra import Matrix
from symkin.model import Robot
from symkin.model.conventions import PINOCCHIO
from symkin.verify.oracles.pinocchio import model_of

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


class Peer:
    """What Pinocchio makes of a robot; rows and columns of joints are ours everywhere."""

    def __init__(self, robot: Robot) -> None:
        self.pin: Any = pytest.importorskip("pinocchio")
        self.robot = robot
        self.model = model_of(robot)
        self.model.gravity.linear = np.array(robot.gravity)
        self.model.armature = self.theirs(
            np.concatenate([[joint.armature] * joint.nv for joint in robot.joints])
        )
        self.data = self.model.createData()

    @cached_property
    def order(self) -> list[int]:
        """For each of our velocities the place of Pinocchio's."""
        X = array(PINOCCHIO.velocity_map(self.robot, vector(neutral(self.robot))))
        return [int(k) for k in X.argmax(axis=0)]

    def q(self, q: np.ndarray) -> np.ndarray:
        return array(PINOCCHIO.q_of(self.robot, vector(q))).ravel()

    def theirs(self, v: np.ndarray) -> np.ndarray:
        full = np.zeros(self.robot.nv)
        full[self.order] = v
        return full

    def ours(self, A: np.ndarray) -> np.ndarray:
        """A vector or square matrix over joints."""
        return A[self.order] if A.ndim == 1 else A[np.ix_(self.order, self.order)]

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        M = np.triu(self.pin.crba(self.model, self.data, self.q(q)))
        return self.ours(M + np.triu(M, 1).T)

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        state = self.q(q), self.theirs(v), self.theirs(a)
        return self.ours(self.pin.rnea(self.model, self.data, *state))


def neutral(robot: Robot) -> np.ndarray:
    """All of q zero, quaternions no rotation."""
    q = np.zeros(robot.nq)
    q[[start + 3 for start in robot.quaternions]] = 1.0
    return q


def state(robot: Robot, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random q (quaternions of unit length), v and a."""
    random = np.random.default_rng(seed)
    q, v, a = (random.normal(size=n) for n in (robot.nq, robot.nv, robot.nv))
    for start in robot.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q, v, a


def columns(*values: np.ndarray) -> list[Matrix]:
    return [vector(x) for x in values]


def worst(value: Any, expect: np.ndarray) -> float:
    """The largest error of an entry over the largest entry."""
    value = array(value) if isinstance(value, Matrix) else np.asarray(value)
    expect = np.asarray(expect)
    assert value.size == expect.size
    size = np.abs(expect).max(initial=0.0)
    return float(np.abs(value.reshape(expect.shape) - expect).max(initial=0.0) / (size or 1.0))
