"""Laws of the dynamics, on every bundled robot and on a robot for every kind of joint.

Most are those of `symkin.verify`, whose tolerances are derived operation by operation; here the
robots are chosen, and what needs a solver, a flight or finite differences is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import get_args

import numpy as np
import pytest
from arms import body, flyer, gripper, oblique, planar, wrist
from movers import flying
from scalars import EPS

from symkin.errors import ArgumentError
from symkin.evaluate import evaluate
from symkin.model import JointKind, Link, Robot, bundled_names, load, with_base
from symkin.quantities import QUANTITIES, dynamics
from symkin.verify import verify
from symkin.verify.states import sample_states


def heavy(robot: Robot) -> Robot:
    """With a root that has a mass, so that it can float."""
    root, *others = robot.links
    return replace(robot, links=(replace(root, inertia=body(2.0, 0.1, -0.05, 0.02)), *others))


ROBOTS: dict[str, Callable[[], Robot]] = {
    **{name: (lambda name=name: load(name)) for name in bundled_names()},
    "wrist": wrist,
    "oblique": oblique,
    "gripper": gripper,
    "flyer": flyer,
    "flying": flying,
    "oblique in a plane": lambda: with_base(oblique(), "planar"),
    "gripper by yaw, pitch, roll": lambda: with_base(heavy(gripper()), "floating_zyx"),
    "planar, floating": lambda: with_base(heavy(planar()), "floating"),
}
FREE = {
    "flyer": flyer,
    "flying": flying,
    "tree12": lambda: load("tree12", base="floating"),
    "quadruped": lambda: load("quadruped", base="floating"),
}
LAWFUL = [row.name for row in dynamics.ROWS if not row.on_request and "hessian" not in row.name]
STATES = 4
STEP = 2.0**-17
"""About the cube root of the unit roundoff."""

robots = pytest.mark.parametrize("name", ROBOTS)


@cache
def robot_of(name: str) -> Robot:
    return ROBOTS[name]()


def states_of(robot: Robot) -> dict[str, np.ndarray]:
    """Without zero, where wrists lose a degree of freedom."""
    return {name: x[:-1] for name, x in sample_states(robot, STATES, seed=11).items()}


def conditions(M: np.ndarray) -> np.ndarray:
    """Of M whose diagonal is scaled to one."""
    size = np.sqrt(np.diagonal(M, axis1=-2, axis2=-1))
    return np.linalg.cond(M / (size[..., :, None] * size[..., None, :]))


def worst(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference beside the largest entry, at any state."""
    size = np.max(np.abs(theirs), axis=tuple(range(1, theirs.ndim)), initial=0.0)
    off = np.max(np.abs(ours - theirs), axis=tuple(range(1, theirs.ndim)), initial=0.0)
    return float(np.max(off / np.where(size == 0.0, 1.0, size)))


def test_every_kind_of_joint_is_here() -> None:
    joints = [link.joint for name in ROBOTS for link in robot_of(name).links if link.joint]
    assert {joint.kind for joint in joints} == set(get_args(JointKind))
    assert any(joint.mimic for joint in joints)


@robots
def test_laws_of_verify(name: str) -> None:
    """M = M', dM/dt = C + C', power, Lagrange, momenta, inverse pairs, derivatives: all lanes."""
    robot = robot_of(name)
    ways = {way for row in LAWFUL for way in QUANTITIES[row].formulations_of(robot)}
    lanes = [*ways, "graph", "complex step"]
    found = verify(robot, LAWFUL, lanes=lanes, samples=1, oracles=False)
    assert found.passed, "\n".join(str(check) for check in found.failures)
    laws = [check.lane for check in found.checks if check.passed and check.lane.startswith("law: ")]
    for law in ("M = M'", "dM/dt = C + C'", "power: v' tau", "inverse_dynamics gives tau back"):
        assert any(law in lane for lane in laws), law


@robots
def test_mass_matrix_is_positive_definite(name: str) -> None:
    """Its factors exist, and no eigenvalue, the diagonal scaled to one, is rounding only."""
    robot = robot_of(name)
    M = evaluate(robot, "mass_matrix", q=states_of(robot)["q"])
    assert np.array_equal(M, np.swapaxes(M, -1, -2))
    assert np.all(np.linalg.cholesky(M).diagonal(axis1=-2, axis2=-1) > 0.0)
    # the largest eigenvalue is at least one
    assert np.all(conditions(M) * robot.nv * EPS < 1.0)


