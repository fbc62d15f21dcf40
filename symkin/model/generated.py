"""Robots drawn at random, the same for the same seed: to see how costs grow with their size."""

from __future__ import annotations

import math
from random import Random

from symkin.algebra import Matrix, constant
from symkin.errors import ArgumentError
from symkin.model.assemble import Attachment, assemble
from symkin.model.joint import Joint
from symkin.model.robot import Robot
from symkin.spatial import Inertia, Pose, rotation_zyx


def random_chain(n: int, seed: int = 0) -> Robot:
    """A chain of n revolute joints about axes that are along nothing, of links alike in size."""
    return _random(f"chain{n}", n, Random(seed), branching=0.0)


def random_tree(n: int, seed: int = 0) -> Robot:
    """A tree of n such joints: three in ten hang on any link, the others on the one before."""
    return _random(f"random_tree{n}", n, Random(seed), branching=0.3)


def _random(name: str, n: int, random: Random, branching: float) -> Robot:
    if n < 0:
        raise ArgumentError(f"a robot cannot have {n} joints")
    bodies, joints = {"link0": Inertia.zero()}, []
    for k in range(1, n + 1):
        parent = random.randrange(k) if random.random() < branching else k - 1
        place = Pose(_turn(random), _vector(random, 0.2))
        joint = Joint(f"joint{k}", "revolute", place, _direction(random))
        joints.append(Attachment(joint, f"link{parent}", f"link{k}"))
        mass, R = random.uniform(0.5, 1.5), _turn(random)
        moments = [random.uniform(0.01, 0.02) * mass for _ in range(3)]
        principal = constant([[moments[i] if i == j else 0.0 for j in range(3)] for i in range(3)])
        bodies[f"link{k}"] = Inertia.of_body(mass, _vector(random, 0.1), R @ principal @ R.T)
    return assemble(name, bodies, joints)


def _vector(random: Random, size: float) -> Matrix:
    return constant([random.uniform(-size, size) for _ in range(3)])


def _turn(random: Random) -> Matrix:
    return rotation_zyx(_vector(random, 2.0))


def _direction(random: Random) -> Matrix:
    """Any direction is as likely as any other: a Gaussian vector, scaled to one."""
    x, y, z = (random.gauss(0.0, 1.0) for _ in range(3))
    length = math.sqrt(x * x + y * y + z * z)
    return constant([x / length, y / length, z / length])
