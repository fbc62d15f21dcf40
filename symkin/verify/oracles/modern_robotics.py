"""Modern Robotics, the code of Lynch & Park's book: screws (omega, v) in the base's axes, as ours.

It takes rotations by less than 1e-6 rad for none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from symkin.model import Robot
from symkin.quantities import Instance
from symkin.verify.oracles.base import Oracle, chain_to, followers, homogeneous

Array = npt.NDArray[np.float64]


class ModernRobotics(Oracle):
    """The product of exponentials of the joints' home screws S, and of the body screws B."""

    name = "Modern Robotics"
    package = "modern_robotics"
    module = "modern_robotics"
    conventions = {
        "forward_kinematics": "FKinSpace",
        "jacobian_space": "JacobianSpace",
        "jacobian_body": "JacobianBody",
        "twist_space": "JacobianSpace times v",
        "twist_body": "JacobianBody times v",
    }

    def __init__(self, robot: Robot, frame: str) -> None:
        self.mr = self.library()
        target = robot.frame(frame)
        links = chain_to(robot, target.link)
        moving = [i for i in links if i in robot.coordinates]
        self.G, self.offsets = followers(robot, moving)
        home, screws = np.eye(4), []
        for i in links:
            joint = robot.links[i].joint
            if joint is None:
                continue
            home = home @ homogeneous(joint.origin)
            if joint.moves:
                axis = np.array([float(c) for c in joint.axis])
                own = np.r_[np.zeros(3), axis]
                if joint.kind != "prismatic":
                    own = np.r_[axis, joint.pitch * axis]
                screws.append(self.mr.Adjoint(home) @ own)
        self.M = home @ homogeneous(target.pose)
        self.S = np.array(screws).reshape((-1, 6)).T
        self.B = self.mr.Adjoint(self.mr.TransInv(self.M)) @ self.S

    def measure(self, instance: Instance, state: Mapping[str, Array]) -> Array:
        """The quantity at one state."""
        quantity = instance.quantity.name
        own = self.G @ state["q"] + self.offsets
        if quantity == "forward_kinematics":
            return np.array(self.mr.FKinSpace(self.M, self.S, own))
        space = quantity.endswith("space")
        J = self.mr.JacobianSpace(self.S, own) if space else self.mr.JacobianBody(self.B, own)
        folded = np.array(J @ self.G)
        return folded @ state["v"] if quantity.startswith("twist") else folded
