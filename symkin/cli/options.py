"""Arguments and options that several commands share, and how a shell completes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from symkin.model import bundled_names
from symkin.model.snap import SnapRule
from symkin.plan import OBJECTIVES
from symkin.quantities import BUNDLES, QUANTITIES


class Base(StrEnum):
    """What the root link does in the world."""

    fixed = "fixed"
    floating = "floating"
    floating_zyx = "floating_zyx"
    planar = "planar"


class Real(StrEnum):
    """The type of numbers in C."""

    double = "double"
    float = "float"


class Order(StrEnum):
    """How C arrays of more than one axis lie in memory."""

    row = "row"
    column = "column"


class Zeros(StrEnum):
    """Which entries of an output C writes."""

    dense = "dense"
    nonzeros = "nonzeros"


def snap_rule(text: str) -> SnapRule:
    """The rule as `load` takes it: a word, or a number."""
    try:
        return float(text)
    except ValueError:
        return text  # type: ignore[return-value]  # load refuses words that it does not know


def _one_form(ctx: typer.Context, wanted: bool) -> bool:
    """Refuse the second of two forms of output, before anything is done."""
    if wanted and (ctx.params.get("as_json") or ctx.params.get("as_markdown")):
        raise typer.BadParameter("give --json or --markdown, not both")
    return wanted


def _completed(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Completion to those of the names that begin as typed; with none, shells offer files."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


RobotSource: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A file, or the name of a bundled robot (symkin list).",
        autocompletion=_completed(bundled_names()),
        show_default=False,
    ),
]
Snap: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        help="How nearly right angles are read: digits, off, or a tolerance such as 1e-5.",
        autocompletion=_completed(["digits", "off"]),
    ),
]
Convention: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Of a DH table that does not say it: standard or modified.",
        autocompletion=_completed(["standard", "modified"]),
    ),
]
RootBase: TypeAlias = Annotated[
    Base, typer.Option("--base", help="What the root link does: stand, or move with the robot.")
]
Quantities: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "-q",
        "--quantity",
        metavar="NAME",
        help="A quantity (symkin list); may be repeated. Without it: all of them.",
        autocompletion=_completed(QUANTITIES),
    ),
]
Bundles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--bundle",
        metavar="NAME[=q1,q2]",
        help="Several quantities as one function that shares what they have in common: a name "
        "of symkin list, or a name of your own and its quantities; may be repeated.",
        autocompletion=_completed(BUNDLES),
    ),
]
Formulation: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The only way to compute (symkin list --json)."),
]
Optimise: TypeAlias = Annotated[
    bool,
    typer.Option("--optimise/--no-optimise", help="Let passes take operations out of the graphs."),
]
Objective: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"What a plan keeps small: {', '.join(OBJECTIVES)}.",
        autocompletion=_completed(OBJECTIVES),
    ),
]
Lanes: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--lane",
        metavar="NAME",
        help="A way of computing; may be repeated. Without it: all of them.",
    ),
]
FrameName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "-f", "--frame", metavar="NAME", help="The frame meant (symkin show). Without it: each tip."
    ),
]
RelativeTo: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The frame it is seen from. Without it: the root link."),
]
Forces: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--force",
        metavar="FRAME[:AXES[:ABOUT]]",
        help="Where a wrench acts, in whose axes, about whose origin: the frame's unless said; may "
        "be repeated. Without it: at each tip, in the root's axes.",
    ),
]
Contacts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--contact",
        metavar="FRAME[:full|point]",
        help="A frame that is held, its origin unless full; may be repeated. Without it: each tip.",
    ),
]
Parameters: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar="NAME",
        help="Numbers of the robot that are inputs: payload, gravity, mass:LINK and others; may be "
        "repeated.",
    ),
]
Directory: TypeAlias = Annotated[
    Path,
    typer.Option("-o", "--output", metavar="DIR", help="Where the C files go."),
]
ReportDirectory: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="Also write the report there: JSON, Markdown, HTML."
    ),
]
ModuleName: TypeAlias = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Of files and functions. Without it: the robot's."),
]
RealType: TypeAlias = Annotated[Real, typer.Option("--real", help="The type of numbers in C.")]
ArrayOrder: TypeAlias = Annotated[Order, typer.Option("--order", help="The layout of C arrays.")]
ZeroStyle: TypeAlias = Annotated[
    Zeros, typer.Option("--zeros", help="What C writes: every entry, or structural nonzeros only.")
]
Casadi: TypeAlias = Annotated[
    bool, typer.Option("--casadi", help="Also write CasADi's calling convention.")
]
Compiler: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="The C compiler. Without it: $CC, cc, gcc or clang."),
]
AsJson: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--json", help="Print JSON on stdout, and nothing else there.", callback=_one_form
    ),
]
AsMarkdown: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--markdown", help="Print Markdown on stdout, and nothing else there.", callback=_one_form
    ),
]
