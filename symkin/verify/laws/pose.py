"""Laws of poses and of their coordinates. Lynch & Park, Modern Robotics (2017), chapter 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symkin import algebra
from symkin.algebra.bounded import Bounded
from symkin.model import Joint, Robot
from symkin.verify.arrays import (
    bounded_matrix,
    exactly,
    exponential,
    hat,
    inverse,
    joined,
    skew_of,
    transposed,
)
from symkin.verify.doubt import doubtful
from symkin.verify.laws.law import Law, Sides
from symkin.verify.scene import Scene
from symkin.verify.subject import QUATERNION_ERROR


def _orthogonal(scene: Scene) -> Sides:
    R = scene.value("forward_kinematics")[..., :3, :3]
    return transposed(R) @ R, np.eye(3)


def _right_handed(scene: Scene) -> Sides:
    R = scene.value("forward_kinematics")[..., :3, :3]
    x, y, z = (R[..., :, i] for i in range(3))
    return (skew_of(x) @ y[..., None])[..., 0], z


def _walk(scene: Scene) -> Sides:
    """The links' chain, every joint by the power series of its screw's exponential."""
    robot = doubtful(scene.robot)
    target, base = (_pose_in_root(robot, f, scene.q) for f in (scene.frame, scene.relative_to))
    return scene.value("forward_kinematics"), inverse(base) @ target


def _composition(scene: Scene) -> Sides:
    first, second = two_parts(scene)
    through = first.value("forward_kinematics") @ second.value("forward_kinematics")
    return scene.value("forward_kinematics"), through


def _pose_in_root(robot: Robot, frame_name: str | None, q: Any) -> Bounded:
    frame = robot.frame(str(frame_name))
    chain = []
    i = frame.link
    while robot.links[i].parent >= 0:
        chain.append(i)
        i = robot.links[i].parent
    T = exactly(np.tile(np.eye(4), (len(q), 1, 1)))
    for i in reversed(chain):
        joint = robot.links[i].joint
        if joint is None:
            continue
        T = T @ bounded_matrix(joint.origin.matrix())
        if joint.moves:
            c = robot.coordinates[i]
            own = c.multiplier * q[:, c.index : c.index + joint.nq] + c.offset
            T = T @ (
                _displaced(own)
                if joint.nq > 1
                else exponential(hat(_screw(joint)) * own[..., None])
            )
    return T @ bounded_matrix(frame.pose.matrix())


def _displaced(own: Any) -> Bounded:
    """Poses of a position, if there is one, and a quaternion: R = 1 + 2 w [v] + 2 [v]^2."""
    unsure = Bounded(own, np.full(own.shape, QUATERNION_ERROR))
    v, w = unsure[:, -4:-1], unsure[:, -1:, None]
    T = np.zeros((len(own), 4, 4))
    T[:, :3, 3], T[:, 3, 3] = own[:, -7:-4] if own.shape[1] > 4 else 0.0, 1.0
    R = (skew_of(v) * w + skew_of(v) @ skew_of(v)) * 2.0 + np.eye(3)
    bounds = np.zeros(T.shape)
    T[:, :3, :3], bounds[:, :3, :3] = R.value, R.bound
    return Bounded(T, bounds)


def _screw(joint: Joint) -> Bounded:
    axis = bounded_matrix(joint.axis)[..., 0]
    if joint.kind == "prismatic":
        return joined([axis * 0.0, axis])
    return joined([axis, axis * joint.pitch])


def two_parts(scene: Scene) -> tuple[Scene, Scene]:
    """The way to the frame by way of the link in the middle of the robot's list."""
    names = scene.robot.link_names
    middle = names[len(names) // 2]
    return scene.of(middle, scene.relative_to), scene.of(str(scene.frame), middle)


def _angles_rebuild(scene: Scene) -> Sides:
    phi, theta, psi = (scene.value("pose_zyx")[:, i] for i in range(3))
    R = _turn(2, psi) @ _turn(1, theta) @ _turn(0, phi)
    return R, scene.value("forward_kinematics")[..., :3, :3]


def _turn(axis: int, angle: Bounded) -> Bounded:
    """Rotations about a coordinate axis: 1 + sin [e] + (1 - cos) [e]^2.

    An angle that may be off by a whole turn, at the edge between pi and -pi, turns just as far.
    """
    turns = np.floor(angle.bound / (2.0 * np.pi))
    angle = Bounded(angle.value, angle.bound - 2.0 * np.pi * turns)
    e = hat(exactly(np.eye(6)[axis]))[:3, :3]
    sine, cosine = algebra.sin(angle), algebra.cos(angle)
    turn: Bounded = e * sine[:, None, None] + (e @ e) * (1.0 - cosine)[:, None, None] + np.eye(3)
    return turn


def _vector_rebuilds(scene: Scene) -> Sides:
    r = scene.value("pose_rotvec")[:, :3]
    return exponential(skew_of(r)), scene.value("forward_kinematics")[..., :3, :3]


def _vector_is_short(scene: Scene) -> Sides:
    r = scene.value("pose_rotvec")[:, None, :3]
    square = (r @ transposed(r))[:, 0, 0]
    excess = np.maximum(square.value - np.pi**2, 0.0)
    return Bounded(excess, square.bound + 4.0 * square.rounding.unit * np.pi**2), 0.0


def _position_of(pose: str) -> Law:
    def sides(scene: Scene) -> Sides:
        return scene.value(pose)[:, 3:], scene.value("forward_kinematics")[:, :3, 3]

    return Law("p of forward_kinematics", sides)


def _cosine(scene: Scene) -> Sides:
    return scene.value("zyx_condition")[:, 0], algebra.cos(scene.value("pose_zyx")[:, 1])


LAWS: Mapping[str, tuple[Law, ...]] = {
    "forward_kinematics": (
        Law("R'R = 1", _orthogonal),
        Law("x cross y = z: det R = 1", _right_handed),
        Law("the tree's joints as power series", _walk),
        Law("T_ab T_bc = T_ac", _composition),
    ),
    "pose_zyx": (
        Law("Rz(psi) Ry(theta) Rx(phi) = R", _angles_rebuild),
        _position_of("pose_zyx"),
    ),
    "pose_rotvec": (
        Law("exp [r] = R", _vector_rebuilds),
        Law("|r| <= pi", _vector_is_short),
        _position_of("pose_rotvec"),
    ),
    "zyx_condition": (Law("cos theta of pose_zyx", _cosine),),
}
