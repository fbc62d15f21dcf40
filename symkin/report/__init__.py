"""What there is to say about robots, graphs and checks: for the terminal, as JSON, as Markdown."""

from symkin.report.document import Cell, Column, Report, Table
from symkin.report.subjects import catalogue, describe, describe_checks, describe_module, report
from symkin.report.tables import summary_table

__all__ = [
    "Cell",
    "Column",
    "Report",
    "Table",
    "catalogue",
    "describe",
    "describe_checks",
    "describe_module",
    "report",
    "summary_table",
]