@robots
def test_forward_inverts_inverse(name: str) -> None:
    """To 100 roundings for each coordinate, times M's condition, its diagonal scaled to one."""
    robot = robot_of(name)
    s = states_of(robot)
    M = evaluate(robot, "mass_matrix", q=s["q"])
    size = np.sqrt(np.diagonal(M, axis1=-2, axis2=-1))
    tau = evaluate(robot, "inverse_dynamics", q=s["q"], v=s["v"], a=s["a"])
    allowed = 100 * robot.nv * EPS * np.max(conditions(M))
    for way in QUANTITIES["forward_dynamics"].formulations_of(robot):
        a = evaluate(robot, "forward_dynamics", formulation=way, q=s["q"], v=s["v"], tau=tau)
        assert worst(a * size, s["a"] * size) <= allowed, way


@robots
def test_derivatives_are_differences_through_integrate(name: str) -> None:
    """Central ones: what halving the step changes, and what rounding the forces amounts to."""
    robot = robot_of(name)
    q, v, a = (states_of(robot)[x][0] for x in ("q", "v", "a"))

    def difference(step: float) -> np.ndarray:
        d = step * np.concatenate([np.eye(robot.nv), -np.eye(robot.nv)])
        ends = evaluate(robot, "integrate", q=q, d=d)
        there, back = np.split(evaluate(robot, "inverse_dynamics", q=ends, v=v, a=a), 2)
        return (there - back).T / (2.0 * step)

    single, double = difference(STEP), difference(2.0 * STEP)
    largest = np.abs(evaluate(robot, "inverse_dynamics", q=q, v=v, a=a)).max()
    rounding = 100 * EPS * largest / STEP
    allowed = 2.0 * np.abs(double - single) / 3.0 + rounding
    for way in QUANTITIES["inverse_dynamics_dq"].formulations_of(robot):
        ours = evaluate(robot, "inverse_dynamics_dq", formulation=way, q=q, v=v, a=a)
        assert np.all(np.abs(ours - single) <= allowed), way


@pytest.mark.parametrize("name", FREE)
def test_momentum_is_kept_in_free_flight(name: str) -> None:
    """Whatever the joints do, without weight and with nothing at the base: to the scheme's order.

    Then half the step leaves a sixteenth of the drift, up to terms of the next order. The centre of
    mass flies straight.
    """
    robot = replace(FREE[name](), gravity=(0.0, 0.0, 0.0))
    start = {key: x[0] for key, x in sample_states(robot, 1, seed=3).items()}
    inertias = np.diag(evaluate(robot, "mass_matrix", q=start["q"]))
    tau = np.concatenate([np.zeros(6), (inertias * start["tau"])[6:]])
    time = 0.2

    def flight(steps: int) -> tuple[np.ndarray, np.ndarray]:
        q, v = start["q"], start["v"]
        for _ in range(steps):
            end = evaluate(robot, "step_rk4", q=q, v=v, tau=tau, h=time / steps)
            q, v = np.split(end, [robot.nq])
        momentum = evaluate(robot, "centroidal_momentum", q=q, v=v)
        return momentum, evaluate(robot, "center_of_mass", q=q)

    (kept, place), (coarse, there), (fine, nearer) = (flight(steps) for steps in (0, 10, 20))
    straight = place + time * kept[3:] / robot.moving_mass
    for off, half in (
        (coarse[:3] - kept[:3], fine[:3] - kept[:3]),
        (coarse[3:] - kept[3:], fine[3:] - kept[3:]),
        (there - straight, nearer - straight),
    ):
        order = np.log2(np.linalg.norm(off) / np.linalg.norm(half))
        assert order == pytest.approx(4.0, abs=0.25)
    assert worst(fine[None], kept[None]) <= 1e-6


@robots
def test_nothing_resists_unless_asked(name: str) -> None:
    """Damping and friction that a file states are kept, and count once they are switched on."""
    robot = robot_of(name)
    rough = replace(robot, links=tuple(resisting(link) for link in robot.links))
    q, v, a = (states_of(robot)[x] for x in ("q", "v", "a"))
    tau = evaluate(robot, "inverse_dynamics", q=q, v=v, a=a)
    assert np.array_equal(evaluate(rough, "inverse_dynamics", q=q, v=v, a=a), tau)
    counted = rough.with_friction(smoothing=0.1)
    assert np.all(np.sum((evaluate(counted, "inverse_dynamics", q=q, v=v, a=a) - tau) * v, 1) > 0.0)


def resisting(link: Link) -> Link:
    if link.joint is None or not link.joint.moves:
        return link
    return replace(link, joint=replace(link.joint, damping=0.3, friction=0.2))


def test_a_massless_base_that_floats_is_refused_by_name() -> None:
    """It can turn about the joint that it carries while nothing else moves."""
    robot = with_base(gripper(), "floating")
    q, v, _ = (states_of(robot)[x] for x in ("q", "v", "a"))
    with pytest.raises(ArgumentError, match=r"singular: root\.wy, .*lift can move together"):
        evaluate(robot, "forward_dynamics", q=q, v=v, tau=v)
