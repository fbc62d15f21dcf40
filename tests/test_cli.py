"""The command line: what each command prints where, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner, Result

from symkin.cli import app
from symkin.cli.options import Base, Order, Real, Zeros
from symkin.emit import module, scalars
from symkin.errors import BuildError
from symkin.model import base, bundled_names
from symkin.quantities import QUANTITIES

COMMANDS: dict[str, list[str]] = {
    "list": [],
    "show": ["planar_2r"],
    "generate": ["planar_2r", "-q", "jacobian_body"],
    "build": ["planar_2r", "-q", "jacobian_body"],
    "verify": ["planar_2r", "-q", "forward_kinematics", "--samples", "2"],
    "report": ["planar_2r", "-q", "jacobian_body"],
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def ok(*words: str) -> Result:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


def refused(*words: str) -> str:
    """The message of a command that ends with exit code 2, which is all that it prints."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_json_alone_is_on_stdout(command: str) -> None:
    result = ok(command, *COMMANDS[command], "--json")
    assert isinstance(json.loads(result.stdout), dict)
    assert result.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_markdown_alone_is_on_stdout(command: str) -> None:
    result = ok(command, *COMMANDS[command], "--markdown")
    assert result.stdout.startswith("# ")
    assert result.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_text_has_no_escape_codes_in_a_pipe(command: str) -> None:
    assert "\x1b" not in ok(command, *COMMANDS[command]).stdout


def test_list_names_every_quantity_and_robot() -> None:
    text = ok("list").stdout
    for name in (*QUANTITIES, *bundled_names()):
        assert name in text


def test_show_prints_tree_limits_frames_and_notes() -> None:
    text = ok("show", "tree12").stdout
    for part in (
        "└─ pan (revolute about z, q[10])",
        "left_extend",
        "0.15",
        "camera",
        "unit vector",
    ):
        assert part in text


def test_generate_writes_the_functions_asked_for(tmp_path: Path) -> None:
    words = ["tree12", "-q", "jacobian_body", "-q", "center_of_mass", "--frame", "camera"]
    content = json.loads(
        ok(
            "generate", *words, "--relative-to", "torso", "-o", "c", "--name", "arm", "--json"
        ).stdout
    )
    header = (tmp_path / "c" / "arm.h").read_text(encoding="utf-8")
    names = ["jacobian_body_camera_relative_to_torso", "center_of_mass"]
    assert [function["name"] for function in content["functions"]] == names
    assert all(f"arm_{name}(" in header for name in names)
    assert sorted(p.name for p in (tmp_path / "c").iterdir()) == ["arm.c", "arm.h"]


def test_options_reach_the_generator(tmp_path: Path) -> None:
    ok("generate", *COMMANDS["generate"], "--real", "float", "--zeros", "nonzeros")
    header = (tmp_path / "planar_2r.h").read_text(encoding="utf-8")
    assert "const float q[2]" in header
    assert "NNZ" in header
    content = json.loads(
        ok("generate", *COMMANDS["generate"], "--order", "column", "--casadi", "--json").stdout
    )
    assert content["order"] == "column"
    assert content["functions"][0]["casadi"]


def test_bundles_are_functions_too(tmp_path: Path) -> None:
    words = ["planar_2r", "--bundle", "task_space", "--bundle", "both=mass_matrix, bias"]
    content = json.loads(ok("generate", *words, "--json").stdout)
    assert [function["name"] for function in content["functions"]] == ["task_space", "both"]
    assert content["functions"][1]["outputs"] == "M[4], h[2]"
    content = json.loads(ok("generate", *words, "-q", "bias", "--json").stdout)
    assert content["functions"][0]["name"] == "bias"


@pytest.mark.parametrize(
    ("bundle", "said"),
    [
        ("task_spaces", "no quantity 'task_spaces'; did you mean"),
        ("both=", "--bundle both=: write NAME=quantity,quantity or a bundle's name"),
        ("both=bias,mass", "no quantity 'mass'"),
    ],
)
def test_bundles_that_are_none_are_refused(bundle: str, said: str) -> None:
    assert said in refused("generate", "planar_2r", "--bundle", bundle)


