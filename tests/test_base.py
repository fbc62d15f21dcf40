"""Bases and joints of several degrees of freedom: from files, by `with_base`, and at boundaries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import flying
from peer import Peer, columns, neutral, state, worst
from scalars import EPS, array, vector
from urdf_text import messages, one_joint

import symkin
from symkin.algebra import constant
from symkin.algorithms import aba, crba, rnea
from symkin.errors import ArgumentError, ModelError
from symkin.evaluate import push_forward
from symkin.model import BaseKind, Robot, load, prepare, with_base
from symkin.model.base import planar_chain
from symkin.model.conventions import DRAKE, MUJOCO, PINOCCHIO, Convention
from symkin.quantities import bind
from symkin.spatial import Pose, rotation_zyx

CASES = Path(__file__).parent / "cases"
TRUNK = CASES / "K08_floating_base_velocity_frame" / "robot.urdf"
DYNAMICS = 1000 * EPS
"""Relative: dynamics of a dozen links sum some hundred rounded products."""

BOX = (
    '<robot name="box"><link name="box"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" iyz="0.2" ixz="0.3"/></inertial></link></robot>'
)


# What with_base makes


@pytest.mark.parametrize(
    ("kind", "joints", "nq", "nv"),
    [
        ("fixed", [], 6, 6),
        ("floating", ["root"], 13, 12),
        (
            "floating_zyx",
            ["root.x", "root.y", "root.z", "root.yaw", "root.pitch", "root.roll"],
            12,
            12,
        ),
        ("planar", ["root.x", "root.y", "root.angle"], 9, 9),
    ],
)
def test_bases(kind: BaseKind, joints: list[str], nq: int, nv: int) -> None:
    arm = load("ur5")
    robot = load("ur5", base=kind)
    assert (robot.nq, robot.nv) == (nq, nv)
    assert robot.joint_names == (*joints, *arm.joint_names)
    assert robot.tips == arm.tips
    assert set(arm.frame_names) <= set(robot.frame_names)
    if kind == "fixed":
        assert robot.digest == arm.digest
    else:
        assert robot.links[0].name == "world"
        assert robot.moving_mass == pytest.approx(sum(x.inertia.mass for x in arm.links))
        assert "root" in str(robot)


def test_a_base_at_home_changes_no_pose() -> None:
    arm, tip = load("fr3"), load("fr3").tips[0]
    q = np.linspace(-0.5, 0.7, arm.nq)
    there = symkin.evaluate(arm, "forward_kinematics", q=q, frame=tip)
    for kind in ("floating", "floating_zyx", "planar"):
        robot = with_base(arm, kind)
        full = neutral(robot)
        full[-arm.nq :] = q
        T = symkin.evaluate(robot, "forward_kinematics", q=full, frame=tip)
        assert worst(T, there) <= 20 * EPS


def test_names_that_are_taken() -> None:
    text = BOX.replace('name="box"', 'name="world"', 2).replace(
        'robot name="world"', 'robot name="r"'
    )
    assert load(text, base="floating").link_names == ("universe", "world")
    taken = load(text).with_frame("universe", "world", Pose.identity())
    with pytest.raises(ModelError, match="r: 'world', 'universe' are taken; rename one"):
        with_base(taken, "planar")
    hinged = load(one_joint().replace('name="j"', 'name="root"'), base="floating")
    assert hinged.joint_names == ("root_joint", "root")


def test_a_second_base_is_refused() -> None:
    robot = load(BOX, base="floating")
    with pytest.raises(ModelError, match="box: joint 'root' lets it float already"):
        with_base(robot, "planar")
    with pytest.raises(ArgumentError, match="no base 'free'; there are 'fixed', 'floating'"):
        load(BOX, base="free")  # type: ignore[arg-type]


def test_names_of_entries() -> None:
    robot = flying()
    assert robot.position_names == (
        *("free.x", "free.y", "free.z", "free.qx", "free.qy", "free.qz", "free.qw"),
        *("hinge", "ball.qx", "ball.qy", "ball.qz", "ball.qw"),
    )
    assert robot.velocity_names == (
        *("free.wx", "free.wy", "free.wz", "free.vx", "free.vy", "free.vz"),
        *("hinge", "ball.wx", "ball.wy", "ball.wz"),
    )
    assert robot.quaternions == (3, 8)
    q, v = bind(robot, "twist_body", frame="hand").inputs
    assert (q.labels, v.labels) == (robot.position_names, robot.velocity_names)
    assert (q.quaternions, v.quaternions) == ((3, 8), ())
    q, v, _ = state(robot, 0)
    named = {
        "q": dict(zip(robot.position_names, q, strict=True)),
        "v": dict(zip(robot.velocity_names, v, strict=True)),
    }
    by_name = symkin.evaluate(robot, "twist_body", frame="hand", **named)
    assert (by_name == symkin.evaluate(robot, "twist_body", frame="hand", q=q, v=v)).all()


# Dynamics on bases, and after preparing


@pytest.mark.parametrize("kind", ["floating", "floating_zyx", "planar"])
@pytest.mark.parametrize("source", ["tree12", TRUNK], ids=["tree12", "trunk"])
def test_dynamics_on_a_base_are_those_of_pinocchio(source: str | Path, kind: BaseKind) -> None:
    robot = load(source, base=kind, snap="off")
    peer, (q, v, a) = Peer(robot), state(robot, 1)
    M, tau = peer.mass_matrix(q), peer.inverse_dynamics(q, v, a)
    for made in (robot, prepare(robot)):
        own = columns(q, v, a)
        assert worst(crba.mass_matrix(made, own[0]), M) <= DYNAMICS
        assert worst(rnea.inverse_dynamics(made, *own), tau) <= DYNAMICS
        back = aba.forward_dynamics_articulated(made, *own[:2], vector(tau))
        assert worst(back, a) <= DYNAMICS * np.linalg.cond(M)


def test_preparing_welds_links_of_a_floating_robot() -> None:
    robot = load("fr3", base="floating")
    prepared = prepare(robot)
    assert len(prepared.links) < len(robot.links)
    assert prepared.joints[0].kind == "floating"
    assert set(prepared.frame_names) >= set(robot.frame_names)


@pytest.mark.parametrize("kind", ["floating_zyx", "planar"])
def test_a_chain_moves_as_the_floating_joint_it_stands_for(kind: BaseKind) -> None:
    """M of the chain is J' M J, with the twist J v that its rates give the base."""
    chain, free = load("ur5", base=kind), load("ur5", base="floating")
    q = state(chain, 2)[0]
    base, own = "base_link", chain.nq - 6
    J = symkin.evaluate(chain, "jacobian_body", frame=base, q=q)[:, :own]
    T = symkin.evaluate(chain, "forward_kinematics", frame=base, q=q)
    if kind == "floating_zyx":
        yaw, pitch, roll = q[3:6]
        assert worst(rotation_zyx(vector([roll, pitch, yaw])), T[:3, :3]) <= 10 * EPS
    twist = np.block([[J, np.zeros((6, 6))], [np.zeros((6, own)), np.eye(6)]])
    w = symkin.evaluate(chain, "pose_rotvec", frame=base, q=q)[:3]
    angle = np.linalg.norm(w)
    quaternion = [*(w / angle * np.sin(angle / 2)), np.cos(angle / 2)]
    full = np.concatenate([T[:3, 3], quaternion, q[own:]])
    M = array(crba.mass_matrix(free, vector(full)))
    assert worst(crba.mass_matrix(chain, vector(q)), twist.T @ M @ twist) <= DYNAMICS


