"""Frames that are held: accelerations, the forces that hold them, and the derivatives of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi
import numpy as np
import pytest
from movers import flying
from peer import ANGULAR_FIRST, Peer, columns, state, worst
from scalars import EPS, array, complex_step, vector

import symkin
from symkin.algebra import Matrix, column, constant, symbols, to_sx
from symkin.algorithms import crba, frame_derivatives, kinematics, rnea
from symkin.algorithms.configuration import position_rate
from symkin.algorithms.contact import (
    Contact,
    contact_dynamics,
    contact_dynamics_dq,
    contact_dynamics_dtau,
    contact_dynamics_dv,
    contact_jacobian,
)
from symkin.algorithms.external_forces import Force, inverse_dynamics_external
from symkin.algorithms.path import Path
from symkin.errors import ArgumentError, ModelError
from symkin.model import Robot, load
from symkin.spatial import Pose, rotation_zyx

DYNAMICS = 1000 * EPS
PLACE = Pose(rotation_zyx(constant([0.4, -0.3, 0.2])), constant([0.5, -0.6, 0.7]))


def scenes() -> dict[str, tuple[Robot, tuple[Contact, ...]]]:
    """Robots with the contacts that hold them."""
    tree = load("tree12", base="floating")
    arm = load("fr3")
    hand = arm.tips[0]
    return {
        "points": (tree, tuple(Contact(tip) for tip in tree.tips[:3])),
        "a hand": (arm, (Contact(hand, full=True),)),
        "drawn back": (
            flying(),
            (
                Contact("hand", full=True, damping=1.0, stiffness=4.0, place=PLACE),
                Contact("base", damping=3.0, stiffness=2.0, place=PLACE),
            ),
        ),
        "a follower": (flying(), (Contact("tail", damping=2.0), Contact("arm"))),
        "soft": (
            load("ur5"),
            (
                Contact("tool0", full=True, damping=1.0, softness=0.01),
                Contact("forearm_link", softness=0.03),
            ),
        ),
    }


NAMES = ("points", "a hand", "drawn back", "a follower", "soft")


def equations(
    robot: Robot, contacts: tuple[Contact, ...], q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M with J' and J, their conditioned matrix, and what the second row has on the right."""
    J, right, soft = [], [], []
    for contact in contacts:
        held = slice(0, 6) if contact.full else slice(3, 6)
        place = {"frame": contact.frame, "q": q}
        own = symkin.evaluate(robot, "jacobian_position", **place)
        rate = symkin.evaluate(robot, "jacobian_position_dot_v", **place, v=v)
        drift = np.zeros(6)
        if contact.place is not None:
            T = symkin.evaluate(robot, "forward_kinematics", **place)
            turned = rotation_vector(T[:3, :3] @ array(contact.place.R).T)
            drift = np.concatenate([turned, T[:3, 3] - array(contact.place.p).ravel()])
        J.append(own[held])
        gamma = rate + contact.damping * own @ v + contact.stiffness * drift
        right.append(-gamma[held])
        soft += [contact.softness] * contact.size
    J_all = np.vstack(J)
    M = array(crba.mass_matrix(robot, vector(q)))
    KKT = np.block([[M, -J_all.T], [J_all, np.diag(soft)]])
    return KKT, J_all, np.concatenate(right)


def conditioned(KKT: np.ndarray) -> float:
    """The condition; what holds more than can be told apart would prove nothing."""
    condition = np.linalg.cond(KKT)
    assert condition < 1e6
    return float(condition)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """The rotation vector by the textbook's formula, good away from 0 and pi."""
    angle = np.arccos((np.trace(R) - 1) / 2)
    skewed = (R - R.T) * angle / (2 * np.sin(angle))
    return np.array([skewed[2, 1], skewed[0, 2], skewed[1, 0]])


@pytest.mark.parametrize("name", NAMES)
def test_the_equations_hold(name: str) -> None:
    robot, contacts = scenes()[name]
    q, v, tau = state(robot, 0)
    own = columns(q, v, tau)
    KKT, J, right = equations(robot, contacts, q, v)
    bias = array(rnea.bias(robot, *own[:2])).ravel()
    a, f = np.split(np.linalg.solve(KKT, np.concatenate([tau - bias, right])), [robot.nv])
    condition = conditioned(KKT)
    held = contact_dynamics(robot, contacts, *own)
    assert worst(contact_jacobian(robot, contacts, own[0]), J) <= DYNAMICS
    assert worst(held.a, a) <= DYNAMICS * condition
    assert worst(held.f, f) <= DYNAMICS * condition