def test_a_report_lists_the_ways_and_takes_one_alone() -> None:
    words = ["report", "ur5", "-q", "forward_dynamics"]
    content = json.loads(ok(*words, "--json").stdout)
    taken = [way["formulation"] for way in content["ways"] if way["taken"]]
    assert taken == [["factorised"]]
    assert {way["formulation"][0] for way in content["ways"]} == {"factorised", "articulated"}
    one = json.loads(ok(*words, "--formulation", "articulated", "--json").stdout)
    assert {way["formulation"][0] for way in one["ways"]} == {"articulated"}
    assert one["functions"][0]["operations"] > content["functions"][0]["operations"]
    plain = json.loads(ok(*words, "--no-optimise", "--json").stdout)
    assert plain["functions"][0]["operations"] == plain["ways"][0]["traced"]
    assert plain["functions"][0]["operations"] > content["functions"][0]["operations"]
    assert "no objective 'beauty'" in refused(*words, "--objective", "beauty")


def test_forces_contacts_and_parameters(tmp_path: Path) -> None:
    words = ["ur5", "-q", "external_torque", "-q", "contact_force", "-q", "bias", "--no-optimise"]
    words += ["--force", "tool0", "--force", "forearm_link:base_link:tool0"]
    words += ["--contact", "wrist_2_link", "--parameter", "gravity"]
    ok("generate", *words)
    header = (tmp_path / "ur5.h").read_text(encoding="utf-8")
    assert "const double F[12]" in header
    assert "const double gravity[3]" in header
    for said in (
        "Wrench 0: on tool0, in axes of tool0, moment about tool0.",
        "Wrench 1: on forearm_link, in axes of base_link, moment about tool0.",
        "Contact 0: the origin of wrist_2_link.",
    ):
        assert said in " ".join(header.replace("*", " ").split())


def test_verify_shares_the_work_and_can_be_thorough() -> None:
    words = ["planar_2r", "-q", "mass_matrix", "-q", "jacobian_body", "--samples", "1"]
    content = json.loads(ok("verify", *words, "--jobs", "2", "--thorough", "--json").stdout)
    assert content["passed"] is True
    assert {row["quantity"] for row in content["checks"]} == {"mass_matrix", "jacobian_body"}


def test_verify_takes_places_and_parameters() -> None:
    words = ["planar_2r", "-q", "external_torque", "-q", "bias", "--samples", "1"]
    words += ["--force", "forearm:upper_arm", "--parameter", "payload", "--lane", "graph"]
    assert json.loads(ok("verify", *words, "--json").stdout)["passed"] is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--force", "tool0:"), "--force tool0:: write FRAME, FRAME:AXES or FRAME:AXES:ABOUT"),
        (("--force", "a:b:c:d"), "--force a:b:c:d: write FRAME"),
        (("--force", "hand"), "no frame 'hand'"),
        (("--contact", "tool0:half"), "--contact tool0:half: write FRAME, FRAME:point or FRAME"),
        (("--contact", ":full"), "--contact :full: write FRAME"),
        (("--contact", "tool0"), "bias takes no contacts; these do: contact_acceleration"),
        (("--parameter", "payloat"), "no parameter 'payloat'; did you mean"),
    ],
)
def test_places_that_are_none_are_refused(words: tuple[str, ...], said: str) -> None:
    taken = "external_torque" if "--force" in words else "bias"
    wanted = "contact_force" if "tool0:half" in words or ":full" in words else taken
    assert said in refused("report", "ur5", "-q", wanted, *words)


def test_all_quantities_are_a_word(tmp_path: Path) -> None:
    text = (
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
        "<parent link='a'/><child link='b'/></joint></robot>"
    )
    (tmp_path / "r.urdf").write_text(text)
    content = json.loads(ok("generate", "r.urdf", "-q", "all", "--json").stdout)
    names = {function["name"] for function in content["functions"]}
    assert {"jacobian_body", "mass_matrix"} <= names
    assert len(names) > 30


def test_build_prints_the_library() -> None:
    content = json.loads(ok("build", *COMMANDS["build"], "--json").stdout)
    assert Path(content["library"]).is_file()
    assert {file["path"] for file in content["files"]} == {"planar_2r.h", "planar_2r.c"}


def test_nothing_is_written_when_the_compiler_fails(tmp_path: Path) -> None:
    assert "no-such-compiler" in refused(
        "build", *COMMANDS["build"], "--compiler", "no-such-compiler"
    )
    assert list(tmp_path.iterdir()) == []


