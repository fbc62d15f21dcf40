"""Kinds of trouble that no small file shows, and what the siblings' right answers rest on."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import case_oracle
import numpy as np
import pytest
from case_adapter import ROUNDING, Check, Given, agree, checks

import symkin
from symkin.errors import ModelError
from symkin.graph import Graph
from symkin.model import Robot

CHECKS = checks()
ASKED = [c for c in CHECKS if c.op in case_oracle.OF_ROBOT and not c.floats]


def test_the_oracle_gives_what_other_libraries_gave() -> None:
    given = [
        c
        for c in ASKED
        if c.folder.parent.name == "cases"
        and ("file" in c.given or "files" in c.given)
        and not c.may_be_refused
    ]
    assert len(given) > 150
    for check in given:
        agree(case_oracle.answer(check.folder, check.case, check.data), check.data)


@pytest.mark.parametrize(
    "name", ["U05_crooked_chain", "U11_welded_everywhere", "U17_many_turns", "K01_sliding_arm"]
)
def test_pinocchio_agrees_with_the_oracle(name: str) -> None:
    pin = pytest.importorskip("pinocchio")
    references = {
        "lwa": pin.LOCAL_WORLD_ALIGNED,
        "space": pin.WORLD,
        "body": pin.LOCAL,
    }
    compared = 0
    for check in ASKED:
        if check.folder.name != name or check.op not in ("fk", "jac", "jdot"):
            continue
        model = pin.buildModelFromUrdf(str(check.folder / check.given["file"]))
        data, frame = model.createData(), model.getFrameId(check.given["frame"])
        places = [model.joints[model.getJointId(joint)] for joint in check.case["joint_order"]]
        q, v = pin.neutral(model), np.zeros(model.nv)
        turn = zip(places, check.given["q"], check.given.get("qd", v), strict=True)
        for joint, angle, rate in turn:
            own = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
            q[joint.idx_q : joint.idx_q + joint.nq] = own
            v[joint.idx_v] = rate
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        if check.op == "fk":
            value = data.oMf[frame].homogeneous
        else:
            of_op = {"jac": pin.getFrameJacobian, "jdot": pin.getFrameJacobianTimeVariation}
            value = of_op[check.op](model, data, frame, references[check.given["ref"]])
            value = value[:, [joint.idx_v for joint in places]]
            if check.given.get("rows") == "ang_lin":
                value = np.concatenate([value[3:], value[:3]])
        agree(value, check.expected)
        compared += 1
    assert compared >= 4


LONG = 1500
"""Links in a row: more than Python's stack has frames."""


def chain(links: int, joint: Callable[[int], str], more: Iterable[str] = ()) -> str:
    """URDF of a chain l0 - l1 - ... whose joints are given as what stands in their elements."""
    body = '<inertial><mass value="1"/><origin xyz="0.1 0 0"/></inertial>'
    parts = [f'<link name="l{i}">{body}</link>' for i in range(links)]
    parts += [
        f'<joint name="j{i}" {joint(i)}<parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(links - 1)
    ]
    return f'<robot name="chain">{"".join([*parts, *more])}</robot>'


def turning(i: int) -> str:
    axis = ("0 0 1", "0 1 0", "1 0 0")[i % 3]
    place = f'xyz="0.1 0.0{i % 7 + 1} 0.05" rpy="0.{i % 5 + 1} 0 0.2"'
    return f'type="continuous"><axis xyz="{axis}"/><origin {place}/>'


@pytest.mark.parametrize(
    "quantity",
    [
        "forward_kinematics",
        "jacobian_body",
        "jacobian_space_dot",
        "jacobian_position_dot",
        "jacobian_rotvec_dot",
        "acceleration_classical_position",
        "jacobian_center_of_mass",
    ],
)
def test_code_grows_with_the_number_of_joints(quantity: str) -> None:
    graphs = [symkin.trace(symkin.load(chain(n + 1, turning)), quantity) for n in (15, 30)]
    short, long = (len(graph.nodes) for graph in graphs)
    # Linear in n but for what the first joints save; quadratic would be four times as much.
    assert long < 2.3 * short
    assert sum(len(text) for text in symkin.emit_c(graphs[1], name="chain").files.values()) < 1e6


def test_chains_longer_than_the_stack() -> None:
    robot = symkin.load(chain(LONG, lambda i: 'type="fixed"><origin xyz="0.001 0 0"/>'))
    T = symkin.evaluate(robot, "forward_kinematics", q=[])
    length = 0.001 * (LONG - 1)
    assert abs(T[0, 3] - length) < LONG * length * 2.0**-53
    assert str(robot)


def test_rings_longer_than_the_stack() -> None:
    ends = f'<parent link="l{LONG - 1}"/><child link="l0"/>'
    back = f'<joint name="back" type="fixed">{ends}</joint>'
    with pytest.raises(ModelError, match=r"root.*loop"):
        symkin.load(chain(LONG, lambda i: 'type="fixed">', [back]))
    followers = "".join(
        f'<joint name="f{i}" type="revolute"><parent link="l{i}"/><child link="x{i}"/>'
        f'<axis xyz="0 0 1"/><mimic joint="f{(i + 1) % (LONG - 1)}"/></joint><link name="x{i}"/>'
        for i in range(LONG - 1)
    )
    with pytest.raises(ModelError, match="mimic"):
        symkin.load(chain(LONG, lambda i: 'type="fixed">', [followers]))


def test_payloads_add_to_what_is_there() -> None:
    robot = symkin.load(chain(4, turning))
    q: dict[str, Any] = {"q": [0.4, -0.8, 1.1]}
    c, T = (symkin.evaluate(robot, name, **q) for name in ("center_of_mass", "forward_kinematics"))
    nothing = robot.with_payload(0.0)
    assert nothing.moving_mass == robot.moving_mass == 3.0
    assert np.array_equal(symkin.evaluate(nothing, "center_of_mass", **q), c)
    loaded = robot.with_payload(1.5, [0.0, 0.05, 0.1])
    expected = (3.0 * c + 1.5 * (T @ [0.0, 0.05, 0.1, 1.0])[:3]) / 4.5
    assert np.abs(symkin.evaluate(loaded, "center_of_mass", **q) - expected).max() < ROUNDING


@pytest.mark.parametrize(
    "check", [c for c in ASKED if "U24" in c.id and c.op == "fk"], ids=lambda c: c.id
)
def test_states_may_be_given_by_the_names_of_joints(check: Check, tmp_path: Path) -> None:
    given = Given(check, tmp_path)
    q = dict(zip(given.joint_order, check.given["q"], strict=True))
    for names in (list(q), sorted(q), sorted(q, reverse=True)):
        named = {name: q[name] for name in names}
        value = symkin.evaluate(given.robot, "forward_kinematics", frame=given.frame, q=named)
        agree(value, check.expected)


def poses(robot: Robot, graph: Graph, q: np.ndarray) -> list[np.ndarray]:
    return [
        symkin.evaluate(robot, "forward_kinematics", q=q),
        graph.evaluate({"q": q})["T"],
    ]


def test_robots_and_graphs_go_to_spawned_processes() -> None:
    robot = symkin.load(chain(4, turning))
    graph = symkin.trace(robot, "forward_kinematics")
    q = np.array([0.4, -0.8, 1.1])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(poses, (robot, graph, q))
    assert np.array_equal(there, poses(robot, graph, q))
