"""Experiment 3: every formula against differences, complex steps and the other formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from bench import Row, Section, at_most

from kinematics.geometry import (
    Ad,
    L,
    ad,
    diagonal,
    from_matrix,
    inverse,
    skew,
    times,
    to_column,
    vee,
)
from kinematics.states import KINDS, Array, Pairs, States, scaled
from symkin.spatial import exp_so3, rate_zyx, right_jacobian_so3, rotation_zyx

# Some tens of roundings of numbers about 1, and a pose's rounding over the step.
EXACT = at_most(1e-14)
LIMIT = at_most(2e-9)
STEP = 1e-6  # of the central differences, as in the document
TINY = 1e-100  # of the complex ones: no truncation is left


def differences(name: str, quick: bool) -> Section:
    """The Jacobians, their rates and the accelerations against central differences."""
    pairs = Pairs.draw(name, quick)
    found = velocities(pairs)
    rows = [row for kind in KINDS for row in of_one_kind(kind, pairs, found[kind])]
    every = pairs.every

    def turned(k: int) -> Array:
        return central(lambda s: every.turned(k, s).of("jacobian_position"))

    hessian = np.stack([turned(k) for k in range(every.robot.nv)], axis=-1)
    rows.append(Row("dJ/dq, position", scaled(every.of("hessian_position"), hessian), LIMIT))
    title = f"3. {name.upper()}: formulas against central differences, h = {STEP:g}"
    return Section(title, str(pairs), tuple(rows))


def of_one_kind(kind: str, pairs: Pairs, velocity: Array) -> tuple[Row, ...]:
    """Three rows: J v against the velocity, dJ/dt and the acceleration against differences."""
    state, weights, jacobian = pairs.suited(kind), pairs.weights(kind), f"jacobian_{kind}"
    J, J_dot = state.of(jacobian), state.of(f"{jacobian}_dot")

    def V(s: float) -> Array:
        later = state.along(s)
        return times(later.of(jacobian), later.v)

    rate = scaled(J_dot, central(lambda s: state.along(s).of(jacobian)), weights)
    acceleration = times(J, state.a) + times(J_dot, state.v)
    document = "≤ 1.1e-9" if kind in KINDS[:3] else None  # which has no rates of zyx and rotvec
    return (
        Row(f"J v, {kind}", scaled(times(J, state.v), velocity), LIMIT, "≤ 1.1e-9"),
        Row(f"dJ/dt, {kind}", rate, LIMIT, document),
        Row(f"J a + dJ/dt v, {kind}", scaled(acceleration, central(V), weights), LIMIT, document),
    )


def velocities(pairs: Pairs) -> dict[str, Array]:
    """The velocity in each representation by central differences of the pose."""
    T = pairs.every.of("forward_kinematics")
    T_dot = central(lambda s: pairs.every.along(s).of("forward_kinematics"))
    space = vee(T_dot @ inverse(T))
    zyx = central(lambda s: pairs.zyx.along(s).of("pose_zyx"))
    turn = np.pi / STEP  # roll and yaw may jump by 2 pi between the two poses
    zyx[:, :3] -= turn * np.round(zyx[:, :3] / turn)
    return {
        "space": space,
        "body": vee(inverse(T) @ T_dot),
        "position": np.concatenate([space[:, :3], T_dot[:, :3, 3]], axis=-1),
        "zyx": zyx,
        "rotvec": central(lambda s: pairs.rotvec.along(s).of("pose_rotvec")),
    }


def central(function: Callable[[float], Array]) -> Array:
    """The central difference at zero."""
    return (function(STEP) - function(-STEP)) / (2.0 * STEP)


def complex_steps(name: str, quick: bool) -> Section:
    """The same without truncation: what central differences cannot see."""
    pairs = Pairs.draw(name, quick)
    rows = []
    for kind in KINDS:
        state = pairs.suited(kind)
        change = state.along(1j * TINY).of(f"jacobian_{kind}").imag / TINY
        rate = state.of(f"jacobian_{kind}_dot")
        rows.append(Row(f"dJ/dt, {kind}", scaled(rate, change, pairs.weights(kind)), EXACT))
    every, axes = pairs.every, range(pairs.every.robot.nv)
    turned = [every.turned(k, 1j * TINY).of("jacobian_position").imag / TINY for k in axes]
    hessian = every.of("hessian_position")
    rows.append(Row("dJ/dq, position", scaled(hessian, np.stack(turned, axis=-1)), EXACT))
    title = f"3. {name.upper()}: formulas against complex steps, h = {TINY:g}"
    return Section(title, str(pairs), tuple(rows))


def identities(name: str, quick: bool) -> Section:
    """The formulas against one another."""
    pairs = Pairs.draw(name, quick)
    found = (
        *pose_identities(pairs.every),
        *rate_identities(pairs.every),
        *zyx_identities(pairs.zyx),
        *rotvec_identities(pairs.rotvec),
    )
    rows = (Row(what, scaled(ours, other), EXACT, known) for what, ours, other, known in found)
    title = f"3. {name.upper()}: formulas against one another"
    return Section(title, str(pairs), tuple(rows))


Identity = tuple[str, Array, Array, str | None]
ROUNDING = "1e-15 level"


def pose_identities(state: States) -> Iterator[Identity]:
    """Of the pose and the three Jacobians that belong to twists."""
    T = state.of("forward_kinematics")
    R, p = T[:, :3, :3], T[:, :3, 3]
    J_s, J_b, J_p = (state.of(f"jacobian_{kind}") for kind in ("space", "body", "position"))
    exponentials = state.of("forward_kinematics", "exponentials")
    yield "T: joint frames = product of exponentials", T, exponentials, None
    yield "J_s: joint axes = Ad of home screws", J_s, state.of("jacobian_space", "adjoint"), None
    yield "J_b: screws seen from the body = Ad_{T^-1} J_s", J_b, Ad(inverse(T)) @ J_s, ROUNDING
    yield "J_s = Ad_T J_b", J_s, Ad(T) @ J_b, None
    yield "J_p: origin columns = L(p) J_s", J_p, L(p) @ J_s, ROUNDING
    yield "J_p = diag(R, R) J_b", J_p, diagonal(R, R) @ J_b, None


def rate_identities(state: States) -> Iterator[Identity]:
    """Of the rates and accelerations."""
    T, T_inverse = state.of("forward_kinematics"), inverse(state.of("forward_kinematics"))
    J = {kind: state.of(f"jacobian_{kind}") for kind in ("space", "body", "position")}
    J_dot = {kind: state.of(f"jacobian_{kind}_dot") for kind in J}
    V = {kind: times(J[kind], state.v) for kind in J}
    turning = L(T[:, :3, 3]) @ J_dot["space"]
    turning[:, 3:] -= skew(V["position"][:, 3:]) @ J["space"][:, :3]
    bracket = Ad(T_inverse) @ J_dot["space"] - ad(V["body"]) @ J["body"]
    yield "dJ_b = Ad_{T^-1} dJ_s - ad_{V_b} J_b", J_dot["body"], bracket, None
    yield "dJ_p = L(p) dJ_s + dL/dt J_s", J_dot["position"], turning, None
    hessian = state.of("hessian_position")
    yield "dJ_p = sum of dJ_p/dq_k v_k", J_dot["position"], times(hessian, state.v[:, None]), None
    for kind, twist in V.items():
        yield (
            f"J v = twist carried from link to link, {kind}",
            twist,
            state.of(f"twist_{kind}"),
            None,
        )
    for kind, quantity in (
        ("space", "acceleration_spatial_space"),
        ("body", "acceleration_spatial_body"),
        ("position", "acceleration_classical_position"),
    ):
        total = times(J[kind], state.a) + times(J_dot[kind], state.v)
        yield f"J a + dJ/dt v = acceleration, {kind}", total, state.of(quantity), None


def zyx_identities(state: States) -> Iterator[Identity]:
    """Of the ZYX angles."""
    angles = to_column(state.of("pose_zyx")[:, :3])
    R = state.of("forward_kinematics")[:, :3, :3]
    J_zyx, J_p = state.of("jacobian_zyx"), state.of("jacobian_position")
    E = from_matrix(rate_zyx(angles), len(state))
    det = np.linalg.det(E)
    J_dot_v = times(state.of("jacobian_zyx_dot"), state.v)
    yield "R = Rz(psi) Ry(theta) Rx(phi)", R, from_matrix(rotation_zyx(angles), len(state)), None
    yield "E times angular rows of J_zyx = those of J_p", E @ J_zyx[:, :3], J_p[:, :3], None
    yield "det E = cos(theta)", det, state.of("zyx_condition")[:, 0], None
    yield "dJ/dt v = its recursion, zyx", J_dot_v, state.of("jacobian_zyx_dot_v"), None


def rotvec_identities(state: States) -> Iterator[Identity]:
    """Of rotation vectors r: here alpha = |r|."""
    r = state.of("pose_rotvec")[:, :3]
    R = state.of("forward_kinematics")[:, :3, :3]
    J_r, J_b = state.of("jacobian_rotvec"), state.of("jacobian_body")
    A = from_matrix(right_jacobian_so3(to_column(r)), len(state))
    alpha = np.linalg.norm(r, axis=-1)
    closed = 2.0 * (1.0 - np.cos(alpha)) / alpha**2
    J_dot_v = times(state.of("jacobian_rotvec_dot"), state.v)
    yield "R = exp r", R, from_matrix(exp_so3(to_column(r)), len(state)), None
    yield "A(r) times angular rows of J_r = those of J_b", A @ J_r[:, :3], J_b[:, :3], None
    yield "det A(r) = 2 (1 - cos alpha) / alpha^2", np.linalg.det(A), closed, ROUNDING
    yield "dJ/dt v = its recursion, rotvec", J_dot_v, state.of("jacobian_rotvec_dot_v"), None
