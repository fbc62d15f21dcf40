"""Robots, motions drawn from fixed seeds, and how errors are measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from kinematics.states import Array, load

import symkin
from symkin.algebra import constant
from symkin.model import Attachment, Joint, Robot, assemble
from symkin.spatial import Inertia, Pose
from symkin.spatial.rotations import rotation_zyx
from symkin.verify.lanes import differentiate

ARM, TREE = "ur5", "tree12"
"""The document's arm has six revolute joints, its tree twelve; so have these."""

BLOCKS = {
    "dtau/dq": ("inverse_dynamics", "q", "inverse_dynamics_dq"),
    "dtau/dv": ("inverse_dynamics", "v", "inverse_dynamics_dv"),
    "dtau/da": ("inverse_dynamics", "a", "mass_matrix"),
    "da/dq": ("forward_dynamics", "q", "forward_dynamics_dq"),
    "da/dv": ("forward_dynamics", "v", "forward_dynamics_dv"),
    "da/dtau": ("forward_dynamics", "tau", "inverse_mass_matrix"),
}
"""What is differentiated, by which input, and the quantity that is the derivative."""


@dataclass(frozen=True)
class Motions:
    """A robot and its motions (..., n): tau produces a. ``h`` is the length of a time step, s."""

    robot: Robot
    q: Array
    v: Array
    a: Array
    tau: Array
    h: Array

    def __len__(self) -> int:
        return len(self.q)

    def inputs(self, quantity: str) -> dict[str, Array]:
        """The inputs of a quantity."""
        return {slot.name: getattr(self, slot.name) for slot in symkin.QUANTITIES[quantity].inputs}

    def of(self, quantity: str, formulation: str | None = None) -> Array:
        """The quantity of these motions."""
        inputs = self.inputs(quantity)
        return symkin.evaluate(self.robot, quantity, formulation=formulation, **inputs)

    def derivatives(self, quantity: str, lane: str, step: float | None = None) -> dict[str, Array]:
        """The quantity's derivatives by each of its inputs."""
        return differentiate(self.robot, quantity, lane=lane, step=step, **self.inputs(quantity))


def draw(name: str, count: int, seed: int = 36) -> Motions:
    """Motions of a bundled robot: angles within 3 rad, velocities and accelerations within 1."""
    robot = load(name)
    generator = np.random.default_rng(seed)
    q, v, a = (generator.uniform(-1.0, 1.0, (count, robot.nv)) for _ in range(3))
    return of_robot(robot, 3.0 * q, v, a)


def one_motion() -> Motions:
    """A motion of the arm, for experiments on a single one."""
    q = np.array([0.4, -1.1, 1.3, -0.6, 0.9, 0.5])
    v = np.array([0.9, -0.7, 0.8, 0.6, -0.5, 0.7])
    a = np.array([-0.3, 0.8, 0.5, -0.9, 0.6, 0.4])
    return of_robot(load(ARM), q, v, a)


def of_robot(robot: Robot, q: Array, v: Array, a: Array) -> Motions:
    """Motions with the joint forces that they take; steps of 10 ms."""
    tau = symkin.evaluate(robot, "inverse_dynamics", q=q, v=v, a=a)
    return Motions(robot, q, v, a, tau, np.full((*q.shape[:-1], 1), 0.01))


def chain(n: int) -> Robot:
    """A chain of n revolute joints about axes that are along nothing, of links alike in size."""
    generator = np.random.default_rng(n)
    bodies, joints = {"link0": Inertia.zero()}, []
    for k in range(1, n + 1):
        mass = float(generator.uniform(0.5, 1.5))
        R = rotation_zyx(constant(generator.uniform(-1.0, 1.0, 3)))
        tensor = R @ constant(np.diag(generator.uniform(0.01, 0.02, 3) * mass)) @ R.T
        com = constant(generator.uniform(-0.1, 0.1, 3))
        turn = rotation_zyx(constant(generator.uniform(-2.0, 2.0, 3)))
        axis = generator.normal(size=3)
        place = Pose(turn, constant(generator.uniform(-0.2, 0.2, 3)))
        bodies[f"link{k}"] = Inertia.of_body(mass, com, tensor)
        joint = Joint(f"joint{k}", "revolute", place, constant(axis / np.linalg.norm(axis)))
        joints.append(Attachment(joint, f"link{k - 1}", f"link{k}"))
    return assemble(f"chain{n}", bodies, joints)


def relative(ours: Array, right: Array) -> Array:
    """The largest difference of each motion, as a part of its largest entry.

    All axes but the last two count motions.
    """
    difference, size = (np.abs(x).max((-2, -1)) for x in (ours - right, right))
    return np.asarray(difference / size)


def worst(ours: Array, right: Array) -> float:
    """The largest of all motions' relative differences."""
    return float(relative(ours, right).max())