def test_verify_fails_with_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    from symkin.verify import Check, Verification

    bad = Check("jacobian_body", "dual", 1e-3, 1e-15, False, "")
    monkeypatch.setattr("symkin.verify", lambda *_, **__: Verification("planar_2r", (bad,)))
    result = run("verify", *COMMANDS["verify"])
    assert result.exit_code == 1
    assert "FAIL" in result.stdout
    assert json.loads(run("verify", *COMMANDS["verify"], "--json").stdout)["passed"] is False


def test_verify_shows_what_failed_and_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    from symkin.verify import Check, Verification

    checks = (
        Check("jacobian_body", "graph", 1e-17, 1e-15, True),
        Check("jacobian_body", "Pinocchio: J", 0.0, 0.0, None, "not installed"),
        Check("twist_body", "Modern Robotics: V", 0.0, 0.0, None, "not installed"),
        Check("twist_body", "casadi", 1e-3, 1e-15, False, "worst entry [0]"),
    )
    monkeypatch.setattr("symkin.verify", lambda *_, **__: Verification("planar_2r", checks))
    text = run("verify", *COMMANDS["verify"]).stdout
    assert text.count("not installed") == 1
    assert text.index("casadi") < text.index("Worst error of each kind")
    assert "graph" not in text
    assert text.count("jacobian_body") == 1  # in the summary
    whole = run("verify", *COMMANDS["verify"], "--verbose").stdout
    assert whole.index("casadi") < whole.index("graph") < whole.index("Pinocchio")
    content = json.loads(run("verify", *COMMANDS["verify"], "--json").stdout)
    assert [row["lane"] for row in content["checks"]][:2] == ["casadi", "graph"]
    assert len(content["checks"]) == 4
    assert content["not_carried_out"] == ["not installed"]


@pytest.mark.parametrize("forms", [("--json", "--markdown"), ("--markdown", "--json")])
@pytest.mark.parametrize("command", COMMANDS)
def test_two_forms_of_output_are_refused(
    command: str, forms: tuple[str, str], tmp_path: Path
) -> None:
    said = refused(command, *COMMANDS[command], *forms)
    assert "give --json or --markdown, not both" in said
    assert list(tmp_path.iterdir()) == []


def test_frames_have_a_short_option() -> None:
    words = ["report", "tree12", "-q", "jacobian_body", "-f", "camera", "--json"]
    (row,) = json.loads(ok(*words).stdout)["functions"]
    assert row["name"] == "jacobian_body_camera"


def test_choices_are_said_without_the_validator_s_words() -> None:
    said = refused("generate", *COMMANDS["generate"], "--order", "bogus")
    assert "Value error" not in said
    assert "'bogus'" in said


def test_a_terminal_sees_that_something_is_going_on() -> None:
    for command in ("build", "verify"):
        reader, writer = os.openpty()
        words = [sys.executable, "-m", "symkin", command, *COMMANDS[command], "--json"]
        environment = {**os.environ, "TERM": "xterm", "XDG_CACHE_HOME": str(Path.cwd())}
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=writer, env=environment)
        os.close(writer)
        said = b""
        with contextlib.suppress(OSError):  # how Linux says that the other end is closed
            while part := os.read(reader, 4096):
                said += part
        os.close(reader)
        json.loads(running.communicate()[0])
        assert running.returncode == 0
        assert {"build": b"Compiling", "verify": b"Verifying"}[command] in said


def test_demo_leaves_c_on_disk_and_shows_checks_and_counts(tmp_path: Path) -> None:
    content = json.loads(ok("demo", "--json").stdout)
    assert sorted(p.name for p in (tmp_path / "symkin_demo").iterdir()) == ["ur5.c", "ur5.h"]
    assert Path(content["library"]).is_file()
    assert content["passed"] is True
    names = [function["name"] for function in content["functions"]]
    assert [row["quantity"] for row in content["summary"]] == names
    assert all(row["passed"] and row["checks"] > 5 for row in content["summary"])
    assert all(function["nodes"] > 0 for function in content["functions"])


def test_demo_writes_nothing_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise BuildError("the compiler is broken")

    monkeypatch.setattr("symkin.build", broken)
    assert refused("demo") == "error: the compiler is broken\n"
    assert list(tmp_path.iterdir()) == []


