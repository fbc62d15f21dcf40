"""DH tables and screws in: conventions, units, frames of bodies; one robot described four ways."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from placed import array, fk

from symkin.algebra import Matrix
from symkin.errors import ArgumentError, ModelError
from symkin.model import (
    Robot,
    body_screws,
    load,
    load_dh,
    load_screws,
    prepare,
    space_screws,
)
from symkin.spatial import Pose

CASES = Path(__file__).parent / "cases"
EPS = np.finfo(float).eps


def case(folder: str) -> dict[str, Any]:
    checks = json.loads((CASES / folder / "expected.json").read_text(encoding="utf-8"))["checks"]
    return {check["name"]: check for check in checks}


def table(folder: str, file: str = "dh.json") -> dict[str, Any]:
    return json.loads((CASES / folder / file).read_text(encoding="utf-8"))


def rows(robot: Robot) -> list[Any]:
    """All that tells robots apart, except names: joints, poses, bodies."""
    return [
        (link.joint and (link.joint.origin, link.joint.axis, link.joint.limits), link.inertia)
        for link in robot.links
    ]


def assert_same_numbers(one: Robot, other: Robot, frame: str, q: np.ndarray) -> None:
    """Equal names, limits, poses and bodies: in the root's axes, so in whatever link frames."""
    assert one.joint_names == other.joint_names
    assert [j.limits for j in one.joints] == [j.limits for j in other.joints]
    # a dozen products of numbers below 1, each rounded: some tens of eps
    np.testing.assert_allclose(fk(one, q, frame), fk(other, q, frame), rtol=0.0, atol=50 * EPS)
    for robot in (one, other):
        assert robot.tips == (frame,)
    home, also = prepare(one), prepare(other)
    for i in range(1, len(home.links)):
        a = home.links[i].inertia.seen_from(home.home[i])
        b = also.links[i].inertia.seen_from(also.home[i])
        assert a.mass == b.mass
        np.testing.assert_allclose(array(a.moment), array(b.moment), rtol=0.0, atol=50 * EPS)
        np.testing.assert_allclose(
            array(a.about_origin), array(b.about_origin), rtol=0.0, atol=50 * EPS
        )


# DH


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_one_table_two_conventions(convention: str) -> None:
    check = case("H01_dh_standard_vs_modified")[convention]
    robot = load(CASES / "H01_dh_standard_vs_modified" / "dh.json", convention=convention)
    pose = fk(robot, check["in"]["q"], "flange")
    np.testing.assert_allclose(pose, check["expect"], rtol=0.0, atol=1e-14)
    direct = load_dh(table("H01_dh_standard_vs_modified")["table"], convention)
    assert repr(rows(direct)) == repr(rows(robot))


def test_the_convention_must_be_said() -> None:
    path = CASES / "H01_dh_standard_vs_modified" / "dh.json"
    with pytest.raises(ArgumentError, match=r'dh\.json: .*say "standard" or "modified"'):
        load(path)
    with pytest.raises(ArgumentError, match="convention 'craig'"):
        load(path, convention="craig")
    with pytest.raises(TypeError, match="convention"):
        load_dh([{"type": "R"}])  # type: ignore[call-arg]
    said = CASES / "H03_dh_offset_flip_prismatic" / "dh.json"
    assert load(said, convention="standard").digest == load(said).digest
    with pytest.raises(ArgumentError, match="says convention 'standard', you say 'modified'"):
        load(said, convention="modified")