@pytest.mark.parametrize("name", NAMES)
def test_contact_forces_are_forces_on_the_robot(name: str) -> None:
    """Inverse dynamics under them, at the accelerations, ask for the joint forces given."""
    robot, contacts = scenes()[name]
    own = columns(*state(robot, 1))
    held = contact_dynamics(robot, contacts, *own)
    F, start = np.zeros((len(contacts), 6)), 0
    for k, contact in enumerate(contacts):
        F[k, 6 - contact.size :] = array(held.f).ravel()[start : start + contact.size]
        start += contact.size
    root = robot.links[0].name
    forces = [Force(contact.frame, axes=root) for contact in contacts]
    pushed = vector(F.ravel())
    tau = inverse_dynamics_external(robot, forces, *own[:2], held.a, pushed)
    J = array(contact_jacobian(robot, contacts, own[0]))
    size = np.abs(J.T) @ np.abs(array(held.f)) + np.abs(array(own[2]))
    assert np.abs(array(tau) - array(own[2])).max() <= DYNAMICS * size.max() * 100


def tangents(robot: Robot, f: Callable[[Matrix], Matrix], q: np.ndarray) -> np.ndarray:
    N = array(position_rate(robot, vector(q)))
    return np.hstack([complex_step(f, q, N[:, k]) for k in range(robot.nv)])


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name: str) -> None:
    robot, contacts = scenes()[name]
    q, v, tau = state(robot, 2)
    own = columns(q, v, tau)
    condition = conditioned(equations(robot, contacts, q, v)[0])
    units = np.eye(robot.nv)

    def both(q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
        held = contact_dynamics(robot, contacts, q, v, tau)
        return Matrix([*held.a.rows, *held.f.rows])

    by_q = tangents(robot, lambda q: both(q, *own[1:]), q)
    by_v = np.hstack([complex_step(lambda v: both(own[0], v, own[2]), v, e) for e in units])
    by_tau = np.hstack([complex_step(lambda t: both(*own[:2], t), tau, e) for e in units])
    n = robot.nv
    for found, expect in (
        (contact_dynamics_dq(robot, contacts, *own), by_q),
        (contact_dynamics_dv(robot, contacts, *own), by_v),
        (contact_dynamics_dtau(robot, contacts, own[0]), by_tau),
    ):
        assert worst(found.a, expect[:n]) <= DYNAMICS * condition
        assert worst(found.f, expect[n:]) <= DYNAMICS * condition


@pytest.mark.parametrize("full", [False, True])
def test_pinocchio_agrees(full: bool) -> None:
    robot = load("tree12", base="floating")
    contacts = tuple(Contact(tip, full=full) for tip in robot.tips[: 1 if full else 3])
    q, v, tau = state(robot, 3)
    # Its six coordinates are the spatial acceleration: that of the point where it is at rest.
    J = array(contact_jacobian(robot, contacts, vector(q)))
    v = v - np.linalg.pinv(J) @ J @ v
    own, peer = columns(q, v, tau), Peer(robot)
    pin, model, data = peer.pin, peer.model, peer.data
    kind = pin.ContactType.CONTACT_6D if full else pin.ContactType.CONTACT_3D
    models = pin.StdVec_RigidConstraintModel()
    made = pin.StdVec_RigidConstraintData()
    for contact in contacts:
        frame = model.frames[model.getFrameId(contact.frame)]
        models.append(
            pin.RigidConstraintModel(
                kind, model, frame.parentJoint, frame.placement, pin.LOCAL_WORLD_ALIGNED
            )
        )
    for own_model in models:
        made.append(own_model.createData())
    pin.initConstraintDynamics(model, data, models, made)
    args = (peer.q(q), peer.theirs(v), peer.theirs(tau))
    settings = pin.ProximalSettings(1e-15, 1e-15, 0.0, 1)
    a = peer.ours(pin.constraintDynamics(model, data, *args, models, made, settings))
    held = contact_dynamics(robot, contacts, *own)
    condition = conditioned(equations(robot, contacts, q, v)[0])
    assert worst(held.a, a) <= DYNAMICS * condition
    order = ANGULAR_FIRST if full else [0, 1, 2]
    f = np.concatenate([data.lambda_c[len(order) * k :][order] for k in range(len(contacts))])
    assert worst(held.f, f) <= DYNAMICS * condition
    pin.computeConstraintDynamicsDerivatives(model, data, models, made, settings)
    rows = [len(order) * k + row for k in range(len(contacts)) for row in order]
    for found, a, f in (
        (contact_dynamics_dq(robot, contacts, *own), data.ddq_dq, data.dlambda_dq),
        (contact_dynamics_dv(robot, contacts, *own), data.ddq_dv, data.dlambda_dv),
        (contact_dynamics_dtau(robot, contacts, own[0]), data.ddq_dtau, data.dlambda_dtau),
    ):
        assert worst(found.a, peer.ours(a)) <= DYNAMICS * condition
        assert worst(found.f, f[rows][:, peer.order]) <= DYNAMICS * condition


def test_drift_dies_out_as_stiffness_and_damping_say() -> None:
    """p'' + d p' + k (p - p_place) = 0 of a point, whatever the joint forces."""
    robot = flying()
    contact = Contact("hand", damping=3.0, stiffness=2.0, place=PLACE)
    q, v, tau = state(robot, 4)
    a = array(contact_dynamics(robot, [contact], *columns(q, v, tau)).a).ravel()
    place = {"frame": "hand", "q": q}
    p = symkin.evaluate(robot, "forward_kinematics", **place)[:3, 3]
    p_dot = symkin.evaluate(robot, "twist_position", **place, v=v)[3:]
    p_ddot = symkin.evaluate(robot, "acceleration_classical_position", **place, v=v, a=a)[3:]
    left = p_ddot + 3.0 * p_dot + 2.0 * (p - array(PLACE.p).ravel())
    assert np.abs(left).max() <= DYNAMICS * np.abs(p_ddot).max() * 100


def test_places_may_be_symbols() -> None:
    robot = load("ur5")
    q, v, tau = state(robot, 5)
    place = symbols("place", 3)
    contact = Contact("tool0", stiffness=5.0, place=Pose(PLACE.R, place))
    inputs = [symbols(name, 6) for name in ("q", "v", "tau")]
    traced = contact_dynamics(robot, [contact], *inputs).f
    f = casadi.Function("f", [to_sx(x) for x in (*inputs, place)], [to_sx(traced)])
    there = [0.1, 0.2, 0.3]
    at = replace(contact, place=Pose(PLACE.R, column(*(np.float64(x) for x in there))))
    expect = array(contact_dynamics(robot, [at], *columns(q, v, tau)).f)
    condition = conditioned(equations(robot, (at,), q, v)[0])
    assert worst(np.array(f(q, v, tau, there)), expect) <= DYNAMICS * condition


@pytest.mark.parametrize("frame", ["hand", "tail"])
def test_derivatives_of_a_frames_motion(frame: str) -> None:
    robot = flying()
    path = Path.between(robot, "world", frame)
    q, v, a = state(robot, 6)
    own = columns(q, v, a)
    motion = frame_derivatives.frame_motion(path, *own)
    twist, acceleration = kinematics.twist_position, kinematics.acceleration_classical_position
    assert worst(frame_derivatives.twist_position(motion), array(twist(path, *own[:2]))) <= DYNAMICS
    there = array(acceleration(path, *own))
    assert worst(frame_derivatives.acceleration_position(motion), there) <= DYNAMICS
    units = np.eye(robot.nv)
    V_q, V_v = frame_derivatives.twist_position_derivatives(path, motion)
    A_q, A_v = frame_derivatives.acceleration_position_derivatives(path, motion)
    assert worst(V_q, tangents(robot, lambda q: twist(path, q, own[1]), q)) <= DYNAMICS
    assert worst(A_q, tangents(robot, lambda q: acceleration(path, q, *own[1:]), q)) <= DYNAMICS
    by_v = [complex_step(lambda v: twist(path, own[0], v), v, e) for e in units]
    assert worst(V_v, np.hstack(by_v)) <= DYNAMICS
    by_v = [complex_step(lambda v: acceleration(path, own[0], v, own[2]), v, e) for e in units]
    assert worst(A_v, np.hstack(by_v)) <= DYNAMICS


@pytest.mark.parametrize(
    ("contacts", "message"),
    [
        ([], "ur5: no contacts; that is plain forward dynamics"),
        ([Contact("base_link")], "contact at 'base_link': no joint moves this frame"),
        ([Contact("tool0", stiffness=1.0)], "contact at 'tool0' has stiffness; say at which place"),
        (
            [Contact("tool0", full=True), Contact("forearm_link")],
            "contacts hold 9 coordinates of 6 that move, .*; hold fewer, or give them softness",
        ),
    ],
)
def test_contacts_that_cannot_be(contacts: list[Contact], message: str) -> None:
    robot = load("ur5")
    with pytest.raises(ArgumentError, match=message):
        contact_dynamics(robot, contacts, *columns(*state(robot, 7)))


def test_unknown_frames_are_named() -> None:
    robot = load("ur5")
    with pytest.raises(ModelError, match="no frame 'hand'"):
        contact_dynamics(robot, [Contact("hand")], *columns(*state(robot, 7)))
