"""C for a computer that runs Python too: one source file, one header, plain arrays of numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from symkin.emit.body import Body
from symkin.emit.casadi_interface import INTERFACE_LIMIT, casadi_files
from symkin.emit.comments import WIDTH, common_orders, function_comment, module_comment
from symkin.emit.division import live
from symkin.emit.module import CArray, CFunction, CModule, Options, Order, Zeros
from symkin.emit.names import HEADERS, RESERVED, Names
from symkin.emit.scalars import SCALARS, Real, Scalar
from symkin.emit.staged import KERNELS, Staged, StagedWriter
from symkin.emit.templates import render
from symkin.errors import ArgumentError, EmitError
from symkin.graph import Graph
from symkin.graph.program import Program
from symkin.quantities import Port, identifier


def emit_c(
    graphs: Graph | Program | Sequence[Graph | Program],
    *,
    name: str,
    real: Real = "double",
    order: Order = "row",
    zeros: Zeros = "dense",
    casadi: bool = False,
) -> CModule:
    """C99 with one function per graph, ``<name>_<graph's name>``, that also compiles as C++.

    ``real`` is the type of every number; ``order`` the layout of arrays of more than one axis;
    ``zeros`` "dense" writes every entry of an output, "nonzeros" those that are not structurally
    zero, with tables of their rows and columns in the header. ``casadi=True`` adds two files with
    CasADi's calling convention, for ``casadi.external``.

    Names that C does not allow are changed, and a module's that would hide a header of the system;
    two functions never share one. All changes are listed in the module's ``renamed``. Raises
    ArgumentError for unknown options and EmitError, naming function and output, for what C cannot
    express.
    """
    graphs = (graphs,) if isinstance(graphs, Graph | Program) else tuple(graphs)
    options = _checked(Options(real, order, zeros, casadi))
    if not graphs:
        raise EmitError(f"{name}: no graphs, so there is nothing to write")
    module = _module_name(name)
    symbols, keys = Names(), Names()
    shared = bool(common_orders(graphs))
    writer = StagedWriter(module, SCALARS[real])
    functions: list[CFunction] = []
    sections: list[dict[str, Any]] = []
    for graph in graphs:
        symbol = symbols.take(f"{module}_{identifier(graph.name)}")
        parameters = Names(RESERVED)
        inputs = [_array(port, parameters, options) for port in graph.inputs]
        outputs = [_array(o.port, parameters, options, o.nonzeros) for o in graph.outputs]
        comment = function_comment(graph, inputs, outputs, alone=not shared)
        function = CFunction(
            keys.take(graph.name, limit=sys.maxsize),
            symbol,
            real,
            tuple(inputs),
            tuple(outputs),
            "\n".join(comment),
            symbols.take(f"{symbol}_casadi", INTERFACE_LIMIT) if casadi else None,
        )
        program = graph if isinstance(graph, Program) else Program.of(graph)
        body = writer.write(program, symbol, inputs, outputs)
        tables = [_table(symbol, a, symbols) for a in outputs] if zeros == "nonzeros" else []
        functions.append(function)
        sections.append(
            {
                "comment": comment,
                "prototype": _prototype(function),
                "tables": tables,
                "unused": _unused(program, inputs, outputs),
                "body": body if isinstance(body, Body) else None,
                "staged": body if isinstance(body, Staged) else None,
            }
        )
    context = {"module": module, "functions": sections}
    files = {
        f"{module}.h": render(
            "host/module.h.j2", comment=module_comment(module, graphs, options), **context
        ),
        f"{module}.c": render("host/module.c.j2", **_needed(sections, SCALARS[real]), **context),
    }
    if casadi:
        files |= casadi_files(module, functions)
    renamed = _renamed(name, module, graphs, functions)
    return CModule(module, files, tuple(functions), options, renamed)


def _unused(
    program: Program, inputs: Sequence[CArray], outputs: Sequence[CArray]
) -> tuple[str, ...]:
    """The parameters that the function has no use for."""
    alive, nodes = live(program), program.graph.nodes
    read = {
        node.operands[0] for k, node in enumerate(nodes) if alive[k] and node.operation == "input"
    }
    unread = (array for port, array in enumerate(inputs) if port not in read)
    empty = (array for array in outputs if not array.entries)
    return tuple(array.identifier for array in (*unread, *empty))


def _needed(sections: Sequence[Mapping[str, Any]], scalar: Scalar) -> dict[str, Any]:
    """What the functions of a module need beside themselves: what templates lay out first."""
    staged = [s["staged"] for s in sections if s["staged"] is not None]
    bodies = [s["body"] for s in sections if s["body"] is not None]
    bodies += [piece.body for function in staged for piece in function.pieces]
    wanted = {kernel for function in staged for kernel in function.kernels}
    trees = {tree.name: tree for function in staged for tree in function.trees}
    return {
        "compares": any(body.compares for body in bodies),
        "staged": bool(staged),
        "kernels": [kernel for kernel in KERNELS if kernel in wanted],
        "branches": list(trees.values()),
        "width": max((tree.width for tree in trees.values()), default=0),
        "real": scalar.name,
        "zero": scalar.literal(0.0),
        "one": scalar.literal(1.0),
    }


def _module_name(name: str) -> str:
    """An identifier; on many disks ``Math.h`` is ``math.h``."""
    wanted = identifier(name)
    return Names((wanted,) if wanted.lower() in HEADERS else ()).take(wanted)


def _checked(options: Options) -> Options:
    choices = {
        "real": tuple(SCALARS),
        "order": ("row", "column"),
        "zeros": ("dense", "nonzeros"),
    }
    for option, known in choices.items():
        given = getattr(options, option)
        if given not in known:
            raise ArgumentError(f"emit_c: {option} is one of {', '.join(known)}, not {given!r}")
    if options.casadi and options.real != "double":
        raise ArgumentError("emit_c: CasADi's calling convention is in double; use real='double'")
    return options


def _array(
    port: Port, names: Names, options: Options, nonzeros: Iterable[int] | None = None
) -> CArray:
    """How a port lies in memory: whole, or for an output perhaps the nonzeros only."""
    fortran = options.order == "column"
    flat = np.arange(port.size).reshape(port.shape).ravel(order="F" if fortran else "C").tolist()
    kept = frozenset(flat if nonzeros is None else nonzeros)
    ordered = tuple(entry for entry in flat if entry in kept)
    whole = nonzeros is None or options.zeros == "dense"
    return CArray(
        port, names.take(identifier(port.name)), tuple(flat) if whole else ordered, ordered
    )


def _prototype(function: CFunction) -> str:
    parameters = [
        *(_declared(f"const {function.real}", array) for array in function.inputs),
        *(_declared(function.real, array) for array in function.outputs),
    ]
    line = f"void {function.symbol}({', '.join(parameters) or 'void'})"
    if len(line) < WIDTH:
        return line
    return f"void {function.symbol}(\n    " + ",\n    ".join(parameters) + ")"


def _declared(type_: str, array: CArray) -> str:
    """C has no arrays of length 0: those become pointers."""
    size = len(array.entries)
    return f"{type_} {array.identifier}[{size}]" if size else f"{type_} *{array.identifier}"


def _table(symbol: str, array: CArray, symbols: Names) -> dict[str, Any]:
    """Where the stored entries of an output belong."""
    stem = f"{symbol}_{array.identifier}"
    tables = {"row": [i for i, _ in array.positions], "column": [j for _, j in array.positions]}
    return {
        "count": symbols.take(f"{stem}_NNZ"),
        "size": len(array.entries),
        "arrays": [
            {"name": symbols.take(f"{stem}_{axis}"), "numbers": numbers}
            for axis, numbers in tables.items()
        ],
    }


def _renamed(
    name: str, module: str, graphs: Sequence[Graph | Program], functions: Sequence[CFunction]
) -> tuple[tuple[str, str], ...]:
    pairs = [(name, module)]
    for graph, function in zip(graphs, functions, strict=True):
        pairs.append((graph.name, function.name))
        pairs.append((f"{module}_{graph.name}", function.symbol))
        pairs += [
            (f"{function.name}.{array.port.name}", f"{function.name}.{array.identifier}")
            for array in (*function.inputs, *function.outputs)
        ]
    return tuple((given, used) for given, used in pairs if given != used)
