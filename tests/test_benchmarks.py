"""The benchmark scripts run, meet their targets, and can miss them."""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The part that all scripts share, as they import it; extras may be missing."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    module = importlib.import_module("bench")
    monkeypatch.setattr(module, "REQUIRE_EXTRAS", False)
    return module


def run(bench: ModuleType, *rows: Any, arguments: tuple[str, ...] = ("--check",)) -> int:
    """The exit code of a script with one section."""
    section = bench.Section("1. Section", "no states", rows)
    code = bench.main("A script", [lambda quick: section], arguments=arguments)
    assert isinstance(code, int)
    return code


def last_line(text: str) -> str:
    return text.rstrip("\n").splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "sections", "targets"),
    [
        ("seed_kinematics.py", {"1.", "2.", "3.", "4.", "5.", "6.", "7.", "Third"}, 100),
        ("seed_dynamics.py", {"1.", "2.", "3.", "4.", "5.", "6.", "7."}, 50),
    ],
)
def test_the_documents(script: str, sections: set[str], targets: int, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, script, "--quick", "--check", "--json", str(figures)],
        cwd=BENCHMARKS,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    content = json.loads(figures.read_text(encoding="utf-8"))
    assert last_line(done.stdout) == content["summary"]
    rows = [row for section in content["sections"] for row in section["rows"]]
    judged = [row for row in rows if row["ok"] is not None]
    assert len(judged) > targets
    assert all(row["ok"] for row in judged)
    assert {section["title"].split()[0] for section in content["sections"]} == sections


def test_a_little_less_gravity_misses_the_exact_blocks(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    accuracy = importlib.import_module("dynamics.accuracy")
    exact = accuracy.by_lane

    def a_little_lighter(motions: Any, lane: str, step: float | None = None) -> Any:
        light = motions.robot.with_gravity((0.0, 0.0, -9.81 + 1e-10))
        return exact(replace(motions, robot=light) if lane == "dual" else motions, lane, step)

    monkeypatch.setattr(accuracy, "by_lane", a_little_lighter)
    section = accuracy.accuracy(True)
    missed = {row.name for row in section.rows if row.ok is False}
    assert missed >= {"dtau/dq: dual"}
    assert not {name for name in missed if "dual" not in name}


def test_drake_is_in_no_extra(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    peers = importlib.import_module("dynamics.peers")
    monkeypatch.setattr(bench, "REQUIRE_EXTRAS", True)
    monkeypatch.setattr(peers, "installed", lambda package: False)
    rows = {row.name: row for row in peers.peers("ur5", True).rows}
    assert rows["Drake"].ours == "not installed"
    assert rows["Drake"].ok is None
    assert rows["Pinocchio"].ok is False


def test_a_wrong_length_misses_the_closed_forms(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    representations = importlib.import_module("kinematics.representations")
    monkeypatch.setattr(representations, "planar_lengths", lambda: (0.4, 0.3 + 1e-15))
    section = representations.closed_forms(True)
    assert {row.name for row in section.rows if row.ok is False} >= {"J_p"}


def test_a_missed_target_is_named_and_fails_the_check(
    bench: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = bench.Row("good", 1e-15, bench.at_most(1e-14)), bench.Row("bad", 3.0, bench.at_most(2.0))
    assert run(bench, *rows) == 1
    text = capsys.readouterr().out
    assert "missed: 1. Section: bad: 3, not ≤ 2" in text
    assert last_line(text) == "1 of 2 targets met"
    assert run(bench, *rows, arguments=()) == 0


def test_what_is_not_installed_is_said(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = bench.Row("peer", None, bench.at_most(1.0), missing="a_peer")
    assert run(bench, row) == 0
    text = capsys.readouterr().out
    assert "not installed" in text
    assert last_line(text) == "0 of 0 targets met; 1 rows not measured, not installed: a_peer"
    monkeypatch.setattr(bench, "REQUIRE_EXTRAS", True)
    assert run(bench, row) == 1
    assert "missed: 1. Section: peer: a_peer is missing" in capsys.readouterr().out


@pytest.mark.parametrize("figure", [math.nan, 1.5, (0.5, 1.5), "words", None])
def test_what_meets_no_target(bench: ModuleType, figure: Any) -> None:
    assert not bench.Interval(0.0, 1.0).holds(figure)
    assert not bench.Interval(0.0, 1.0).holds(bench.Interval(0.5, 1.5))


def test_what_meets_a_target(bench: ModuleType) -> None:
    for figure in (0.0, 1.0, (0.0, 0.5, 1.0), bench.Interval(0.1, 0.9)):
        assert bench.Interval(0.0, 1.0).holds(figure)


def test_json_knows_no_infinity(bench: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    row = bench.Row("nan", math.nan, bench.at_most(1.0), bench.Interval(0.5, 0.75))
    assert run(bench, row, arguments=("--json", str(path))) == 0
    (found,) = json.loads(path.read_text(encoding="utf-8"))["sections"][0]["rows"]
    assert found["ours"] is None
    assert found["target"] == [None, 1.0]
    assert found["reference"] == [0.5, 0.75]
    assert found["ok"] is False


def test_operations_of_a_file_beside_published_figures(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = importlib.import_module("counting.counts")
    planar = BENCHMARKS.parent / "examples" / "robots" / "planar_2r.urdf"
    arguments = [f"iiwa7={planar}", "--json", str(tmp_path / "figures.json")]
    assert bench.main("Operations", [], of_file=counts.of_file, arguments=arguments) == 0
    (section,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["sections"]
    assert section["title"] == "iiwa7"
    (table,) = section["tables"]
    rows = {row[0]: dict(zip(table["columns"][:4], row[:4], strict=True)) for row in table["rows"]}
    assert 10 < rows["ID"]["ours"] <= rows["ID"]["as traced"]
    assert rows["ID"]["prototype"] == 445
    assert {"A, B", "hessian of lam' tau"} <= set(rows)


def test_a_robot_with_more_operations_than_its_target_misses(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, figures = (importlib.import_module(f"counting.{n}") for n in ("counts", "figures"))
    monkeypatch.setitem(figures.TARGETS, "scara", (1, 1000, 1000, 1000, 1000))
    rows = {row.name: row.ok for row in counts.of_robot("scara", True).rows}
    assert rows == {f"scara: {f}": f != "ID" for f in ("ID", "M", "FD", "dID", "dFD")}
