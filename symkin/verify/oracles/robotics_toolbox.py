"""Peter Corke's Robotics Toolbox for Python: elementary transform sequences, (v, omega) order.

jacob0 is our position Jacobian, jacobe our body Jacobian; its Hessian has the axis of the second
derivative first. Corke & Haviland, Not your grandmother's toolbox (2021).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.model import Robot
from symkin.model.joint import Joint
from symkin.quantities import Instance
from symkin.verify.oracles.base import (
    ANGULAR_FIRST,
    Oracle,
    chain_to,
    fold_hessian,
    followers,
    homogeneous,
)

Array = npt.NDArray[np.float64]


class RoboticsToolbox(Oracle):
    """The chain of constant transforms and of turns about z or slides along z."""

    name = "Robotics Toolbox"
    package = "roboticstoolbox-python"
    module = "roboticstoolbox"
    conventions = {
        "forward_kinematics": "fkine",
        "jacobian_position": "jacob0",
        "jacobian_body": "jacobe",
        "jacobian_zyx": "jacob0_analytical, rpy/zyx",
        "jacobian_position_dot": "jacob0_dot",
        "hessian_position": "hessian0",
        "twist_position": "jacob0 times v",
    }

    def __init__(self, robot: Robot, frame: str) -> None:
        rtb = self.library()
        target = robot.frame(frame)
        links = chain_to(robot, target.link)
        moving: list[int] = []
        pitches: list[float] = []
        constant = np.eye(4)
        parts: list[Any] = []
        for i in links:
            joint = robot.links[i].joint
            if joint is None:
                continue
            constant = constant @ homogeneous(joint.origin)
            if joint.moves:
                along = _along_z(joint)
                parts.append(rtb.ET.SE3(constant @ along))
                # A screw is a turn and a slide, each with a coordinate of its own.
                if joint.kind != "prismatic":
                    parts.append(rtb.ET.Rz(jindex=len(moving)))
                    moving.append(i)
                    pitches.append(1.0)
                if joint.kind == "prismatic" or joint.pitch:
                    parts.append(rtb.ET.tz(jindex=len(moving)))
                    moving.append(i)
                    pitches.append(joint.pitch or 1.0)
                constant = along.T
        self.home = constant @ homogeneous(target.pose)
        parts.append(rtb.ET.SE3(self.home))
        self.chain = rtb.ETS(parts)
        G, g = followers(robot, moving)
        scale = np.array(pitches)
        self.G, self.offsets = scale[:, None] * G, scale * g

    def measure(self, instance: Instance, state: Mapping[str, Array]) -> Array:
        """The quantity at one state, in our component order."""
        quantity = instance.quantity.name
        own, chain = self.G @ state["q"] + self.offsets, self.chain
        if not own.size:  # a chain without joints, which the Toolbox refuses
            return self._at_rest(quantity, len(state["q"]))
        if quantity == "forward_kinematics":
            return np.array(chain.eval(own))
        if quantity in ("hessian_position", "jacobian_position_dot"):
            H = np.array(chain.hessian0(own))  # H[k, i, j] = d J[i, j] / d q[k]
            if quantity == "jacobian_position_dot":
                J_dot = np.tensordot(H, self.G @ state["v"], (0, 0))
                return np.array(J_dot[ANGULAR_FIRST] @ self.G)
            return fold_hessian(np.moveaxis(H, 0, -1)[ANGULAR_FIRST], self.G)
        if quantity == "jacobian_zyx":
            J = chain.jacob0_analytical(own, representation="rpy/zyx")
        else:
            J = chain.jacobe(own) if quantity == "jacobian_body" else chain.jacob0(own)
        folded = np.array(J[ANGULAR_FIRST] @ self.G)
        return folded @ state["v"] if quantity.startswith("twist") else folded

    def _at_rest(self, quantity: str, n: int) -> Array:
        if quantity == "forward_kinematics":
            return self.home
        if quantity.startswith("twist"):
            return np.zeros(6)
        return np.zeros((6, n, n) if quantity.startswith("hessian") else (6, n))


def _along_z(joint: Joint) -> Array:
    """A rotation, 4 x 4, whose z is the joint's axis."""
    z = np.array([float(c) for c in joint.axis])
    other = np.eye(3)[np.argmin(np.abs(z))]
    x = np.cross(other, z) / np.linalg.norm(np.cross(other, z))
    turned = np.eye(4)
    turned[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return turned