def test_offsets_flips_and_sliding_joints() -> None:
    checks = case("H03_dh_offset_flip_prismatic")
    robot = load(CASES / "H03_dh_offset_flip_prismatic" / "dh.json")
    assert [joint.kind for joint in robot.joints] == [
        "revolute", "revolute", "prismatic", "revolute",
    ]  # fmt: skip
    q = checks["fk"]["in"]["q"]
    np.testing.assert_allclose(fk(robot, q, "flange"), checks["fk"]["expect"], rtol=0, atol=1e-14)
    # right angles of the table are exact: link1 follows a turn by pi about z
    assert robot.links[2].joint.origin.R[2, 2] == math.cos(0.5)
    assert all(x in (0.0, 1.0, -1.0) for x in load_dh([{"type": "R", "alpha": math.pi / 2},
               {"type": "R"}], "standard").links[2].joint.origin.R)  # fmt: skip


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_frames_of_the_table_are_frames_of_the_robot(convention: str) -> None:
    rng = np.random.default_rng(5)
    given = [
        {"type": "R", "a": a, "alpha": alpha, "d": d, "theta_offset": theta}
        for a, alpha, d, theta in rng.uniform(-1.0, 1.0, (4, 4))
    ]
    robot, q = load_dh(given, convention), rng.uniform(-3.0, 3.0, 4)

    def turn(axis: int, angle: float) -> np.ndarray:
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        T = np.eye(4)
        T[i, i] = T[j, j] = math.cos(angle)
        T[j, i], T[i, j] = math.sin(angle), -math.sin(angle)
        return T

    def slide(axis: int, length: float) -> np.ndarray:
        T = np.eye(4)
        T[axis, 3] = length
        return T

    T = np.eye(4)
    for k, row in enumerate(given):
        bend = slide(0, row["a"]) @ turn(0, row["alpha"])
        screw = turn(2, q[k] + row["theta_offset"]) @ slide(2, row["d"])
        T = T @ (screw @ bend if convention == "standard" else bend @ screw)
        np.testing.assert_allclose(fk(robot, q, f"dh{k + 1}"), T, rtol=0.0, atol=50 * EPS)
    assert robot.tips == ("flange",)


def test_one_robot_three_descriptions() -> None:
    folder = CASES / "H10_one_robot_three_descriptions"
    check = case(folder.name)["flange pose (all three files)"]
    standard, modified, urdf = (load(folder / file) for file in check["in"]["files"])
    q = np.array(check["in"]["q"])
    for robot in (standard, modified, urdf):
        assert robot.joint_names == ("j0", "j1", "j2")
        pose = fk(robot, q, "flange")
        np.testing.assert_allclose(pose, check["expect"], rtol=0.0, atol=1e-14)
    assert_same_numbers(standard, modified, "flange", q)


def test_bodies_follow_their_frames() -> None:
    folder = CASES / "H10_one_robot_three_descriptions"
    standard, urdf = load(folder / "standard.json"), load(folder / "robot.urdf")
    for i in range(1, 4):
        a = standard.links[i].inertia.seen_from(standard.home[i])
        b = urdf.links[i].inertia.seen_from(urdf.home[i])
        np.testing.assert_allclose(array(a.com), array(b.com), rtol=0.0, atol=50 * EPS)
        np.testing.assert_allclose(array(a.tensor), array(b.tensor), rtol=0.0, atol=50 * EPS)


def test_payloads_add_to_the_last_link() -> None:
    robot = load(CASES / "H05_payload" / "dh.json")
    none, some = table("H05_payload")["payloads"]
    assert robot.with_payload(none["m"], none["p"]).digest == robot.digest
    loaded = robot.with_payload(some["m"], some["p"])
    before, after = robot.links[-1].inertia, loaded.links[-1].inertia
    place = robot.frame("flange").pose.act(Matrix([[x] for x in some["p"]]))
    assert after.mass == before.mass + some["m"]
    np.testing.assert_allclose(
        array(after.moment), array(before.moment + place * some["m"]), rtol=0.0, atol=4 * EPS
    )
    assert [str(n) for n in robot.notes if n.kind == "ignored"] == [
        "ignored: dh.json: key 'payloads'",
        "ignored: dh.json: key 'payload_frame'",
    ]


