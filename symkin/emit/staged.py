"""A program as C: its parts, its loops and calls of kernels, and the function that runs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symkin.algorithms.stacks import (
    Branches,
    Factors,
    Invert,
    Inward,
    Outward,
    PairedProducts,
    Solve,
    SymmetricProducts,
)
from symkin.emit.body import Body, Part, write_body
from symkin.emit.division import Section, divide
from symkin.emit.module import CArray
from symkin.emit.names import Names
from symkin.emit.scalars import Scalar
from symkin.emit.workspace import Workspace, rounded
from symkin.errors import EmitError
from symkin.graph.program import Known, Loop, Made, Program, Returned, Row, Taken

KERNELS: Mapping[str, tuple[str, ...]] = {
    "rows": (),
    "carriers_6": (),
    "carriers_9": (),
    "carried_6": (),
    "outward": (),
    "inward": (),
    "symmetric_products": ("carriers_6", "carried_6"),
    "paired_products": ("carriers_9", "carried_6"),
    "factors": ("rows",),
    "solve": ("rows",),
    "solve_row": (),
    "invert": ("rows",),
}
"""The templates of kernels and those that each calls, which come before it."""

W, J = "w", "j"
"""What the workspace and the column of a loop are called."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A static function of a module: parameters and body, in a loop over ``width`` if that is not
    0; constants that it reads are rows of ``tables``."""

    name: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    body: Body
    width: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """The tables of a tree in C, by name, for rows of ``width`` numbers.

    ``wide`` ones hold integers as long as a double, for comparisons beside them.
    """

    name: str
    columns: int
    width: int
    several: int
    tables: tuple[tuple[str, tuple[int, ...]], ...]
    wide: tuple[tuple[str, tuple[int, ...]], ...]

    @staticmethod
    def of(name: str, branches: Branches) -> Tree:
        """Those of these branches."""
        count = len(branches)
        below = [k - 1 if k > branches.first[k] else branches.up[k] for k in range(count)]
        line: list[int] = []
        for k in range(count):
            line.append(line[k - 1] if k and below[k] == k - 1 else k)
        tables = {
            "first": branches.first,
            "last": branches.last,
            "up": branches.up,
            "below": tuple(below),
            "end": branches.end,
            "line": tuple(line),
        }
        padding = (0,) * (rounded(count) - count)
        wide = {"ends": (*branches.end, *padding), "places": tuple(range(rounded(count)))}
        several = [k + 1 for k in range(count) if branches.first[k] < branches.last[k]]
        return Tree(
            name,
            count,
            rounded(count),
            max(several, default=0),
            tuple(tables.items()),
            tuple(wide.items()),
        )


@dataclass(frozen=True, slots=True)
class Staged:
    """A function in pieces: the lines that run them on ``size`` numbers, rows of constants, and the
    kernels that it needs, with the trees that those work on."""

    pieces: tuple[Piece, ...]
    lines: tuple[str, ...]
    size: int
    tables: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = ()
    kernels: frozenset[str] = frozenset()
    trees: tuple[Tree, ...] = ()


class StagedWriter:
    """Writes programs into one module: static functions get names that no other has."""

    def __init__(self, module: str, scalar: Scalar) -> None:
        self.module, self.scalar = module, scalar
        self.names = Names()
        self.trees: dict[Branches, Tree] = {}

    def write(
        self, program: Program, symbol: str, inputs: Sequence[CArray], outputs: Sequence[CArray]
    ) -> Staged | Body:
        """The function in pieces, or its body where one is enough."""
        return _Function(self, program, symbol, inputs, outputs).written()

    def tree(self, branches: Branches) -> Tree:
        """The tables of a tree."""
        if branches not in self.trees:
            name = self.names.take(f"{self.module}_branches")
            self.trees[branches] = Tree.of(name, branches)
        return self.trees[branches]


class _Function:
    def __init__(
        self,
        writer: StagedWriter,
        program: Program,
        symbol: str,
        inputs: Sequence[CArray],
        outputs: Sequence[CArray],
    ) -> None:
        self.writer, self.program, self.symbol = writer, program, symbol
        self.inputs, self.outputs = inputs, outputs
        self.scalar = writer.scalar
        self.steps = divide(program)
        self.direct = self._direct()
        self.space = Workspace(program, self.steps, self.direct)
        self.stores, self.zeros = self._targets()
        self.known: dict[Known, int] = {}
        self.pieces: list[Piece] = []
        self.lines: list[str] = []
        self.kernels: set[str] = set()
        self.trees: dict[Tree, None] = {}
        self.table = writer.names.take(f"{symbol}_known")

    def written(self) -> Staged | Body:
        if len(self.steps) == 1:
            (step,) = self.steps
            assert isinstance(step, Section)
            return write_body(self.program.graph, self._part(0, step), self.scalar)
        for t, step in enumerate(self.steps):
            if isinstance(step, Section):
                self._section(t, step)
            else:
                self._call(step.call)
        rows = tuple(self._numbers(row.values) for row in self.known)
        tables = ((self.table, rows),) if rows else ()
        return Staged(
            tuple(self.pieces),
            tuple(self.lines),
            self.space.size,
            tables,
            frozenset(self.kernels),
            tuple(self.trees),
        )

    def _direct(self) -> dict[tuple[int, int], str]:
        """The results that kernels write where outputs lie, since nothing else needs them."""
        program, columns = self.program, self.program.columns
        read = {
            (row.call, program.calls[row.call].part(row.row)[0])
            for call in program.calls
            for stack in call.stacks
            for row in stack
            if isinstance(row, Returned)
        }
        nodes, own = program.graph.nodes, len(self.inputs)
        for node in nodes:
            if node.operation == "input" and node.operands[0] >= own:
                number = node.operands[0] - own
                read.add((number, program.calls[number].part(node.operands[1] // columns)[0]))
        found: dict[tuple[int, int], str] = {}
        for source, array in zip(program.sources, self.outputs, strict=True):
            if not isinstance(source, Taken):
                continue
            call = program.calls[source.call]
            if not isinstance(call.kernel, SymmetricProducts | PairedProducts | Invert):
                continue
            place = next(n for n in source.output.nodes if n >= 0)
            part, row = call.part(place // columns)
            start = (place // columns - row) * columns
            places = enumerate(source.output.nodes)
            plain = all(n in (-1, e + start) for e, n in places) and array.row_major
            if plain and (source.call, part) not in {*read, *found}:
                found[source.call, part] = array.identifier
        whole = {k: len(call.rows) for k, call in enumerate(program.calls)}
        parts = Counter(call for call, _ in found)
        return {key: name for key, name in found.items() if parts[key[0]] == whole[key[0]]}

    def _targets(self) -> tuple[dict[int, list[str]], list[str]]:
        """Where values go, and what becomes zero: entries of outputs and of rows."""
        stores: dict[int, list[str]] = {}
        zeros: list[str] = []
        arrays = dict(zip(self.program.sources, self.outputs, strict=True))
        made = {
            row.output: self.space.row(row)
            for call in self.program.calls
            for stack in call.stacks
            for row in stack
            if isinstance(row, Made)
        }
        for k, output in enumerate(self.program.graph.outputs):
            places: Iterable[tuple[str, int]] = ()
            if k in made:
                nodes = (*output.nodes, *[-1] * (self.space.width - len(output.nodes)))
                places = ((f"{W}[{made[k] + j}]", number) for j, number in enumerate(nodes))
            else:
                array = arrays[k]
                places = (
                    (f"{array.identifier}[{i}]", output.nodes[entry])
                    for i, entry in enumerate(array.entries)
                )
            for target, number in places:
                if number < 0:
                    zeros.append(target)
                else:
                    stores.setdefault(number, []).append(target)
        for number in self.space.handed_on:
            stores.setdefault(number, []).append(f"{W}[{self.space.value(number)}]")
        return stores, zeros

    def _part(self, t: int, step: Section) -> Part:
        """What the statements of a section need to know."""
        nodes, own = self.program.graph.nodes, len(self.inputs)
        first: dict[int, tuple[str, str]] = {}
        if t == 0:
            places = [{entry: k for k, entry in enumerate(array.entries)} for array in self.inputs]
            for number in step.numbers:
                node = nodes[number]
                if node.operation == "input":
                    port, entry = node.operands
                    array = self.inputs[port].identifier
                    first[number] = f"{array}{entry}", f"{array}[{places[port][entry]}]"
        later: dict[int, str] = {}
        inside = set(step.numbers)
        for number in step.numbers:
            operands = (number,) if nodes[number].operation == "input" else nodes[number].operands
            for operand in operands:
                operation, places_, _ = nodes[operand]
                if operation == "input" and places_[0] >= own:
                    row, column = divmod(places_[1], self.program.columns)
                    start = self.space.row(Returned(places_[0] - own, row))
                    later[operand] = f"{W}[{start + column}]"
                elif operand not in inside and operation != "constant":
                    later[operand] = f"{W}[{self.space.value(operand)}]"
        taken = [array.identifier for array in (*self.inputs, *self.outputs)]
        if len(self.steps) > 1:
            taken.append(W)
        zeros = self.zeros if t == 0 else ()
        return Part(step.numbers, first, later, self.stores, zeros, taken)

    def _section(self, t: int, step: Section) -> None:
        body = write_body(self.program.graph, self._part(t, step), self.scalar)
        text = "\n".join((*body.reads, *body.statements))
        parameters, arguments = [], []
        for array, kind in (
            *((array, "const ") for array in self.inputs),
            *((array, "") for array in self.outputs),
        ):
            if f"{array.identifier}[" in text:
                parameters.append(f"{kind}{self.scalar.name} *{array.identifier}")
                arguments.append(array.identifier)
        if f"{W}[" in text:
            parameters.append(f"{self.scalar.name} *{W}")
            arguments.append(W)
        name = self.writer.names.take(f"{self.symbol}_part")
        self._piece(Piece(name, tuple(parameters), tuple(arguments), body))

    def _piece(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self.lines.append(f"{piece.name}({', '.join(piece.arguments)});")

    def _call(self, number: int) -> None:
        call = self.program.calls[number]
        if isinstance(call.kernel, Loop):
            self._loop(number, call.kernel, call.stacks[0])
        else:
            self._kernel(number)
        for source, array in zip(self.program.sources, self.outputs, strict=True):
            placed = array.identifier in self.direct.values()
            if isinstance(source, Taken) and source.call == number and not placed:
                self.lines += self._copied(source, array)

    def _loop(self, number: int, loop: Loop, rows: Sequence[Row]) -> None:
        (output,) = loop.graph.outputs
        later = {
            k: self._entry(rows[node.operands[1]])
            for k, node in enumerate(loop.graph.nodes)
            if node.operation == "input"
        }
        start, width = self.space.result(number), self.space.width
        stores: dict[int, list[str]] = {}
        for k, node in enumerate(output.nodes):
            stores.setdefault(node, []).append(f"{W}[{start + k * width} + {J}]")
        numbers = [
            k
            for k, node in enumerate(loop.graph.nodes)
            if node.operation not in ("input", "constant") or k in stores
        ]
        part = Part(numbers, {}, later, stores, (), (W, J, self.table))
        body = write_body(loop.graph, part, self.scalar)
        name = self.writer.names.take(f"{self.symbol}_{loop.graph.name}")
        self._piece(Piece(name, (f"{self.scalar.name} *{W}",), (W,), body, width))

    def _entry(self, row: Row) -> str:
        """The entry of a row in a loop's column."""
        if isinstance(row, Known):
            return f"{self.table}[{self._line(row)}][{J}]"
        return f"{W}[{self.space.row(row)} + {J}]"

    def _line(self, row: Known) -> int:
        return self.known.setdefault(row, len(self.known))

    def _pointer(self, row: Row) -> str:
        if isinstance(row, Known):
            return f"{self.table}[{self._line(row)}]"
        return _offset(self.space.row(row))

    def _kernel(self, number: int) -> None:
        call = self.program.calls[number]
        kernel, columns = call.kernel, self.program.columns
        results, stride = self._results(number)
        result = results[0]
        if isinstance(kernel, Outward | Inward):
            name = "outward" if isinstance(kernel, Outward) else "inward"
            self._rows(name, kernel.branches, call.stacks, *results)
        elif isinstance(kernel, SymmetricProducts | PairedProducts):
            symmetric = isinstance(kernel, SymmetricProducts)
            name = "symmetric_products" if symmetric else "paired_products"
            self._products(name, kernel.branches, call.stacks, *results, stride)
        elif isinstance(kernel, Factors):
            self._copy(number, call.stacks[0])
            self._run("factors", kernel.branches, result)
        elif isinstance(kernel, Solve):
            L, B = call.stacks
            sign = self.scalar.literal(-1.0 if kernel.negative else 1.0)
            self._copy(number, B)
            name = "solve" if len(B) == columns else "solve_row"
            self._run(name, kernel.branches, str(sign), self._whole(L), result)
        elif isinstance(kernel, Invert):
            scratch = _offset(self.space.scratch(number))
            L = call.stacks[0]
            self._run("invert", kernel.branches, self._whole(L), scratch, result, stride)
        else:
            raise EmitError(f"{self.program.name}: no C for the kernel {kernel!r}")

    def _run(self, kernel: str, branches: Branches, *arguments: str) -> None:
        self.kernels |= {kernel, *KERNELS[kernel]}
        tree = self.writer.tree(branches)
        self.trees[tree] = None
        self.lines.append(f"symkin_{kernel}({', '.join((f'&{tree.name}', *arguments))});")

    def _rows(
        self, kernel: str, branches: Branches, stacks: Sequence[Sequence[Row]], *results: str
    ) -> None:
        (stack,) = stacks
        self.lines.append("{")
        self._pointers("x", stack)
        self._run(kernel, branches, str(len(stack)), "x", *results)
        self.lines[-1] = "    " + self.lines[-1]
        self.lines.append("}")

    def _pointers(self, name: str, stack: Sequence[Row]) -> None:
        """An array of pointers to the rows of a stack."""
        count = f"{name}[{len(stack)}]"
        rows = ", ".join(map(self._pointer, stack))
        self.lines.append(f"    const {self.scalar.name} *const {count} = {{{rows}}};")

    def _products(
        self, kernel: str, branches: Branches, stacks: Sequence[Sequence[Row]], *results: str
    ) -> None:
        *factors, (diagonal,) = stacks
        names = "abcdef"[: len(factors)]
        self.lines.append("{")
        for name, stack in zip(names, factors, strict=True):
            self._pointers(name, stack)
        self._run(kernel, branches, *names, self._pointer(diagonal), *results)
        self.lines[-1] = "    " + self.lines[-1]
        self.lines.append("}")

    def _results(self, number: int) -> tuple[list[str], str]:
        """Where the results of a call are to lie, and how far apart their rows: the first ones'."""
        parts = range(len(self.program.calls[number].rows))
        direct = [self.direct.get((number, part)) for part in parts]
        if all(direct):
            return [str(name) for name in direct], str(self.program.columns)
        places = [_offset(self.space.result(number, part)) for part in parts]
        return places, str(self.space.width)

    def _copy(self, number: int, stack: Sequence[Row]) -> None:
        """Put what a kernel works on in place, unless it lies there."""
        if self.space.in_place(number):
            return
        start, width = self.space.result(number), self.space.width
        for k, row in enumerate(stack):
            self.lines.append(
                f"for (int {J} = 0; {J} < {width}; ++{J}) "
                f"{W}[{start + k * width} + {J}] = ({self._pointer(row)})[{J}];"
            )

    def _whole(self, stack: Sequence[Row]) -> str:
        """A matrix that lies in one piece."""
        places = [self.space.row(row) for row in stack]
        width = self.space.width
        if places != list(range(places[0], places[0] + len(places) * width, width)):
            raise EmitError(f"{self.program.name}: a matrix is not the result of one call")
        return _offset(places[0])

    def _copied(self, source: Taken, array: CArray) -> list[str]:
        """The lines that copy a result into an output."""
        columns, width = self.program.columns, self.space.width
        places: list[int | None] = []
        for entry in array.entries:
            row, column = divmod(source.output.nodes[entry], columns)
            known = row >= 0
            places.append(self.space.row(Returned(source.call, row)) + column if known else None)
        name = array.identifier
        regular = _regular(places, columns, width)
        if regular is not None:
            first, by_row, by_column = regular
            count = len(places) // columns
            inner = f"for (int {J} = 0; {J} < {columns}; ++{J})"
            if count == 1:
                return [f"{inner} {name}[{J}] = {W}[{first} + {by_column} * {J}];"]
            return [
                f"for (int i = 0; i < {count}; ++i) {{",
                f"    {inner} {name}[{columns} * i + {J}] = "
                f"{W}[{first} + {by_row} * i + {by_column} * {J}];",
                "}",
            ]
        zero = self.scalar.literal(0.0)
        return [
            f"{name}[{k}] = {zero if place is None else f'{W}[{place}]'};"
            for k, place in enumerate(places)
        ]

    def _numbers(self, values: Sequence[float]) -> tuple[str, ...]:
        """The literals of a row, filled up with zeros."""
        filled = (*values, *[0.0] * (self.space.width - len(values)))
        return tuple(str(self.scalar.literal(x)) for x in filled)


def _offset(place: int) -> str:
    return f"{W} + {place}" if place else W


def _regular(places: Sequence[int | None], columns: int, width: int) -> tuple[int, int, int] | None:
    """(a, b, c) with place k = a + b (k // columns) + c (k % columns) wherever there is one."""
    known = {k: place for k, place in enumerate(places) if place is not None}
    for by_row, by_column in ((width, 1), (1, width)):
        firsts = {p - by_row * (k // columns) - by_column * (k % columns) for k, p in known.items()}
        if len(firsts) == 1 and len(places) % columns == 0:
            return firsts.pop(), by_row, by_column
    return None
