"""What every benchmark script shares: figures beside others' figures, judged against targets.

A script is a list of experiments; each takes ``quick`` and returns a `Section`. `main` runs them,
prints one table per section and, last, a line that sums up. ``--json`` writes the same figures,
``--check`` makes a missed target an exit code of 1.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

REQUIRE_EXTRAS = os.environ.get("SYMKIN_REQUIRE_EXTRAS") == "1"
WIDTH = 128  # of a report that goes into a file
WIDTHS = (60, 16, 16, 17, 6)  # of its columns: they and the gaps between fill it


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of numbers: what was found, or in what it must lie."""

    low: float = -math.inf
    high: float = math.inf

    def holds(self, figure: Figure) -> bool:
        """Whether all numbers of the figure lie inside; NaN does not, words do not."""
        if figure is None or isinstance(figure, str):
            return False
        if isinstance(figure, Interval):
            figure = (figure.low, figure.high)
        numbers = figure if isinstance(figure, tuple) else (figure,)
        return all(self.low <= number <= self.high for number in numbers)

    def __str__(self) -> str:
        if self.low == -math.inf:
            return f"≤ {written(self.high)}"
        if self.high == math.inf:
            return f"≥ {written(self.low)}"
        return f"{written(self.low)} … {written(self.high)}"


Figure: TypeAlias = float | tuple[float, ...] | Interval | str | None
"""A number, several, a range, or words."""


def at_most(high: float) -> Interval:
    """The numbers up to ``high``."""
    return Interval(high=high)


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of ours, what others have, and the target; without a target it is only shown.

    ``missing`` names what must be installed before there is a figure.
    """

    name: str
    ours: Figure
    target: Interval | None = None
    reference: Figure = None
    missing: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether the target is met; None when nothing was asked or nothing could be measured.

        With SYMKIN_REQUIRE_EXTRAS=1 what could not be measured is a missed target.
        """
        if self.missing:
            return False if REQUIRE_EXTRAS else None
        return None if self.target is None else self.target.holds(self.ours)


@dataclass(frozen=True, slots=True)
class Table:
    """Figures that are shown and not judged: a curve, the vectors of one state."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Figure, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """What one experiment found; ``note`` says on which states and in which measure."""

    title: str
    note: str
    rows: tuple[Row, ...]
    tables: tuple[Table, ...] = ()


Experiment: TypeAlias = Callable[[bool], Section]


def installed(package: str) -> bool:
    """Whether a distribution of this name is there."""
    try:
        importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def main(
    title: str,
    experiments: Iterable[Experiment],
    *,
    of_file: Callable[[str, bool], Section] | None = None,
    reference: str = "document",
    packages: Sequence[str] = ("symkin",),
    arguments: Sequence[str] | None = None,
) -> int:
    """Run the experiments as the command line says; returns the exit code.

    ``of_file`` is the experiment on a file, for scripts that take the names of some.
    ``reference`` heads the column of others' figures; the versions of ``packages`` are reported.
    """
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--quick", action="store_true", help="fewer states: below a minute")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the figures there")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    if of_file is not None:
        parser.add_argument("files", nargs="*", metavar="FILE", help="a robot, NAME=FILE or FILE")
    options = parser.parse_args(arguments)
    experiments = [*experiments]
    if of_file is not None:
        experiments += [partial(of_file, file) for file in options.files]

    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(Text(title, style="bold"))
    sections = []
    for experiment in experiments:
        sections.append(experiment(options.quick))
        _show(console, sections[-1], reference)
    if options.json is not None:
        content = _content(title, options.quick, reference, packages, sections)
        text = json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")

    missed = [(s.title, row) for s in sections for row in s.rows if row.ok is False]
    console.print()
    for section, row in missed:
        found = f"{row.missing} is missing" if row.missing else f"{_ours(row)}, not {row.target}"
        console.print(Text(f"missed: {section}: {row.name}: {found}"))
    console.print(Text(_sum(sections), style="bold red" if missed else "bold green"))
    return 1 if options.check and missed else 0


def written(figure: Figure) -> str:
    """A figure as text: small and large numbers as 1.2e-15, others to four digits."""
    if figure is None:
        return ""
    if isinstance(figure, str | Interval):
        return str(figure)
    if isinstance(figure, tuple):
        return ", ".join(map(written, figure))
    if isinstance(figure, int) or figure == 0.0:
        return f"{figure:g}"
    return f"{figure:.4g}" if 1e-3 <= abs(figure) < 1e5 else f"{figure:.1e}"


def _ours(row: Row) -> str:
    return "not installed" if row.missing else written(row.ours)


def _verdict(row: Row) -> Text:
    if row.ok is None:
        return Text("")
    return Text("met", style="green") if row.ok else Text("MISSED", style="bold red")


def _grid(**options: Any) -> Grid:
    return Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, **options)


def _show(console: Console, section: Section, reference: str) -> None:
    console.print()
    console.print(Text(section.title, style="bold"))
    console.print(Text(section.note, style="dim"))
    for table in section.tables:
        grid = _grid(title=table.title, title_justify="left")
        for column in table.columns:
            grid.add_column(Text(column), justify="right")
        for figures in table.rows:
            grid.add_row(*(Text(written(figure)) for figure in figures))
        console.print(grid)
        console.print()
    grid = _grid()
    headings = ("", "ours", reference, "target", "")
    for heading, width in zip(headings, WIDTHS, strict=True):
        grid.add_column(Text(heading), width=width, justify="right" if heading else "left")
    for row in section.rows:
        target = "" if row.target is None else str(row.target)
        cells = (row.name, _ours(row), written(row.reference), target)
        grid.add_row(*map(Text, cells), _verdict(row))
    console.print(grid)


def _sum(sections: Sequence[Section]) -> str:
    rows = [row for section in sections for row in section.rows]
    judged = [row for row in rows if row.ok is not None]
    absent = [row.missing for row in rows if row.missing]
    parts = [f"{sum(bool(row.ok) for row in judged)} of {len(judged)} targets met"]
    if absent:
        names = ", ".join(sorted(set(absent)))
        parts.append(f"{len(absent)} rows not measured, not installed: {names}")
    return "; ".join(parts)


def _content(
    title: str,
    quick: bool,
    reference: str,
    packages: Sequence[str],
    sections: Sequence[Section],
) -> dict[str, Any]:
    """The report as JSON holds it; infinity and NaN, which JSON does not know, are null."""
    return {
        "title": title,
        "quick": quick,
        "reference": reference,
        "versions": {p: importlib.metadata.version(p) if installed(p) else None for p in packages},
        "summary": _sum(sections),
        "sections": [
            {
                "title": section.title,
                "note": section.note,
                "rows": [
                    {
                        "name": row.name,
                        "ours": _finite(row.ours),
                        "reference": _finite(row.reference),
                        "target": _finite(row.target),
                        "ok": row.ok,
                        "missing": row.missing or None,
                    }
                    for row in section.rows
                ],
                "tables": [
                    {
                        "title": table.title,
                        "columns": table.columns,
                        "rows": [[_finite(figure) for figure in row] for row in table.rows],
                    }
                    for table in section.tables
                ],
            }
            for section in sections
        ],
    }


def _finite(figure: Figure) -> Any:
    if isinstance(figure, Interval):
        figure = (figure.low, figure.high)
    if isinstance(figure, tuple):
        return [_finite(number) for number in figure]
    return None if isinstance(figure, float) and not math.isfinite(figure) else figure