# Planar and floating joints of files


@pytest.mark.parametrize(
    ("normal", "first"),
    [
        ((0, 0, 1), (1, 0, 0)),
        ((0, 0, -1), (1, 0, 0)),
        ((0, 1, 0), (1, 0, 0)),
        ((1, 0, 0), (0, 1, 0)),
        ((0.6, 0, 0.8), (0, 1, 0)),
        ((0.48, 0.6, 0.64), (0.8772685, -0.3282917, -0.3501779)),
    ],
)
def test_directions_of_a_planar_joint(normal: tuple[float, ...], first: tuple[float, ...]) -> None:
    x, y, angle = planar_chain("p", Pose.identity(), constant(normal))
    axes = np.hstack([array(joint.axis) for joint in (x, y, angle)])
    assert np.abs(axes[:, 0] - first).max() <= 1e-6
    assert np.abs(axes[:, 2] - normal).max() == 0.0
    assert np.abs(axes.T @ axes - np.eye(3)).max() <= 4 * EPS
    assert np.linalg.det(axes) > 0.0


def test_a_planar_joint_of_a_file_is_a_chain() -> None:
    inside = '<origin xyz="1 2 3"/><axis xyz="0 0 2"/><limit effort="1" velocity="1"/>'
    robot = load(one_joint(inside, kind="planar"))
    assert robot.joint_names == ("j.x", "j.y", "j.angle")
    assert robot.link_names == ("base", "j.x", "j.y", "a")
    T = symkin.evaluate(robot, "forward_kinematics", q=[0.1, 0.2, np.pi / 2])
    assert worst(T, [[0, -1, 0, 1.1], [1, 0, 0, 2.2], [0, 0, 1, 3], [0, 0, 0, 1]]) <= 2 * EPS
    assert messages(robot, "ignored") == ["<text>:4: joint 'j': <limit> of a planar joint"]