def test_snap_reaches_the_loader(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(
        "<robot name='arm'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
        "<parent link='a'/><child link='b'/><origin rpy='1.57079632679 1.5708 0'/></joint></robot>"
    )
    digests = [
        json.loads(ok("show", "arm.urdf", "--snap", rule, "--json").stdout)["digest"]
        for rule in ("digits", "off", "1e-3")
    ]
    assert len(set(digests)) == 3
    assert "snap='always'" in refused("show", "arm.urdf", "--snap", "always")


def test_convention_reaches_the_loader(tmp_path: Path) -> None:
    row = {"a": 1.0, "alpha": 0.5, "d": 0.2, "type": "R"}
    (tmp_path / "arm.json").write_text(json.dumps({"links": [row, row]}))
    digests = {
        json.loads(ok("show", "arm.json", "--convention", name, "--json").stdout)["digest"]
        for name in ("standard", "modified")
    }
    assert len(digests) == 2
    assert "convention" in refused("show", "ur5", "--convention", "modified")


@pytest.mark.parametrize("kind", list(Base))
def test_base_reaches_the_loader(kind: Base) -> None:
    content = json.loads(ok("show", "planar_2r", "--base", kind.value, "--json").stdout)
    degrees = {"fixed": 0, "floating": 6, "floating_zyx": 6, "planar": 3}
    assert content["nv"] == 2 + degrees[kind.value]


def test_the_choices_are_those_of_the_library() -> None:
    assert tuple(Base) == get_args(base.BaseKind)
    assert tuple(Real) == get_args(scalars.Real)
    assert tuple(Order) == get_args(module.Order)
    assert tuple(Zeros) == get_args(module.Zeros)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "nothing"), "bundled robot"),
        (("show", "ur55"), "did you mean ur5 or "),
        (("show", "tree13.urdf"), "did you mean tree12?"),
        (("show", "robots/my_arm.urdf"), "did you mean robots/my-arm.urdf?"),
        (("report", "ur5", "-q", "jacobian_bdy"), "did you mean jacobian_body"),
        (("report", "ur5", "--frame", "hand"), "no frame 'hand'"),
        (("generate", "ur5", "-q", "jacobian_body", "-o", "taken"), "taken"),
        (("verify", "ur5", "-q", "jacobian_bdy"), "did you mean jacobian_body"),
    ],
)
def test_what_is_refused_is_said_in_one_message(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "my-arm.urdf").write_text("")
    message = refused(*words)
    assert message.startswith("error: ")
    assert said in message
    assert message.count("\n") == 1


def test_wrong_usage_is_exit_code_2() -> None:
    assert run("show").exit_code == 2
    assert "say which functions: -q QUANTITY" in refused("generate", "ur5")
    assert "say which functions: -q QUANTITY" in refused("build", "ur5")
    assert run("generate", "ur5", "--real", "half").exit_code == 2
    assert run("verify", "ur5", "--samples", "0").exit_code == 2


@pytest.mark.parametrize("how", [("--debug", "show", "nothing"), ("show", "nothing")])
def test_tracebacks_are_for_debugging(
    how: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if how[0] != "--debug":
        monkeypatch.setenv("SYMKIN_DEBUG", "1")
    result = run(*how)
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert "ModelError" in result.stderr


def test_help_says_the_exit_codes() -> None:
    assert "Exit codes" in ok("--help").stdout


def completions(line: str) -> set[str]:
    """What bash would offer at the end of the line."""
    words = line.split(" ")
    completed = subprocess.run(
        [sys.executable, "-c", "from symkin.cli import app; app(prog_name='symkin')"],
        env={
            **os.environ,
            "_SYMKIN_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return set(completed.stdout.split())


def test_shells_complete_robots_quantities_and_commands() -> None:
    assert completions("symkin show ur5_") == {n for n in bundled_names() if n.startswith("ur5_")}
    wanted = {name for name in QUANTITIES if name.startswith("jacobian_b")}
    assert completions("symkin report ur5 -q jacobian_b") == wanted
    assert completions("symkin gen") == {"generate"}


def test_a_closed_pipe_is_no_error() -> None:
    symkin = f"{sys.executable} -c 'from symkin.cli import app; app()'"
    result = subprocess.run(
        ["bash", "-c", f"{symkin} list | head -1"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0
    assert result.stderr == ""
