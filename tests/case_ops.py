"""What each op of `cases/README.md` calls of symkin: tables that read like the one there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi
import numpy as np
from case_adapter import Given
from scalars import array, matrix, vector

import symkin
from symkin import spatial
from symkin.algebra import Matrix, constant, symbols, to_sx
from symkin.algorithms.external_forces import Force
from symkin.spatial import Pose


def _jacobian(g: Given) -> np.ndarray:
    return g.in_order(g.linear_first(g.of_frame(f"jacobian_{g.reference}", "q")))


def _jacobian_dot(g: Given) -> np.ndarray:
    return g.in_order(g.linear_first(g.of_frame(f"jacobian_{g.reference}_dot", "q", "qd")))


def _acceleration(g: Given) -> np.ndarray:
    name = f"acceleration_{g['type']}_{g.reference}"
    return g.linear_first(g.of_frame(name, "q", "qd", "qdd"))


def _screws(g: Given, where: str) -> np.ndarray:
    """The joints' screws, columns (omega; v): those of the Jacobian where all of q is zero."""
    q = np.zeros(g.robot.nq)
    return g.in_order(g.compute(g.robot, f"jacobian_{where}", frame=g.frame, q=q))


def _square(g: Given, quantity: str, *names: str) -> np.ndarray:
    """A matrix whose rows and columns are both of joints."""
    return g.in_order(g.in_order(g.of_robot(quantity, *names)).T).T


def _base_velocity(g: Given) -> np.ndarray:
    """The velocity of a floating base, linear in the world's axes and angular in its own."""
    base, inputs = g.robot.link_names[1], g.inputs("q", "qd_body")
    linear = g.compute(g.robot, "twist_position", frame=base, **inputs)[3:]
    return np.concatenate([linear, g["qd_body"][3:]])


def _base_acceleration(g: Given) -> np.ndarray:
    base, inputs = g.robot.link_names[1], g.inputs("q", "qd_body", "qdd_body")
    linear = g.compute(g.robot, "acceleration_classical_position", frame=base, **inputs)[3:]
    return np.concatenate([linear, g["qdd_body"][3:]])


def _inverse_dynamics(g: Given) -> np.ndarray:
    return g.in_order(g.of_robot("inverse_dynamics", "q", "qd", "qdd"))


def _inverse_dynamics_external(g: Given) -> np.ndarray:
    """The case's wrench is linear first, about the frame's origin."""
    axes = None if g["axes"] == "body" else g.robot.links[0].name
    F = np.array(g["wrench_lin_ang"])[[3, 4, 5, 0, 1, 2]]
    force = Force(str(g.frame), axes=axes)
    tau = g.of_robot("inverse_dynamics_external", "q", "qd", "qdd", forces=[force], F=F)
    return g.in_order(tau)


def _transition(g: Given, quantity: str, **more: Any) -> np.ndarray:
    """A matrix whose rows are of (q, qd), and whose columns are so or of tau."""
    matrix = g.of_robot(quantity, "q", "qd", "tau", **more)
    places = g.places(lambda joint: joint.nv)
    both = [*places, *(len(places) + place for place in places)]
    return matrix[np.ix_(both, both[: matrix.shape[1]])]


QUANTITY_OPS: Mapping[str, Callable[[Given], np.ndarray]] = {
    "fk": lambda g: g.of_frame("forward_kinematics", "q"),
    "fk_relative": lambda g: g.of_frame("forward_kinematics", "q"),
    "dh_fk": lambda g: g.of_frame("forward_kinematics", "q"),
    "poe_fk": lambda g: g.of_frame("forward_kinematics", "q"),
    "rpy": lambda g: g.of_frame("pose_zyx", "q")[:3],
    "jac": _jacobian,
    "jac_relative": _jacobian,
    "jac_analytic": lambda g: g.in_order(g.linear_first(g.of_frame("jacobian_zyx", "q"))),
    "dh_jac_lin": lambda g: g.in_order(g.of_frame("jacobian_position", "q"))[3:],
    "poe_jac_space": lambda g: g.in_order(g.of_frame("jacobian_space", "q")),
    "poe_jac_body": lambda g: g.in_order(g.of_frame("jacobian_body", "q")),
    "poe_screws": lambda g: _screws(g, "space"),
    "poe_normalise": lambda g: _screws(g, "space").T,
    "poe_body_screws": lambda g: _screws(g, "body").T,
    "jdot": _jacobian_dot,
    "jdot_qd": lambda g: g.linear_first(g.of_frame(f"jacobian_{g.reference}_dot_v", "q", "qd")),
    "twist": lambda g: g.linear_first(g.of_frame(f"twist_{g.reference}", "q", "qd")),
    "frame_acc": _acceleration,
    "com": lambda g: g.of_robot("center_of_mass", "q"),
    "jac_com_total": lambda g: g.in_order(g.of_robot("jacobian_center_of_mass", "q")),
    "convert_v": _base_velocity,
    "convert_a": _base_acceleration,
    # Below, rows of the table that `case_adapter.LATER` waits for.
    "M": lambda g: _square(g, "mass_matrix", "q"),
    "M_diag": lambda g: np.diag(_square(g, "mass_matrix", "q")),
    "eigvals_M": lambda g: np.linalg.eigvalsh(_square(g, "mass_matrix", "q")),
    "Minv": lambda g: _square(g, "inverse_mass_matrix", "q"),
    "rnea": _inverse_dynamics,
    "rnea_wrong": _inverse_dynamics,
    "dh_rnea": _inverse_dynamics,
    "fd": lambda g: g.in_order(g.of_robot("forward_dynamics", "q", "qd", "tau")),
    "bias": lambda g: g.in_order(g.of_robot("bias", "q", "qd")),
    "gravity_torque": lambda g: g.in_order(g.of_robot("gravity_torque", "q")),
    "drnea_dq": lambda g: _square(g, "inverse_dynamics_dq", "q", "qd", "qdd"),
    "drnea_dqd": lambda g: _square(g, "inverse_dynamics_dv", "q", "qd", "qdd"),
    "drnea_dqdd": lambda g: _square(g, "mass_matrix", "q"),
    "dfd_dq": lambda g: _square(g, "forward_dynamics_dq", "q", "qd", "tau"),
    "dfd_dqd": lambda g: _square(g, "forward_dynamics_dv", "q", "qd", "tau"),
    "rnea_fext": _inverse_dynamics_external,
    "A_continuous": lambda g: _transition(g, "linearised_dx"),
    "B_continuous": lambda g: _transition(g, "linearised_dtau"),
    "A_discrete": lambda g: _transition(g, f"step_{g['scheme']}_dx", h=[g["h"]]),
    "B_discrete": lambda g: _transition(g, f"step_{g['scheme']}_dtau", h=[g["h"]]),
    "dfd_dtau": lambda g: _square(g, "inverse_mass_matrix", "q"),
}
"""Numbers that rows of the table compute, in each of the ways of `case_adapter.WAYS`."""


