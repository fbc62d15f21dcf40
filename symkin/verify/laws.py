"""Laws: what geometry and calculus demand of every quantity, whatever formula computes it.

A law is an equation of two arrays that both know how far rounding can have moved them, and it holds
when they differ by no more. Its sides are made of other quantities, of derivatives by one lane, or
of the robot's tree itself; so a wrong formula contradicts what it is a formula of.

Lynch & Park, Modern Robotics (2017); Featherstone, Rigid Body Dynamics Algorithms (2008).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from symkin import algebra
from symkin.algebra.bounded import Bounded
from symkin.model import Joint, Robot
from symkin.verify.arrays import (
    adjoint,
    along,
    arranged,
    bounded_matrix,
    exactly,
    exponential,
    hat,
    inverse,
    joined,
    last_to,
    product,
    rotated,
    transposed,
)
from symkin.verify.path_integral import integral_of
from symkin.verify.scene import Scene
from symkin.verify.subject import QUATERNION_ERROR, doubtful

Sides: TypeAlias = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Law:
    """An equation between quantities; ``differentiates`` names the one that a lane derives."""

    text: str
    sides: Callable[..., Sides]
    differentiates: str | None = None


# The pose itself.


def _orthogonal(scene: Scene) -> Sides:
    R = scene.value("forward_kinematics")[..., :3, :3]
    return transposed(R) @ R, np.eye(3)


def _right_handed(scene: Scene) -> Sides:
    R = scene.value("forward_kinematics")[..., :3, :3]
    x, y, z = (R[..., :, i] for i in range(3))
    return (_skew(x) @ y[..., None])[..., 0], z


def _walk(scene: Scene) -> Sides:
    """The links' chain, every joint by the power series of its screw's exponential."""
    robot = doubtful(scene.robot)
    target, base = (_pose_in_root(robot, f, scene.q) for f in (scene.frame, scene.relative_to))
    return scene.value("forward_kinematics"), inverse(base) @ target


def _composition(scene: Scene) -> Sides:
    first, second = _two_parts(scene)
    T = (part.value("forward_kinematics") for part in (first, second))
    return scene.value("forward_kinematics"), product(T)


def _pose_in_root(robot: Robot, frame_name: str | None, q: Any) -> Bounded:
    frame = robot.frame(str(frame_name))
    chain = []
    i = frame.link
    while robot.links[i].parent >= 0:
        chain.append(i)
        i = robot.links[i].parent
    T = arranged(bounded_matrix(algebra.identity(4)), lambda x: np.tile(x, (len(q), 1, 1)))
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
    R = (_skew(v) * w + _skew(v) @ _skew(v)) * 2.0 + np.eye(3)
    bounds = np.zeros(T.shape)
    T[:, :3, :3], bounds[:, :3, :3] = R.value, R.bound
    return Bounded(T, bounds)


def _screw(joint: Joint) -> Bounded:
    axis = bounded_matrix(joint.axis)[..., 0]
    if joint.kind == "prismatic":
        return joined([axis * 0.0, axis])
    return joined([axis, axis * joint.pitch])


def _two_parts(scene: Scene) -> tuple[Scene, Scene]:
    """The way to the frame by way of the link in the middle of the robot's list."""
    names = scene.robot.link_names
    middle = names[len(names) // 2]
    return scene.of(middle, scene.relative_to), scene.of(str(scene.frame), middle)


def _skew(w: Bounded) -> Bounded:
    twist = arranged(w, lambda x: np.concatenate([x, np.zeros_like(x)], axis=-1))
    return hat(twist)[..., :3, :3]


# Coordinates of the pose.


def _angles_rebuild(scene: Scene) -> Sides:
    phi, theta, psi = (scene.value("pose_zyx")[:, i] for i in range(3))
    R = _turn(2, psi) @ _turn(1, theta) @ _turn(0, phi)
    return R, scene.value("forward_kinematics")[..., :3, :3]


def _turn(axis: int, angle: Bounded) -> Bounded:
    """Rotations about a coordinate axis: 1 + sin [e] + (1 - cos) [e]^2."""
    e = hat(exactly(np.eye(6)[axis]))[:3, :3]
    sine, cosine = algebra.sin(angle), algebra.cos(angle)
    turn: Bounded = e * sine[:, None, None] + (e @ e) * (1.0 - cosine)[:, None, None] + np.eye(3)
    return turn


def _vector_rebuilds(scene: Scene) -> Sides:
    r = scene.value("pose_rotvec")[:, :3]
    return exponential(_skew(r)), scene.value("forward_kinematics")[..., :3, :3]


def _vector_is_short(scene: Scene) -> Sides:
    r = scene.value("pose_rotvec")[:, None, :3]
    square = (r @ transposed(r))[:, 0, 0]
    excess = np.maximum(square.value - np.pi**2, 0.0)
    return Bounded(excess, square.bound + 4.0 * square.rounding.unit * np.pi**2), 0.0


def _position_is_that_of(pose: str) -> Callable[[Scene], Sides]:
    return lambda scene: (
        scene.value(pose)[:, 3:],
        scene.value("forward_kinematics")[:, :3, 3],
    )


def _cosine(scene: Scene) -> Sides:
    return scene.value("zyx_condition")[:, 0], algebra.cos(scene.value("pose_zyx")[:, 1])


# Jacobians and what they do to v.


def _space(scene: Scene, lane: str) -> Sides:
    T, dT = _pose_and_change(scene, lane)
    return hat(transposed(scene.value("jacobian_space"))), dT @ inverse(T)


def _body(scene: Scene, lane: str) -> Sides:
    T, dT = _pose_and_change(scene, lane)
    return hat(transposed(scene.value("jacobian_body"))), inverse(T) @ dT


def _position(scene: Scene, lane: str) -> Sides:
    T, dT = _pose_and_change(scene, lane)
    J = transposed(scene.value("jacobian_position"))
    turning = dT[..., :3, :3] @ transposed(T[..., :3, :3])
    expected = joined([turning, dT[..., :3, 3:]])
    return hat(J)[..., :3, :], expected


def _pose_and_change(scene: Scene, lane: str) -> tuple[Bounded, Bounded]:
    """T, (states, 1, 4, 4), and dT/dq_k, (states, n, 4, 4)."""
    T = scene.value("forward_kinematics")
    return T[:, None], last_to(scene.derivative("forward_kinematics", lane), 1)


def _space_composition(scene: Scene) -> Sides:
    first, second = _two_parts(scene)
    T = first.value("forward_kinematics")
    moved = adjoint(T) @ second.value("jacobian_space")
    return scene.value("jacobian_space"), first.value("jacobian_space") + moved


def _derivative_of(whole: str, part: str) -> Callable[..., Sides]:
    """The row ``whole`` is the derivative of ``part`` with respect to q."""
    return lambda scene, lane: (scene.value(whole), scene.derivative(part, lane))


def _rate(kind: str) -> Callable[..., Sides]:
    def sides(scene: Scene, lane: str) -> Sides:
        change = scene.derivative(f"jacobian_{kind}", lane)
        return scene.value(f"jacobian_{kind}_dot"), along(change, scene.v)

    return sides


def _times_v(result: str, matrix: str) -> Callable[[Scene], Sides]:
    return lambda scene: (scene.value(result), along(scene.value(matrix), scene.v))


# Accelerations.


def _twist_rate(acceleration: str, twist: str) -> Callable[..., Sides]:
    """dV/dt = dV/dq v + dV/dv a."""
    return lambda scene, lane: (scene.value(acceleration), _total_rate(scene, twist, lane))


def _total_rate(scene: Scene, twist: str, lane: str) -> Bounded:
    return along(scene.derivative(twist, lane), np.concatenate([scene.v, scene.a], axis=-1))


def _rotated_rate(scene: Scene, lane: str) -> Sides:
    change = _total_rate(scene, "twist_body", lane)
    return scene.value("acceleration_spatial_position"), _in_base_axes(scene, change)


def _classical(kind: str) -> Callable[[Scene], Sides]:
    """Classical - spatial = (0, omega x v)."""

    def sides(scene: Scene) -> Sides:
        V = scene.value(f"twist_{kind}")
        extra = (_skew(V[:, :3]) @ V[:, 3:, None])[..., 0]
        spatial = scene.value(f"acceleration_spatial_{kind}")
        expected = joined([spatial[:, :3], spatial[:, 3:] + extra])
        return scene.value(f"acceleration_classical_{kind}"), expected

    return sides


def _same_in_base_axes(scene: Scene) -> Sides:
    own = scene.value("acceleration_classical_body")
    return scene.value("acceleration_classical_position"), _in_base_axes(scene, own)


def _in_base_axes(scene: Scene, vectors: Bounded) -> Bounded:
    R = scene.value("forward_kinematics")[..., :3, :3]
    return rotated(R, vectors[..., None])[..., 0]


# Second derivatives and masses.


def _symmetric(scene: Scene) -> Sides:
    """Between coordinates; turns about different axes of one joint do not commute."""
    single = [
        c.velocity
        for i, c in scene.robot.coordinates.items()
        if (joint := scene.robot.links[i].joint) is not None and joint.nv == 1
    ]
    chosen = np.ix_(range(scene.count), range(3, 6), sorted(set(single)), sorted(set(single)))
    second = scene.value("hessian_position")[chosen]
    return second, transposed(second)


def _weighted_mean(scene: Scene) -> Sides:
    """sum m_i T_i c_i / sum m_i over the links that some joint moves."""
    root, robot = scene.robot.links[0].name, doubtful(scene.robot)
    moments = exactly(np.zeros((scene.count, 4, 1)))
    moved: set[int] = set()
    for i, link in enumerate(robot.links):
        mass = float(link.inertia.mass)
        if link.moves or link.parent in moved:
            moved.add(i)
        if mass and i in moved:
            T = scene.of(link.name, root).value("forward_kinematics")
            first = joined([bounded_matrix(link.inertia.moment), exactly([[mass]])], axis=0)
            moments = moments + T @ first
    return scene.value("center_of_mass"), moments[:, :3, 0] / moments[:, 3:, 0]


def _jacobian_laws(kind: str) -> dict[str, tuple[Law, ...]]:
    """Of a Jacobian's time derivative, and of its product with v."""
    J = f"jacobian_{kind}"
    rate = [Law("dJ/dt = dJ/dq v", _rate(kind), J)]
    if kind in ("space", "body", "position"):
        rate.append(Law("integral of dJ/dt = change of J", integral_of(f"{J}_dot", J)))
    return {
        f"{J}_dot": tuple(rate),
        f"{J}_dot_v": (Law("(dJ/dt) v", _times_v(f"{J}_dot_v", f"{J}_dot")),),
    }


def _twist_laws(kind: str) -> dict[str, tuple[Law, ...]]:
    return {f"twist_{kind}": (Law("V = J v", _times_v(f"twist_{kind}", f"jacobian_{kind}")),)}


LAWS: Mapping[str, tuple[Law, ...]] = {
    "forward_kinematics": (
        Law("R'R = 1", _orthogonal),
        Law("x cross y = z: det R = 1", _right_handed),
        Law("the tree's joints as power series", _walk),
        Law("T_ab T_bc = T_ac", _composition),
    ),
    "pose_zyx": (
        Law("Rz(psi) Ry(theta) Rx(phi) = R", _angles_rebuild),
        Law("p of T", _position_is_that_of("pose_zyx")),
    ),
    "pose_rotvec": (
        Law("exp [r] = R", _vector_rebuilds),
        Law("|r| <= pi", _vector_is_short),
        Law("p of T", _position_is_that_of("pose_rotvec")),
    ),
    "zyx_condition": (Law("cos theta of pose_zyx", _cosine),),
    "jacobian_space": (
        Law("[J] = dT T^-1", _space, "forward_kinematics"),
        Law("J_ac = J_ab + Ad_T_ab J_bc", _space_composition),
    ),
    "jacobian_body": (Law("[J] = T^-1 dT", _body, "forward_kinematics"),),
    "jacobian_position": (
        Law("J = (dR R', dp)", _position, "forward_kinematics"),
        Law(
            "integral of J v = displacement",
            integral_of("jacobian_position", "forward_kinematics"),
        ),
    ),
    "jacobian_zyx": (
        Law("J = d pose_zyx / dq", _derivative_of("jacobian_zyx", "pose_zyx"), "pose_zyx"),
    ),
    "jacobian_rotvec": (
        Law(
            "J = d pose_rotvec / dq",
            _derivative_of("jacobian_rotvec", "pose_rotvec"),
            "pose_rotvec",
        ),
    ),
    **_jacobian_laws("space"),
    **_jacobian_laws("body"),
    **_jacobian_laws("position"),
    **_jacobian_laws("zyx"),
    **_jacobian_laws("rotvec"),
    **_twist_laws("space"),
    **_twist_laws("body"),
    **_twist_laws("position"),
    "acceleration_spatial_space": (
        Law(
            "d/dt twist_space",
            _twist_rate("acceleration_spatial_space", "twist_space"),
            "twist_space",
        ),
    ),
    "acceleration_spatial_body": (
        Law(
            "d/dt twist_body", _twist_rate("acceleration_spatial_body", "twist_body"), "twist_body"
        ),
    ),
    "acceleration_spatial_position": (
        Law("diag(R, R) d/dt twist_body", _rotated_rate, "twist_body"),
        Law("classical - (0, omega x dp/dt)", _classical("position")),
    ),
    "acceleration_classical_position": (
        Law(
            "d/dt twist_position",
            _twist_rate("acceleration_classical_position", "twist_position"),
            "twist_position",
        ),
    ),
    "acceleration_classical_body": (
        Law("spatial + (0, omega x v)", _classical("body")),
        Law("R' times classical_position", _same_in_base_axes),
    ),
    "hessian_position": (
        Law(
            "H = dJ/dq",
            _derivative_of("hessian_position", "jacobian_position"),
            "jacobian_position",
        ),
        Law("d2p / dq_j dq_k = d2p / dq_k dq_j", _symmetric),
    ),
    "center_of_mass": (Law("sum m_i T_i c_i / sum m_i", _weighted_mean),),
    "jacobian_center_of_mass": (
        Law(
            "J = dc/dq",
            _derivative_of("jacobian_center_of_mass", "center_of_mass"),
            "center_of_mass",
        ),
        Law(
            "integral of J v = displacement",
            integral_of("jacobian_center_of_mass", "center_of_mass"),
        ),
    ),
}