def test_a_floating_joint_of_a_file() -> None:
    robot = load(one_joint('<axis xyz="0 0 0"/><dynamics damping="1"/>', kind="floating"))
    assert (robot.nq, robot.nv) == (7, 6)
    assert "j (floating, q[0] to q[6]) -> a" in str(robot)
    assert messages(robot, "ignored") == [
        "<text>:4: joint 'j': <axis> of a floating joint",
        "<text>:4: joint 'j': <dynamics> of a floating joint",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (one_joint(kind="ball"), "'j'.*URDF has no such type; .* in series, or .* in Python"),
        (one_joint('<mimic joint="j"/>', kind="planar"), "'j'.*only joints of one coordinate"),
        (one_joint('<mimic joint="j"/>', kind="floating"), "'j'.*only joints of one coordinate"),
        (
            one_joint('<axis xyz="0 0 0"/>', kind="planar"),
            "'j': <axis xyz='0 0 0'>: .*not zero",
        ),
        (
            one_joint(kind="planar").replace('link name="base"', 'link name="j.x"'),
            "'j'.*its chain needs the name of link 'j.x'; rename",
        ),
    ],
)
def test_joints_of_files_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(text)


def test_a_spherical_joint_of_a_table() -> None:
    rows = [
        {"type": "R", "a": 0.5, "alpha": 0.3, "d": 0.1},
        {"type": "S", "a": 0.2, "alpha": -0.4, "m": 1.0, "I": [1, 1, 1, 0, 0, 0]},
    ]
    ball = load(json.dumps({"links": rows, "convention": "standard"}))
    assert (ball.nq, ball.nv) == (5, 4)
    hinge = load(
        json.dumps({"links": [rows[0], {**rows[1], "type": "R"}], "convention": "standard"})
    )
    expect = symkin.evaluate(hinge, "forward_kinematics", q=[0.3, 0.8])
    q = [0.3, 0.0, 0.0, np.sin(0.4), np.cos(0.4)]
    assert worst(symkin.evaluate(ball, "forward_kinematics", q=q), expect) <= 4 * EPS
    rows[1]["d"] = 0.1
    with pytest.raises(ModelError, match="row 2: unknown key 'd'"):
        load(json.dumps({"links": rows, "convention": "standard"}))


