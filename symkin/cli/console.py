"""What commands share: where output goes, and how errors end."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, track
from rich.text import Text
from typer.core import TyperGroup

from symkin.errors import SymkinError
from symkin.report import Report

FAILED = 1
REFUSED = 2

# Where no terminal says how wide it is, tables are not folded.
_PIPE_WIDTH = 200

Item = TypeVar("Item")


class Commands(TyperGroup):
    """A group whose commands end with one message, not a traceback, on what symkin refuses."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; exit 2 with one message on a SymkinError or a file that fails."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:  # some versions of typer let their validator show
            error.message = error.message.removeprefix("Value error, ")
            raise
        except (SymkinError, OSError) as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise
            if ctx.params.get("debug"):
                traceback.print_exc()
            complain(message(error))
            raise typer.Exit(REFUSED) from None


def message(error: SymkinError | OSError) -> str:
    """The error as one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def complain(text: str) -> None:
    """One message in red on stderr."""
    _stderr().print(Text(f"error: {text}", style="red"), soft_wrap=True)


def show(report: Report, as_json: bool, as_markdown: bool) -> None:
    """A report on stdout: for reading, or as JSON, or as Markdown."""
    if as_json or as_markdown:
        typer.echo(report.to_json() if as_json else report.to_markdown(), nl=False)
        return
    terminal = sys.stdout.isatty()
    Console(file=sys.stdout, width=None if terminal else _PIPE_WIDTH).print(report)


def finish(passed: bool) -> None:
    """Exit 1 unless everything passed."""
    if not passed:
        raise typer.Exit(FAILED)


def watched(items: Sequence[Item], what: str) -> Iterable[Item]:
    """The items, with a progress bar on stderr if that is a terminal."""
    console = _stderr()
    return track(items, what, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on stderr, if that is a terminal, to be told: done, of how many, what is next."""
    console = _stderr()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{what} {name}")

        yield advance


def working(what: str) -> AbstractContextManager[object]:
    """A sign of life on stderr, if that is a terminal, while something takes its time."""
    console = _stderr()
    return console.status(what) if console.is_terminal else nullcontext()


def _stderr() -> Console:
    return Console(file=sys.stderr)
