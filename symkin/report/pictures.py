"""Pictures as data, and how they are drawn: as SVG, the same bytes on every run."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from symkin.errors import ReportError


@dataclass(frozen=True, slots=True)
class Sparsity:
    """Where a matrix has entries: its rows, True for what is not structurally zero."""

    title: str
    rows: tuple[tuple[bool, ...], ...]

    def __str__(self) -> str:
        """A character for each entry."""
        return "\n".join("".join("■" if entry else "·" for entry in row) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves by name: points (x, y), both axes logarithmic."""

    title: str
    x: str
    y: str
    curves: Mapping[str, tuple[tuple[float, float], ...]]


@dataclass(frozen=True, slots=True)
class Bars:
    """A horizontal bar of a length for each name."""

    title: str
    x: str
    bars: Mapping[str, float]


Picture: TypeAlias = Sparsity | Curves | Bars

_CELL = 0.12  # of a matrix's entry, in inches
_STYLE: Any = {"svg.hashsalt": "symkin", "font.size": 8, "axes.titlesize": 9}


def svg(picture: Picture) -> str:
    """The picture as an SVG element.

    Raises ReportError, which says what to install, without matplotlib.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ReportError(
            'pictures need the package matplotlib: pip install "symkin[report]"'
        ) from error
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=_size(picture), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(picture.title)
        _DRAW[type(picture)](axes, picture)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"\A.*?(?=<svg)", "", text.getvalue(), flags=re.DOTALL)


def _size(picture: Picture) -> tuple[float, float]:
    """Width and height in inches."""
    if isinstance(picture, Sparsity):
        columns = max((len(row) for row in picture.rows), default=0)
        return max(2.0, _CELL * columns + 0.6), max(1.0, _CELL * len(picture.rows) + 0.6)
    if isinstance(picture, Bars):
        return 5.0, 0.6 + 0.18 * len(picture.bars)
    return 5.0, 3.5


def _sparsity(axes: Any, picture: Sparsity) -> None:
    shown = [[float(entry) for entry in row] for row in picture.rows]
    if shown and shown[0]:
        axes.imshow(shown, cmap="Blues", vmin=0.0, vmax=1.4, interpolation="none")
    axes.set_xticks([])
    axes.set_yticks([])


def _curves(axes: Any, picture: Curves) -> None:
    for name, points in picture.curves.items():
        axes.loglog(*zip(*points, strict=True), "o-", markersize=3, linewidth=1, label=name)
    axes.set_xlabel(picture.x)
    axes.set_ylabel(picture.y)
    axes.legend(fontsize=6)


def _bars(axes: Any, picture: Bars) -> None:
    names = list(picture.bars)
    axes.barh(range(len(names)), list(picture.bars.values()))
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(picture.x)


_DRAW: Mapping[type, Callable[[Any, Any], None]] = {
    Sparsity: _sparsity,
    Curves: _curves,
    Bars: _bars,
}
