"""What there is to say about robots, graphs and checks: for the terminal, as JSON, as Markdown."""

from symkin.report.analysed import describe_analysis
from symkin.report.document import Cell, Column, Report, Table
from symkin.report.page import to_html
from symkin.report.subjects import catalogue, describe, describe_checks, describe_module, report
from symkin.report.tables import summary_table

__all__ = [
    "Cell",
    "Column",
    "Report",
    "Table",
    "catalogue",
    "describe",
    "describe_analysis",
    "describe_checks",
    "describe_module",
    "report",
    "summary_table",
    "to_html",
]
