"""How long a call of a compiled function takes: the objective "time" of plans."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from random import Random

from symkin.build import compile_module
from symkin.emit import CArray, emit_c
from symkin.emit.templates import render
from symkin.graph import Graph
from symkin.plan import OBJECTIVES

SECONDS = 0.01
"""Of a batch of calls, at the least: the clock of C may have steps of a millisecond."""

BATCHES = 7
"""The least time of so many batches is meant: the others were disturbed."""


def seconds_per_call(graph: Graph) -> float:
    """Seconds of processor time of a call in double, of many in a row at one arbitrary state.

    The function is compiled as `symkin.build` does by default, or found in the cache. Raises
    BuildError without a compiler.
    """
    module = emit_c(graph, name="timed")
    (function,) = module.functions
    symbol = f"{function.symbol}_seconds"
    arrays = (*function.inputs, *function.outputs)
    source = render(
        "host/timing.c.j2",
        module=module.name,
        symbol=symbol,
        function=function.symbol,
        inputs=[_array(array) for array in function.inputs if array.entries],
        outputs=[_array(array) for array in function.outputs if array.entries],
        arguments=[array.identifier if array.entries else "0" for array in arrays],
    )
    timed = replace(module, files={**module.files, "timing.c": source})
    run = getattr(ctypes.CDLL(str(compile_module(timed))), symbol)
    run.argtypes, run.restype = [ctypes.c_long], ctypes.c_double
    calls = 16
    while run(calls) < SECONDS:
        calls *= 2
    return float(min(run(calls) for _ in range(BATCHES)) / calls)


def _array(array: CArray) -> dict[str, object]:
    """Its name, its size, and numbers to begin with: angles, speeds, parts of a unit quaternion."""
    random = Random(0)
    numbers = [random.uniform(0.2, 0.9) for _ in array.entries]
    for start in array.port.quaternions:
        numbers[start : start + 4] = [0.5] * 4
    return {"identifier": array.identifier, "size": len(array.entries), "numbers": numbers}


OBJECTIVES["time"] = seconds_per_call
