"""Quantity to Graph: run the algorithm once on CasADi SX and keep what it did."""

from __future__ import annotations

from dataclasses import replace

import casadi

from symkin.algebra import Scalar, symbols
from symkin.graph import Graph
from symkin.graph.casadi_import import graph_from_casadi
from symkin.model import Robot
from symkin.model.prepare import prepare
from symkin.quantities import Instance, bind


def trace(
    robot: Robot,
    quantity: str,
    *,
    frame: str | None = None,
    relative_to: str | None = None,
    formulation: str | None = None,
) -> Graph:
    """The expression graph of a quantity, its model constants folded in.

    ``frame`` and ``relative_to`` are as for `bind`. The robot is first prepared (`prepare`), which
    changes no value. Raises ArgumentError for unknown names.
    """
    instance = bind(robot, quantity, frame=frame, relative_to=relative_to, formulation=formulation)
    return trace_instance(instance)


def trace_instance(instance: Instance) -> Graph:
    """`trace` for a bound quantity."""
    prepared = replace(instance, robot=prepare(instance.robot))
    columns = [symbols(port.name, port.size) for port in instance.inputs]
    entries = list(prepared(*columns))
    pattern = [i for i, entry in enumerate(entries) if not _is_zero(entry)]
    function = casadi.Function(
        instance.name,
        [casadi.vertcat(*column) if len(column) else casadi.SX(0, 1) for column in columns],
        [casadi.vertcat(*(casadi.SX(entries[i]) for i in pattern))],
    )
    return graph_from_casadi(
        function,
        instance.inputs,
        (instance.output,),
        (pattern,),
        doc=instance.doc,
        reference=instance.quantity.reference,
        origin=instance.robot.name,
    )


def _is_zero(entry: Scalar) -> bool:
    return bool(entry.is_zero()) if isinstance(entry, casadi.SX) else entry == 0.0