def _structure(g: Given) -> dict[str, Any]:
    return {
        "nq": g.robot.nq,
        "nv": g.robot.nv,
        "joint_order": g.joint_order,
        "moving_mass": g.robot.moving_mass,
    }


def _limits(g: Given) -> dict[str, list[float]]:
    return {joint.name: [joint.limits.lower, joint.limits.upper] for joint in g.robot.joints}


def _joint_parameters(g: Given) -> dict[str, list[float]]:
    joints = {joint.name: joint for joint in g.robot.joints}
    names = g.check.data["expect"]
    return {name: [getattr(joints[joint], name) for joint in g.joint_order] for name in names}


def _inertia_link_axes(g: Given) -> np.ndarray:
    return array(g.robot.links[g.robot.link_index(g["link"])].inertia.tensor)


def _shapes(g: Given) -> dict[str, list[int]]:
    rows = {"jac": "jacobian_position", "M": "mass_matrix", "rnea": "inverse_dynamics"}
    found = {}
    for op in g.check.data["expect"]:
        row = symkin.QUANTITIES[rows[op]]
        inputs = {slot.name: np.zeros(g.robot.nv) for slot in row.inputs}
        frame = g.frame if row.per_frame else None
        found[op] = list(symkin.evaluate(g.robot, row.name, frame=frame, **inputs).shape)
    return found


MODEL_OPS: Mapping[str, Callable[[Given], Any]] = {
    "structure": _structure,
    "total_mass": lambda g: g.robot.moving_mass,
    "limits": _limits,
    "joint_parameters": _joint_parameters,
    "inertia_link_axes": _inertia_link_axes,
    "shapes": _shapes,
}
"""What a robot says of itself."""


def _pose_error(g: Given, output: int) -> np.ndarray:
    """e(q) = log6(T_goal^-1 T(q)), de/dq, and the gradient and Hessian of 0.5 |e|^2, by CasADi."""
    pose = symkin.trace(g.robot, "forward_kinematics", frame=g.frame)
    T_goal = pose.evaluate({"q": np.array(g["q_goal"])})["T"]
    q = to_sx(symbols("q", g.robot.nq))
    T = pose.to_casadi()(q)
    reached = Pose.from_matrix(Matrix([[T[i, j] for j in range(4)] for i in range(4)]))
    error = spatial.log_se3(Pose.from_matrix(constant(T_goal)).inverse() @ reached)
    e = to_sx(error)[[3, 4, 5, 0, 1, 2], :]
    hessian, gradient = casadi.hessian(0.5 * casadi.dot(e, e), q)
    outputs = casadi.Function("e", [q], [e, casadi.jacobian(e, q), gradient, hessian])
    return np.array(outputs(g.inputs("q")["q"])[output])


GROUP_OPS: Mapping[str, Callable[[Given], np.ndarray]] = {
    "log3": lambda g: array(spatial.log_so3(matrix(g["R"])))[:, 0],
    "rpy_extract": lambda g: array(spatial.euler_zyx(matrix(g["R"])))[:, 0],
    "quat_log": lambda g: array(spatial.quaternion_log(vector(g["quat_xyzw"])))[:, 0],
    "quat_to_R": lambda g: array(spatial.rotation_from_quaternion(vector(g["quat_xyzw"]))),
    "quat_rate_map": lambda g: array(spatial.quaternion_rate(vector(g["quat"]))),
    "pose_error": lambda g: _pose_error(g, 0)[:, 0],
    "pose_error_jac": lambda g: g.in_order(_pose_error(g, 1)),
    "pose_cost_grad": lambda g: g.in_order(_pose_error(g, 2)[:, 0]),
    "pose_cost_hess": lambda g: g.in_order(g.in_order(_pose_error(g, 3)).T).T,
}
"""Rotations and poses."""
