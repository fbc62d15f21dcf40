"""Numbers of a robot as inputs: nominal ones change nothing, others do what a new robot would."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import casadi
import numpy as np
import pytest
from movers import flying
from peer import columns, state, worst
from scalars import EPS, array, complex_step, dual, vector
from test_friction import resisting

import symkin
from symkin.algebra import Matrix, constant, symbols, to_sx
from symkin.algorithms import aba, crba, rnea
from symkin.algorithms.momentum import potential_energy
from symkin.algorithms.regressor import inverse_dynamics_regressor
from symkin.errors import ArgumentError
from symkin.model import Robot, load, prepare
from symkin.model.parameters import parameter, parameter_names, parameters, with_parameters
from symkin.spatial import INERTIAL, Inertia, Pose, rotation_zyx

DYNAMICS = 1000 * EPS


def arm() -> Robot:
    """A UR5 with a tool that is turned, resisting joints and smoothed friction."""
    pose = Pose(rotation_zyx(constant([0.3, -0.5, 0.7])), constant([0.1, 0.2, 0.3]))
    robot = load("ur5").with_frame("gripper", "tool0", pose)
    links = [
        replace(link, joint=replace(link.joint, damping=0.5, friction=0.3, armature=0.1))
        if link.joint is not None and link.moves
        else link
        for link in robot.links
    ]
    return replace(robot, links=tuple(links)).with_friction(smoothing=0.1)


ROBOTS = {"arm": arm, "flying": lambda: resisting().with_friction(smoothing=0.1)}


def numbers(robot: Robot, names: list[str], changed: dict[str, Any]) -> list[Matrix]:
    """A column of run-time numbers for each parameter: the changed ones, else the nominal."""
    return [vector(changed.get(p.name, p.nominal)) for p in parameters(robot, names)]


def tau(robot: Robot, seed: int = 0) -> np.ndarray:
    return array(rnea.inverse_dynamics(robot, *columns(*state(robot, seed))))


@pytest.mark.parametrize("name", ROBOTS)
def test_nominal_values_change_nothing(name: str) -> None:
    robot = ROBOTS[name]()
    for each in parameter_names(robot):
        p = parameter(robot, each)
        assert p.size == len(p.labels) == len(p.nominal)
        same = p.apply(robot, vector(p.nominal))
        assert worst(tau(same), tau(robot)) <= 100 * EPS, each
        assert worst(tau(prepare(same)), tau(robot)) <= 100 * EPS, each
        assert same.frame_names == robot.frame_names


def test_what_a_robot_has() -> None:
    robot = arm()
    names = parameter_names(robot)
    assert names[:4] == ("gravity", "armature", "damping", "friction")
    assert {"payload", "payload:gripper", "payload:tool0", "tool:gripper", "tool:tool0"} <= set(
        names
    )
    assert "tool:forearm_link" not in names
    assert {"mass:forearm_link", "com:forearm_link", "inertia:forearm_link"} <= set(names)
    assert parameter(robot, "inertia:forearm_link").labels == INERTIAL
    assert parameter(robot, "friction").labels == robot.joint_names
    assert parameter(robot, "tool:gripper").nominal == pytest.approx(
        [0.1, 0.2, 0.3, 0.3, -0.5, 0.7]
    )
    assert parameter(robot, "mass:forearm_link").nominal == (2.33,)
    assert "payload" not in parameter_names(load("tree12"))
    assert parameter(flying(), "damping").labels == ("free", "hinge", "ball", "tail")


def test_gravity() -> None:
    robot = arm()
    moved = with_parameters(robot, ["gravity"], [vector([1.0, 2.0, 3.0])])
    expect = robot.with_gravity((1.0, 2.0, 3.0))
    assert worst(tau(moved), tau(expect)) == 0.0
    q = columns(*state(robot, 1))[0]
    assert worst(potential_energy(moved, q), array(potential_energy(expect, q))) == 0.0


@pytest.mark.parametrize("frame", ["gripper", "tool0", "forearm_link"])
def test_payloads_are_those_of_with_payload(frame: str) -> None:
    robot = arm()
    com, moments = (0.1, -0.05, 0.2), (0.02, 0.03, 0.04, 0.001, 0.002, -0.003)
    expect = robot.with_payload(1.5, com, frame, moments)
    body = Inertia.of_body(1.5, constant(com), tensor(moments))
    pi = [float(x) for x in body.parameters]
    names = [f"payload:{frame}"]
    carried = with_parameters(robot, names, numbers(robot, names, {names[0]: pi}))
    assert worst(tau(carried), tau(expect)) <= 100 * EPS
    if frame == "gripper":
        only = with_parameters(robot, ["payload"], [vector(pi)])
        assert worst(tau(only), tau(expect)) <= 100 * EPS


def tensor(moments: tuple[float, ...]) -> Matrix:
    xx, yy, zz, xy, yz, xz = moments
    return constant([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_masses_and_centres_of_mass() -> None:
    robot = arm()
    link, k = "forearm_link", robot.link_index("forearm_link")
    old = robot.links[k].inertia
    new = Inertia.of_body(3.5, constant([0.1, 0.2, 0.3]), old.tensor)
    links = [replace(x, inertia=new) if i == k else x for i, x in enumerate(robot.links)]
    expect = tau(replace(robot, links=tuple(links)))
    changed = {f"mass:{link}": [3.5], f"com:{link}": [0.1, 0.2, 0.3]}
    for names in ([*changed], [*reversed(changed)]):
        made = with_parameters(robot, names, numbers(robot, names, changed))
        assert worst(tau(made), expect) <= 100 * EPS
    names = [f"inertia:{link}"]
    pi = [float(x) for x in new.parameters]
    made = with_parameters(robot, names, numbers(robot, names, {names[0]: pi}))
    assert worst(tau(made), expect) <= 100 * EPS


def test_a_link_without_mass_may_get_some() -> None:
    robot = load("ur5")
    k = robot.link_index("tool0")
    assert robot.links[k].inertia.mass == 0.0
    names = ["com:tool0", "mass:tool0"]
    made = with_parameters(robot, names, [vector([0.1, 0.0, 0.2]), vector([0.5])])
    expect = robot.with_payload(0.5, (0.1, 0.0, 0.2), "tool0")
    assert worst(tau(prepare(made)), tau(expect)) <= 100 * EPS


def test_tools() -> None:
    robot = arm()
    offset = [0.3, 0.2, 0.1, -0.4, 0.5, 0.6]
    pose = Pose(rotation_zyx(constant(offset[3:])), constant(offset[:3]))
    q = state(robot, 2)[0]
    made = with_parameters(robot, ["tool:gripper"], [vector(offset)])
    expect = load("ur5").with_frame("gripper", "tool0", pose)
    place = {"frame": "gripper", "q": q}
    T = symkin.evaluate(expect, "forward_kinematics", **place)
    for there in (made, prepare(made)):
        assert worst(symkin.evaluate(there, "forward_kinematics", **place), T) <= 20 * EPS
    moved = with_parameters(robot, ["tool:tool0"], [vector(offset)])
    flange = symkin.evaluate(robot, "forward_kinematics", frame="wrist_3_link", q=q)
    T = symkin.evaluate(moved, "forward_kinematics", frame="tool0", q=q)
    assert worst(T, flange @ array(pose.matrix())) <= 20 * EPS
    # a payload hangs on the tool that the other parameter puts somewhere
    names = ["payload:gripper", "tool:gripper"]
    both = with_parameters(robot, names, [vector([1.0] + [0.0] * 9), vector(offset)])
    loaded = with_parameters(robot, names[1:], [vector(offset)]).with_payload(1.0, frame="gripper")
    assert worst(tau(both), tau(loaded)) <= 100 * EPS


@pytest.mark.parametrize("name", ROBOTS)
def test_drives(name: str) -> None:
    robot = ROBOTS[name]()
    random = np.random.default_rng(3)
    sizes = {kind: parameter(robot, kind).size for kind in ("armature", "damping", "friction")}
    given = {kind: random.uniform(0.1, 1.0, size=n) for kind, n in sizes.items()}
    made = with_parameters(robot, [*given], numbers(robot, [*given], given))
    links, k = [], 0
    for link in robot.links:
        if link.joint is not None and link.moves:
            values = {kind: float(given[kind][k]) for kind in given}
            link, k = replace(link, joint=replace(link.joint, **values)), k + 1
        links.append(link)
    assert worst(tau(made), tau(replace(robot, links=tuple(links)))) <= 20 * EPS


def test_damping_as_a_parameter_is_counted() -> None:
    robot = load("planar_2r")
    made = with_parameters(robot, ["damping"], [vector([2.0, 3.0])])
    v = state(robot, 0)[1]
    assert worst(tau(made) - tau(robot), (v * [2.0, 3.0])[:, None]) <= 100 * EPS


# Symbols, and derivatives with respect to parameters


NAMES = ["gravity", "payload", "mass:forearm_link", "com:forearm_link", "tool:gripper", "friction"]


def test_symbolic_parameters_give_the_same_numbers() -> None:
    robot = arm()
    given = parameters(robot, NAMES)
    sx = [symbols(f"p{k}", p.size) for k, p in enumerate(given)]
    state_ = [symbols(name, 6) for name in "qva"]
    made = prepare(with_parameters(robot, NAMES, sx))
    tau_sx = rnea.inverse_dynamics(made, *state_)
    fd_sx = aba.forward_dynamics_articulated(made, *state_)
    f = casadi.Function("f", [to_sx(x) for x in (*state_, *sx)], [to_sx(tau_sx), to_sx(fd_sx)])
    random = np.random.default_rng(4)
    values = [np.array(p.nominal) + 0.1 * random.uniform(size=p.size) for p in given]
    values[1] = [0.5, 0.01, 0.02, 0.03, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0]
    numeric = with_parameters(robot, NAMES, [vector(x) for x in values])
    q, v, a = state(robot, 5)
    own = columns(q, v, a)
    expect = array(rnea.inverse_dynamics(numeric, *own))
    traced, solved = (np.array(x) for x in f(q, v, a, *values))
    assert worst(traced, expect) <= DYNAMICS
    condition = np.linalg.cond(array(crba.mass_matrix(numeric, own[0])))
    expect = array(aba.forward_dynamics(numeric, *own))
    assert worst(solved, expect) <= DYNAMICS * condition


def test_derivatives_along_inertias_are_columns_of_the_regressor() -> None:
    robot = load("tree12", base="floating")
    link = robot.links[2].name
    p = parameter(robot, f"inertia:{link}")
    own = columns(*state(robot, 6))

    def f(pi: Matrix) -> Matrix:
        return rnea.inverse_dynamics(prepare(p.apply(robot, pi)), *own)

    Y = array(inverse_dynamics_regressor(robot, *own))[:, 10:20]
    nominal = np.array(p.nominal)
    for along in (dual, complex_step):
        columns_ = np.hstack([along(f, nominal, e) for e in np.eye(10)])
        assert worst(columns_, Y) <= DYNAMICS


# Messages


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["mas:forearm_link"], "no parameter 'mas:forearm_link'; did you mean 'mass:forearm_link'"),
        (["colour"], "no parameter 'colour'; there are gravity, armature, damping, friction, mass"),
        (["tool:forearm_link"], "no parameter 'tool:forearm_link'"),
        (["gravity", "gravity"], "parameters 'gravity' and 'gravity' both set gravity; keep one"),
        (["payload", "payload:gripper"], "both set the payload at 'gripper'; keep one"),
        (
            ["mass:forearm_link", "inertia:forearm_link"],
            "'mass:forearm_link' and 'inertia:forearm_link' both set the mass of 'forearm_link'",
        ),
    ],
)
def test_names_that_do_not_do(names: list[str], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        parameters(arm(), names)


def test_friction_that_jumps_is_no_parameter() -> None:
    with pytest.raises(ArgumentError, match=r"say first .* robot\.with_friction\(smoothing="):
        parameter(load("ur5"), "friction")
