"""The commands: each reads its arguments, calls the public function and shows a report."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path
from typing import Annotated

import typer

import symkin
from symkin.cli import options
from symkin.cli.analyse import Questions, analysed, write_report
from symkin.cli.console import Commands, complain, finish, progress, working
from symkin.cli.demo import demonstrate
from symkin.cli.gathered import gathered
from symkin.cli.groups import Files, Form, Places, Source
from symkin.cli.planning import Wish
from symkin.report import catalogue, describe, describe_checks

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
@gathered
def demo(*, output: options.Directory = Path("symkin_demo"), form: Form) -> None:
    """Take a UR5 all the way: C on disk, a loaded library, and checks of its numbers."""
    report, passed = demonstrate(output)
    form.show(report)
    finish(passed)


@app.command("list")
@gathered
def list_(form: Form) -> None:
    """List the quantities that can be computed, and the bundled robots."""
    form.show(catalogue())


@app.command("show")
@gathered
def show_(source: Source, form: Form) -> None:
    """Show a robot: its tree, joints and limits, frames, and what loading changed or ignored."""
    form.show(describe(source.load()))


@app.command()
@gathered
def generate(wish: Wish, places: Places, files: Files, source: Source, form: Form) -> None:
    """Write C files with one function per quantity."""
    robot = source.load()
    module = files.emitted(robot, wish.named().plans(robot, places.options))
    module.write(files.output)
    form.show_module(module, directory=str(files.output))


@app.command()
@gathered
def build(
    *,
    wish: Wish,
    places: Places,
    files: Files,
    compiler: options.Compiler = None,
    source: Source,
    form: Form,
) -> None:
    """Write C files, compile them, and print where the library is."""
    robot = source.load()
    module = files.emitted(robot, wish.named().plans(robot, places.options))
    with working("Compiling"):
        library = symkin.build(module, compiler=compiler)
    module.write(files.output)
    form.show_module(module, directory=str(files.output), library=str(library.path))


@app.command()
@gathered
def verify(
    *,
    quantity: options.Quantities = None,
    places: Places,
    lane: options.Lanes = None,
    samples: Annotated[int, typer.Option(min=1, help="Random states per quantity.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Of the random states.")] = 0,
    oracles: Annotated[bool, typer.Option(help="Ask other libraries, where installed.")] = True,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Of large quantities too, all that takes long.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", min=1, help="Processes. Without it: one per core.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Also show the checks that passed.")
    ] = False,
    source: Source,
    form: Form,
) -> None:
    """Hold every way of computing a quantity against the others; exit 1 if any check fails."""
    robot = source.load()
    with progress("Verifying") as advance:
        verification = symkin.verify(
            robot,
            quantity,
            lanes=lane,
            samples=samples,
            seed=seed,
            oracles=oracles,
            thorough=thorough,
            jobs=jobs or os.cpu_count() or 1,
            progress=advance,
            **places.options,
        )
    form.show(describe_checks(verification, passed=verbose or not form.readable))
    finish(verification.passed)


@app.command()
@gathered
def report(wish: Wish, places: Places, source: Source, form: Form) -> None:
    """Count operations, nodes, depth, nonzeros and C size of each quantity."""
    form.show(symkin.report(wish.plans(source.load(), places.options)))


@app.command()
@gathered
def analyse(
    *,
    wish: Wish,
    places: Places,
    questions: Questions,
    output: options.ReportDirectory = None,
    source: Source,
    form: Form,
) -> None:
    """Analyse sizes: counts by way, pass, link, stage and output, growth, savings, limits.

    Without quantities and bundles: pose and Jacobian, inverse dynamics, mass matrix, forward
    dynamics, and derivatives of both.
    """
    report, exceeded = analysed(wish, places, questions, source)
    if output is not None:
        write_report(report, output)
    form.show(report)
    for name, operations in exceeded.items():
        complain(f"{name} has {operations} operations, more than {questions.limits[name]}")
    finish(not exceeded)
