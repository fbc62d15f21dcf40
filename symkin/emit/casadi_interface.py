"""CasADi's calling convention around a module's functions: two more files for casadi.external.

A function F of CasADi's C API takes arrays of pointers to the structural nonzeros of its inputs
and outputs, column by column; a null input means zeros, a null output is not wanted. It is
described by F_n_in, F_name_in, F_sparsity_in, F_work and their like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symkin.emit.module import CArray, CFunction
from symkin.emit.names import LIMIT
from symkin.emit.templates import render

INTERFACE_LIMIT = LIMIT - len("_sparsity_out")
"""How long F may be."""


def casadi_files(module: str, functions: Sequence[CFunction]) -> Mapping[str, str]:
    """The interface of a module: ``<module>_casadi.h`` and ``.c``."""
    context = {"module": module, "functions": [_described(function) for function in functions]}
    return {
        f"{module}_casadi.{ending}": render(f"host/casadi.{ending}.j2", **context)
        for ending in ("h", "c")
    }


def _described(function: CFunction) -> dict[str, Any]:
    """What the templates lay out; dense copies of all arrays live in CasADi's work vector w."""
    inputs, outputs = [*map(_input, function.inputs)], [*map(_output, function.outputs)]
    offset = 0
    for array in (*inputs, *outputs):
        array["start"] = f"w + {offset}" if offset else "w"
        array["element"] = f"{array['name']}_places[k]" if array["places"] else "k"
        offset += array["size"]
    used = {"arg": any(a["count"] for a in inputs), "res": any(a["count"] for a in outputs)}
    return {
        "symbol": function.symbol,
        "name": function.casadi,
        "inputs": inputs,
        "outputs": outputs,
        "unused": [*(name for name, is_used in used.items() if not is_used), "iw", "mem"],
        "work": offset,
    }


def _input(array: CArray) -> dict[str, Any]:
    """An input is the column of its entries: element k of the C array is CasADi's entries[k]."""
    size = array.port.size
    return {
        "name": array.identifier,
        "size": size,
        "places": None if array.row_major else array.entries,
        "sparsity": _compressed(size, 1, [(entry, 0) for entry in range(size)]),
        "count": size,
    }


def _output(array: CArray) -> dict[str, Any]:
    """CasADi's k-th nonzero is element places[k] of the C array."""
    columns = array.columns
    rows = array.port.size // columns if columns else array.port.shape[0]
    place = {entry: k for k, entry in enumerate(array.entries)}
    by_column = sorted(array.nonzeros, key=lambda entry: (entry % columns, entry // columns))
    places = [place[entry] for entry in by_column]
    return {
        "name": array.identifier,
        "size": len(array.entries),
        "places": None if places == list(range(len(places))) else places,
        "sparsity": _compressed(rows, columns, [divmod(entry, columns) for entry in by_column]),
        "count": len(places),
    }


def _compressed(rows: int, columns: int, positions: Sequence[tuple[int, int]]) -> list[int]:
    """CasADi's compressed columns: size, where each column starts, and the row of each nonzero."""
    starts = [sum(1 for _, j in positions if j < column) for column in range(columns + 1)]
    return [rows, columns, *starts, *(i for i, _ in positions)]
