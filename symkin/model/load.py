"""A robot from whatever describes it: a file, its text, or the name of a bundled robot."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from symkin.errors import ArgumentError, ModelError
from symkin.model.base import BaseKind, with_base
from symkin.model.bundled import bundled_names, bundled_path
from symkin.model.robot import Robot
from symkin.model.snap import SnapRule, read_snapped
from symkin.model.tables import read_tables
from symkin.model.urdf import read_urdf

_SUFFIXES = (".urdf", ".xacro", ".json")


def load(
    source: str | bytes | Path,
    *,
    snap: SnapRule = "digits",
    convention: str | None = None,
    inertia: bool = True,
    xacro_arguments: Mapping[str, str] | None = None,
    base: BaseKind = "fixed",
) -> Robot:
    """Read a robot.

    ``source`` is a path to a URDF, xacro or JSON file (tables, see `symkin.model.tables`), the name
    of a bundled robot, or the text or bytes of a URDF or JSON file. ``snap`` says how far numbers
    may be moved to what they stand for: see `symkin.model.snap`. ``convention`` is that of a DH
    table that does not say it. Without ``inertia``, masses are not read: kinematics alone.
    ``.xacro`` files are expanded with ``xacro_arguments`` by the xacro package, if installed.
    ``base`` says how the root link moves in the world: see `with_base`.

    Returns a Robot whose `report` lists what was ignored, cleaned or odd. Raises ModelError that
    names file, line, element and value, and ArgumentError for a wrong argument.
    """
    data, file, tables = _content(source, xacro_arguments)
    if tables:
        read = partial(read_tables, data, file, convention=convention, inertia=inertia)
    elif convention is not None:
        raise ArgumentError(f"{file}: convention={convention!r} is for DH tables, not for URDF")
    else:
        read = partial(read_urdf, data, file, inertia=inertia)
    return with_base(read_snapped(read, snap), base)


def _content(
    source: str | bytes | Path, xacro_arguments: Mapping[str, str] | None
) -> tuple[str | bytes, str, bool]:
    """What to read, what to call it, and whether it holds JSON tables."""
    if isinstance(source, bytes | bytearray):
        start = bytes(source[:1000]).replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
        return bytes(source), "<bytes>", start.startswith(b"{")
    if isinstance(source, str):
        start_text = source.lstrip("\ufeff \t\r\n")
        if start_text.startswith(("<", "{")):
            return source, "<text>", start_text.startswith("{")
    elif not isinstance(source, Path):
        raise ArgumentError(f"a robot is loaded from a path, text or bytes, not {type(source)}")
    path = _path(source)
    if path.suffix == ".xacro":
        return _expanded(path, xacro_arguments or {}), path.name, False
    try:
        return path.read_bytes(), path.name, path.suffix == ".json"
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error


def _path(source: str | Path) -> Path:
    """The file that is meant, if there is one."""
    path = Path(source).expanduser()
    with contextlib.suppress(OSError, ValueError):  # no file name: too long, or with a null in it
        if path.is_file():
            return path
        if str(source) in bundled_names():
            return bundled_path(str(source))
        if str(source) and path.is_dir():
            raise ModelError(f"{path}: is a directory; give the file of one robot in it")
    shown = str(source) if len(str(source)) <= 80 else f"{str(source)[:77]}..."
    near = _nearest(path)
    hint = f"; did you mean {' or '.join(near)}?" if near else f": {', '.join(bundled_names())}"
    raise ModelError(
        f"{shown!r} is neither a file, nor URDF text (which starts with '<'), nor a bundled robot"
        f"{hint}"
    )


def _nearest(path: Path) -> list[str]:
    """Bundled robots, and files where the path points, of nearly its name."""
    beside: list[str] = []
    with contextlib.suppress(OSError, ValueError):  # no folder, or no path at all
        beside = sorted(p.name for p in path.parent.iterdir() if p.suffix in _SUFFIXES)
    files = difflib.get_close_matches(path.name, beside, n=2)
    bundled = difflib.get_close_matches(path.stem, bundled_names(), n=2)
    return [*(str(path.with_name(name)) for name in files), *bundled]


def _expanded(path: Path, arguments: Mapping[str, str]) -> str:
    try:
        import xacro
    except ImportError as error:
        raise ModelError(
            f"{path}: is xacro source, and the xacro package is not installed: "
            'pip install "symkin[xacro]", or expand it to URDF first'
        ) from error
    try:
        return str(xacro.process_file(str(path), mappings=dict(arguments)).toxml())
    # whatever an expression in the file raises
    except Exception as error:
        raise ModelError(f"{path}: xacro cannot expand it: {error}") from error
