"""A report as data: facts, a drawing and tables, and the forms in which it is printed."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from symkin.report.pictures import Picture

Cell: TypeAlias = str | int | float | bool | tuple[str, ...] | None
"""What a table holds; None is shown as nothing, and of many names only the first on a terminal."""

Style: TypeAlias = Literal["text", "count", "number", "error", "verdict"]
"""How a cell is written: counts in groups of three, numbers short, errors as 1.2e-15."""

Shown: TypeAlias = Literal["always", "wide", "data"]

RIGHT = ("count", "number", "error")
"""Styles of what is written flush right."""
_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its key in JSON, its heading, and how its cells are written.

    ``shown`` says where: always, on a terminal only if it is wide enough, or in JSON and Markdown.
    """

    key: str
    title: str
    style: Style = "text"
    shown: Shown = "always"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns; ``key`` names the table in JSON."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say about something: the same bytes on every machine and every run.

    `print` shows it as plain text, rich's console in colours. ``pictures`` are for `to_html`.
    """

    title: str
    facts: Mapping[str, Cell] = field(default_factory=dict)
    drawing: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()

    def to_json(self) -> str:
        """A JSON object: the title, each fact by name, each table as a list of objects.

        JSON knows neither infinity nor NaN: both are null.
        """
        content: dict[str, Any] = {"title": self.title}
        content |= {key: _finite(value) for key, value in self.facts.items()}
        for table in self.tables:
            keys = [column.key for column in table.columns]
            content[table.key] = [
                dict(zip(keys, map(_finite, row), strict=True)) for row in table.rows
            ]
        return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """A heading, a list of the facts, the drawing as code, a pipe table under each heading."""
        parts = [f"# {self.title}"]
        if self.facts:
            parts.append("\n".join(f"- {line}" for line in self.fact_lines()))
        if self.drawing:
            parts.append(f"```text\n{self.drawing}\n```")
        for table in filter(_has_rows, self.tables):
            parts += [f"## {table.title}", "\n".join(_pipe_rows(table))]
        return "\n\n".join(parts) + "\n"

    def to_text(self, width: int = 140) -> str:
        """Plain text, with tables folded at ``width`` columns."""
        console = Console(file=io.StringIO(), width=width, color_system=None)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"

    def __str__(self) -> str:
        return self.to_text()

    def __rich__(self) -> Group:
        """For rich's console. Names from a robot's file are never read as markup."""
        parts: list[RenderableType] = [Text(self.title, style="bold")]
        parts += [Text(f"  {line}") for line in self.fact_lines()]
        if self.drawing:
            parts += [Text(""), Text(self.drawing, no_wrap=True)]
        for table in filter(_has_rows, self.tables):
            parts += [Text(""), Text(table.title, style="bold"), _Fitted(table)]
        return Group(*parts)

    def fact_lines(self) -> Iterator[str]:
        """The facts that there are, one a line."""
        for key, value in self.facts.items():
            if value is None:
                continue
            style: Style = "count" if type(value) is int else "number"
            yield f"{key.replace('_', ' ')}: {written(value, style)}"


def written(cell: Cell, style: Style) -> str:
    """The cell as text. A verdict of None is that of a check that was not carried out."""
    if style == "verdict":
        return "skipped" if cell is None else "pass" if cell else "FAIL"
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}" if style == "count" else str(cell)
    if isinstance(cell, float):
        return f"{cell:.1e}" if style == "error" else f"{cell:.6g}"
    return "; ".join(cell) if isinstance(cell, tuple) else cell


def _has_rows(table: Table) -> bool:
    return bool(table.rows)


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _pipe_rows(table: Table) -> Iterator[str]:
    yield _pipe(column.title for column in table.columns)
    yield _pipe("---:" if column.style in RIGHT else "---" for column in table.columns)
    for row in table.rows:
        cells = zip(row, table.columns, strict=True)
        yield _pipe(written(cell, column.style).replace("|", "\\|") for cell, column in cells)


def _pipe(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A table as rich prints it, without what a narrow terminal has no room for."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        whole = _grid(self.table, ("always", "wide"))
        fits = Measurement.get(console, options, whole).minimum < options.max_width
        yield whole if fits else _grid(self.table, ("always",))


def _grid(table: Table, shown: Container[Shown]) -> RichTable:
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    chosen = [k for k, column in enumerate(table.columns) if column.shown in shown]
    for k in chosen:
        column = table.columns[k]
        justify: Literal["left", "right"] = "right" if column.style in RIGHT else "left"
        whole = k == 0 or column.style != "text"
        grid.add_column(Text(column.title), justify=justify, overflow="fold", no_wrap=whole)
    for row in table.rows:
        grid.add_row(*(_cell_text(row[k], table.columns[k].style) for k in chosen))
    return grid


def _cell_text(cell: Cell, style: Style) -> Text:
    if isinstance(cell, tuple) and len(cell) > _NAMES_SHOWN:
        hidden = len(cell) - _NAMES_SHOWN
        cell = (*cell[:_NAMES_SHOWN], f"and {hidden} more")
    colour = ""
    if style == "verdict":
        colour = "yellow" if cell is None else "green" if cell else "bold red"
    return Text(written(cell, style), style=colour)
