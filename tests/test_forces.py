"""Forces from outside: at any frame, in any axes, about any point, in values and derivatives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from movers import flying
from peer import ANGULAR_FIRST, Peer, columns, state, worst
from scalars import EPS, array, complex_step, vector

import symkin
from symkin.algebra import Matrix
from symkin.algorithms import aba, crba, external_forces, rnea, rnea_tangents
from symkin.algorithms.configuration import position_rate
from symkin.algorithms.external_forces import Force
from symkin.errors import ModelError
from symkin.model import Robot, load, prepare

DYNAMICS = 1000 * EPS
D03 = Path(__file__).parent / "cases" / "D03_external_force_frames"


def robots() -> dict[str, tuple[Robot, tuple[Force, ...]]]:
    """Robots, and forces on them in their own axes, the world's and those of other moving links."""
    tree = load("tree12", base="floating")
    tips, root = tree.tips, tree.links[0].name
    return {
        "flying": (
            flying(),
            (
                Force("hand"),
                Force("hand", axes="world"),
                Force("arm", axes="tail", about="base"),
                Force("tail", axes="world", about="hand"),
                Force("base", axes="hand", about="world"),
            ),
        ),
        "tree12": (
            tree,
            (
                Force(tips[0], axes=root),
                Force(tips[1], axes=tips[0], about=tips[-1]),
                Force(tree.links[1].name, about=root),
                Force(tips[0]),
            ),
        ),
    }


NAMES = ("flying", "tree12")