# Quaternions where numbers come in


def boundary(way: str, robot: Robot, tmp_path: Path) -> Any:
    """Forward kinematics of the hand by one of the ways in for numbers."""
    if way == "evaluate":
        return lambda q: symkin.evaluate(robot, "forward_kinematics", frame="hand", q=q)
    graph = symkin.trace(robot, "forward_kinematics", frame="hand")
    if way == "graph":
        return lambda q: graph.evaluate({"q": q})["T"]
    library = symkin.build(symkin.emit_c(graph, name="flying"), cache=tmp_path)
    return library[graph.name]


@pytest.mark.parametrize("way", ["evaluate", "graph", "library"])
def test_quaternions_are_scaled_or_refused(way: str, tmp_path: Path) -> None:
    robot = flying()
    compute = boundary(way, robot, tmp_path)
    q = state(robot, 3)[0]
    expect = compute(q)
    scaled = np.tile(q, (3, 1))
    scaled[:, 3:7] *= np.array([2.0, -1.0, 1e-3])[:, None]
    scaled[:, 8:12] *= np.array([1e6, 3.0, -1.0])[:, None]
    for T in compute(scaled):
        assert worst(T, expect) <= 20 * EPS
    q[8:12] = 0.0
    with pytest.raises(
        ArgumentError, match=r"q: the quaternion \(x, y, z, w\) of joint 'ball' has"
    ):
        compute(q)
    q[8:12] = np.nan
    assert np.isnan(compute(q)).any()


def test_derivatives_of_quaternions_of_any_length() -> None:
    """Those of the scaled quaternion along what the given one does."""
    robot = flying()
    instance = bind(robot, "forward_kinematics", frame="hand")
    random = np.random.default_rng(4)
    q, d = random.normal(size=(2, robot.nq))
    value, tangent = push_forward(instance, {"q": q}, {"q": d})
    assert worst(value, symkin.evaluate(robot, "forward_kinematics", frame="hand", q=q)) <= 4 * EPS
    step = 1e-40
    stepped = symkin.evaluate(robot, "forward_kinematics", frame="hand", q=q + 1j * step * d)
    assert worst(tangent, stepped.imag / step) <= 50 * EPS


def test_generated_c_says_whose_duty_quaternions_are() -> None:
    graphs = [symkin.trace(flying(), "twist_body", frame="hand")]
    text = "".join(symkin.emit_c(graphs, name="flying").files.values())
    flat = " ".join(text.replace("*", " ").split())
    assert "quaternions (x, y, z, w) of unit length; rad | m; not normalised here." in flat
    assert "Order of q: free.x, free.y, free.z, free.qx," in flat
    assert "Order of v: free.wx, free.wy, free.wz, free.vx," in flat


# Conventions of others


CONVENTIONS = [PINOCCHIO, MUJOCO, DRAKE]


@pytest.mark.parametrize("other", CONVENTIONS, ids=lambda c: c.name)
def test_conversions_come_back(other: Convention) -> None:
    robot = flying()
    q, v, a = columns(*state(robot, 5))
    assert worst(other.q_from(robot, other.q_of(robot, q)), array(q)) == 0.0
    v_theirs, tau_theirs = other.v_of(robot, q, v), other.tau_of(robot, q, a)
    # R'R is the identity as far as q'q is 1, to some roundings of either.
    assert worst(other.v_from(robot, q, v_theirs), array(v)) <= 20 * EPS
    assert worst(other.tau_from(robot, q, tau_theirs), array(a)) <= 20 * EPS
    assert worst(other.a_from(robot, q, v, other.a_of(robot, q, v, a)), array(a)) <= 20 * EPS
    power, expect = (v_theirs.T @ tau_theirs)[0, 0], (v.T @ a)[0, 0]
    assert abs(power - expect) <= 20 * EPS * sum(abs(x * y) for x, y in zip(v, a, strict=True))


