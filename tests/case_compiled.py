"""The ops of `cases/README.md` that are about generated C, compilers and loaded libraries."""

from __future__ import annotations

import ctypes
import locale
import multiprocessing
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from case_adapter import Check, Given, agree, checks
from case_ops import QUANTITY_OPS

import symkin
from symkin.emit import CModule
from symkin.graph import Graph
from symkin.graph.error_bound import error_bound
from symkin.library import Library
from symkin.quantities import bind_all
from symkin.trace import trace_instance

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
COMPILERS = tuple(name for name in ("gcc", "clang") if shutil.which(name)) or ("cc",)
QUANTITIES = {"fk": "forward_kinematics", "jac": "jacobian_position"}
"""What ``of`` stands for in the ops about memory."""


def module_of(g: Given, quantity: str = "forward_kinematics", **options: str) -> CModule:
    """Generated C for one quantity of the check's robot and frame."""
    graph = symkin.trace(g.robot, quantity, frame=g.frame)
    options = {"real": g.get("real", "double"), **options}
    return symkin.emit_c(graph, name=g.robot.name, **options)


def called(library: Library, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """The value of a library's only function."""
    (function,) = library.functions
    return np.asarray(library.call(function.name, **inputs))


def run(*command: str, cwd: Path) -> str:
    """What a command prints; it must succeed without complaining."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def compile_alone(module: CModule, folder: Path, flags: Sequence[str] = STRICT) -> None:
    """Every compiler takes every source with nothing but the module's own files."""
    module.write(folder)
    for compiler in COMPILERS:
        for source in module.sources:
            run(compiler, *flags, "-c", source, "-o", os.devnull, cwd=folder)


def memory(library: Library, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """What a C caller of a library's only function finds in the memory of its output."""
    (function,) = library.functions
    values = np.full(len(function.outputs[0].entries), np.nan)
    arguments = [np.ascontiguousarray(inputs[array.port.name]) for array in function.inputs]
    call = ctypes.CDLL(str(library.path))[function.symbol]
    call(*(ctypes.c_void_p(a.ctypes.data) for a in (*arguments, values)))
    return values


def _flat(g: Given) -> np.ndarray:
    """The memory of an output in column-major order; a Jacobian's rows go linear first."""
    module = module_of(g, QUANTITIES[g["of"]], order="column")
    values = memory(symkin.build(module, cache=g.scratch), g.inputs("q"))
    if g["of"] == "fk":
        return values
    J = g.in_order(g.linear_first(values.reshape((6, -1), order="F")))
    return J.ravel(order="F")


def _nonzeros(g: Given) -> list[tuple[int, int]]:
    """Columns and rows of the entries that C stores when it leaves out structural zeros."""
    module = module_of(g, QUANTITIES[g["of"]], zeros="nonzeros")
    (output,) = module.functions[0].outputs
    pattern = np.zeros(output.port.shape)
    for row, column in output.positions:
        pattern[row, column] = 1.0
    if g["of"] == "jac":
        pattern = g.in_order(g.linear_first(pattern))
    return [(column, row) for column, row in zip(*np.nonzero(pattern.T), strict=True)]


def _compiled_fk(g: Given) -> np.ndarray:
    """The case's builds up to this one, in one process and one folder, then a call of one of them.

    They are of the same name where the robots are; ``handle`` is the one to call.
    """
    libraries = {}
    for number in range(g.check.number + 1):
        step = Given(Check(g.check.folder, g.check.case, number), g.scratch)
        if step.check.op == "compiled_fk" and "handle" not in step.check.given:
            library = symkin.build(module_of(step), cache=g.scratch)
            libraries[step.check.data["name"]] = step, library
    wanted = g.get("handle", g.check.data["name"])
    ((step, library),) = (pair for name, pair in libraries.items() if name.startswith(wanted))
    return called(library, Given(g.check, g.scratch, file=step.path.name).inputs("q"))


def _compiled_rnea(g: Given) -> np.ndarray:
    library = symkin.build(module_of(g, "inverse_dynamics"), cache=g.scratch)
    return g.in_order(called(library, g.inputs("q", "qd", "qdd")))


def _pickled_rnea(g: Given) -> np.ndarray:
    """A robot that goes to a spawned process has the same dynamics there."""
    inputs = g.inputs("q", "qd", "qdd")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        value = pool.apply(symkin.evaluate, (g.robot, "inverse_dynamics"), inputs)
    return g.in_order(value)


def _budget(g: Given) -> None:
    """Less than a megabyte of source, and half a minute of the compiler's own time at -O1."""
    module = module_of(g, "inverse_dynamics")
    assert sum(len(module.files[source]) for source in module.sources) < 1e6
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    symkin.build(module, flags="-O1", cache=g.scratch)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 30.0


def _link_both(g: Given) -> None:
    """One executable of all the case's files, and one process with all of them as libraries."""
    steps = [Given(check, g.scratch) for check in checks() if check.folder == g.check.folder]
    steps = [step for step in steps if step.check.op == "fk"]
    modules = [module_of(step) for step in steps]
    assert len({name for module in modules for name in module.files}) == 2 * len(modules)
    for module in modules:
        module.write(g.scratch)
    sources = [source for module in modules for source in module.sources]
    (g.scratch / "main.c").write_text(_main(steps, modules))
    for compiler in COMPILERS:
        run(compiler, *STRICT, "main.c", *sources, "-lm", "-o", "both", cwd=g.scratch)
        printed = run("./both", cwd=g.scratch).splitlines()
        for step, text in zip(steps, printed, strict=True):
            agree(np.array(text.split(), dtype=float).reshape(4, 4), step.check.expected)
    libraries = [symkin.build(module, cache=g.scratch) for module in modules]
    for library in libraries:
        ctypes.CDLL(str(library.path), mode=ctypes.RTLD_GLOBAL)
    for step, library in zip(steps, libraries, strict=True):
        agree(memory(library, step.inputs("q")).reshape(4, 4), step.check.expected)


def _main(steps: Sequence[Given], modules: Sequence[CModule]) -> str:
    """A program that prints each module's pose at its check's q."""
    lines = ["#include <stdio.h>", *(f'#include "{module.name}.h"' for module in modules)]
    lines.append("int main(void) { double T[16]; int i;")
    for step, module in zip(steps, modules, strict=True):
        # C has no arrays of no entries: a robot without joints gets one that it does not read.
        q = ", ".join(repr(float(x)) for x in step.inputs("q")["q"]) or "0.0"
        lines += [
            f"{{ const double q[] = {{{q}}}; {module.functions[0].symbol}(q, T); }}",
            'for (i = 0; i < 16; i++) printf("%.17g ", T[i]);',
            'printf("\\n");',
        ]
    return "\n".join([*lines, "return 0; }", ""])


def _codegen_compiles(g: Given) -> None:
    """A robot's quantities in one module, which every compiler takes and Python can call."""
    graphs = _graphs(g)
    module = symkin.emit_c(graphs, name=g.robot.name)
    compile_alone(module, g.scratch / "c")
    library = symkin.build(module, flags="-O0", cache=g.scratch)
    for graph, function in zip(graphs, library.functions, strict=True):
        inputs = {port.name: np.linspace(-1.0, 1.0, port.size) for port in graph.inputs}
        (bounded,) = error_bound(graph, inputs).values()
        error = np.abs(library.call(function.name, **inputs) - bounded.value)
        # Both are within the bound of the exact value.
        assert (error <= 2.0 * bounded.bound).all()


def _compiles_with(g: Given) -> None:
    """A robot's quantities in single precision, under the check's flags."""
    graphs = _graphs(g)
    module = symkin.emit_c(graphs, name=g.robot.name, real="float")
    compile_alone(module, g.scratch, (*STRICT, *g.check.data["flags"]))


def _graphs(g: Given) -> list[Graph]:
    """All quantities but the large derivatives, which have no other kinds of lines."""
    large = ("hessian", "_dq", "_dv", "_dx", "_dtau", "_dF", "matrix_dot", "step_")
    instances = bind_all(g.robot, frame=g.frame)
    return [
        trace_instance(instance.prepared())
        for instance in instances
        if instance.quantity.per_frame or not any(part in instance.name for part in large)
    ]


def _pickle_compiled(g: Given) -> None:
    """A library that goes to a spawned process answers there as it does here."""
    q = np.linspace(-0.7, 1.1, g.robot.nq)
    library = symkin.build(module_of(g), cache=g.scratch)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(called, (library, {"q": q}))
    assert np.array_equal(there, called(library, {"q": q}))


def _repeat_under_locale(g: Given) -> None:
    """Every number of the case again, also compiled, where a comma is the decimal mark."""
    text = module_of(g).files
    with decimal_comma(g.check.data["locale"], g.scratch):
        assert module_of(g).files == text
        compiled = 0
        for check in checks():
            if check.folder == g.check.folder and check.op in QUANTITY_OPS and not check.missing:
                step = Given(check, g.scratch)
                agree(QUANTITY_OPS[check.op](step), check.expected)
            if check.folder == g.check.folder and check.op == "fk":
                library = symkin.build(module_of(step), cache=g.scratch)
                agree(called(library, step.inputs("q")), check.expected)
                compiled += 1
        assert compiled


@contextmanager
def decimal_comma(name: str, scratch: Path) -> Iterator[None]:
    """The locale of this name for all of the process, made if the system can make it."""
    before, path = locale.setlocale(locale.LC_ALL), os.environ.get("LOCPATH")
    try:
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            language, _, encoding = name.partition(".")
            if not shutil.which("localedef"):
                pytest.skip(f"neither the locale {name} nor localedef to make it")
            command = ("localedef", "-i", language, "-f", encoding, str(scratch / name))
            if subprocess.run(command, capture_output=True).returncode:
                pytest.skip(f"neither the locale {name} nor its source to make it")
            os.environ["LOCPATH"] = str(scratch)
            locale.setlocale(locale.LC_ALL, name)
        assert locale.localeconv()["decimal_point"] == ","
        yield
    finally:
        os.environ.pop("LOCPATH", None)
        if path is not None:
            os.environ["LOCPATH"] = path
        locale.setlocale(locale.LC_ALL, before)


COMPILED_OPS: Mapping[str, Callable[[Given], np.ndarray | int | list[int] | None]] = {
    "compiled_fk": _compiled_fk,
    "compiled_rnea": _compiled_rnea,
    "pickled_rnea": _pickled_rnea,
    "budget": _budget,
    "flat_dense_col_major": _flat,
    "nnz": lambda g: len(_nonzeros(g)),
    "nz_rows": lambda g: [row for _, row in _nonzeros(g)],
    "link_both": _link_both,
    "codegen_compiles": _codegen_compiles,
    "compiles_with": _compiles_with,
    "pickle_compiled": _pickle_compiled,
    "repeat_under_locale": _repeat_under_locale,
}
"""Ops with an ``expect`` give a value; the others fail by themselves."""
