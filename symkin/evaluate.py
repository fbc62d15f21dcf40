"""Quantity to numbers: the reference against which graphs and compiled C are held."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra import Dual, Matrix
from symkin.errors import ArgumentError
from symkin.model import Robot
from symkin.quantities import Instance, Port, bind, normalised, normalised_tangent, parted

Array = npt.NDArray[Any]


def evaluate(robot: Robot, quantity: str, **given: Any) -> Array:
    """The quantity's value at the given inputs, each a real or complex array of shape (..., n).

    Leading axes are a batch: all states are computed together, and the result has the quantity's
    shape behind the same axes. Beside inputs stand `Options`, such as ``frame=``; a parameter is
    given like an input. Quaternions of any length are scaled to 1.

    Raises ArgumentError for unknown quantities, frames and inputs, for wrong shapes, and for
    quaternions of no length. What is not finite gives NaN or infinity, and no warning.
    """
    options, inputs = parted(given)
    return evaluate_instance(bind(robot, quantity, **options), inputs)


def evaluate_instance(instance: Instance, inputs: Mapping[str, npt.ArrayLike]) -> Array:
    """`evaluate` for a bound quantity."""
    owner, ports = instance.quantity.name, instance.inputs
    arrays, batch = check_inputs(owner, ports, inputs)
    columns = [_column(normalised(owner, p, x)) for p, x in zip(ports, arrays, strict=True)]
    with np.errstate(all="ignore"):
        return _assemble(instance(*columns), instance.output, batch)


def push_forward(
    instance: Instance,
    inputs: Mapping[str, npt.ArrayLike],
    tangents: Mapping[str, npt.ArrayLike],
) -> tuple[Array, Array]:
    """Value and directional derivative by dual numbers; inputs without a tangent stand still."""
    owner, ports = instance.quantity.name, instance.inputs
    arrays, batch = check_inputs(owner, ports, inputs)
    given = {port.name: tangents.get(port.name, np.zeros(port.shape)) for port in ports}
    seeds, seed_batch = check_inputs(owner, ports, given)
    batch = np.broadcast_shapes(batch, seed_batch)
    duals = []
    for port, array, seed in zip(ports, arrays, seeds, strict=True):
        values = _column(normalised(owner, port, array))
        rates = _column(normalised_tangent(port, array, seed))
        pairs = zip(values, rates, strict=True)
        duals.append(Matrix([(Dual(x, d),) for x, d in pairs], columns=1))
    with np.errstate(all="ignore"):
        result = instance(*duals)
    value = result.map(lambda x: x.v if isinstance(x, Dual) else x)
    tangent = result.map(lambda x: x.d if isinstance(x, Dual) else 0.0)
    return (
        _assemble(value, instance.output, batch),
        _assemble(tangent, instance.output, batch),
    )


def check_array(owner: str, port: Port, value: npt.ArrayLike) -> Array:
    """The input as a float or complex array whose last axes have the port's shape.

    A vector over joints may also be a mapping from their names, and one of one entry a number.
    Raises ArgumentError that names the owner, the port, the expected and the received shape, type
    or names.
    """
    if isinstance(value, Mapping):
        value = _by_name(owner, port, value)
    try:
        array = _numbers(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{owner}: {port.name} is not an array of numbers: {error}") from None
    if array.ndim == 0 and port.shape == (1,):
        array = array.reshape(1)
    dimensions = len(port.shape)
    if array.ndim < dimensions or array.shape[array.ndim - dimensions :] != port.shape:
        expected = ", ".join(str(n) for n in port.shape)
        raise ArgumentError(
            f"{owner}: {port.name} ({port.doc}) has shape {array.shape}; "
            f"expected ({expected},) or (..., {expected})"
        )
    return array


def _numbers(value: npt.ArrayLike) -> Array:
    """A float or complex array; TypeError or ValueError for what NumPy would make numbers of."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("it is masked; pass its data, or what filled() makes of it")
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind in "fc":
        return array
    if kind == "O":
        for entry in array.flat:
            if not isinstance(entry, Number):
                raise TypeError(f"it holds {entry!r}")
    elif kind not in "biu":
        names = {"U": "text", "S": "text", "M": "dates or times", "m": "dates or times"}
        raise TypeError(f"it is of {names.get(kind, str(array.dtype))}")
    return array.astype(np.float64)


def _by_name(owner: str, port: Port, values: Mapping[str, Any]) -> npt.ArrayLike:
    if len(port.shape) != 1 or len(port.labels) != port.size:
        raise ArgumentError(f"{owner}: {port.name} ({port.doc}) has no names; give an array")
    wrong = [f"missing {name!r}" for name in port.labels if name not in values]
    wrong += [f"unknown {name!r}" for name in values if name not in port.labels]
    if wrong:
        raise ArgumentError(
            f"{owner}: {port.name} by name: {', '.join(wrong)}; "
            f"the joints are {', '.join(port.labels)}"
        )
    entries = np.broadcast_arrays(*(np.asarray(values[name]) for name in port.labels))
    return np.stack(entries, axis=-1) if entries else np.zeros(0)


def check_names(owner: str, ports: tuple[Port, ...], given: Mapping[str, Any]) -> None:
    """ArgumentError unless exactly the ports' names are given."""
    wanted = [port.name for port in ports]
    missing = [name for name in wanted if name not in given]
    unknown = [name for name in given if name not in wanted]
    if missing or unknown:
        raise ArgumentError(
            f"{owner} takes {', '.join(wanted)}"
            + (f"; missing: {', '.join(missing)}" if missing else "")
            + (f"; unknown: {', '.join(unknown)}" if unknown else "")
        )


def check_inputs(
    owner: str, ports: tuple[Port, ...], inputs: Mapping[str, Any]
) -> tuple[list[Array], tuple[int, ...]]:
    """The checked array of each port, and the leading axes that they share by broadcasting.

    Raises ArgumentError for wrong names and shapes, and for batches that do not fit together.
    """
    check_names(owner, ports, inputs)
    arrays = [check_array(owner, port, inputs[port.name]) for port in ports]
    batches = [a.shape[: a.ndim - len(p.shape)] for a, p in zip(arrays, ports, strict=True)]
    try:
        return arrays, np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(f"{p.name} {b}" for p, b in zip(ports, batches, strict=True))
        raise ArgumentError(f"{owner}: batches do not fit together: {shapes}") from None


def _column(array: Array) -> Matrix:
    """An array (..., n) as a column of n batches."""
    return Matrix([(array[..., i],) for i in range(array.shape[-1])], columns=1)


def _assemble(matrix: Matrix, port: Port, batch: tuple[int, ...]) -> Array:
    entries = list(matrix)
    if not entries:
        return np.zeros((*batch, *port.shape))
    full = [np.broadcast_to(np.asarray(entry), batch) for entry in entries]
    return np.stack(full, axis=-1).reshape((*batch, *port.shape))
