"""CModule: generated C as text, with what a caller has to know of its functions."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

from symkin.emit.scalars import Real
from symkin.errors import EmitError
from symkin.quantities import Port

Order: TypeAlias = Literal["row", "column"]
Zeros: TypeAlias = Literal["dense", "nonzeros"]


@dataclass(frozen=True)
class CArray:
    """An array parameter of a generated function.

    Element k of the C array is entry ``entries[k]`` of the port, counted row by row. ``nonzeros``
    are those of the entries that are not structurally zero, in the same order.
    """

    port: Port
    identifier: str
    entries: tuple[int, ...]
    nonzeros: tuple[int, ...]

    @cached_property
    def row_major(self) -> bool:
        """Whether the C array is the whole port, row by row."""
        return self.entries == tuple(range(self.port.size))

    @property
    def positions(self) -> tuple[tuple[int, int], ...]:
        """Row and column of each element; an array of more axes is a matrix of its last one."""
        columns = self.columns
        return tuple(divmod(entry, columns) for entry in self.entries)

    @property
    def columns(self) -> int:
        """Number of columns: the last axis, or 1 for a vector."""
        return self.port.shape[-1] if len(self.port.shape) > 1 else 1


@dataclass(frozen=True, slots=True)
class CFunction:
    """A generated function: how it is called from Python and from C.

    ``name`` is unique in its module and usually that of the graph; ``symbol`` is the C function,
    ``casadi`` the name under which ``casadi.external`` finds it, if asked for. ``doc`` is the text
    of the comment in the header.
    """

    name: str
    symbol: str
    real: Real
    inputs: tuple[CArray, ...]
    outputs: tuple[CArray, ...]
    doc: str
    casadi: str | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """How a module was emitted."""

    real: Real = "double"
    order: Order = "row"
    zeros: Zeros = "dense"
    casadi: bool = False


@dataclass(frozen=True)
class CModule:
    """Generated C: ``files`` maps relative paths to text, sources end in ``.c``.

    ``renamed`` lists what could not keep its name, as (given, used).
    """

    name: str
    files: Mapping[str, str]
    functions: tuple[CFunction, ...]
    options: Options
    renamed: tuple[tuple[str, str], ...] = ()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the files."""
        content = repr(sorted(self.files.items()))
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def sources(self) -> tuple[str, ...]:
        """The files to compile."""
        return tuple(name for name in self.files if name.endswith(".c"))

    def write(self, directory: str | PathLike[str]) -> tuple[Path, ...]:
        """Write the files below ``directory``, which is made if need be, and return their paths.

        All are written aside first and then moved into place: what fails leaves none of them.
        Raises EmitError that names the path when it cannot be written.
        """
        folder = Path(directory)
        path = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".writing-", dir=folder) as aside:
                for name, text in self.files.items():
                    path, draft = folder / name, Path(aside) / name
                    draft.parent.mkdir(parents=True, exist_ok=True)
                    draft.write_text(text, encoding="utf-8", newline="\n")
                for name in self.files:
                    path = folder / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    (Path(aside) / name).replace(path)
        except OSError as error:
            reason = error.strerror or error
            raise EmitError(f"{self.name}: cannot write {str(path)!r}: {reason}") from error
        return tuple(folder / name for name in self.files)
