"""The templates: found beside an installed package or at the top of a checkout."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2

from symkin.errors import EmitError


def render(template: str, **context: object) -> str:
    """The text of a template. Undefined names are errors, not gaps."""
    return _environment().get_template(template).render(context)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_folder(Path(__file__).resolve().parents[1])),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["table"] = _table
    return environment


def _table(numbers: Sequence[int]) -> str:
    """The inside of an array of numbers: one line, or several between braces of their own lines."""
    text = ", ".join(str(number) for number in numbers)
    if len(text) <= 40:
        return text
    lines = textwrap.wrap(text, 92)
    return "\n" + "\n".join(f"        {line}" for line in lines) + "\n    "


def _folder(package: Path) -> Path:
    candidates = (package / "_templates", package.parent / "templates")
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise EmitError(
        f"the templates are neither in {candidates[0]} nor in {candidates[1]}; reinstall symkin"
    )
