"""The robot type: its tree, coordinates, frames, payloads and text, and what preparing keeps."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placed import array, fk, link_poses

from symkin.algebra import constant
from symkin.errors import ArgumentError, ModelError
from symkin.evaluate import evaluate
from symkin.model import (
    Attachment,
    Coordinate,
    Frame,
    Joint,
    Link,
    Mimic,
    Robot,
    assemble,
    bundled_names,
    bundled_path,
    load,
    prepare,
)
from symkin.model.snap import turn_rpy
from symkin.spatial import Inertia, Pose

CASES = Path(__file__).parent / "cases"
EPS = np.finfo(float).eps


def body(mass: float = 1.0, *com: float) -> Inertia:
    return Inertia.of_body(
        mass, constant(com or (0.1, 0.2, 0.3)), constant(np.diag([2.0, 3.0, 4.0]))
    )


def chain(length: int, kind: str = "revolute", followers: bool = False) -> Robot:
    """Links 0 ... length in a row; as followers, each joint follows the next."""
    joints = [
        Joint(
            f"j{i}",
            kind,
            mimic=Mimic(f"j{i + 1}", -1.0, 0.5) if followers and i < length - 1 else None,
        )
        for i in range(length)
    ]
    links = {str(i): body() for i in range(length + 1)}
    attachments = [Attachment(joint, str(i), str(i + 1)) for i, joint in enumerate(joints)]
    return assemble("chain", links, reversed(attachments))


def random_tree(seed: int, size: int = 12) -> Robot:
    """Any shape, kinds at random, many joints fixed, some following others."""
    rng = np.random.default_rng(seed)

    def pose() -> Pose:
        return Pose(turn_rpy(*rng.uniform(-3.0, 3.0, 3)), constant(rng.uniform(-1.0, 1.0, 3)))

    attachments, movable = [], []
    for i in range(1, size):
        kind = rng.choice(["fixed", "fixed", "revolute", "prismatic", "continuous", "helical"])
        axis = rng.normal(size=3)
        mimic = None
        if kind != "fixed":
            if movable and rng.random() < 0.3:
                mimic = Mimic(str(rng.choice(movable)), *rng.uniform(-2.0, 2.0, 2))
            movable.append(f"j{i}")
        joint = Joint(
            f"j{i}",
            kind,
            pose(),
            constant(axis / np.linalg.norm(axis)),
            pitch=0.3 if kind == "helical" else 0.0,
            mimic=mimic,
        )
        attachments.append(Attachment(joint, f"l{rng.integers(i)}", f"l{i}"))
    order = rng.permutation(len(attachments))
    links = {
        f"l{i}": body(float(rng.choice([0.0, 0.5, 2.0])), *rng.normal(size=3)) for i in range(size)
    }
    frames = {f"f{i}": (f"l{rng.integers(size)}", pose()) for i in range(3)}
    return assemble("tree", links, [attachments[k] for k in order], frames)


# The tree


def test_links_stand_depth_first_and_siblings_as_given() -> None:
    robot = load(CASES / "U24_joint_order" / "robot.urdf")
    assert robot.link_names == ("base", "k_root", "a_side", "m_mid", "z_leaf")
    assert robot.joint_names == ("z_first", "y_branch", "a_second", "b_last")
    assert [robot.children(i) for i in range(5)] == [(1,), (2, 3), (), (4,), ()]


def test_followers_follow_through_any_chain() -> None:
    robot = chain(4, followers=True)
    assert robot.joint_names == ("j3",)
    assert robot.coordinates == {
        4: Coordinate(0, 0),
        3: Coordinate(0, 0, -1.0, 0.5),
        2: Coordinate(0, 0, 1.0, 0.0),
        1: Coordinate(0, 0, -1.0, 0.5),
    }


def test_home_is_where_all_coordinates_are_zero() -> None:
    robot = random_tree(3)
    for pose, expect in zip(robot.home, link_poses(robot, [0.0] * robot.nq), strict=True):
        np.testing.assert_array_equal(array(pose.matrix()), array(expect.matrix()))


def test_only_joints_of_one_coordinate_follow() -> None:
    links = {name: body() for name in "abc"}
    ball, hinge = Joint("ball", "spherical"), Joint("hinge", "revolute", mimic=Mimic("ball"))
    with pytest.raises(ModelError, match=r"'hinge': mimic .*'ball'.*joints of one coordinate"):
        assemble("r", links, [Attachment(ball, "a", "b"), Attachment(hinge, "b", "c")])


def test_thousands_of_links() -> None:
    start = time.perf_counter()
    for kind, followers in (("revolute", False), ("revolute", True), ("fixed", False)):
        robot = chain(3000, kind, followers)
        assert robot.nq == {"fixed": 0}.get(kind, 1 if followers else 3000)
        assert str(robot).count("\n") == 3001
        assert len(robot.coordinates) == len(robot.links) - 1 if kind != "fixed" else True
        assert robot.tips == ("3000",)
        assert len(robot.home) == len(robot.link_names) == 3001
        prepared = prepare(robot)
        assert prepared.frame("3000").name == "3000"
        assert pickle.loads(pickle.dumps(prepared)).digest == prepared.digest
        assert len(robot.report()) < 500
    # a step that looked at every link for every link would take minutes
    assert time.perf_counter() - start < 30.0


# Frames, gravity, payloads


def test_frames_are_found_by_name() -> None:
    robot = load("ur5")
    assert robot.frame("tool0").link == robot.link_index("tool0")
    tool = Pose(turn_rpy(0.1, 0.2, 0.3), constant([0.0, 0.0, 0.1]))
    added = robot.with_frame("gripper", "tool0", tool)
    assert added.frame("gripper").pose is tool
    assert added.frame_names == (*robot.link_names, "gripper")
    assert added.tips == ("gripper",)
    assert robot.with_frame("camera", "forearm_link", tool).tips == ("tool0",)
    for name in ("tool0", "gripper"):
        with pytest.raises(ModelError, match=f"ur5: '{name}' already names a link or frame"):
            added.with_frame(name, "tool0", tool)
    with pytest.raises(ModelError, match="ur5: no link 'arm'; links: 'base_link', 'shoulder_link'"):
        robot.with_frame("x", "arm", tool)
    with pytest.raises(ModelError, match=r"ur5: no frame 'elbow_joint'; frames: .*'tool0'"):
        robot.frame("elbow_joint")
    with pytest.raises(ModelError, match=r"frames: .*'j2', 'j3'|and \d+ more"):
        chain(30).frame("x")


def test_a_link_and_a_joint_may_share_a_name() -> None:
    robot = load(CASES / "U33_link_and_joint_same_name" / "robot.urdf")
    assert robot.frame("elbow").link == robot.link_index("elbow") == 1


def test_gravity() -> None:
    robot = load("planar_2r")
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert robot.with_gravity([0, -9.81, 0]).gravity == (0.0, -9.81, 0.0)
    assert robot.with_gravity([0, 0, 0]).digest != robot.digest
    for gravity in ([0.0, 9.81], [0.0, 0.0, float("nan")]):
        with pytest.raises(ArgumentError, match="three finite numbers"):
            robot.with_gravity(gravity)


def test_payloads() -> None:
    robot = load("tree12")
    with pytest.raises(ModelError, match=r"3 tips; say at which frame .*'left_tool', 'right_tool'"):
        robot.with_payload(1.0)
    with pytest.raises(ModelError, match="payload at 'left_tool': mass of -1 kg"):
        robot.with_payload(-1.0, frame="left_tool")
    loaded = robot.with_payload(2.0, (0.1, 0.0, 0.2), "left_tool", (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    assert loaded.moving_mass == pytest.approx(robot.moving_mass + 2.0, rel=4 * EPS)
    assert loaded.digest != robot.digest
    q = np.full(12, 0.3)
    np.testing.assert_array_equal(fk(loaded, q, "left_tool"), fk(robot, q, "left_tool"))


# Text


def test_a_chain_is_a_list_and_branches_are_indented() -> None:
    assert str(load(CASES / "U19_mimic_multiplier_offset" / "robot.urdf")).splitlines() == [
        "mimic_gripper: 5 links, 2 coordinates, 1.07 kg moving",
        "base",
        "wrist (revolute about y, q[0]) -> palm  0.8 kg",
        "├─ finger_l (revolute about y, q[1]) -> left  0.1 kg",
        "│  pad_slide (prismatic along z, 0.02 q[1] - 0.004) -> pad  0.05 kg",
        "└─ finger_r (revolute about y, -0.8 q[1] + 0.05) -> right  0.12 kg",
    ]
    lines = str(load("ur5_dh")).splitlines()
    assert lines[-1].endswith("-> wrist_3_link  0.1879 kg  [dh6, tool0]")
    assert "(revolute about (0.7071 -0.7071 0), q[7])" in str(load("tree12"))
    assert "right_elbow (revolute about -y, q[8])" in str(load("tree12"))
    assert "mount (fixed) -> tool" in str(load("planar_2r"))


def test_the_report_groups_what_is_alike() -> None:
    robot = load(CASES / "U29_foreign_tags" / "robot.urdf")
    assert "ignored: <gazebo> (robot.urdf:5; robot.urdf:6)" in robot.report()
    assert load("ur5").report() == "ur5: read as it is written, nothing left out"
    prepared = prepare(chain(9, "fixed"), ("lump",))
    assert prepared.report() == (
        "prepared: welded to '0' (link '1'; link '2'; link '3'; and 6 more)"
    )


# Identity


def test_pickled_robots_are_the_same() -> None:
    for name in bundled_names():
        robot = load(name)
        assert robot.coordinates  # what has been worked out may travel along
        again = pickle.loads(pickle.dumps(robot))
        assert again.digest == robot.digest
        assert again.notes == robot.notes


def test_digests_know_numbers_and_not_notes() -> None:
    robot = load("ur5")
    assert robot.with_notes(prepare(robot).notes).digest == robot.digest
    assert robot.with_payload(0.0).digest == robot.digest
    assert robot.with_payload(1e-9).digest != robot.digest
    code = "from symkin.model import load; print(load('fr3').digest)"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert digests == {f"{load('fr3').digest}\n".encode()}


def test_bundled_robots() -> None:
    assert set(bundled_names()) == {
        "planar_2r", "scara", "fr3", "tree12", "quadruped",
        "ur5", "ur5_dh", "ur5_dh_modified", "ur5_screws",
    }  # fmt: skip
    for name in bundled_names():
        robot = load(name)
        assert load(bundled_path(name)).digest == robot.digest
        assert not [note for note in robot.notes if note.kind in ("warning", "ignored")]
        assert all(np.isfinite([j.limits.velocity, j.limits.effort]).all() for j in robot.joints)
        assert len(robot.tips) == {"tree12": 3, "quadruped": 4}.get(name, 1)
        assert load(name, snap="off").digest == robot.digest
    with pytest.raises(ModelError, match="no bundled robot 'ur6'; there are fr3, planar_2r"):
        bundled_path("ur6")


def test_the_quadruped_is_made_of_bodies_and_its_halves_are_mirror_images() -> None:
    robot = load("quadruped", base="floating")
    assert (robot.nq, robot.nv) == (19, 18)
    assert not robot.notes
    inertias = {link.name: link.inertia for link in robot.links}
    for name, body in inertias.items():
        if body.mass:
            least, middle, most = np.linalg.eigvalsh(np.array(body.tensor.rows))
            assert 0.0 < least <= middle <= most <= least + middle, name
        if name.startswith("left"):
            mirror = np.diag([1.0, -1.0, 1.0])
            other = inertias[name.replace("left", "right")]
            assert np.array_equal(mirror @ np.array(body.moment.rows), np.array(other.moment.rows))
            own, its = (np.array(x.about_origin.rows) for x in (body, other))
            assert np.allclose(mirror @ own @ mirror, its, rtol=0, atol=1e-16)
    standing = [0, 0, 0, 0, 0, 0, 1, *[0, 0.8, -1.6] * 4]
    feet = [evaluate(robot, "forward_kinematics", frame=tip, q=standing) for tip in robot.tips]
    assert np.allclose([T[2, 3] for T in feet], feet[0][2, 3])


def test_fr3_reaches_where_its_table_says() -> None:
    # stretched out, all coordinates zero: 0.333 + 0.316 + 0.384 - 0.107 m high, 0.088 m ahead
    pose = fk(load("fr3"), [0.0] * 7, "fr3_link8")
    np.testing.assert_allclose(pose[:3, 3], [0.088, 0.0, 0.926], rtol=0.0, atol=4 * EPS)
    np.testing.assert_allclose(pose[:3, :3], np.diag([1.0, -1.0, -1.0]), rtol=0.0, atol=0.0)


# Preparing


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_lumping_changes_nothing_that_can_be_asked(seed: int) -> None:
    robot = random_tree(seed)
    prepared = prepare(robot, ("lump",))
    assert all(link.joint is None or link.joint.moves for link in prepared.links)
    assert prepared.joint_names == robot.joint_names
    assert set(prepared.frame_names) == set(robot.frame_names)
    assert set(prepared.tips) == set(robot.tips)
    q = np.random.default_rng(seed).uniform(-2.0, 2.0, robot.nq)
    # up to a dozen poses multiplied in another order, lengths up to some 20 m
    for name in robot.frame_names:
        np.testing.assert_allclose(
            fk(prepared, q, name), fk(robot, q, name), rtol=0.0, atol=500 * EPS
        )
    # the bodies that each joint carries, seen from the root: all that dynamics asks of a link
    for link in prepared.links:
        for one, other in zip(
            below(prepared, link.name, q), below(robot, link.name, q), strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=0.0, atol=1e5 * EPS)


def below(robot: Robot, name: str, q: np.ndarray) -> list[np.ndarray]:
    """Mass, moment and inertia of all that hangs on a link, itself included, in the root."""
    carried = {robot.link_index(name)}
    total, poses = Inertia.zero(), link_poses(robot, q)
    for i, link in enumerate(robot.links):
        if i in carried or link.parent in carried:
            carried.add(i)
            total = total + link.inertia.seen_from(poses[i])
    return [np.array(total.mass), array(total.moment), array(total.about_origin)]


def test_steps_can_be_left_out() -> None:
    robot = load("ur5")
    assert len(prepare(robot).links) == 7
    assert prepare(robot, steps=()) is robot
    lumped = prepare(robot, steps=("lump",))
    assert lumped.digest != prepare(robot).digest
    assert prepare(lumped, steps=("lump",)).digest == lumped.digest
    with pytest.raises(ArgumentError, match=r"unknown steps \['polish'\]; there are \['lump'"):
        prepare(robot, steps=("lump", "polish"))


def test_lumping_keeps_the_digits_of_links_that_carry_nothing() -> None:
    robot = load("ur5")  # its only fixed link has no mass
    for before, after in zip(robot.links, prepare(robot, ("lump",)).links, strict=False):
        assert repr(after.inertia) == repr(before.inertia)
        assert repr(after.joint) == repr(before.joint)


def test_lumped_tips_stay_tips() -> None:
    # two fixed links in a row: the first was no tip and does not become one
    links = {name: body() for name in ("base", "arm", "flange", "tool")}
    joints = [
        Attachment(Joint("hinge", "revolute"), "base", "arm"),
        Attachment(Joint("mount", "fixed"), "arm", "flange"),
        Attachment(Joint("grip", "fixed"), "flange", "tool"),
    ]
    prepared = prepare(assemble("r", links, joints))
    assert prepared.tips == ("tool",)
    assert [frame.name for frame in prepared.frames] == ["flange", "tool"]
    assert prepare(load(CASES / "U49_zero_dof" / "robot.urdf")).tips == ("a",)
    single = Robot("r", (Link("only", body(), None, -1),), (Frame("f", 0, Pose.identity()),))
    assert single.tips == ("f",)
