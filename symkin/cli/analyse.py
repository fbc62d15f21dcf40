"""The command that analyses sizes: counts, where they come from, growth, savings, limits."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from symkin.analysis import analyse_plans, usual
from symkin.analysis.growth import SIZES
from symkin.cli.console import complain, working
from symkin.cli.groups import Places, Source
from symkin.cli.planning import Wish
from symkin.errors import ArgumentError, ReportError
from symkin.graph import count
from symkin.model import Robot
from symkin.quantities import BUNDLES, QUANTITIES
from symkin.report import Report, describe_analysis, to_html


@dataclass(frozen=True)
class Questions:
    """What is asked beside the counts."""

    max_operations: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER",
            help="Exit with 1 if a function has more operations; may be repeated.",
        ),
    ] = None
    against: Annotated[
        str | None,
        typer.Option(
            metavar="OTHER",
            help="Compare with another robot, or with the JSON of an earlier analysis.",
        ),
    ] = None
    sizes: Annotated[
        str,
        typer.Option(
            metavar="N,N,...",
            help="Joints of the chains and trees that show growth; none leaves it out.",
        ),
    ] = ",".join(map(str, SIZES))
    savings: Annotated[
        bool, typer.Option(help="Try what would save operations, and tell the three best.")
    ] = True

    @property
    def limits(self) -> dict[str, int]:
        """Operations by function."""
        found: dict[str, int] = {}
        for text in self.max_operations or ():
            name, _, number = text.partition("=")
            if not name or not number.isdecimal():
                raise ArgumentError(f"--max-operations {text}: write FUNCTION=NUMBER")
            found[name] = int(number)
        return found

    @property
    def joints(self) -> tuple[int, ...]:
        """Of the robots that show growth."""
        words = [] if self.sizes == "none" else self.sizes.split(",")
        if not all(word.strip().isdecimal() for word in words):
            raise ArgumentError(f"--sizes {self.sizes}: write numbers, as in 6,12,24, or none")
        return tuple(int(word) for word in words)


def analysed(
    wish: Wish, places: Places, questions: Questions, source: Source
) -> tuple[Report, dict[str, int]]:
    """The report, and the operations of functions that have more than they may."""
    limits, joints = questions.limits, questions.joints
    robot = source.load()
    chosen = _chosen(wish, robot, limits)
    plans = chosen.plans(robot, places.options)
    with working("Analysing"):
        found = analyse_plans(plans, joints, questions.savings)
    against = _operations(questions.against, chosen, places, source)
    return describe_analysis(found, limits=limits, against=against), found.exceeding(limits)


def write_report(report: Report, directory: Path) -> None:
    """analysis.json, .md and, where its pictures can be drawn, .html."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "analysis.json").write_text(report.to_json(), encoding="utf-8")
    (directory / "analysis.md").write_text(report.to_markdown(), encoding="utf-8")
    try:
        page = to_html(report)
    except ReportError as error:
        complain(f"analysis.html is not written: {error}")
        return
    (directory / "analysis.html").write_text(page, encoding="utf-8")


def _chosen(wish: Wish, robot: Robot, limits: Mapping[str, int]) -> Wish:
    """The wish with the usual functions if it names none, and with those that have a limit."""
    names = [*(wish.quantities or ()), *(wish.bundles or ())] or list(usual(robot))
    named = {name.partition("=")[0] for name in names}
    names += [name for name in limits if name not in named and name in {*QUANTITIES, *BUNDLES}]
    rows = [name for name in names if name in QUANTITIES]
    return replace(wish, quantities=rows, bundles=[name for name in names if name not in rows])


def _operations(
    other: str | None, wish: Wish, places: Places, source: Source
) -> Mapping[str, int] | None:
    """Those of the other robot's functions, or of an earlier analysis, by name."""
    if other is None:
        return None
    with contextlib.suppress(OSError, ValueError):
        content = json.loads(Path(other).read_text(encoding="utf-8"))
        if isinstance(content, dict) and "functions" in content:
            return {row["name"]: row["operations"] for row in content["functions"]}
    plans = wish.plans(replace(source, robot=other).load(), places.options)
    return {known.graph.name: count(known.graph).operations for known in plans}