GOOD_ROW: dict[str, Any] = {"type": "R", "a": 0.1, "alpha": 0.2, "d": 0.3, "m": 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "C"}, r'row 2: type = .C.: "R" \(revolute\), "P"'),
        ({"type": None}, r"row 2: type = None"),
        ({"aplha": 1.0}, r"row 2: unknown key 'aplha'; there are .*alpha"),
        ({"theta": 1.0}, r"row 2: unknown key 'theta'; .*theta_offset"),
        ({"type": "P"}, r"row 2: unknown key 'd'; .*d_offset"),
        ({"a": "0,1"}, r"row 2: a = '0,1': finite numbers expected"),
        ({"a": math.nan}, r"row 2: a = nan"),
        ({"a": True}, r"row 2: a = True"),
        ({"flip": 1}, r"row 2: flip = 1: true or false expected"),
        ({"m": -1.0}, r"row 2: mass of -1 kg"),
        ({"r": [0.0, 1.0]}, r"row 2: r = .*3 numbers expected"),
        ({"I": "1 2 3 4 5 6"}, r"row 2: I = .*6 numbers expected"),
        ({"I": [1, 1, 1, 2, 0, 0]}, r"row 2: inertia is not positive semidefinite"),
        ({"name": "j0"}, r"row 2: joint 'j0': there is another joint of this name"),
        ({"name": ""}, r"row 2: name = '': a name expected"),
        ({"link": "link0"}, r"row 2: link = 'link0': another link is called"),
        ({"link": "flange"}, r"'flange' already names a link or frame"),
        ({"limits": [0, 1]}, r"row 2: limits = .*a mapping of lower, upper"),
        ({"limits": {"max": 1}}, r"row 2: limits: max = 1: unknown limit"),
    ],
)
def test_rows_are_read_strictly(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_dh([GOOD_ROW, {**GOOD_ROW, **change}], "standard")


def test_what_rows_may_say() -> None:
    row = {
        **GOOD_ROW,
        "name": "hinge",
        "link": "arm",
        "comment": "as measured",
        "limits": {"lower": -1, "upper": 2.0, "velocity": 3, "effort": 4},
        "damping": 0.1,
        "friction": 0.2,
        "armature": np.float32(0.5),
    }
    joint = load_dh([row], "modified", base="floor", flange="tip", name="arm1").joints[0]
    assert (joint.name, joint.damping, joint.friction, joint.armature) == ("hinge", 0.1, 0.2, 0.5)
    assert (joint.limits.lower, joint.limits.upper) == (-1.0, 2.0)
    robot = load_dh([row], "modified", base="floor", flange="tip", name="arm1")
    assert (robot.name, robot.link_names, robot.tips) == ("arm1", ("floor", "arm"), ("tip",))
    with pytest.raises(ModelError, match="the table has no rows"):
        load_dh([], "standard")


def test_tools_are_poses() -> None:
    half_turn = [[-1, 0, 0, 0.1], [0, -1, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]]
    robot = load_dh([GOOD_ROW], "modified", tool=half_turn)
    np.testing.assert_array_equal(array(robot.frame("flange").pose.matrix()), half_turn)
    assert load_dh([GOOD_ROW], "modified", tool=np.array(half_turn)).digest == robot.digest
    pose = robot.frame("flange").pose
    assert load_dh([GOOD_ROW], "modified", tool=pose).digest == robot.digest

    def bad(i: int, j: int, value: float) -> Any:
        matrix = copy.deepcopy(half_turn)
        matrix[i][j] = value
        return matrix

    for tool, message in [
        (half_turn[:3], "a pose is a 4 x 4 matrix"),
        (bad(3, 0, 0.1), "the last row of a pose is 0 0 0 1"),
        (bad(0, 0, 1.0), r"is no rotation .*determinant -1"),
        (bad(0, 0, -1.1), r"is no rotation \(R'R - I up to 0.2"),
        (bad(1, 3, math.inf), r"tool: row 2: pose"),
    ]:
        with pytest.raises(ModelError, match=message):
            load_dh([GOOD_ROW], "modified", tool=tool)
    printed = bad(0, 0, -1.0004)
    rounded = load_dh([GOOD_ROW], "modified", tool=printed)
    assert "matrix made a rotation" in rounded.report()
    R = array(rounded.frame("flange").pose.R)
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0.0, atol=4 * EPS)


