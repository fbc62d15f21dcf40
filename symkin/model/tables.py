"""JSON files with a DH table, or with screws and a home pose, to Robot.

A DH file holds ``links`` (or ``table``), a list of rows as for `load_dh`, ``convention``
("standard" or "modified"; the caller may give it instead), and optionally ``tool``, a 4 x 4 pose.
A screw file holds ``M``, the 4 x 4 home pose, ``Slist_columns`` (space) or ``Blist_columns``
(body), a list of screws (omega, v), and optionally ``joints``, as for `load_screws`. Both may hold
``name`` and ``base``, and the name of the last frame as ``flange`` or ``tool_name``. ``I_order``
and ``order`` are remarks of the writer on the order of numbers, which are checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from symkin.errors import ArgumentError, ModelError
from symkin.model.dh import read_dh
from symkin.model.markup import decoded
from symkin.model.notes import Note
from symkin.model.robot import Robot
from symkin.model.row import MOMENTS_ORDER, Row
from symkin.model.screws import read_screws
from symkin.model.snap import Snap

_SHARED = ("name", "base", "comment", "I_order")
_DH = (*_SHARED, "convention", "links", "table", "tool", "flange")
_SCREWS = (*_SHARED, "M", "Slist_columns", "Blist_columns", "order", "joints", "tool_name")


def read_tables(
    data: str | bytes,
    file: str,
    snap: Snap,
    *,
    convention: str | None = None,
    inertia: bool = True,
) -> Robot:
    """The robot of JSON text or bytes; ``file`` is what messages call it.

    Raises ModelError that names file, row and key, ArgumentError for a ``convention`` that is
    missing or contradicts the file.
    """
    values = _parsed(data, file)
    top = Row(values, file)
    _check_order(top, "I_order", MOMENTS_ORDER)
    _check_order(top, "order", "[w; v]")
    tables = [key for key in ("links", "table", "Slist_columns", "Blist_columns") if key in values]
    if len(tables) != 1:
        raise ModelError(
            f'{file}: holds {" and ".join(tables) or "no table"}; give one of "links" (DH rows), '
            '"Slist_columns" and "Blist_columns" (screws)'
        )
    if tables[0] in ("links", "table"):
        known: tuple[str, ...] = _DH
        robot = read_dh(
            _list(top, tables[0], Mapping),
            _convention(top, convention),
            snap,
            tool=values.get("tool"),
            name=top.text("name", Path(file).stem.strip("<>")),
            base=top.text("base", "base"),
            flange=top.text("flange", "flange"),
            where=file,
            inertia=inertia,
        )
    else:
        if convention is not None:
            raise ArgumentError(f"{file}: holds screws; a DH convention does not apply")
        known = _SCREWS
        robot = read_screws(
            _list(top, tables[0], Sequence),
            _list(top, "M", Sequence),
            "space" if tables[0] == "Slist_columns" else "body",
            snap,
            joints=_list(top, "joints", Mapping) if "joints" in values else None,
            name=top.text("name", Path(file).stem.strip("<>")),
            base=top.text("base", "base"),
            tool=top.text("tool_name", "tool"),
            where=file,
            inertia=inertia,
        )
    ignored = [Note("ignored", file, f"key {key!r}") for key in values if key not in known]
    return robot.with_notes(ignored)


def _parsed(data: str | bytes, file: str) -> dict[str, Any]:
    text = decoded(data, file) if isinstance(data, bytes) else data
    try:
        values = json.loads(text.lstrip("\ufeff"), object_pairs_hook=_distinct)
    except ValueError as error:
        raise ModelError(f"{file}: not JSON that can be read: {error}") from error
    except RecursionError as error:
        raise ModelError(f"{file}: nested too deeply for a table") from error
    if not isinstance(values, dict):
        raise ModelError(f"{file}: a JSON object with a table is expected")
    return values


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} is given twice")
    return values


def _list(top: Row, key: str, kind: type) -> list[Any]:
    values = top.values.get(key)
    if not isinstance(values, list) or not all(
        isinstance(value, kind) and not isinstance(value, str) for value in values
    ):
        wanted = "objects" if kind is Mapping else "lists of numbers"
        raise ModelError(f"{top.where}: {key!r} must be a list of {wanted}")
    return values


def _check_order(top: Row, key: str, expected: str) -> None:
    if not top.text(key, expected).startswith(expected):
        raise top.error(key, f"symkin reads {expected}; rearrange the numbers")


def _convention(top: Row, asked: str | None) -> str:
    given = top.text("convention", asked or "missing")
    if asked is not None and asked != given:
        raise ArgumentError(f"{top.where}: says convention {given!r}, you say {asked!r}")
    return given
