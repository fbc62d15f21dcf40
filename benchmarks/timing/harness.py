"""The C++ program that times generated functions and Pinocchio's in turns."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import casadi
import numpy as np
import numpy.typing as npt
import platformdirs

from symkin.errors import BuildError
from symkin.model import Robot
from symkin.verify.oracles.pinocchio import Pinocchio, model_of

Array: TypeAlias = npt.NDArray[np.float64]

SOURCE = Path(__file__).with_name("harness.cpp")
COMMON = (
    "-std=c++17",
    "-w",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
FLAGS = {
    True: ("-O3", "-march=native"),
    # The wheel's own code aligns vectors as for any processor of its kind: so must its callers.
    False: ("-O2", "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"),
}
"""Of Pinocchio's headers compiled here, or of calls into the wheel's library."""

_AXES = "XYZ"


@dataclass(frozen=True, slots=True)
class Work:
    """One of our functions: what it computes, where it is, and the sizes of its outputs."""

    what: str
    library: Path
    symbol: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Times:
    """Nanoseconds of a call: the least of many in a row, and the middle one after other work."""

    warm: float
    cold: float


@dataclass(frozen=True, slots=True)
class Found:
    """Our times and Pinocchio's, and what each computed: (states, entries)."""

    ours: Times
    theirs: Times
    values: tuple[Array, Array]


def available() -> bool:
    """Whether there are Pinocchio, with its headers, and a C++ compiler."""
    return (
        importlib.util.find_spec("pinocchio") is not None
        and shutil.which("g++") is not None
        and (_prefix() / "include" / "pinocchio").is_dir()
    )


@cache
def program(native: bool) -> Path:
    """The harness with Pinocchio compiled here, which takes minutes, or with the wheel's library.

    It is kept under the digest of its source, its compiler and Pinocchio's version. Raises
    BuildError with what the compiler said.
    """
    prefix, eigen = _prefix(), Path(casadi.__file__).parent / "include" / "eigen3"
    command = ["g++", *COMMON, *FLAGS[native], f"-I{prefix / 'include'}", f"-I{eigen}", str(SOURCE)]
    library = f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-lpinocchio_default", "-ldl"
    identity = (Pinocchio.library().__version__, _output("g++", "--version"), _target())
    content = repr((command, library, identity, SOURCE.read_text(encoding="utf-8")))
    digest = hashlib.sha256(content.encode()).hexdigest()[:20]
    folder = platformdirs.user_cache_path("symkin", False) / "benchmarks"
    path = folder / f"harness-{digest}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        print(f"compiling Pinocchio's {'headers' if native else 'calls'} ...", file=sys.stderr)
        done = subprocess.run(
            [*command, "-o", str(draft), *library], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BuildError(f"the harness does not compile:\n{done.stderr[:2000]}")
        draft.replace(path)
    return path


def _prefix() -> Path:
    """Where the wheel keeps headers and libraries: four folders above its Python package."""
    return Path(Pinocchio.library().__file__).resolve().parents[4]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _target() -> str:
    """What -march=native means here."""
    return _output("g++", "-march=native", "-Q", "--help=target")


def measure(
    robot: Robot,
    states: dict[str, Array],
    works: Sequence[Work],
    *,
    native: bool,
    seconds: float,
    calls: int,
) -> list[Found]:
    """The times of these functions and Pinocchio's of the same robot, at states (count, n).

    ``seconds`` go into warm calls of each, ``calls`` are made cold.
    """
    oracle = Pinocchio(robot, None)
    with tempfile.TemporaryDirectory(prefix="symkin-") as name:
        folder = Path(name)
        (folder / "model").write_text(described(robot), encoding="utf-8")
        (folder / "states").write_text(_states(oracle, states), encoding="utf-8")
        lines = [
            f"{w.what} {w.library} {w.symbol} {seconds} {calls} {' '.join(map(str, w.sizes))}\n"
            for w in works
        ]
        (folder / "functions").write_text("".join(lines), encoding="utf-8")
        files = [str(folder / file) for file in ("model", "states", "functions", "results")]
        done = subprocess.run(
            [str(program(native)), *files], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BuildError(f"{robot.name}: the harness stopped: {done.stderr[:2000]}")
        values = np.fromfile(folder / "results")
    found: list[Found] = []
    count = len(states["q"])
    for work, line in zip(works, done.stdout.splitlines(), strict=True):
        warm, cold, warm_theirs, cold_theirs = map(float, line.split())
        size = sum(work.sizes)
        own, values = np.split(values, [2 * count * size])
        ours, theirs = np.moveaxis(own.reshape(count, 2, size), 1, 0)
        found.append(
            Found(
                Times(warm, cold),
                Times(warm_theirs, cold_theirs),
                (ours, _in_our_order(oracle, theirs, work.sizes)),
            )
        )
    return found


def described(robot: Robot) -> str:
    """The robot as the harness reads it, joints of Pinocchio's fastest kinds where they fit."""
    model = model_of(robot)
    lines = [_text(model.gravity.linear)]
    for j in range(1, model.njoints):
        joint, body = model.joints[j], model.inertias[j]
        kind, axis = joint.shortname().removeprefix("JointModel"), np.zeros(3)
        if kind.endswith("Unaligned"):
            axis = np.asarray(joint.extract().axis)
            if np.max(axis) == 1.0:
                kind = kind[0] + _AXES[int(np.argmax(axis))]
        place = model.jointPlacements[j]
        numbers = (axis, place.rotation, place.translation, body.mass, body.lever, body.inertia)
        rotor = model.armature[joint.idx_v]
        lines.append(f"{kind} {model.parents[j]} {' '.join(map(_text, (*numbers, rotor)))}")
    return "\n".join(lines) + "\n"


def _states(oracle: Pinocchio, states: dict[str, Array]) -> str:
    lines = [str(len(states["q"]))]
    for q, v, a, tau in zip(*(states[name] for name in ("q", "v", "a", "tau")), strict=True):
        own = (q, v, a, tau)
        theirs = (oracle.positions(q), *(oracle.G @ x for x in (v, a, tau)))
        lines.append(" ".join(map(_text, (*own, *theirs))))
    return "\n".join(lines) + "\n"


def _in_our_order(oracle: Pinocchio, values: Array, sizes: Sequence[int]) -> Array:
    """Vectors and square matrices (states, entries) of their joints as those of ours."""
    parts, n = [], oracle.model.nv
    for part in np.split(values, np.cumsum(sizes)[:-1], axis=1):
        if part.shape[1] == n:
            parts.append(part @ oracle.G)
        else:
            square = oracle.G.T @ part.reshape(-1, n, n) @ oracle.G
            parts.append(square.reshape(len(part), n * n))
    return np.concatenate(parts, axis=1)


def _text(numbers: object) -> str:
    return " ".join(f"{x:.17g}" for x in np.ravel(np.asarray(numbers, dtype=np.float64)))
