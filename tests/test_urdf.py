"""URDF in: what is read, what is noted, what is refused, and with which words."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from placed import array, fk, ordered
from urdf_text import LIMIT, messages, one_joint

from symkin.errors import ModelError
from symkin.model import Robot, load
from symkin.model.snap import SnapRule

CASES = Path(__file__).parent / "cases"


# The trouble cases


def case_checks(op: str) -> list[Any]:
    found = []
    for path in sorted(CASES.glob("U*/expected.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if case["case"] == "U37":
            continue  # a floating joint: its numbers, not the error
        for check in case["checks"]:
            if check["op"] == op:
                name = f"{case['case']}-{check['name']}"
                found.append(pytest.param(path.parent, case.get("joint_order"), check, id=name))
    return found


def case_robot(folder: Path, check: dict[str, Any], snap: SnapRule = "digits") -> Robot:
    given = check.get("in", {})
    path = folder / given.get("file", check.get("file", "robot.urdf"))
    source: str | bytes | Path = path
    if given.get("load_as") == "str":
        source = path.read_bytes().decode(given.get("decode", "utf-8"))
    elif given.get("load_as") == "bytes":
        source = path.read_bytes()
    return load(source, snap=snap)


@pytest.mark.parametrize(("folder", "order", "check"), case_checks("structure"))
def test_case_structure(folder: Path, order: list[str], check: dict[str, Any]) -> None:
    robot, expect = case_robot(folder, check), check["expect"]
    assert (robot.nq, robot.nv) == (expect["nq"], expect["nv"])
    # siblings keep the order of the file, which need not be the order of the case
    assert sorted(robot.joint_names) == sorted(order)
    mass = expect.get("moving_mass", 0.0)
    assert robot.moving_mass == pytest.approx(mass, rel=1e-15 * len(robot.links), abs=0.0)


@pytest.mark.parametrize(("folder", "order", "check"), case_checks("fk"))
def test_case_poses(folder: Path, order: list[str], check: dict[str, Any]) -> None:
    given = check["in"]
    # to rounding of a few products as the file has it; what is cleaned by default moves it by 1e-9
    for snap, atol in (("off", 1e-14), ("digits", 1e-9)):
        robot = case_robot(folder, check, snap)
        pose = fk(robot, ordered(robot, order, given["q"]), given["frame"])
        np.testing.assert_allclose(pose, check["expect"], rtol=0.0, atol=atol)


@pytest.mark.parametrize(("folder", "order", "check"), case_checks("limits"))
def test_case_limits(folder: Path, order: list[str], check: dict[str, Any]) -> None:
    robot = case_robot(folder, check)
    limits = {j.name: [j.limits.lower, j.limits.upper] for j in robot.joints}
    assert limits == {name: [float(x) for x in pair] for name, pair in check["expect"].items()}


@pytest.mark.parametrize(("folder", "order", "check"), case_checks("joint_parameters"))
def test_case_parameters(folder: Path, order: list[str], check: dict[str, Any]) -> None:
    joints = case_robot(folder, check).joints
    for parameter, values in check["expect"].items():
        assert [getattr(joint, parameter) for joint in joints] == values


@pytest.mark.parametrize(("folder", "order", "check"), case_checks("inertia_link_axes"))
def test_case_inertia(folder: Path, order: list[str], check: dict[str, Any]) -> None:
    robot = case_robot(folder, check)
    tensor = array(robot.links[robot.link_index(check["in"]["link"])].inertia.tensor)
    np.testing.assert_allclose(tensor, check["expect"], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(("folder", "order", "check"), case_checks("load_error"))
def test_case_errors(folder: Path, order: list[str], check: dict[str, Any]) -> None:
    # an unexpanded xacro file is refused as URDF text; its path is for the xacro package
    path = folder / check["file"]
    source = path.read_text(encoding="utf-8") if path.suffix == ".xacro" else path
    with pytest.raises(ModelError) as caught:
        load(source)
    for mention in check["must_mention"]:
        assert re.search(mention, str(caught.value)), mention


def test_case_warnings() -> None:
    def warned(case: str, file: str = "robot.urdf") -> str:
        return "\n".join(messages(load(CASES / case / file), "warning"))

    assert "index_fle" in warned("U43_triangle_inequality")
    assert "'elbow'" in warned("U39_limits_missing", "no_limit_tag.urdf")
    assert "without effort" in warned("U39_limits_missing", "no_effort.urdf")
    assert "without lower" in warned("U39_limits_missing", "no_bounds.urdf")
    assert "rotor" in warned("U41_bad_mass", "zero_mass_with_inertia.urdf")
    assert warned("U17_continuous") == ""


def test_foreign_tags_are_all_listed() -> None:
    ignored = messages(load(CASES / "U29_foreign_tags" / "robot.urdf"), "ignored")
    assert ignored == [
        "robot.urdf:4: <material>",
        "robot.urdf:5: <gazebo>",
        "robot.urdf:6: <gazebo>",
        "robot.urdf:19: <transmission>",
        "robot.urdf:22: <ros2_control>",
        "robot.urdf:11: link 'a': <visual>",
        "robot.urdf:12: link 'a': <collision>",
        "robot.urdf:15: joint 'j1': <calibration>",
        "robot.urdf:15: joint 'j1': <safety_controller>",
    ]


# What is left out


def test_unknown_attributes_and_elements_are_listed() -> None:
    text = one_joint(
        '<limit lower="0" upper="1" velocity="1" effort="1" jerk="9"/><spring k="3"/>'
        "<hardwareInterface/>"
    )
    assert messages(load(text), "ignored") == [
        "<text>:4: joint 'j': unknown element <spring>",
        "<text>:4: joint 'j': unknown element <hardwareInterface>",
        "<text>:4: joint 'j': attribute jerk of <limit>",
    ]


# Numbers, and messages that find the place


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("0,75", "write a point as the decimal mark"),
        ("nan", "'nan' is not a finite number"),
        ("-inf", "'-inf' is not a finite number"),
        ("1_000", "not a finite number"),
        ("0x10", "not a finite number"),
        ("1.5f", "not a finite number"),
        ("٣", "not a finite number"),
        ("1e999", "too large"),
        ("1 2", "3 numbers expected, 4 found"),
        ("${h}", "xacro"),
        ("$(arg h)", "xacro"),
    ],
)
def test_numbers_are_plain_decimals(word: str, reason: str) -> None:
    with pytest.raises(ModelError, match=re.escape(reason)) as caught:
        load(one_joint(f'<origin xyz="0 0 {word}"/>'))
    assert str(caught.value).startswith("<text>:4: joint 'j': <origin xyz=")
    assert word in str(caught.value)


@pytest.mark.parametrize("word", ["1", "+1", "1.", "1e0", "1.0E+00", "10e-1", "01"])
def test_decimals_in_every_spelling(word: str) -> None:
    joint = load(one_joint(f'<origin xyz=" {word}\t0\n0 "/>')).joints[0]
    assert tuple(joint.origin.p) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (one_joint(kind="spherical"), r":4: joint 'j': <joint type='spherical'>: .*in series"),
        (one_joint(kind="ball"), r"'j'.*'ball'"),
        (one_joint(kind="Revolute"), r"unknown type; there are revolute, continuous, prismatic"),
        (one_joint(kind=""), r"attribute 'type' is empty"),
        (one_joint().replace(' type="revolute"', ""), r"attribute 'type' is missing"),
        (one_joint().replace(' name="j"', ""), r":4: <joint>: attribute 'name' is missing"),
        (one_joint().replace('<parent link="base"/>', ""), r"'j'.*has no <parent>"),
        (one_joint().replace('<child link="a"/>', ""), r"'j'.*has no <child>"),
        (one_joint().replace('child link="a"', "child"), r"'j'.*<child>: attribute 'link'"),
        (one_joint().replace('child link="a"', 'child link="b"'), r":4: joint 'j': child link 'b'"),
        (one_joint('<origin/><origin/>'), r"there is a second <origin>"),
        (one_joint('<axis xyz="0 0 0"/>'), r"'j': <axis xyz='0 0 0'>: .*not zero"),
        (one_joint('<axis xyz="0 1"/>'), r"3 numbers expected, 2 found"),
        (one_joint('<limit velocity="-1" effort="1"/>'), r"<limit velocity='-1'>"),
        (one_joint('<limit lower="-inf"/>'), r"'-inf' is not a finite number; .*leave 'lower' out"),
        (one_joint('<mimic/>'), r"<mimic>: attribute 'joint' is missing"),
        (one_joint('<mimic joint="j"/>'), r"'j': mimic .*itself \(j -> j\)"),
        (one_joint().replace('"base"/>\n', '"a"/>\n', 1), r":3: <link name='a'>: another link"),
        (one_joint(body="<inertial/>"), r":3: link 'a': <inertial>: has no <mass>"),
        (one_joint(body='<inertial><mass value="-2"/></inertial>'), r"link 'a': mass of -2 kg"),
        ('<robot name="r"/>', r"r: a robot needs at least one link"),
        ('<robot name="r"><link name="a"/><link name="b"/></robot>', r"several root links: 'a', "),
    ],
)  # fmt: skip
def test_messages_name_the_place_and_the_way_out(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(text)


def test_loops_name_their_joints() -> None:
    ring = one_joint().replace("</robot>", '<link name="b"/><link name="c"/>' + "".join(
        f'<joint name="{p}{c}" type="fixed"><parent link="{p}"/><child link="{c}"/></joint>'
        for p, c in ("bc", "cb")
    ) + "</robot>")  # fmt: skip
    with pytest.raises(ModelError, match=r"'bc', 'cb' form a loop .*root 'base'"):
        load(ring)


def test_locale_with_comma_decimals(tmp_path: Path) -> None:
    """In another process, whose locale is built for it where it is not installed."""
    environment = {**os.environ, "LC_ALL": "de_DE.UTF-8"}
    if (localedef := shutil.which("localedef")) and Path("/usr/share/i18n/locales/de_DE").exists():
        target = str(tmp_path / "de_DE.UTF-8")
        subprocess.run([localedef, "-i", "de_DE", "-f", "UTF-8", target], check=False)
        environment["LOCPATH"] = str(tmp_path)
    path = CASES / "U26_locale_comma" / "robot.urdf"
    code = (
        "import locale, sys; locale.setlocale(locale.LC_ALL, ''); import symkin.model as m; "
        "print(locale.localeconv()['decimal_point'], m.load(sys.argv[1]).digest)"
    )
    run = [sys.executable, "-c", code, str(path)]
    result = subprocess.run(run, env=environment, check=False, capture_output=True, text=True)
    if "locale.Error" in result.stderr:
        pytest.skip("the locale de_DE.UTF-8 is neither installed nor can it be built")
    assert result.stdout.split() == [",", load(path).digest]


# Joints and bodies


def test_defaults_of_the_format() -> None:
    robot = load(one_joint())
    joint = robot.joints[0]
    assert tuple(joint.axis) == (1.0, 0.0, 0.0)
    assert tuple(joint.origin.p) == (0.0, 0.0, 0.0)
    assert (joint.damping, joint.friction, joint.armature) == (0.0, 0.0, 0.0)
    mimic = load(CASES / "U21_mimic_sibling_defaults" / "robot.urdf").links[2].joint.mimic
    assert (mimic.leader, mimic.multiplier, mimic.offset) == ("slide_l", 1.0, 0.0)


def test_axes_are_made_unit_vectors_and_it_is_said() -> None:
    robot = load(CASES / "U01_axis_not_unit" / "robot.urdf")
    assert [tuple(joint.axis) for joint in robot.joints] == [(0.0, 0.0, 1.0), (0.0, 0.6, 0.8)]
    assert [message.split(": ", 1)[1] for message in messages(robot, "cleaned")] == [
        "joint 'j1': axis (0 0 2) made a unit vector",
        "joint 'j2': axis (0 3 4) made a unit vector",
    ]


def test_parts_of_fixed_joints_are_noted_even_if_senseless() -> None:
    robot = load(one_joint('<axis xyz="0 0 0"/><limit/><mimic joint="?"/>', kind="fixed"))
    assert [m.rsplit(": ", 1)[1] for m in messages(robot, "ignored")] == [
        "<axis> of a fixed joint",
        "<limit> of a fixed joint",
        "<mimic> of a fixed joint",
    ]


def test_continuous_joints_have_no_position_limits() -> None:
    robot = load(one_joint(LIMIT, kind="continuous"))
    limits = robot.joints[0].limits
    assert (limits.lower, limits.upper, limits.velocity) == (-math.inf, math.inf, 1.0)
    assert "position limits of a continuous joint" in robot.report()


def test_odd_limits_and_friction_are_warned_about() -> None:
    robot = load(one_joint('<limit lower="2" upper="1" velocity="1" effort="1"/>'
                           '<dynamics damping="-1"/>'))  # fmt: skip
    assert "lower above upper" in robot.report()
    assert "negative damping" in robot.report()
    assert (robot.joints[0].limits.lower, robot.joints[0].damping) == (2.0, -1.0)


def inertia(mass: float, *moments: float) -> str:
    names = ("ixx", "iyy", "izz", "ixy", "iyz", "ixz")
    values = " ".join(
        f'{n}="{m!r}"' for n, m in zip(names, (*moments, 0.0, 0.0, 0.0), strict=False)
    )
    return f'<inertial><mass value="{mass!r}"/><inertia {values}/></inertial>'


@pytest.mark.parametrize("scale", [1.0, 1e-15, 1e9])
def test_impossible_tensors_at_any_scale(scale: float) -> None:
    def body(*moments: float) -> str:
        return inertia(scale, *(scale * m for m in moments))

    with pytest.raises(ModelError, match=r"<text>:3: link 'a': inertia is not positive semidef"):
        load(one_joint(body=body(1.0, 1.0, 1.0, 1.001)))
    with pytest.raises(ModelError, match="inertia=False"):
        load(one_joint(body=body(1.0, 1.0, -1e-5)))
    # six digits: a rod's tensor, rounded, is still a rod's
    rod = load(one_joint(body=body(1.0, 1.0, -1e-7)))
    assert messages(rod, "warning") == []
    odd = load(one_joint(body=body(3.0, 1.0, 1.0)))
    assert messages(odd, "warning") == [
        "<text>:3: link 'a': inertia violates the triangle inequality, used as it is"
    ]


def test_kinematics_alone_reads_no_masses() -> None:
    text = one_joint(body=inertia(-1.0, 1.0, 1.0, -1.0))
    robot = load(text, inertia=False)
    assert robot.moving_mass == 0.0
    assert messages(robot, "warning") == ["r: no link has mass: kinematics only"]


def test_masses_that_are_odd_but_usable() -> None:
    point = load(one_joint(body='<inertial><origin xyz="1 0 0"/><mass value="2"/></inertial>'))
    assert "a point mass" in point.report()
    np.testing.assert_array_equal(
        array(point.links[1].inertia.about_origin), np.diag([0.0, 2.0, 2.0])
    )
    # rounding of m c^2, left by whoever moved the tensor to the centre, is no impossible body
    noise = load(one_joint(body='<inertial><origin xyz="0.02 -0.1 0"/><mass value="1.3"/>'
        '<inertia ixx="0" iyy="0" izz="0" ixy="0" iyz="0" ixz="2e-18"/></inertial>'))  # fmt: skip
    assert messages(noise, "warning") == []
    leaf = load(one_joint().replace("</robot>", '<link name="b"/><joint name="k" type="revolute">'
        f'<parent link="a"/><child link="b"/>{LIMIT}</joint></robot>'))  # fmt: skip
    assert messages(leaf, "warning") == ["joint 'k': moves no mass: forward dynamics is undefined"]


def test_a_robot_without_name_is_called_like_its_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(one_joint().replace(' name="r"', "", 1), encoding="utf-8")
    assert load(path).name == "arm"
    assert "<robot> has no name" in load(path).report()
