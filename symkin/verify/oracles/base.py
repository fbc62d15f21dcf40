"""What an adapter to another library has in common with the others."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from symkin.model import Robot
from symkin.quantities import Instance
from symkin.spatial import Pose

Array = npt.NDArray[np.float64]

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""The rows of (omega, v) in (v, omega), the order of Pinocchio and of the Robotics Toolbox."""


class Oracle:
    """Another library's model of a robot, made from our `Robot`, and one frame of it in its root.

    ``package`` is what pip installs and ``module`` what Python imports; ``conventions`` lists the
    quantities that the library answers and says how it calls them, in which frame and component
    order; ``several_degrees`` says whether it knows joints of more than one degree of freedom.
    Every moving joint has coordinates of its own there, followers too.
    """

    name: ClassVar[str]
    package: ClassVar[str]
    module: ClassVar[str]
    conventions: ClassVar[Mapping[str, str]]
    several_degrees: ClassVar[bool] = False

    def __init__(self, robot: Robot, frame: str) -> None:
        raise NotImplementedError

    def measure(self, instance: Instance, state: Mapping[str, Array]) -> Array:
        """The quantity at one state, inputs by name, as symkin defines it."""
        raise NotImplementedError

    @classmethod
    def refusal(cls, instance: Instance) -> str:
        """Why the library is not asked for this; "" if it is."""
        if not cls.several_degrees and any(joint.nv > 1 for joint in instance.robot.joints):
            return "knows joints of one degree of freedom only"
        return ""

    @classmethod
    def installed(cls) -> bool:
        """Whether the library can be imported."""
        return importlib.util.find_spec(cls.module) is not None

    @classmethod
    def library(cls) -> Any:
        """The imported library; what it says about its own dependencies is not ours."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(cls.module)


def followers(robot: Robot, links: Sequence[int]) -> tuple[Array, Array]:
    """G and g of the joints of these links: their own coordinates are G q + g, their speeds G v."""
    G, g = np.zeros((len(links), robot.nv)), np.zeros(len(links))
    for row, i in enumerate(links):
        c = robot.coordinates[i]
        G[row, c.velocity], g[row] = c.multiplier, c.offset
    return G, g


def chain_to(robot: Robot, link: int) -> list[int]:
    """The links from the root, left out, to this one."""
    chain = []
    while robot.links[link].parent >= 0:
        chain.append(link)
        link = robot.links[link].parent
    return chain[::-1]


def homogeneous(pose: Pose) -> Array:
    """The pose as a 4 x 4 array."""
    return np.array(pose.matrix().rows, dtype=np.float64)


def fold_hessian(H: Array, G: Array) -> Array:
    """H[i, j, k] = d J[i, j] / d q[k] of all joints to that of the independent coordinates."""
    folded: Array = np.einsum("ijk,ja,kb->iab", H, G, G)
    return folded
