"""How far rounding can move a graph's outputs from their exact values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from symkin.algebra.bounded import DOUBLE, Bounded, Rounding
from symkin.graph.graph import Graph, side_by_side


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
    arrays = [np.asarray(inputs[port.name], dtype=np.float64) for port in graph.inputs]
    x, batch = side_by_side(graph.inputs, arrays)
    constants = graph.levels.constants
    errors = [rounding.of_constant(c) for c in constants.tolist()]
    with np.errstate(all="ignore"):
        found = graph.levels(
            Bounded(x, np.full(x.shape, radius), rounding), Bounded(constants, errors, rounding)
        )
    values, bounds = (
        graph.arranged(numbers.reshape((len(numbers), *batch)))
        for numbers in (found.value, found.bound)
    )
    return {name: Bounded(values[name], bounds[name], rounding) for name in values}
