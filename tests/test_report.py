"""Reports: one document, three renderings, the same bytes every time."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest
from rich.console import Console

from symkin.emit import emit_c
from symkin.model import bundled_names, load
from symkin.quantities import QUANTITIES
from symkin.report import Column, Report, Table, catalogue, describe, describe_module, report
from symkin.trace import trace
from symkin.verify import Check, Verification, verify

DOCUMENT = Report(
    "A [bold]title[/bold]",
    {"count": 12345, "mass_kg": 0.1 + 0.2, "names": ("a", "b"), "nothing": None},
    "root\n└─ [leaf]",
    (
        Table(
            "rows",
            "Rows",
            (
                Column("name", "name"),
                Column("size", "size", "count"),
                Column("error", "error", "error"),
                Column("ok", "verdict", "verdict"),
                Column("hidden", "hidden", shown="data"),
            ),
            (("a | b", 1234, 1.25e-15, True, "x"), ("[red]c", 0, math.nan, False, None)),
        ),
        Table("none", "Nothing", (Column("name", "name"),), ()),
    ),
)


def test_json_holds_everything_and_is_standard() -> None:
    content = json.loads(DOCUMENT.to_json(), parse_constant=pytest.fail)
    assert content["mass_kg"] == 0.1 + 0.2
    assert content["names"] == ["a", "b"]
    assert content["rows"][0] == {
        "name": "a | b",
        "size": 1234,
        "error": 1.25e-15,
        "ok": True,
        "hidden": "x",
    }
    assert content["rows"][1]["error"] is None
    assert content["none"] == []


def test_markdown_escapes_pipes_and_leaves_out_empty_tables() -> None:
    text = DOCUMENT.to_markdown()
    assert "| a \\| b | 1,234 | 1.2e-15 | pass | x |" in text
    assert "| [red]c | 0 | nan | FAIL |  |" in text
    assert "Nothing" not in text
    assert "```text\nroot\n└─ [leaf]\n```" in text


def test_text_takes_no_name_for_markup_and_hides_data() -> None:
    text = str(DOCUMENT)
    for verbatim in ("A [bold]title[/bold]", "└─ [leaf]", "[red]c", "count: 12,345"):
        assert verbatim in text
    assert "hidden" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_a_terminal_sees_colours() -> None:
    console = Console(force_terminal=True, color_system="standard", width=100)
    with console.capture() as captured:
        console.print(DOCUMENT)
    green, red = "\x1b[32mpass", "\x1b[1;31mFAIL"
    assert green in captured.get()
    assert red in captured.get()


def test_many_names_are_shortened_where_people_read() -> None:
    table = Table("t", "T", (Column("where", "where"),), ((("a", "b", "c", "d", "e"),),))
    document = Report("x", tables=(table,))
    assert "a; b; c; and 2 more" in str(document)
    assert json.loads(document.to_json())["t"][0]["where"] == ["a", "b", "c", "d", "e"]


def test_counts_are_those_of_the_graph() -> None:
    robot = load("planar_2r")
    graph = trace(robot, "forward_kinematics")
    (row,) = json.loads(report([graph]).to_json())["functions"]
    # T of a planar arm: sines and cosines of q0 and q1, or of their sum, four products, two sums
    # for the angle's rotation, and l1 c1 + l2 c12 and l1 s1 + l2 s12.
    assert row["trigonometric"] == 4
    assert row["nodes"] == len(graph.nodes)
    assert row["operations"] == sum(row[kind] for kind in ("add", "sub", "mul", "div", "sqrt"))
    assert row["entries"] == 16
    assert row["nonzeros"] == len(graph.outputs[0].nonzeros)
    module = emit_c(graph, name="forward_kinematics")
    assert row["c_bytes"] == len(module.files["forward_kinematics.c"].encode())


def test_a_robot_is_all_its_quantities_at_all_its_tips() -> None:
    text = (
        "<robot name='y'><link name='a'/><link name='b'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<link name='c'/>"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
        "<joint name='k' type='continuous'><parent link='a'/><child link='c'/></joint></robot>"
    )
    robot = load(text)
    names = [row["name"] for row in json.loads(report(robot).to_json())["functions"]]
    rows = [row for row in QUANTITIES.values() if not (row.on_request or row.missing(robot))]
    assert 0 < len(rows) < len(QUANTITIES)  # joint k moves no inertia
    expected = [f"{row.name}_{tip}" for row in rows if row.per_frame for tip in ("b", "c")]
    assert sorted(names) == sorted(expected + [row.name for row in rows if not row.per_frame])


def test_a_verification_shows_error_tolerance_and_verdict() -> None:
    verification = verify(load("planar_2r"), ["forward_kinematics"])
    content = json.loads(report(verification).to_json())
    assert content["passed"] is True
    assert content["failed"] == 0
    assert len(content["checks"]) == len(verification.checks)
    first = content["checks"][0]
    assert first["quantity"].startswith("forward_kinematics")
    assert first["error"] <= first["tolerance"]


def test_the_summary_tells_kinds_of_checks_apart() -> None:
    checks = (
        Check("T", "adjoint", 1e-16, 1e-15, True),
        Check("T", "compiled", 3e-16, 1e-15, True),
        Check("T", "complex step", 2e-16, 1e-15, True),
        Check("T", "central difference", 1e-10, 1e-9, True),
        Check("T", "law: R'R = 1", 4e-16, 1e-15, True),
        Check("T", "law: dT, by forward difference", 1e-8, 1e-7, True),
        Check("T", "Pinocchio: oMf", math.nan, math.nan, None, "not installed"),
        Check("J", "compiled", 1e-3, 1e-15, False),
        Check("J", "casadi", math.nan, 0.0, False),
        Check("x", "compiled", math.nan, math.nan, None, "no compiler"),
    )
    T, J, x = json.loads(report(Verification("arm", checks)).to_json())["summary"]
    assert (T["checks"], T["skipped"], T["passed"]) == (6, 1, True)
    assert [T[kind] for kind in ("values", "derivatives", "laws")] == [3e-16, 2e-16, 4e-16]
    assert (T["differences"], T["libraries"]) == (1e-8, None)
    assert (J["values"], J["passed"]) == (None, False)
    assert (x["checks"], x["passed"]) == (0, None)
    text = str(report(Verification("arm", checks)))
    assert "skipped" in text
    assert "FAIL" in text
    assert "not installed" in text


def test_a_description_holds_tree_limits_frames_and_the_load_report() -> None:
    content = json.loads(describe(load("tree12")).to_json())
    joints = {joint["name"]: joint for joint in content["joints"]}
    assert joints["left_extend"]["upper"] == 0.15
    assert joints["left_wrist"]["upper"] is None
    assert joints["lift"]["parent"] == "base"
    assert joints["left_mount"]["index"] is None
    assert [frame["name"] for frame in content["frames"] if frame["tip"]] == [
        "left_tool",
        "right_tool",
        "camera",
    ]
    assert any("unit vector" in note["message"] for note in content["notes"])


def test_mimic_joints_say_whom_they_follow() -> None:
    text = (
        "<robot name='m'><link name='a'/><link name='b'/><link name='c'/>"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
        "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        "<joint name='k' type='prismatic'><parent link='b'/><child link='c'/>"
        "<limit lower='0' upper='1' effort='1' velocity='1'/>"
        "<mimic joint='j' multiplier='-2' offset='0.5'/></joint></robot>"
    )
    follower = json.loads(describe(load(text)).to_json())["joints"][1]
    assert (follower["leader"], follower["multiplier"], follower["offset"]) == ("j", -2.0, 0.5)
    assert follower["index"] == 0
    assert follower["unit"] == "m, m/s, N"


def test_a_module_lists_files_functions_and_changed_names() -> None:
    graph = trace(load("planar_2r"), "jacobian_body")
    content = json.loads(describe_module(emit_c(graph, name="my arm")).to_json())
    assert [file["path"] for file in content["files"]] == ["my_arm.h", "my_arm.c"]
    assert content["functions"][0]["symbol"] == "my_arm_jacobian_body"
    assert content["functions"][0]["inputs"] == "q[2]"
    assert {"given": "my arm", "used": "my_arm"} in content["renamed"]


def test_the_catalogue_names_every_quantity_and_robot() -> None:
    content = json.loads(catalogue().to_json())
    assert [row["name"] for row in content["quantities"]] == list(QUANTITIES)
    assert [row["name"] for row in content["robots"]] == list(bundled_names())


def test_the_same_bytes_under_any_hash_seed_and_folder(tmp_path: object) -> None:
    program = (
        "from symkin import load, report, trace; from symkin.report import catalogue, describe;"
        "r = load('tree12'); g = trace(r, 'mass_matrix'), trace(r, 'center_of_mass');"
        "print(describe(r), report(g).to_markdown(), catalogue().to_json())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "HOME": str(tmp_path)},
            cwd=cwd,
            capture_output=True,
            check=True,
        ).stdout
        for seed, cwd in (("1", "/"), ("2", str(tmp_path)))
    }
    assert len(outputs) == 1
