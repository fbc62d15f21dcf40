"""Many scalar operations as few operations on arrays: what NumPy is quick at.

Equal operations whose operands are all known form a group, and one call computes the group, at all
states at once. Every number comes from the very operation that its node names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from symkin.algebra import Bounded, Dual
from symkin.graph.operations import OPERATIONS

Stack: TypeAlias = Any
"""Numbers along the first axis, states along the others: an array of floats or complex numbers, or
a `Bounded` or `Dual` of such arrays."""

AT_ONCE = 2**23
"""Numbers, nodes times states, that are kept at a time: 64 MB of floats."""


@dataclass(frozen=True, slots=True)
class _Group:
    operation: str
    results: slice
    operands: tuple[npt.NDArray[np.intp], ...]


class Levels:
    """Nodes made ready to be computed group by group; what depends on no input only once.

    ``constants`` are the values of the constant nodes, in their order.
    """

    def __init__(
        self,
        nodes: Iterable[tuple[str, tuple[int, ...], float]],
        sizes: Sequence[int],
        outputs: Iterable[int],
    ) -> None:
        """``nodes`` are those of a `Graph`, operands before users; ``sizes`` the inputs' numbers of
        entries; ``outputs`` the nodes that are wanted."""
        starts = [0]
        for size in sizes:
            starts.append(starts[-1] + size)
        constants: list[float] = []
        entries: list[int] = []
        levels: list[int] = []
        moving: list[bool] = []
        found: dict[tuple[bool, int, str], list[tuple[int, tuple[int, ...]]]] = {}
        for i, (operation, operands, value) in enumerate(nodes):
            moves, level = False, 0
            if operation == "constant":
                constants.append(value)
            elif operation == "input":
                moves = True
                entries.append(starts[operands[0]] + operands[1])
            else:
                for j in operands:
                    moves = moves or moving[j]
                    level = max(level, levels[j])
                level += 1
            moving.append(moves)
            levels.append(level)
            found.setdefault((moves, level, operation), []).append((i, operands))
        self.constants = np.array(constants, dtype=np.float64)
        self._entries = np.array(entries, dtype=np.intp)
        self._count = len(levels)
        self._fixed_count = self._count - sum(moving)
        place = np.zeros(self._count, dtype=np.intp)
        groups: tuple[list[_Group], list[_Group]] = ([], [])
        stop = 0
        for key in sorted(found):
            members = found[key]
            results = slice(stop, stop + len(members))
            place[[i for i, _ in members]] = range(results.start, results.stop)
            stop = results.stop
            if key[1] > 0:
                columns = np.array([operands for _, operands in members], dtype=np.intp).T
                groups[key[0]].append(_Group(key[2], results, tuple(place[columns])))
        self._fixed, self._moving = groups
        self._outputs = place[list(outputs)]

    def __call__(self, inputs: Stack, constants: Stack) -> Stack:
        """The outputs, one after the other, (outputs, *states).

        ``inputs`` are the entries of all inputs, one after the other, (entries, *states);
        ``constants`` what `constants` are among such numbers, (constants,).
        """
        fixed = _room(constants, self._fixed_count)
        _put(fixed, slice(0, len(self.constants)), constants)
        _run(fixed, self._fixed)
        arrays = list(_arrays(inputs))
        axes, states = arrays[0].ndim - 1, arrays[0].shape[1]
        fixed = _each(fixed, lambda x: x.reshape((len(x), *[1] * axes)))
        most = max(math.prod(array.shape[2:]) for array in arrays)
        at_once = max(1, AT_ONCE // max(1, self._count * most))
        parts = []
        for start in range(0, max(1, states), at_once):
            some = _each(inputs, itemgetter((self._entries, slice(start, start + at_once))))
            store = _room(some, self._count)
            end = self._fixed_count + len(self._entries)
            _put(store, slice(0, self._fixed_count), fixed)
            _put(store, slice(self._fixed_count, end), some)
            _run(store, self._moving)
            parts.append(_each(store, itemgetter(self._outputs)))
        return _joined(parts)


def _run(store: Stack, groups: Sequence[_Group]) -> None:
    for group in groups:
        operands = [_each(store, itemgetter(index)) for index in group.operands]
        if group.operation == "select" and isinstance(operands[0], Dual):
            operands[0] = operands[0].v  # a condition has no tangent
        _put(store, group.results, OPERATIONS[group.operation].numeric(*operands))


def _room(like: Stack, count: int) -> Stack:
    """Space for so many numbers of the same kind and states."""
    return _each(like, lambda x: np.empty((count, *x.shape[1:]), x.dtype))


def _each(stack: Stack, function: Callable[[Any], Any]) -> Stack:
    """The stack with every array of it replaced."""
    if isinstance(stack, Dual):
        return Dual(_each(stack.v, function), _each(stack.d, function))
    if isinstance(stack, Bounded):
        return Bounded(function(stack.value), function(stack.bound), stack.rounding)
    return function(stack)


def _arrays(stack: Stack) -> Iterator[npt.NDArray[Any]]:
    if isinstance(stack, Dual):
        yield from _arrays(stack.v)
        yield from _arrays(stack.d)
    elif isinstance(stack, Bounded):
        yield from (stack.value, stack.bound)
    else:
        yield stack


def _put(store: Stack, where: slice, part: Stack) -> None:
    """Numbers into their places; those without a tangent or an error get one of zero."""
    if isinstance(store, Dual):
        v, d = (part.v, part.d) if isinstance(part, Dual) else (part, 0.0)
        _put(store.v, where, v)
        _put(store.d, where, d)
    elif isinstance(store, Bounded):
        value, bound = (part.value, part.bound) if isinstance(part, Bounded) else (part, 0.0)
        store.value[where] = value
        store.bound[where] = bound
    else:
        store[where] = part


def _joined(parts: Sequence[Stack]) -> Stack:
    """Stacks of some states each as one of all."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, Dual):
        return Dual(_joined([x.v for x in parts]), _joined([x.d for x in parts]))
    if isinstance(first, Bounded):
        value, bound = (
            np.concatenate(arrays, axis=1)
            for arrays in ([x.value for x in parts], [x.bound for x in parts])
        )
        return Bounded(value, bound, first.rounding)
    return np.concatenate(parts, axis=1)
