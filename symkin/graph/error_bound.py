"""How far rounding can move a graph's outputs from their exact values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra.bounded import DOUBLE, Bounded, Rounding, stack
from symkin.graph.graph import Graph


def error_bound(
    graph: Graph,
    inputs: Mapping[str, npt.ArrayLike],
    rounding: Rounding = DOUBLE,
    radius: float = 0.0,
) -> dict[str, Bounded]:
    """Each output with its value and a bound on its error, both of shape (..., *port.shape).

    Inputs have shape (..., *port.shape) and are exact up to ``radius``. The operations are those
    of `Graph.evaluate` and of the C made from the graph; ``rounding`` is `DOUBLE` or `SINGLE`.

    The bound is a sum over nodes z = x op y of u |z| plus what the operands' errors do to z: for
    +- e_x + e_y, for products |x| e_y + |y| e_x + e_x e_y, for quotients (e_x + |z| e_y) / (|y| -
    e_y), for sin and cos e_x, for a root e_x / (sqrt x + sqrt (x - e_x)). Where rounding
    leaves a branch undecided it holds for both. Higham (2002), section 3.3.
    """
    entries: list[list[Any]] = []
    batches: list[tuple[int, ...]] = []
    for port in graph.inputs:
        array = np.asarray(inputs[port.name], dtype=np.float64)
        batches.append(array.shape[: array.ndim - len(port.shape)])
        flat = array.reshape((*batches[-1], port.size))
        entries.append([Bounded(flat[..., i], radius, rounding) for i in range(port.size)])
    batch = np.broadcast_shapes(*batches)
    with np.errstate(all="ignore"):
        values = graph.values(entries)
    bounded = {}
    for output in graph.outputs:
        own = [0.0 if i < 0 else values[i] for i in output.nodes]
        bounded[output.port.name] = stack(own, output.port.shape, batch, rounding)
    return bounded