def test_velocities_of_other_conventions_by_what_they_mean() -> None:
    robot = flying()
    q, v, a = state(robot, 6)
    place = {"frame": "base", "q": q, "v": v}
    W = symkin.evaluate(robot, "twist_position", **place)
    A = symkin.evaluate(robot, "acceleration_classical_position", **place, a=a)
    state_ = columns(q, v)
    drake = array(DRAKE.v_of(robot, *state_)).ravel()
    mujoco = array(MUJOCO.v_of(robot, *state_)).ravel()
    assert worst(drake[:6], W) <= 10 * EPS
    assert worst(mujoco[:6], np.concatenate([W[3:], v[:3]])) <= 10 * EPS
    drake = array(DRAKE.a_of(robot, *state_, vector(a))).ravel()
    mujoco = array(MUJOCO.a_of(robot, *state_, vector(a))).ravel()
    assert worst(drake[:6], A) <= 20 * EPS
    assert worst(mujoco[:6], np.concatenate([A[3:], a[:3]])) <= 20 * EPS
    x = array(MUJOCO.q_of(robot, vector(q))).ravel()
    assert (x[:7] == [*q[:3], q[6], *q[3:6]]).all()
    x = array(DRAKE.q_of(robot, vector(q))).ravel()
    assert (x[:7] == [q[6], *q[3:6], *q[:3]]).all()


def test_mujoco_agrees_on_a_floating_robot() -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = load(TRUNK, base="floating")
    spec = mujoco.MjSpec.from_file(str(TRUNK))
    spec.compiler.fusestatic = False
    spec.body("trunk").add_freejoint()
    model = spec.compile()
    data = mujoco.MjData(model)
    q, v, a = state(robot, 7)
    own = columns(q, v, a)
    data.qpos[:] = array(MUJOCO.q_of(robot, own[0])).ravel()
    data.qvel[:] = array(MUJOCO.v_of(robot, *own[:2])).ravel()
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    X = MUJOCO.velocity_map(robot, own[0])
    # MuJoCo keeps the principal moments of each inertia and the quaternion to them, in 1e-15.
    assert worst(X @ crba.mass_matrix(robot, own[0]) @ X.T, M) <= DYNAMICS
    data.qacc[:] = array(MUJOCO.a_of(robot, *own)).ravel()
    mujoco.mj_inverse(model, data)
    tau = MUJOCO.tau_of(robot, own[0], rnea.inverse_dynamics(robot, *own))
    assert worst(tau, data.qfrc_inverse) <= DYNAMICS


def case_k08() -> list[Any]:
    data = json.loads((TRUNK.parent / "expected.json").read_text(encoding="utf-8"))["checks"]
    return [c for c in data if c["op"] in ("rnea", "M")]


@pytest.mark.parametrize("check", case_k08(), ids=lambda c: c["name"])
def test_case_of_base_velocities(check: dict[str, Any]) -> None:
    """The cases' velocities are linear first, in the body's axes or, mixed, as MuJoCo's."""
    robot = load(TRUNK, base="floating")
    given = check["in"]
    other = {"body": PINOCCHIO, "world_lin_body_ang": MUJOCO}[given["base_velocity"]]
    q = vector(given["q"])
    if check["op"] == "M":
        X = other.velocity_map(robot, q)
        value = X @ crba.mass_matrix(robot, q) @ X.T
    else:
        v = other.v_from(robot, q, vector(given["qd"]))
        a = other.a_from(robot, q, v, vector(given["qdd"]))
        value = other.tau_of(robot, q, rnea.inverse_dynamics(robot, q, v, a))
    expect = np.array(check["expect"])
    error = np.abs(array(value).reshape(expect.shape) - expect)
    assert (error <= check["atol"] + check["rtol"] * np.abs(expect)).all()