# Screws


def test_screws_of_any_length() -> None:
    checks = case("H07_poe_screws")
    robot = load(CASES / "H07_poe_screws" / "poe.json")
    assert [j.kind for j in robot.joints] == ["revolute", "prismatic", "helical", "revolute"]
    screws, home = space_screws(robot, "tool")
    expect = np.array(checks["normalised screws"]["expect"])
    np.testing.assert_allclose(array(screws).T, expect, rtol=0.0, atol=2 * EPS)
    np.testing.assert_array_equal(array(home.matrix()), table("H07_poe_screws", "poe.json")["M"])
    np.testing.assert_allclose(
        array(body_screws(robot, "tool")[0]).T,
        checks["body screws"]["expect"], rtol=0.0, atol=4 * EPS,
    )  # fmt: skip
    pose = fk(robot, checks["fk"]["in"]["q"], "tool")
    np.testing.assert_allclose(pose, checks["fk"]["expect"], rtol=0.0, atol=1e-14)
    assert [str(n) for n in robot.notes if n.kind == "cleaned"] == [
        "cleaned: poe.json: screw 1 (j0): screw scaled by 1/2: its coordinate is in rad",
        "cleaned: poe.json: screw 2 (j1): screw scaled by 1/0.5: its coordinate is in m",
    ]


def test_body_screws_give_the_same_robot() -> None:
    robot = load("ur5_screws")
    space, home = space_screws(robot, "tool0")
    body, _ = body_screws(robot, "tool0")
    q = np.array([0.3, -0.8, 1.2, 0.4, -0.9, 2.0])
    expect = fk(robot, q, "tool0")
    for screws, frame in ((space, "space"), (body, "body"), (array(body), "body")):
        again = load_screws(screws, home, frame)
        np.testing.assert_allclose(fk(again, q, "tool"), expect, rtol=0.0, atol=50 * EPS)
    wrong = load_screws(body, home, "space")
    assert np.abs(fk(wrong, q, "tool") - expect).max() > 0.1


def test_screws_of_a_urdf() -> None:
    checks = case("K01_jacobian_frames_and_order")
    robot = load(CASES / "K01_jacobian_frames_and_order" / "robot.urdf")
    screws, home = space_screws(robot, "tool")
    np.testing.assert_allclose(
        array(screws), checks["screws_space_at_zero_ang_lin"]["expect"], rtol=0.0, atol=1e-15
    )
    np.testing.assert_allclose(
        array(home.matrix()), checks["home_pose"]["expect"], rtol=0.0, atol=1e-15
    )
    assert space_screws(robot, "base")[0].shape == (6, 0)
    assert body_screws(robot, "base")[0].shape == (6, 0)
    gripper = load(CASES / "U19_mimic_multiplier_offset" / "robot.urdf")
    with pytest.raises(ModelError, match="'finger_r' on the way to 'right' follows 'finger_l'"):
        space_screws(gripper, "right")


