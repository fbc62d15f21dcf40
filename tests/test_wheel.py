"""What is installed from a wheel works by itself, far from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("build")
pytest.importorskip("hatchling")

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel in it.

    Its dependencies are those of this environment: what they are is not under test, and the
    network is not needed. An editable symkin does not shine through: it is a .pth file, and .pth
    files are read in an environment's own folder only.
    """
    place = tmp_path_factory.mktemp("wheel")
    python = place / "venv" / "bin" / "python"
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(place)]
    run([*build, str(ROOT)], place)
    run([sys.executable, "-m", "venv", "--without-pip", str(place / "venv")], place)
    (wheel,) = place.glob("symkin-*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
    run([*pip, "--no-deps", "--no-index", str(wheel)], place)
    (own,) = (place / "venv" / "lib").glob("python*/site-packages")
    paths = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
    (own / "dependencies.pth").write_text("\n".join(dict.fromkeys(paths)) + "\n")
    return place / "venv" / "bin"


def run(command: list[str], folder: Path) -> str:
    """What a command prints, in an environment without this one's Python settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    completed = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "XDG_CACHE_HOME": str(folder / ".cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


def test_it_generates_builds_and_verifies_in_an_empty_folder(
    environment: Path, tmp_path: Path
) -> None:
    content = json.loads(run([str(environment / "symkin"), "demo", "--json"], tmp_path))
    assert content["passed"] is True
    assert {path.name for path in (tmp_path / "symkin_demo").iterdir()} == {"ur5.c", "ur5.h"}
    assert Path(content["library"]).is_relative_to(tmp_path)


def test_it_is_the_wheel_that_ran(environment: Path, tmp_path: Path) -> None:
    where = run(
        [str(environment / "python"), "-c", "import symkin; print(symkin.__file__)"], tmp_path
    )
    assert Path(where.strip()).is_relative_to(environment.parent)


def test_it_carries_every_robot_and_the_types(environment: Path, tmp_path: Path) -> None:
    content = json.loads(run([str(environment / "symkin"), "list", "--json"], tmp_path))
    robots = {path.stem for path in (ROOT / "examples" / "robots").iterdir() if path.is_file()}
    assert {row["name"] for row in content["robots"]} == robots - {"README"}
    (marker,) = environment.parent.glob("lib/python*/site-packages/symkin/py.typed")
    assert marker.is_file()
