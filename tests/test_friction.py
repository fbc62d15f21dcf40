"""Damping, Coulomb friction, rotors and gears: counted everywhere, once a robot says so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import flying
from peer import Peer, columns, state, worst
from scalars import EPS, array, complex_step, vector

from symkin.algorithms import aba, crba, rnea, rnea_tangents
from symkin.algorithms.forward_derivatives import forward_dynamics_dv
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.errors import ArgumentError
from symkin.model import Friction, Robot, load, prepare

CASES = Path(__file__).parent / "cases"
DYNAMICS = 1000 * EPS


def resisting() -> Robot:
    """`flying` with resistance in every joint, that of its follower included."""
    robot = flying()
    values = {"hinge": (0.3, 0.5), "ball": (0.2, 0.1), "tail": (0.7, 0.4), "free": (0.0, 0.0)}
    links = []
    for link in robot.links:
        if link.joint is not None:
            damping, friction = values[link.joint.name]
            joint = replace(link.joint, damping=damping, friction=friction, armature=0.05)
            link = replace(link, joint=joint)
        links.append(link)
    return replace(robot, links=tuple(links))


def expected(robot: Robot, v: np.ndarray, damping: bool, smoothing: float | None) -> np.ndarray:
    """What the joints resist, joint by joint, followers at their own speed."""
    tau = np.zeros(robot.nv)
    for i, c in robot.coordinates.items():
        joint = robot.links[i].joint
        assert joint is not None
        for k in range(c.velocity, c.velocity + joint.nv):
            speed = c.multiplier * v[k]
            own = joint.damping * speed if damping else 0.0
            if smoothing is not None:
                own += joint.friction * speed / np.hypot(speed, smoothing)
            tau[k] += c.multiplier * own
    return tau


SWITCHES = [(False, None), (True, None), (False, 0.1), (True, 0.02)]


@pytest.mark.parametrize(("damping", "smoothing"), SWITCHES)
def test_inverse_dynamics_count_what_is_switched_on(damping: bool, smoothing: float | None) -> None:
    robot = resisting()
    q, v, a = state(robot, 0)
    own = columns(q, v, a)
    free = array(rnea.inverse_dynamics(robot, *own)).ravel()
    for made in (robot, prepare(robot)):
        counted = made.with_friction(damping=damping, smoothing=smoothing)
        tau = free + expected(robot, v, damping, smoothing)
        assert worst(rnea.inverse_dynamics(counted, *own), tau) <= 50 * EPS
        assert (
            worst(rnea.gravity_torque(counted, own[0]), array(rnea.gravity_torque(made, own[0])))
            == 0.0
        )
        C = rnea.coriolis_torque(counted, *own[:2])
        assert worst(C, array(rnea.coriolis_torque(made, *own[:2]))) == 0.0
        assert (
            worst(crba.mass_matrix(counted, own[0]), array(crba.mass_matrix(made, own[0]))) == 0.0
        )


@pytest.mark.parametrize(("damping", "smoothing"), SWITCHES)
def test_forward_dynamics_are_the_inverse(damping: bool, smoothing: float | None) -> None:
    for robot in (resisting(), load("tree12")):
        counted = robot.with_friction(damping=damping, smoothing=smoothing)
        q, v, a = state(robot, 1)
        own = columns(q, v, a)
        tau = rnea.inverse_dynamics(counted, *own)
        condition = np.linalg.cond(array(crba.mass_matrix(robot, own[0])))
        back = aba.forward_dynamics(counted, *own[:2], tau)
        assert worst(back, a[:, None]) <= DYNAMICS * condition
        if all(link.joint is None or link.joint.mimic is None for link in robot.links):
            back = aba.forward_dynamics_articulated(counted, *own[:2], tau)
            assert worst(back, a[:, None]) <= DYNAMICS * condition


@pytest.mark.parametrize(("damping", "smoothing"), SWITCHES)
def test_derivatives_count_it_too(damping: bool, smoothing: float | None) -> None:
    robot = resisting().with_friction(damping=damping, smoothing=smoothing)
    q, v, a = state(robot, 2)
    own = columns(q, v, a)
    units = np.eye(robot.nv)

    def along_v(f: Any) -> np.ndarray:
        return np.hstack([complex_step(f, v, e) for e in units])

    dv = along_v(lambda v: rnea.inverse_dynamics(robot, own[0], v, own[2]))
    assert worst(inverse_dynamics_derivatives(robot, *own)[1], dv) <= DYNAMICS
    assert worst(rnea_tangents.inverse_dynamics_dv(robot, *own), dv) <= DYNAMICS
    condition = np.linalg.cond(array(crba.mass_matrix(robot, own[0])))
    da = along_v(lambda v: aba.forward_dynamics(robot, own[0], v, own[2]))
    assert worst(forward_dynamics_dv(robot, *own), da) <= DYNAMICS * condition


def test_smoothed_friction_takes_power_and_saturates() -> None:
    robot = load("planar_2r").with_friction(damping=False, smoothing=1e-3)
    joints = [link.joint for link in robot.links if link.joint is not None and link.moves]
    assert all(joint.friction == 0.0 for joint in joints)
    links = [
        replace(link, joint=replace(link.joint, friction=2.0)) if link.joint else link
        for link in robot.links
    ]
    robot = replace(robot, links=tuple(links))
    still, q = vector(np.zeros(2)), vector([0.3, 0.4])
    free = rnea.bias(robot.with_friction(damping=False), q, still)
    assert worst(rnea.bias(robot, q, still), array(free)) == 0.0
    v = vector([1e-3, -1e-2])
    felt = rnea.bias(robot, q, v) - rnea.bias(robot.with_friction(damping=False), q, v)
    shares = np.array([1 / np.sqrt(2), -10 / np.sqrt(101)])
    assert worst(felt, 2.0 * shares[:, None]) <= 1e-14


def case(name: str) -> list[Any]:
    checks = json.loads((CASES / name / "expected.json").read_text(encoding="utf-8"))["checks"]
    return [check for check in checks if check["op"] in ("rnea", "fd", "M")]


def value(folder: str, check: dict[str, Any]) -> Any:
    given = check["in"]
    robot = load(CASES / folder / "robot.urdf")
    if given.get("damping"):
        robot = robot.with_friction()
    if "armature" in given:
        robot = robot.with_armature(dict(zip(robot.joint_names, given["armature"], strict=True)))
    q, qd = vector(given["q"]), vector(given.get("qd", []))
    if check["op"] == "M":
        return crba.mass_matrix(robot, q)
    if check["op"] == "rnea":
        return rnea.inverse_dynamics(robot, q, qd, vector(given["qdd"]))
    return aba.forward_dynamics(robot, q, qd, vector(given["tau"]))


@pytest.mark.parametrize("folder", ["U47_joint_damping_friction", "D09_armature"])
def test_cases(folder: str) -> None:
    checks = case(folder)
    assert checks
    for check in checks:
        expect = np.array(check["expect"])
        error = np.abs(array(value(folder, check)).reshape(expect.shape) - expect)
        assert (error <= check["atol"] + check["rtol"] * np.abs(expect)).all(), check["name"]


def test_rotors_and_gears() -> None:
    robot = load("tree12")
    names = robot.joint_names[:2]
    geared = robot.with_rotors({names[0]: (1e-4, 100.0), names[1]: (2e-4, -50.0)})
    assert [geared.joints[k].armature for k in range(3)] == [1.0, 0.5, robot.joints[2].armature]
    q, v, a = state(robot, 3)
    peer = Peer(geared)
    own = columns(q, v, a)
    assert worst(rnea.inverse_dynamics(geared, *own), peer.inverse_dynamics(q, v, a)) <= DYNAMICS
    assert worst(crba.mass_matrix(geared, own[0]), peer.mass_matrix(q)) <= DYNAMICS


def test_friction_is_part_of_what_a_robot_is() -> None:
    robot = load("planar_2r")
    assert robot.friction == Friction(damping=False, smoothing=None)
    others = [robot.with_friction(), robot.with_friction(smoothing=0.1), robot]
    assert len({other.digest for other in others}) == 3
    assert robot.with_friction().with_friction(damping=False).digest == robot.digest
    assert prepare(robot.with_friction(smoothing=0.1)).friction == Friction(True, 0.1)


def test_messages() -> None:
    robot = load("planar_2r")
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ArgumentError, match="smoothing must be a speed above zero"):
            robot.with_friction(smoothing=wrong)
    with pytest.raises(ArgumentError, match="no joint 'wrist' moves; those that do: 'shoulder"):
        robot.with_armature({"wrist": 1.0})
    with pytest.raises(ArgumentError, match=r"armature of joint 'shoulder.*' cannot be -1\.0"):
        robot.with_armature({robot.joint_names[0]: -1.0})
    with pytest.raises(ArgumentError, match="cannot be nan"):
        robot.with_rotors({robot.joint_names[0]: (float("nan"), 2.0)})
