"""The commands: each reads its arguments, calls the public function and shows a report."""

from __future__ import annotations

import importlib.metadata
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import symkin
from symkin.cli import options
from symkin.cli.console import Commands, finish, progress, show, working
from symkin.cli.demo import demonstrate
from symkin.cli.planning import Wish
from symkin.emit import CModule
from symkin.model import Robot
from symkin.plan import Plan
from symkin.report import Cell, catalogue, describe, describe_checks, describe_module

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done; 1 a check failed; 2 wrong usage, or something that cannot be done.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"symkin {importlib.metadata.version('symkin')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="SYMKIN_DEBUG", help="Show tracebacks of errors.")
    ] = False,
) -> None:
    """Kinematics and dynamics of robots as C whose numbers are checked."""


@app.command()
def demo(
    output: options.Directory = Path("symkin_demo"),
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
) -> None:
    """Take a UR5 all the way: C on disk, a loaded library, and checks of its numbers."""
    report, passed = demonstrate(output)
    show(report, as_json, as_markdown)
    finish(passed)


@app.command("list")
def list_(as_json: options.AsJson = False, as_markdown: options.AsMarkdown = False) -> None:
    """List the quantities that can be computed, and the bundled robots."""
    show(catalogue(), as_json, as_markdown)


@app.command("show")
def show_(
    robot: options.RobotSource,
    snap: options.Snap = "digits",
    convention: options.Convention = None,
    base: options.RootBase = options.Base.fixed,
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
) -> None:
    """Show a robot: its tree, joints and limits, frames, and what loading changed or ignored."""
    show(describe(_loaded(robot, snap, convention, base)), as_json, as_markdown)


@app.command()
def generate(
    robot: options.RobotSource,
    quantity: options.Quantities = None,
    bundle: options.Bundles = None,
    frame: options.FrameName = None,
    relative_to: options.RelativeTo = None,
    formulation: options.Formulation = None,
    optimise: options.Optimise = True,
    objective: options.Objective = "operations",
    output: options.Directory = Path(),
    name: options.ModuleName = None,
    real: options.RealType = options.Real.double,
    order: options.ArrayOrder = options.Order.row,
    zeros: options.ZeroStyle = options.Zeros.dense,
    casadi: options.Casadi = False,
    snap: options.Snap = "digits",
    convention: options.Convention = None,
    base: options.RootBase = options.Base.fixed,
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
) -> None:
    """Write C files with one function per quantity."""
    loaded = _loaded(robot, snap, convention, base)
    plans = Wish(quantity, bundle, frame, relative_to, formulation, optimise, objective).plans(
        loaded
    )
    module = _emitted(loaded, plans, name, real, order, zeros, casadi)
    module.write(output)
    _show_module(module, {"directory": str(output)}, as_json, as_markdown)


@app.command()
def build(
    robot: options.RobotSource,
    quantity: options.Quantities = None,
    bundle: options.Bundles = None,
    frame: options.FrameName = None,
    relative_to: options.RelativeTo = None,
    formulation: options.Formulation = None,
    optimise: options.Optimise = True,
    objective: options.Objective = "operations",
    output: options.Directory = Path(),
    name: options.ModuleName = None,
    real: options.RealType = options.Real.double,
    order: options.ArrayOrder = options.Order.row,
    zeros: options.ZeroStyle = options.Zeros.dense,
    casadi: options.Casadi = False,
    compiler: options.Compiler = None,
    snap: options.Snap = "digits",
    convention: options.Convention = None,
    base: options.RootBase = options.Base.fixed,
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
) -> None:
    """Write C files, compile them, and print where the library is."""
    loaded = _loaded(robot, snap, convention, base)
    plans = Wish(quantity, bundle, frame, relative_to, formulation, optimise, objective).plans(
        loaded
    )
    module = _emitted(loaded, plans, name, real, order, zeros, casadi)
    with working("Compiling"):
        library = symkin.build(module, compiler=compiler)
    module.write(output)
    where: dict[str, Cell] = {"directory": str(output), "library": str(library.path)}
    _show_module(module, where, as_json, as_markdown)


@app.command()
def verify(
    robot: options.RobotSource,
    quantity: options.Quantities = None,
    frame: options.FrameName = None,
    relative_to: options.RelativeTo = None,
    lane: options.Lanes = None,
    samples: Annotated[int, typer.Option(min=1, help="Random states per quantity.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Of the random states.")] = 0,
    oracles: Annotated[bool, typer.Option(help="Ask other libraries, where installed.")] = True,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Also show the checks that passed.")
    ] = False,
    snap: options.Snap = "digits",
    convention: options.Convention = None,
    base: options.RootBase = options.Base.fixed,
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
) -> None:
    """Hold every way of computing a quantity against the others; exit 1 if any check fails."""
    loaded = _loaded(robot, snap, convention, base)
    with progress("Verifying") as advance:
        verification = symkin.verify(
            loaded,
            quantity,
            frame=frame,
            relative_to=relative_to,
            lanes=lane,
            samples=samples,
            seed=seed,
            oracles=oracles,
            progress=advance,
        )
    everything = verbose or as_json or as_markdown
    show(describe_checks(verification, passed=everything), as_json, as_markdown)
    finish(verification.passed)


@app.command()
def report(
    robot: options.RobotSource,
    quantity: options.Quantities = None,
    bundle: options.Bundles = None,
    frame: options.FrameName = None,
    relative_to: options.RelativeTo = None,
    formulation: options.Formulation = None,
    optimise: options.Optimise = True,
    objective: options.Objective = "operations",
    snap: options.Snap = "digits",
    convention: options.Convention = None,
    base: options.RootBase = options.Base.fixed,
    as_json: options.AsJson = False,
    as_markdown: options.AsMarkdown = False,
) -> None:
    """Count operations, nodes, depth, nonzeros and C size of each quantity."""
    loaded = _loaded(robot, snap, convention, base)
    wish = Wish(quantity, bundle, frame, relative_to, formulation, optimise, objective)
    show(symkin.report(wish.plans(loaded)), as_json, as_markdown)


def _loaded(source: str, snap: str, convention: str | None, base: options.Base) -> Robot:
    rule = options.snap_rule(snap)
    return symkin.load(source, snap=rule, convention=convention, base=base.value)


def _emitted(
    robot: Robot,
    plans: list[Plan],
    name: str | None,
    real: options.Real,
    order: options.Order,
    zeros: options.Zeros,
    casadi: bool,
) -> CModule:
    return symkin.emit_c(
        [plan.graph for plan in plans],
        name=name or robot.name,
        real=real.value,
        order=order.value,
        zeros=zeros.value,
        casadi=casadi,
    )


def _show_module(module: CModule, where: dict[str, Cell], as_json: bool, as_markdown: bool) -> None:
    described = describe_module(module)
    show(replace(described, facts=where | dict(described.facts)), as_json, as_markdown)
