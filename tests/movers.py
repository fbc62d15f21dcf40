"""Robots that move in every way a step of an integrator has to know of, and states of theirs."""

from __future__ import annotations

import numpy as np
from scalars import vector

from symkin.algebra import Matrix, constant, identity
from symkin.algorithms.configuration import integrate
from symkin.model import Attachment, Joint, Mimic, Robot, assemble, load
from symkin.spatial import Inertia, Pose


def body(mass: float, *com: float) -> Inertia:
    return Inertia.of_body(mass, constant(com), constant(np.diag([0.02, 0.03, 0.04]) * mass))


def at(*xyz: float) -> Pose:
    return Pose(identity(3), constant(xyz))


def flying() -> Robot:
    """A body that floats, with a hinge, a ball at its end, and a slide that follows the hinge."""
    return assemble(
        "flying",
        {
            "world": Inertia.zero(),
            "base": body(3.0, 0.05, 0.02, -0.03),
            "arm": body(1.2, 0.1, 0.05, 0.2),
            "hand": body(0.7, 0.05, 0.1, 0.02),
            "tail": body(0.5, 0.1, 0.0, 0.1),
        },
        [
            Attachment(Joint("free", "floating"), "world", "base"),
            Attachment(
                Joint("hinge", "revolute", at(0.2, 0.1, 0), constant([0, 0.6, 0.8]), armature=0.02),
                "base",
                "arm",
            ),
            Attachment(Joint("ball", "spherical", at(0, 0.1, 0.4)), "arm", "hand"),
            Attachment(
                Joint(
                    "tail",
                    "prismatic",
                    at(-0.2, 0, 0.1),
                    constant([0.8, 0, 0.6]),
                    mimic=Mimic("hinge", 0.3, 0.1),
                ),
                "base",
                "tail",
            ),
        ],
    )


def free_body() -> Robot:
    """One body without weight, whose centre of mass is not at its origin."""
    free = Attachment(Joint("free", "floating"), "world", "body")
    bodies = {"world": Inertia.zero(), "body": body(2.0, 0.1, -0.2, 0.05)}
    return assemble("free_body", bodies, [free], gravity=(0.0, 0.0, 0.0))


def pendulum() -> Robot:
    """A weight that swings about a horizontal axis."""
    hinge = Joint("hinge", "continuous", axis=constant([0, 1, 0]))
    bodies = {"base": Inertia.zero(), "rod": body(1.0, 0.0, 0.0, -0.5)}
    return assemble("pendulum", bodies, [Attachment(hinge, "base", "rod")])


MOVERS = {
    "planar_2r": lambda: load("planar_2r"),
    "ur5": lambda: load("ur5"),
    "flying": flying,
}


def home(robot: Robot) -> Matrix:
    """All of q zero, quaternions no rotation."""
    parts = [[0.0] * (j.nq - 1) + [1.0] if j.nq > 1 else [0.0] for j in robot.joints]
    return vector([x for part in parts for x in part])


def state(robot: Robot, seed: int = 0) -> tuple[Matrix, Matrix, Matrix]:
    """q, v and tau."""
    rng = np.random.default_rng(seed)
    d, v, tau = (vector(x) for x in rng.uniform(-1.0, 1.0, (3, robot.nv)))
    return integrate(robot, home(robot), d), v, tau
