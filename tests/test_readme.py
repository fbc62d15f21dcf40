"""The README: its commands exist, its table is current. Its Python runs in test_docs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from symkin.cli import app
from symkin.emit import emit_c
from symkin.model import load
from symkin.trace import trace

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def pipe_rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def test_it_opens_with_two_commands() -> None:
    first, second = re.findall(r"^```sh\n(.*?)\n```", README, re.M | re.S)[:2]
    assert first.endswith("symkin demo")
    assert second.endswith("pytest -n 2")
    assert not re.search(r"^```(?!sh)\w", README[: README.index(second)], re.M)


def test_the_tests_command_is_the_one_that_ci_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = re.search(r"\.venv/bin/(pytest.*)$", README, re.M)
    assert command is not None
    assert command[1] in script.splitlines()


@pytest.mark.parametrize("line", re.findall(r"^\| `symkin ([^`]+)` \|", README, re.M))
def test_commands_exist_and_take_these_options(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["planar_2r" if word == "ROBOT" else word for word in shlex.split(line)]
    if words == ["demo"]:
        words.append("--help")  # run by tests of the command line and of the wheel
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output


def test_the_counts_are_what_the_command_prints() -> None:
    command = re.search(r"<!-- symkin (report .*?) -->", README)
    assert command is not None
    result = CliRunner().invoke(app, shlex.split(command[1]))
    section = README[command.end() : README.index("\n## ", command.end())]
    shown = pipe_rows(section)
    assert shown == pipe_rows(result.stdout)[: len(shown)]
    assert len(shown) > 2


def test_the_prototype_is_what_is_generated() -> None:
    prototype = re.search(r"^```c\n(.*?)\n```", README, re.M | re.S)
    assert prototype is not None
    module = emit_c(trace(load("ur5"), "jacobian_body"), name="ur5")
    assert prototype[1] in module.files["ur5.h"]


def test_version_is_what_one_cites() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert re.fullmatch(r"symkin \d+\.\d+\.\d+\n", result.stdout)
