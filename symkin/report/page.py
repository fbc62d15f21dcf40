"""A report as a page of HTML that needs nothing but itself."""

from __future__ import annotations

from typing import Any

from symkin.emit.templates import render
from symkin.report.document import RIGHT, Cell, Report, Style, Table, written
from symkin.report.pictures import svg


def to_html(report: Report) -> str:
    """The page, its pictures drawn; raises ReportError for pictures without matplotlib."""
    return render(
        "report/page.html.j2",
        title=report.title,
        facts=list(report.fact_lines()),
        drawing=report.drawing,
        pictures=[svg(picture) for picture in report.pictures],
        tables=[_table(table) for table in report.tables if table.rows],
    )


def _table(table: Table) -> dict[str, Any]:
    styles = [column.style for column in table.columns]
    return {
        "title": table.title,
        "columns": [{"title": c.title, "side": _side(c.style)} for c in table.columns],
        "rows": [
            [
                {"text": written(cell, style), "kind": _kind(cell, style)}
                for cell, style in zip(row, styles, strict=True)
            ]
            for row in table.rows
        ],
    }


def _side(style: Style) -> str:
    return "right" if style in RIGHT else "left"


def _kind(cell: Cell, style: Style) -> str:
    if style == "verdict" and cell is not None:
        return "pass" if cell else "fail"
    return _side(style)
