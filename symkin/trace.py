"""Quantity to Graph: run the algorithm once on CasADi SX and keep what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import casadi

from symkin.algebra import Matrix, Scalar, symbols, to_sx
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
    ports = instance.inputs
    columns = {port.name: symbols(port.name, port.size) for port in ports}
    entries: list[Scalar] = list(instance(*columns.values()))
    name, doc, output = instance.name, instance.doc, instance.output
    if derivative is not None:
        by = _input(instance, derivative)
        whole = casadi.vertcat(*(casadi.SX(entry) for entry in entries))
        J = casadi.jacobian(whole, _column(columns[by.name]))
        if by.quaternions:
            J = J @ to_sx(position_rate(instance.robot, columns[by.name]))
        entries = [J[i, k] for i in range(J.shape[0]) for k in range(J.shape[1])]
        name, doc = f"{name}_d{derivative}", f"Derivative by {derivative} of: {doc}"
        shape, unit = (*output.shape, J.shape[1]), f"({output.unit}) by ({by.unit})"
        output = Port(f"d{output.name}_d{derivative}", shape, unit, doc, output.labels)
    return graph_of(
        name,
        ports,
        columns,
        [(output, entries)],
        doc=doc,
        reference=instance.quantity.reference,
        origin=instance.robot.name,
    )


def trace_instances(name: str, instances: Sequence[Instance]) -> Graph:
    """Quantities of one robot as one function called ``name``: what they share is there once.

    Inputs of one name are one input; parameters of the robot come last. An output keeps its name
    unless an input or another output has it too; then it is called like its quantity.
    """
    face = Face.of(name, instances)
    outputs = [(port, list(compute())) for port, compute in face.outputs]
    return graph_of(name, face.inputs, face.columns, outputs, **face.about)


@dataclass(frozen=True, slots=True)
class Face:
    """What a function of quantities takes and gives: ports, their symbols, and what computes each
    output; ``about`` is what its graph says of itself."""

    inputs: tuple[Port, ...]
    columns: Mapping[str, Matrix]
    outputs: tuple[tuple[Port, Callable[[], Matrix]], ...]
    about: Mapping[str, str]

    @staticmethod
    def of(name: str | None, instances: Sequence[Instance]) -> Face:
        """That of several as one function called ``name``, or of one as it is."""
        own = [port for i in instances for port in i.inputs[: len(i.quantity.inputs)]]
        given = [port for i in instances for port in i.inputs[len(i.quantity.inputs) :]]
        ports = {port.name: port for port in (*own, *given)}
        columns = {port.name: symbols(port.name, port.size) for port in ports.values()}
        taken = Counter([*ports, *(instance.output.name for instance in instances)])
        outputs: list[tuple[Port, Callable[[], Matrix]]] = []
        for instance in instances:
            port = instance.output
            if name is not None:
                again = taken[port.name] > 1
                port = replace(port, name=instance.name if again else port.name, doc=instance.doc)
            entries = (columns[own.name] for own in instance.inputs)
            outputs.append((port, partial(instance, *entries)))
        whole = f"All at once: {', '.join(instance.name for instance in instances)}."
        about = {
            "doc": instances[0].doc if name is None else whole,
            "reference": "; ".join(dict.fromkeys(i.quantity.reference for i in instances)),
            "origin": instances[0].robot.name,
        }
        return Face(tuple(ports.values()), columns, tuple(outputs), about)


def graph_of(
    name: str,
    inputs: Sequence[Port],
    columns: Mapping[str, Matrix],
    outputs: Sequence[tuple[Port, Sequence[Scalar]]],
    **about: str,
) -> Graph:
    """The graph of what was computed from the columns of symbols."""
    patterns = [
        [i for i, entry in enumerate(entries) if not is_zero(entry)] for _, entries in outputs
    ]
    nonzeros = [
        casadi.vertcat(casadi.SX(0, 1), *(casadi.SX(entries[i]) for i in pattern))
        for (_, entries), pattern in zip(outputs, patterns, strict=True)
    ]
    function = casadi.Function(name, [_column(columns[port.name]) for port in inputs], nonzeros)
    ports = [port for port, _ in outputs]
    return graph_from_casadi(function, inputs, ports, patterns, **about)


def _column(symbols: Matrix) -> Any:
    return casadi.vertcat(casadi.SX(0, 1), *symbols)


def _input(instance: Instance, name: str) -> Port:
    ports = {port.name: port for port in instance.inputs}
    if name not in ports:
        raise ArgumentError(f"{instance.quantity.name} has no input {name!r}: {', '.join(ports)}")
    return ports[name]


def is_zero(entry: Scalar) -> bool:
    """Whether a traced entry is structurally zero."""
    return bool(entry.is_zero()) if isinstance(entry, casadi.SX) else entry == 0.0
