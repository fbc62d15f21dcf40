"""Small robots, put together by hand: one for every kind of joint, axis and tree."""

from __future__ import annotations

import math

import numpy as np

from symkin.algebra import Matrix, constant
from symkin.model import Attachment, Joint, Limits, Mimic, Robot, assemble
from symkin.spatial import Inertia, Pose
from symkin.spatial.rotations import rotation_zyx

TURN = Limits(-2.5, 2.5)
SLIDE = Limits(-0.3, 0.4)


def pose(xyz: tuple[float, float, float], rpy: tuple[float, float, float] = (0, 0, 0)) -> Pose:
    return Pose(rotation_zyx(constant(rpy)), constant(xyz))


def axis(*direction: float) -> Matrix:
    return constant(np.array(direction) / math.hypot(*direction))


def body(mass: float, *com: float) -> Inertia:
    tensor = constant(np.diag([0.02, 0.03, 0.04]) * mass)
    return Inertia.of_body(mass, constant(com), tensor)


def planar() -> Robot:
    """Two links of 0.4 m and 0.3 m in the x-y plane: the closed forms of every textbook."""
    return assemble(
        "planar",
        {"base": Inertia.zero(), "upper": body(2.0, 0.2, 0, 0), "fore": body(1.0, 0.15, 0, 0)},
        [
            Attachment(Joint("shoulder", "continuous"), "base", "upper"),
            Attachment(Joint("elbow", "revolute", pose((0.4, 0, 0)), limits=TURN), "upper", "fore"),
        ],
        {"tool": ("fore", pose((0.3, 0, 0)))},
    )


def wrist() -> Robot:
    """Three axes z, y, x through one point: R = Rz(q0) Ry(q1) Rx(q2)."""
    return assemble(
        "wrist",
        {"base": Inertia.zero(), "a": Inertia.zero(), "b": Inertia.zero(), "c": body(0.5, 0, 0, 0)},
        [
            Attachment(Joint("yaw", "continuous"), "base", "a"),
            Attachment(Joint("pitch", "revolute", axis=axis(0, 1, 0), limits=TURN), "a", "b"),
            Attachment(Joint("roll", "continuous", axis=axis(1, 0, 0)), "b", "c"),
        ],
    )


def oblique() -> Robot:
    """Five joints of every kind about axes that are along nothing, and a fixed link between."""
    return assemble(
        "oblique",
        {
            "base": Inertia.zero(),
            **{f"l{i}": body(3.0 - 0.4 * i, 0.1, 0.02 * i, -0.05) for i in range(1, 6)},
            "flange": body(0.2, 0, 0, 0.03),
        },
        [
            Attachment(
                Joint(
                    "j1", "revolute", pose((0, 0, 0.3), (0.1, 0.2, 0.3)), axis(1, 2, 3), limits=TURN
                ),
                "base",
                "l1",
            ),
            Attachment(
                Joint(
                    "j2",
                    "prismatic",
                    pose((0.2, 0.1, 0), (1, 0, 0.4)),
                    axis(2, -1, 2),
                    limits=SLIDE,
                ),
                "l1",
                "l2",
            ),
            Attachment(
                Joint("j3", "helical", pose((0.1, 0, 0.4), (0, -0.7, 0)), axis(0.6, 0, -0.8), 0.05),
                "l2",
                "l3",
            ),
            Attachment(
                Joint("j4", "continuous", pose((0.3, 0, 0), (0.5, 0.5, 0)), axis(0, 1, 0)),
                "l3",
                "l4",
            ),
            Attachment(Joint("weld", "fixed", pose((0, 0, 0.1), (0, 0, 1))), "l4", "flange"),
            Attachment(
                Joint("j5", "revolute", pose((0, 0.1, 0.2)), axis(-1, 1, 0), limits=TURN),
                "flange",
                "l5",
            ),
        ],
        {"tool": ("l5", pose((0.05, 0, 0.12), (0.3, 0, -0.2)))},
    )


def gripper() -> Robot:
    """A tree of two tips whose joints follow one another, in a chain."""
    finger = Limits(0.0, 0.8)
    return assemble(
        "gripper",
        {
            "base": Inertia.zero(),
            "arm": body(1.5, 0.2, 0, 0),
            "left": body(0.2, 0.03, 0, 0),
            "right": body(0.2, 0.03, 0.01, 0),
            "nail": body(0.05, 0.01, 0, 0),
        },
        [
            Attachment(
                Joint("lift", "revolute", pose((0, 0, 0.2)), axis(0, 1, 0), limits=TURN),
                "base",
                "arm",
            ),
            Attachment(
                Joint("close", "revolute", pose((0.4, 0.05, 0)), limits=finger), "arm", "left"
            ),
            Attachment(
                Joint(
                    "follow",
                    "revolute",
                    pose((0.4, -0.05, 0)),
                    limits=finger,
                    mimic=Mimic("close", -0.8, 0.05),
                ),
                "arm",
                "right",
            ),
            Attachment(
                Joint(
                    "extend",
                    "prismatic",
                    pose((0.1, 0, 0)),
                    axis(1, 0, 0),
                    limits=SLIDE,
                    mimic=Mimic("follow", 0.1, 0.01),
                ),
                "right",
                "nail",
            ),
        ],
    )


def flyer() -> Robot:
    """A floating trunk with a ball joint and a hinge."""
    return assemble(
        "flyer",
        {
            "world": Inertia.zero(),
            "trunk": body(5.0, 0.1, 0, 0.02),
            "arm": body(1.0, 0, 0.2, 0),
            "hand": body(0.3, 0.05, 0, 0),
        },
        [
            Attachment(Joint("free", "floating", pose((0, 0, 1), (0, 0.3, 0))), "world", "trunk"),
            Attachment(
                Joint("ball", "spherical", pose((0.2, 0, 0.1), (0.4, 0, 0))), "trunk", "arm"
            ),
            Attachment(
                Joint("hinge", "revolute", pose((0, 0.4, 0)), axis(1, 0, 1), limits=TURN),
                "arm",
                "hand",
            ),
        ],
    )


ARMS = {arm.__name__: arm for arm in (planar, wrist, oblique, gripper, flyer)}
