"""Golden C in ``generated/``, byte for byte. After a change that is meant, rewrite it with

pytest tests/test_generated.py --update-generated
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symkin
from symkin.emit import CModule

GENERATED = Path(__file__).parent.parent / "generated"


def planar_2r() -> CModule:
    """All of emission's options away from their defaults, but for the type."""
    robot = symkin.load("planar_2r")
    names = ("forward_kinematics", "jacobian_space", "jacobian_body_dot", "hessian_position")
    graphs = [symkin.trace(robot, name) for name in names]
    return symkin.emit_c(graphs, name="planar_2r", order="column", zeros="nonzeros", casadi=True)


def ur5() -> CModule:
    robot = symkin.load("ur5")
    names = ("forward_kinematics", "pose_zyx", "jacobian_body", "jacobian_position_dot")
    return symkin.emit_c([symkin.trace(robot, name) for name in names], name="ur5")


def tree12() -> CModule:
    """Several tips, a frame relative to another, and single precision."""
    robot = symkin.load("tree12")
    graphs = [
        symkin.trace(robot, "forward_kinematics", frame="left_tool"),
        symkin.trace(robot, "jacobian_body", frame="left_tool", relative_to="right_tool"),
        symkin.trace(robot, "center_of_mass"),
        symkin.trace(robot, "jacobian_center_of_mass"),
    ]
    return symkin.emit_c(graphs, name="tree12", real="float")


ROBOTS = {"planar_2r": planar_2r, "ur5": ur5, "tree12": tree12}


@pytest.mark.parametrize("robot", ROBOTS)
def test_golden_files(robot, request):
    folder, module = GENERATED / robot, ROBOTS[robot]()
    if request.config.getoption("--update-generated"):
        shutil.rmtree(folder, ignore_errors=True)
        module.write(folder)
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    expected = {name: text.encode() for name, text in module.files.items()}
    assert set(found) == set(expected)
    changed = [name for name in expected if found[name] != expected[name]]
    assert not changed, (
        f"generated C differs from generated/{robot}: {', '.join(changed)}; if that is meant, "
        "run: pytest tests/test_generated.py --update-generated"
    )


def test_nothing_else_lies_there():
    assert {path.name for path in GENERATED.iterdir()} == set(ROBOTS)


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_same_bytes_under_any_hash_seed(seed):
    script = (
        "import test_generated as t, hashlib\n"
        "print(hashlib.sha256(repr([m().files for m in t.ROBOTS.values()]).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    ours = repr([make().files for make in ROBOTS.values()])
    assert done.stdout.strip() == hashlib.sha256(ours.encode()).hexdigest()


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_golden_files_compile_where_they_lie(robot, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    for source in sorted((GENERATED / robot).glob("*.c")):
        flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        command = [compiler, *flags, "-c", source, "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