def wrenches(forces: tuple[Force, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=6 * len(forces))


def by_definition(
    robot: Robot, forces: tuple[Force, ...], q: np.ndarray, F: np.ndarray
) -> np.ndarray:
    """The sum of J' of each body's point and angular velocity, all in the world's axes."""

    def pose(frame: str) -> np.ndarray:
        return symkin.evaluate(robot, "forward_kinematics", frame=frame, q=q)

    total = np.zeros(robot.nv)
    for k, force in enumerate(forces):
        J = symkin.evaluate(robot, "jacobian_space", frame=force.frame, q=q)
        axes, about = pose(force.axes or force.frame), pose(force.about or force.frame)
        n, f = (axes[:3, :3] @ F[i : i + 3] for i in (6 * k, 6 * k + 3))
        total += J.T @ np.concatenate([n + np.cross(about[:3, 3], f), f])
    return total


@pytest.mark.parametrize("name", NAMES)
def test_forces_act_as_jacobians_say(name: str) -> None:
    robot, forces = robots()[name]
    q, v, a = state(robot, 0)
    F = wrenches(forces, 1)
    own, pushed = columns(q, v, a), vector(F)
    torque = by_definition(robot, forces, q, F)
    free = array(rnea.inverse_dynamics(robot, *own)).ravel()
    M = array(crba.mass_matrix(robot, own[0]))
    condition = np.linalg.cond(M)
    for made in (robot, prepare(robot)):
        J = external_forces.external_jacobian(made, forces, own[0])
        assert J.shape == (6 * len(forces), robot.nv)
        assert worst(J.T @ pushed, torque) <= DYNAMICS
        assert (
            worst(external_forces.external_torque(made, forces, own[0], pushed), torque) <= DYNAMICS
        )
        tau = external_forces.inverse_dynamics_external(made, forces, *own, pushed)
        assert worst(tau, free - torque) <= DYNAMICS
        back = external_forces.forward_dynamics_external(made, forces, *own[:2], tau, pushed)
        assert worst(back, a) <= DYNAMICS * condition
        dF = external_forces.external_torque_dF(made, forces, own[0])
        assert (
            worst(
                external_forces.forward_dynamics_dF(made, forces, own[0]),
                np.linalg.solve(M, array(dF)),
            )
            <= DYNAMICS * condition
        )


def test_articulated_bodies_feel_forces() -> None:
    robot, forces = robots()["tree12"]
    q, v, a = state(robot, 2)
    own, F = columns(q, v, a), vector(wrenches(forces, 3))
    felt = external_forces.body_wrenches(robot, forces, own[0], F)
    tau = rnea.inverse_dynamics(robot, *own, felt)
    condition = np.linalg.cond(array(crba.mass_matrix(robot, own[0])))
    back = aba.forward_dynamics_articulated(robot, *own[:2], tau, felt)
    assert worst(back, a) <= DYNAMICS * condition


def along_tangents(robot: Robot, f: object, q: np.ndarray) -> np.ndarray:
    """The columns of df/dq in the tangent space, by complex steps along N."""
    N = array(position_rate(robot, vector(q)))
    return np.hstack([complex_step(f, q, N[:, k]) for k in range(robot.nv)])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_of_inverse_dynamics(name: str) -> None:
    robot, forces = robots()[name]
    q, v, a = state(robot, 4)
    own, F = columns(q, v, a), vector(wrenches(forces, 5))

    def f(q: Matrix) -> Matrix:
        return external_forces.inverse_dynamics_external(robot, forces, q, *own[1:], F)

    dq = external_forces.inverse_dynamics_external_dq(robot, forces, *own, F)
    assert worst(dq, along_tangents(robot, f, q)) <= DYNAMICS
    dF = np.hstack(
        [
            complex_step(
                lambda F: external_forces.inverse_dynamics_external(robot, forces, *own, F),
                array(F).ravel(),
                e,
            )
            for e in np.eye(len(F))
        ]
    )
    assert worst(external_forces.external_torque_dF(robot, forces, own[0]), -dF) <= DYNAMICS


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_of_forward_dynamics(name: str) -> None:
    robot, forces = robots()[name]
    q, v, tau = state(robot, 6)
    own, F = columns(q, v, tau), vector(wrenches(forces, 7))
    condition = np.linalg.cond(array(crba.mass_matrix(robot, own[0])))

    def by_q(q: Matrix) -> Matrix:
        return external_forces.forward_dynamics_external(robot, forces, q, *own[1:], F)

    dq = external_forces.forward_dynamics_external_dq(robot, forces, *own, F)
    assert worst(dq, along_tangents(robot, by_q, q)) <= DYNAMICS * condition

    def by_v(v: Matrix) -> Matrix:
        return external_forces.forward_dynamics_external(robot, forces, own[0], v, own[2], F)

    dv = np.hstack([complex_step(by_v, v, e) for e in np.eye(robot.nv)])
    mine = external_forces.forward_dynamics_external_dv(robot, forces, *own, F)
    assert worst(mine, dv) <= DYNAMICS * condition


def test_both_ways_to_derivatives_agree_on_forces_that_turn_with_their_bodies() -> None:
    robot, _ = robots()["flying"]
    forces = (Force("hand"), Force("tail"), Force("base"))
    own, F = columns(*state(robot, 8)), vector(wrenches(forces, 9))
    felt = external_forces.body_wrenches(robot, forces, own[0], F)
    closed = external_forces.inverse_dynamics_external_dq(robot, forces, *own, F)
    assert worst(rnea_tangents.inverse_dynamics_dq(robot, *own, felt), array(closed)) <= DYNAMICS


def test_pinocchio_agrees() -> None:
    robot = load("tree12", base="floating")
    forces = tuple(Force(tip) for tip in robot.tips)
    q, v, a = state(robot, 10)
    F = wrenches(forces, 11)
    peer = Peer(robot)
    pin, model, data = peer.pin, peer.model, peer.data
    outside = [pin.Force.Zero() for _ in range(model.njoints)]
    for force, wrench in zip(forces, F.reshape(-1, 6), strict=True):
        frame = model.frames[model.getFrameId(force.frame)]
        own = pin.Force(wrench[3:], wrench[:3])
        outside[frame.parentJoint] += frame.placement.act(own)
    args = (peer.q(q), peer.theirs(v), peer.theirs(a))
    tau = peer.ours(pin.rnea(model, data, *args, outside))
    own_state = (*columns(q, v, a), vector(F))
    mine = external_forces.inverse_dynamics_external(robot, forces, *own_state)
    assert worst(mine, tau) <= DYNAMICS
    pin.computeRNEADerivatives(model, data, *args, outside)
    mine = external_forces.inverse_dynamics_external_dq(robot, forces, *own_state)
    assert worst(mine, peer.ours(data.dtau_dq)) <= DYNAMICS
    accelerations = peer.ours(pin.aba(model, data, *args, outside))
    mine = external_forces.forward_dynamics_external(robot, forces, *own_state)
    condition = np.linalg.cond(peer.mass_matrix(q))
    assert worst(mine, accelerations) <= DYNAMICS * condition


def test_case() -> None:
    robot = load(D03 / "robot.urdf")
    checks = json.loads((D03 / "expected.json").read_text(encoding="utf-8"))["checks"]
    for check in checks:
        given = check["in"]
        own = columns(*(np.array(given[key]) for key in ("q", "qd", "qdd")))
        forces: tuple[Force, ...] = ()
        F = np.zeros(0)
        if check["op"] == "rnea_fext":
            forces = (Force("tool", axes={"body": "tool", "world": "base"}[given["axes"]]),)
            F = np.array(given["wrench_lin_ang"])[ANGULAR_FIRST]
        tau = external_forces.inverse_dynamics_external(robot, forces, *own, vector(F))
        expect = np.array(check["expect"])
        error = np.abs(array(tau).ravel() - expect)
        assert (error <= check["atol"] + check["rtol"] * np.abs(expect)).all(), check["name"]


def test_what_is_welded_to_the_root_moves_nothing() -> None:
    robot = load("fr3")
    root = robot.links[0].name
    own = columns(*state(robot, 12))
    forces = (Force(root), Force(robot.links[1].name, axes=root))
    F = vector(wrenches(forces[:1], 13))
    tau = external_forces.inverse_dynamics_external(robot, forces[:1], *own, F)
    assert worst(tau, array(rnea.inverse_dynamics(robot, *own))) == 0.0
    J = external_forces.external_jacobian(robot, forces[:1], own[0])
    assert J.shape == (6, robot.nv)
    assert np.abs(array(J)).max() == 0.0


def test_unknown_frames_are_named() -> None:
    robot, own = load("planar_2r"), columns(*state(load("planar_2r"), 0))
    for force in (Force("hand"), Force("forearm", axes="hand"), Force("forearm", about="hand")):
        with pytest.raises(ModelError, match="no frame 'hand'; frames: "):
            external_forces.inverse_dynamics_external(robot, (force,), *own, vector(np.zeros(6)))
