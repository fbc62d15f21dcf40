"""Bytes of machine code and seconds of compiling, beside what `symkin.graph.size` predicts."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import astuple, fields
from functools import partial
from pathlib import Path

import numpy as np
from bench import Row, Section, Table, at_most, main

import symkin
from symkin.graph import Graph
from symkin.graph.size import Features, Target, code_size, compile_seconds, features
from symkin.plan import plan_instances
from symkin.quantities import bind_all

COMPILERS: dict[Target, tuple[str, ...]] = {
    "x86-64": ("gcc", "-O2", "-fPIC"),
    "cortex-m4": (
        *("arm-none-eabi-gcc", "-Os", "-mcpu=cortex-m4", "-mthumb"),
        *("-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    ),
}
MEDIAN = 0.1  # what a linear model of eight numbers should reach
SMALL = 1000  # bytes, below which a few instructions of a frame are much
ENOUGH = 40  # functions for a fit of eight numbers
NODES = 6000  # beyond which compiling takes many seconds
LEFT_OUT = ("rk4", "implicit", "held", "linearised", "tensor")


def graphs(quick: bool) -> Iterator[Graph]:
    """Planned functions of all sizes."""
    for name in ("ur5",) if quick else ("ur5", "scara", "tree12"):
        robot = symkin.load(name)
        for instance in bind_all(robot)[:: 6 if quick else 1]:
            usual = instance.frame in (None, robot.tips[0])
            if usual and not any(part in instance.name for part in LEFT_OUT):
                graph = plan_instances((instance,)).graph
                if len(graph.nodes) < NODES:
                    yield graph


def sizes(target: Target, quick: bool) -> Section:
    """Of each function the bytes that a compiler makes, and those predicted."""
    title = f"Code for {target}: {' '.join(COMPILERS[target])}"
    if shutil.which(COMPILERS[target][0]) is None:
        row = Row("median error", None, at_most(MEDIAN), missing=COMPILERS[target][0])
        return Section(title, "", (row,))
    measured = [(graph, *compiled(graph, target)) for graph in graphs(quick)]
    errors, late = [], []
    for graph, found, seconds in measured:
        if found > SMALL:
            errors.append(abs(code_size(graph, target) / found - 1.0))
        late.append(abs(compile_seconds(graph) / seconds - 1.0))
    rows = [
        Row("median error", statistics.median(errors), at_most(MEDIAN)),
        Row("error of nineteen in twenty", float(np.quantile(errors, 0.95))),
    ]
    if target == "x86-64":
        rows.append(Row("median error of the time to compile", statistics.median(late)))
    tables = (fitted(measured),) if len(measured) >= ENOUGH else ()
    note = f"{len(measured)} functions; errors of the {len(errors)} with more than {SMALL} bytes."
    return Section(title, note, tuple(rows), tables)


def fitted(measured: list[tuple[Graph, int, float]]) -> Table:
    """The bytes of each feature by least squares of relative errors."""
    found = np.array([size for _, size, _ in measured])
    weights = 1.0 / np.maximum(found, SMALL)
    ours = np.array([astuple(features(graph)) for graph, _, _ in measured])
    fit, *_ = np.linalg.lstsq(ours * weights[:, None], found * weights, rcond=None)
    names = tuple(field.name for field in fields(Features))
    return Table("bytes of each, fitted here", names, (tuple(map(float, fit)),))


def compiled(graph: Graph, target: Target) -> tuple[int, float]:
    """The bytes of the function's code and constants, and the seconds that the compiler took."""
    module = symkin.emit_c(graph, name="sized", real="double" if target == "x86-64" else "float")
    with tempfile.TemporaryDirectory() as folder:
        module.write(folder)
        started = os.times()
        command = (*COMPILERS[target], "-std=c99", "-ffp-contract=off", "-c", "sized.c")
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        ended = os.times()
        listed = subprocess.run(
            ["size", str(Path(folder) / "sized.o")], capture_output=True, text=True, check=True
        )
    seconds = ended.children_user - started.children_user
    return int(listed.stdout.splitlines()[1].split()[0]), max(seconds, 1e-3)


if __name__ == "__main__":
    sys.exit(
        main(
            "Size of code and time of compiling beside predictions",
            [partial(sizes, target) for target in COMPILERS],
            reference="",
        )
    )