IDENTITY = Pose.identity()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([[0, 0, 1, 0, 0, 0], [0] * 6], r"screw 2 \(j1\).* zero"),
        ([[0, 0, 1, 0, 0, math.nan]], r"screw 1 \(j0\): screw = .*finite numbers"),
        ([["0", 0, 1, 0, 0, 0]], r"screw 1 \(j0\): screw = .*finite numbers"),
        ([[0, 0, 1, 0, 0]], r"columns of a 6 x n matrix, not of 5 rows"),
        ([], r"columns of a 6 x n matrix"),
    ],
)
def test_impossible_screws(columns: list[list[float]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_screws(list(zip(*columns, strict=True)), IDENTITY, "space")


def test_screw_arguments() -> None:
    S = [[0], [0], [1], [0], [0], [0]]
    with pytest.raises(ArgumentError, match="frame 'tool': screws are given in \"space\""):
        load_screws(S, IDENTITY, "tool")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="1 screws, but 2 joints"):
        load_screws(S, IDENTITY, "space", joints=[{}, {}])
    with pytest.raises(ModelError, match=r"screw 1 \(j0\): unknown key 'a'"):
        load_screws(S, IDENTITY, "space", joints=[{"a": 1.0}])
    with pytest.raises(ModelError, match="home: a pose is a 4 x 4 matrix"):
        load_screws(S, [[1.0]], "space")
    with pytest.raises(ModelError, match="'base' already names"):
        load_screws(S, IDENTITY, "space", tool="base")


def test_pitch_that_rounding_left_is_none() -> None:
    def column(pitch: float) -> list[list[float]]:
        # an axis along (0.6, 0, 0.8) through a point, its pitch on top
        w, p = np.array([0.6, 0.0, 0.8]), np.array([0.3, -0.7, 0.2])
        return [[x] for x in (*w, *(np.cross(p, w) + pitch * w))]

    for pitch, kind in ((0.0, "revolute"), (1e-14, "revolute"), (1e-9, "helical")):
        assert load_screws(column(pitch), IDENTITY).joints[0].kind == kind
    assert load_screws(column(1e-14), IDENTITY, snap="off").joints[0].kind == "helical"
    assert "pitch of 1.0e-14" in load_screws(column(1e-14), IDENTITY).report()


# Files


@pytest.mark.parametrize("other", ["ur5_dh", "ur5_dh_modified", "ur5_screws"])
def test_one_ur5_four_descriptions(other: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        q = rng.uniform(-3.0, 3.0, 6)
        assert_same_numbers(load("ur5"), load(other), "tool0", q)
    assert load(other).moving_mass == load("ur5").moving_mass


def test_json_as_text_and_bytes(tmp_path: Path) -> None:
    path = CASES / "H03_dh_offset_flip_prismatic" / "dh.json"
    text = path.read_text(encoding="utf-8")
    expect = repr(rows(load(path)))
    for source in (text, "\ufeff" + text, text.encode(), text.encode("utf-8-sig")):
        assert repr(rows(load(source))) == expect
    assert repr(rows(load(text.encode("utf-16")))) == expect
    assert load(path).name == "dh"
    assert load(text).name == "text"


def test_kinematics_alone() -> None:
    values = table("H05_payload")
    values["links"][0]["m"] = -1.0
    with pytest.raises(ModelError, match="mass of -1 kg"):
        load(json.dumps(values))
    assert load(json.dumps(values), inertia=False).moving_mass == 0.0
    assert load("ur5_screws", inertia=False).moving_mass == 0.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON that can be read"),
        ('{"a": 1, "a": 2}', "key 'a' is given twice"),
        ("{}", "holds no table"),
        ('{"links": [], "Slist_columns": []}', "holds links and Slist_columns"),
        ('{"links": {}}', "'links' must be a list of objects"),
        ('{"links": [1]}', "'links' must be a list of objects"),
        ('{"links": [], "convention": "standard"}', "the table has no rows"),
        ('{"Slist_columns": [[0,0,1,0,0,0]]}', "'M' must be a list of lists"),
        ('{"Slist_columns": [], "M": []}', "there are no screws"),
        ('{"Slist_columns": ["zero"], "M": []}', "'Slist_columns' must be a list of lists"),
        ('{"links": [], "I_order": "Ixx Ixy Ixz"}', "I_order = .*symkin reads Ixx Iyy Izz"),
        ('{"Slist_columns": [], "order": "[v; w]"}', r"order = .*symkin reads \[w; v\]"),
        ('{"links": [{"type": "R", "a": NaN}], "convention": "standard"}', "a = nan"),
    ],
)
def test_mistaken_json(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(text)


def test_a_convention_for_screws_is_a_mistake() -> None:
    with pytest.raises(ArgumentError, match="a DH convention does not apply"):
        load("ur5_screws", convention="standard")
