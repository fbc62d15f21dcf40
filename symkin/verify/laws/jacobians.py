"""Laws of Jacobians and their derivatives. Lynch & Park, Modern Robotics (2017), chapter 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from symkin.algebra.bounded import Bounded
from symkin.verify.arrays import (
    adjoint,
    along,
    bounded_matrix,
    exactly,
    hat,
    inverse,
    joined,
    last_to,
    transposed,
)
from symkin.verify.doubt import doubtful
from symkin.verify.laws.law import Law, Sides, derivative_of, times_v
from symkin.verify.laws.pose import two_parts
from symkin.verify.path_integral import integral_of
from symkin.verify.scene import Scene


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
    first, second = two_parts(scene)
    T = first.value("forward_kinematics")
    moved = adjoint(T) @ second.value("jacobian_space")
    return scene.value("jacobian_space"), first.value("jacobian_space") + moved


def _rate(jacobian: str) -> Law:
    def sides(scene: Scene, lane: str) -> Sides:
        return scene.value(f"{jacobian}_dot"), along(scene.derivative(jacobian, lane), scene.v)

    return Law(f"d/dq {jacobian} v", sides, (jacobian,))


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


def _laws_of_rates() -> Iterator[tuple[str, tuple[Law, ...]]]:
    """Of every Jacobian's time derivative, and of its product with v."""
    for kind in ("space", "body", "position", "zyx", "rotvec"):
        J = f"jacobian_{kind}"
        rate = [_rate(J)]
        if kind in ("space", "body", "position"):
            rate.append(Law("integral of dJ/dt = change of J", integral_of(f"{J}_dot", J)))
        yield f"{J}_dot", tuple(rate)
        yield f"{J}_dot_v", (times_v(f"{J}_dot_v", f"{J}_dot"),)


LAWS: Mapping[str, tuple[Law, ...]] = {
    "jacobian_space": (
        Law("[J] = dT/dq T^-1", _space, ("forward_kinematics",)),
        Law("J_ac = J_ab + Ad_T_ab J_bc", _space_composition),
    ),
    "jacobian_body": (Law("[J] = T^-1 dT/dq", _body, ("forward_kinematics",)),),
    "jacobian_position": (
        Law("J = (dR/dq R', dp/dq)", _position, ("forward_kinematics",)),
        Law(
            "integral of J v = displacement", integral_of("jacobian_position", "forward_kinematics")
        ),
    ),
    "jacobian_zyx": (derivative_of("jacobian_zyx", "pose_zyx"),),
    "jacobian_rotvec": (derivative_of("jacobian_rotvec", "pose_rotvec"),),
    **dict(_laws_of_rates()),
    "hessian_position": (
        derivative_of("hessian_position", "jacobian_position"),
        Law("d2p / dq_j dq_k = d2p / dq_k dq_j", _symmetric),
    ),
    "center_of_mass": (Law("sum m_i T_i c_i / sum m_i", _weighted_mean),),
    "jacobian_center_of_mass": (
        derivative_of("jacobian_center_of_mass", "center_of_mass"),
        Law(
            "integral of J v = displacement",
            integral_of("jacobian_center_of_mass", "center_of_mass"),
        ),
    ),
}
