"""Quantity to Graph: run the algorithm once on CasADi SX and keep what it did."""

from __future__ import annotations

from typing import Unpack

import casadi

from symkin.algebra import Scalar, symbols, to_sx
from symkin.algorithms.configuration import position_rate
from symkin.errors import ArgumentError
from symkin.graph import Graph
from symkin.graph.casadi_import import graph_from_casadi
from symkin.model import Robot
from symkin.quantities import Instance, Options, Port, bind


def trace(
    robot: Robot, quantity: str, *, derivative: str | None = None, **options: Unpack[Options]
) -> Graph:
    """The expression graph of a quantity, its model constants folded in.

    With ``derivative``, the name of an input, it is the graph of the derivatives of all entries by
    all entries of that input (of a position: along v), by CasADi's differentiation; a closed form,
    such as inverse_dynamics_dq, is cheaper where there is one. The robot is first prepared by every
    step of `prepare`, which changes no value. Raises ArgumentError for unknown names.
    """
    return trace_instance(bind(robot, quantity, **options).prepared(), derivative)


def trace_instance(instance: Instance, derivative: str | None = None) -> Graph:
    """`trace` for a bound quantity, its robot prepared as the instance says and no further."""
    columns = [symbols(port.name, port.size) for port in instance.inputs]
    inputs = [casadi.vertcat(*column) if len(column) else casadi.SX(0, 1) for column in columns]
    entries: list[Scalar] = list(instance(*columns))
    name, doc, output = instance.name, instance.doc, instance.output
    if derivative is not None:
        number = _input(instance, derivative)
        by = instance.inputs[number]
        whole = casadi.vertcat(*(casadi.SX(entry) for entry in entries))
        J = casadi.jacobian(whole, inputs[number])
        if by.quaternions:
            J = J @ to_sx(position_rate(instance.robot, columns[number]))
        entries = [J[i, k] for i in range(J.shape[0]) for k in range(J.shape[1])]
        name, doc = f"{name}_d{derivative}", f"Derivative by {derivative} of: {doc}"
        shape, unit = (*output.shape, J.shape[1]), f"({output.unit}) by ({by.unit})"
        output = Port(f"d{output.name}_d{derivative}", shape, unit, doc, output.labels)
    pattern = [i for i, entry in enumerate(entries) if not _is_zero(entry)]
    function = casadi.Function(
        name, inputs, [casadi.vertcat(*(casadi.SX(entries[i]) for i in pattern))]
    )
    return graph_from_casadi(
        function,
        instance.inputs,
        (output,),
        (pattern,),
        doc=doc,
        reference=instance.quantity.reference,
        origin=instance.robot.name,
    )


def _input(instance: Instance, name: str) -> int:
    names = [port.name for port in instance.inputs]
    if name not in names:
        raise ArgumentError(f"{instance.quantity.name} has no input {name!r}: {', '.join(names)}")
    return names.index(name)


def _is_zero(entry: Scalar) -> bool:
    return bool(entry.is_zero()) if isinstance(entry, casadi.SX) else entry == 0.0
