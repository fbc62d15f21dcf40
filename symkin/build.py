"""CModule to shared library file, once: the cache is keyed by everything that shapes the file."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

import platformdirs

from symkin.emit import CModule
from symkin.emit.complex_step import complex_sources
from symkin.errors import ArgumentError, BuildError

Arithmetic: TypeAlias = Literal["real", "complex"]
Command: TypeAlias = tuple[str, ...]

FLAGS = ("-O2",)
"""What ``flags`` replaces."""

# Contraction into fused multiply-adds makes results depend on compiler and processor; without it,
# C performs the very roundings that the graph does. User flags come later and may turn it on.
_ALWAYS = ("-std=c99", "-ffp-contract=off", "-fPIC", "-shared")
# An ELF library would otherwise call another's function if both define one of that name.
_LINKER = ("-Wl,-Bsymbolic", "-lm") if sys.platform.startswith("linux") else ("-lm",)
_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
_COMPILERS = ("cc", "gcc", "clang")
_SHOWN_LINES = 20
_WORKPLACE = ".building-"
_ABANDONED = 24 * 3600.0  # seconds


def compile_module(
    module: CModule,
    *,
    compiler: str | PathLike[str] | Sequence[str] | None = None,
    flags: str | Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    arithmetic: Arithmetic = "real",
) -> Path:
    """The shared library of a module, compiled unless the cache has it already.

    ``compiler`` is a command, else $CC, else the first of cc, gcc and clang on PATH, else the
    package ziglang. ``flags`` replace -O2. ``cache`` is a folder, by default the user's cache, or a
    temporary folder where that cannot be written. ``arithmetic="complex"`` builds the same source
    in complex numbers, for complex steps.

    The file's name holds a digest of source, flags, compiler, its version and platform; the file
    appears at once and whole, however many processes build it. Raises BuildError when there is no
    compiler, when it refuses the source or writes nothing, for commands and flags whose quotes do
    not match, and when ``cache`` cannot be written.
    """
    if arithmetic not in ("real", "complex"):
        raise ArgumentError(f"arithmetic is real or complex, not {arithmetic!r}")
    wrappers = complex_sources(module) if arithmetic == "complex" else {}
    command = find_compiler(compiler)
    chosen = FLAGS if flags is None else flags
    if isinstance(chosen, str):
        chosen = _words(chosen, "cannot read flags=")
    options = (*_ALWAYS, *chosen)
    content = (module.digest, sorted(wrappers.items()), options, _identity(command, options))
    digest = hashlib.sha256(repr(content).encode()).hexdigest()
    name = f"{module.name}-{digest[:20]}{_SUFFIX}"

    folder = Path(cache) if cache is not None else platformdirs.user_cache_path("symkin", False)
    if (folder / name).exists():
        return (folder / name).absolute()
    try:
        work = _workplace(folder)
    except OSError as error:
        if cache is not None:
            reason = error.strerror or error
            raise BuildError(f"cannot write into the cache {str(folder)!r}: {reason}") from error
        folder = _temporary_folder()
        work = _workplace(folder)
    try:
        module.write(work)
        for path, text in wrappers.items():
            (work / path).write_text(text, encoding="utf-8", newline="\n")
        sources = tuple(wrappers) or module.sources
        _compile((*command, *options, *sources, "-o", name, *_LINKER), work, module.name)
        _keep(work / name, command)
        os.replace(work / name, folder / name)  # noqa: PTH105  (atomic, over what others built)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return (folder / name).absolute()


def find_compiler(compiler: str | PathLike[str] | Sequence[str] | None = None) -> Command:
    """The command that compiles C: the argument, $CC, a compiler on PATH, or ziglang's.

    Raises BuildError that says what was tried and how to name one.
    """
    if compiler is not None:
        return _runnable(compiler, "compiler=", "pass one that exists, or none")
    if os.environ.get("CC"):
        return _runnable(os.environ["CC"], "$CC is ", "set CC to one that exists, or unset it")
    for name in _COMPILERS:
        if shutil.which(name):
            return (name,)
    if find_spec("ziglang"):
        return (sys.executable, "-m", "ziglang", "cc")
    raise BuildError(
        f"no C compiler: $CC is not set, {', '.join(_COMPILERS)} are not on PATH, and the package "
        "ziglang is not installed. Install one (apt install gcc, or pip install "
        "'symkin[compiler]'), set CC, or pass compiler='/path/to/cc'. "
        "symkin.evaluate needs no compiler"
    )


def _runnable(given: str | PathLike[str] | Sequence[str], source: str, way_out: str) -> Command:
    """The command as words: a path may hold blanks, "ccache gcc" is two words."""
    if isinstance(given, str | PathLike):
        text = os.fspath(given)
        command = (text,) if shutil.which(text) else _words(text, f"no C compiler: {source}")
    else:
        command = tuple(given)
    found = shutil.which(command[0]) if command else None
    if found is None:
        raise BuildError(
            f"no C compiler: {source}{given!r}, which is not on PATH and cannot be run; {way_out}"
        )
    return (str(Path(found).absolute()), *command[1:])


def _words(text: str, what: str) -> Command:
    """A command line as a shell reads it."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise BuildError(f"{what}{text!r}: {error}") from None


@functools.cache
def _identity(command: Command, options: tuple[str, ...]) -> tuple[str, ...]:
    """What tells one compiler from another: its version, target and all it predefines.

    The last holds the processor's features, so that -march=native on two machines is two files.
    """
    texts = [platform.system(), platform.machine(), *command]
    for question in (("--version",), (*options, "-dM", "-E", "-x", "c", os.devnull)):
        answer = _run((*command, *question), None)
        texts.append(answer.stdout if answer.returncode == 0 else "")
    return tuple(texts)


def _compile(command: Command, work: Path, name: str) -> None:
    result = _run(command, work)
    if result.returncode == 0:
        return
    lines = (result.stderr or result.stdout).strip().splitlines()
    if len(lines) > _SHOWN_LINES:
        lines = [*lines[:_SHOWN_LINES], f"... and {len(lines) - _SHOWN_LINES} lines more"]
    raise BuildError("\n".join((f"the C compiler refused {name} ({shlex.join(command)}):", *lines)))


def _keep(file: Path, command: Command) -> None:
    """Have the file on disk before it gets its name, so that no power cut leaves half of it."""
    try:
        with file.open("rb+") as written:
            os.fsync(written.fileno())
    except FileNotFoundError:
        raise BuildError(
            f"the C compiler {shlex.join(command)} reported success, but wrote no {file.name}; "
            "set CC or pass compiler='/path/to/cc'"
        ) from None


def _run(command: Command, work: Path | None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=work,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise BuildError(
            f"cannot run the C compiler {shlex.join(command[:1])}: {error.strerror or error}; "
            "set CC or pass compiler='/path/to/cc'"
        ) from error


def _workplace(folder: Path) -> Path:
    """A fresh folder to build in, on the same disk as the result, so that a move is atomic.

    Those that killed builds left behind are removed when a day has passed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f"{_WORKPLACE}*"):
        with contextlib.suppress(FileNotFoundError):  # another process may be removing it as well
            if time.time() - left.stat().st_mtime > _ABANDONED:
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=_WORKPLACE, dir=folder)).absolute()


@functools.cache
def _temporary_folder() -> Path:
    """For one process, where the user's cache cannot be written."""
    folder = tempfile.mkdtemp(prefix="symkin-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
