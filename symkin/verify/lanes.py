"""Lanes: every way to the value of a quantity, and every way to its derivatives.

Each lane gives numbers and a bound of their error, derived from the operations that it performs.
Two lanes agree when they differ by no more than the sum of their bounds.

Lynch & Park, Modern Robotics (2017); Martins, Sturdza & Alonso, The complex-step derivative
approximation (2003); Griewank & Walther, Evaluating Derivatives (2008); Nocedal & Wright,
Numerical Optimization (2006), section 8.1, on differences and their steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np
import numpy.typing as npt

from symkin.algebra.bounded import DOUBLE, Bounded
from symkin.errors import ArgumentError
from symkin.evaluate import check_inputs
from symkin.graph.error_bound import error_bound
from symkin.library import Library
from symkin.model import Robot
from symkin.quantities import Instance, bind, parted
from symkin.verify.checks import is_decided
from symkin.verify.subject import Subject, last
from symkin.verify.traced import Traced

Array = npt.NDArray[Any]

FORWARD_STEP = 2.0**-26
"""About the square root of the unit roundoff."""
CENTRAL_STEP = 2.0**-17
"""About the cube root of the unit roundoff."""
COMPLEX_STEP = 2.0**-100
"""Its square vanishes beside 1, and so does the truncation."""


@dataclass(frozen=True, slots=True)
class ValueLane:
    """A way to a quantity's value, (states, *shape), and to the bound of its error."""

    compute: Callable[[Subject], Array]
    bound: Callable[[Subject], Array]


@dataclass(frozen=True, slots=True)
class DerivativeLane:
    """A way to the derivatives with respect to all inputs, (states, *shape, tangents).

    Those of positions are taken along v: there are nv of them. ``step`` is the usual one, None for
    a lane without.
    """

    compute: Callable[[Subject, float], Array]
    bound: Callable[[Subject, float], Array]
    step: float | None = None


def value(
    robot: Robot,
    quantity: str,
    *,
    lane: str,
    library: Library | None = None,
    **given: Any,
) -> Array:
    """A quantity by one lane: a formulation's name, "graph", "casadi" or "compiled".

    Inputs, of shape (..., n), and options are as for `evaluate`; "compiled" needs a ``library``
    with the quantity. Raises ArgumentError for unknown names and wrong shapes.
    """
    options, inputs = parted(given)
    instance = bind(robot, quantity, **options)
    subject, batch = _subject(instance, inputs, library)
    lanes = value_lanes(instance)
    if lane not in lanes:
        raise ArgumentError(f"{quantity}: no lane {lane!r}; there are {', '.join(lanes)}")
    return lanes[lane].compute(subject).reshape((*batch, *subject.shape))


def differentiate(
    robot: Robot,
    quantity: str,
    *,
    lane: str,
    step: float | None = None,
    library: Library | None = None,
    **given: Any,
) -> dict[str, Array]:
    """The derivatives of a quantity by one lane of `DERIVATIVE_LANES`, for each of its inputs.

    ``differentiate(robot, "forward_kinematics", lane="dual", q=q)["q"]`` has shape
    (..., 4, 4, nv): q is moved along v, in its tangent space. ``step`` replaces the usual one of
    the differences and of the complex step; "compiled complex step" needs a ``library`` built with
    ``arithmetic="complex"``.

    Raises ArgumentError for unknown names, wrong shapes, and a step for a lane that takes none.
    """
    if lane not in DERIVATIVE_LANES:
        raise ArgumentError(f"no lane {lane!r}; there are {', '.join(DERIVATIVE_LANES)}")
    chosen = DERIVATIVE_LANES[lane]
    if step is not None and (chosen.step is None or not step > 0.0):
        raise ArgumentError(f"lane {lane!r} takes no step of {step!r}")
    options, inputs = parted(given)
    subject, batch = _subject(bind(robot, quantity, **options), inputs, library)
    with np.errstate(all="ignore"):
        whole = chosen.compute(subject, step or chosen.step or 0.0)
    return subject.split_tangents(whole.reshape((*batch, *whole.shape[1:])))


def value_lanes(instance: Instance) -> Mapping[str, ValueLane]:
    """The quantity's formulations, the graph traced from it, and what is made from the graph."""
    names = instance.quantity.formulations_of(instance.robot)
    return {**{name: _formulation(name) for name in names}, **GRAPH_LANES}


def _subject(
    instance: Instance, inputs: Mapping[str, npt.ArrayLike], library: Library | None
) -> tuple[Subject, tuple[int, ...]]:
    """The subject at all states of a batch, and the batch's shape."""
    arrays, batch = check_inputs(instance.quantity.name, instance.inputs, inputs)
    parts = [np.broadcast_to(a, (*batch, a.shape[-1])) for a in arrays]
    x = np.concatenate(parts, axis=-1).astype(np.float64, copy=False)

    def compiled(lane: str, _: Traced) -> Library:
        if library is None:
            raise ArgumentError(f"lane {lane!r} needs library=, with {instance.name} in it")
        return library

    states = x.reshape((math.prod(batch), x.shape[-1]))
    return Subject(instance, states, Traced(instance), compiled), batch


def _formulation(name: str) -> ValueLane:
    return ValueLane(
        lambda s: s.formulated(name).evaluate(s.x),
        lambda s: s.formulated(name).bounded(s.x).bound,
    )


def _graph(subject: Subject) -> Array:
    found: Array = subject.traced.graph.evaluate(subject.split(subject.x))[
        subject.instance.output.name
    ]
    return found


def _graph_bound(subject: Subject) -> Array:
    return subject.graph_bound


def _casadi(subject: Subject) -> Array:
    states = len(subject.x)
    columns = [casadi.DM(part.T) for part in subject.split(subject.x).values()]
    if not states:
        return np.zeros((0, *subject.shape))
    # A CasADi function called with the states side by side returns its outputs side by side.
    side_by_side: Array = subject.traced.function(*columns).full()
    rows, columns_of_all = side_by_side.shape
    split = side_by_side.reshape((rows, states, columns_of_all // states))
    return np.moveaxis(split, 1, 0).reshape((states, *subject.shape))


def _compiled(subject: Subject) -> Array:
    return _call(subject, "compiled", subject.x)


def _call(subject: Subject, lane: str, x: Array) -> Array:
    name = subject.instance.name
    result: Array = subject.compiled(lane, subject.traced).call(name, **subject.split(x))
    return result


GRAPH_LANES: Mapping[str, ValueLane] = {
    "graph": ValueLane(_graph, _graph_bound),
    "casadi": ValueLane(_casadi, _graph_bound),
    "compiled": ValueLane(_compiled, _graph_bound),
}

COMPILED_LANES = ("compiled", "compiled complex step")

COSTLY_LANES = ("casadi forward", "casadi reverse", "compiled complex step")
"""Those that differentiate a graph or its C as a whole, which takes long if it is large."""


# Derivatives. Directions are axis 1 while they are computed, and the last axis in the end.


def _shifted(subject: Subject, step: complex) -> Array:
    """The states, (states, directions, entries), each moved by the step along one direction."""
    moved: Array = subject.x[:, None, :] + step * subject.directions
    return moved


def _quotients(subject: Subject, steps: Sequence[float], central: bool) -> Array:
    """For each step, difference over distance, the distance being what rounding left of it."""
    there = np.stack([_shifted(subject, h) for h in steps])
    here = np.stack([_shifted(subject, -h if central else 0.0) for h in steps])
    squares = np.sum(subject.directions**2, axis=-1)
    distance = np.sum((there - here) * subject.directions, axis=-1) / squares
    ahead, behind = subject.repeated(np.stack([there, here]))
    quotients = (ahead - behind) / distance.reshape((*distance.shape, *[1] * len(subject.shape)))
    return np.stack([last(quotient) for quotient in quotients])


def _forward_difference(subject: Subject, step: float) -> Array:
    """(f(x + h) - f(x)) / h."""
    only: Array = _quotients(subject, [step], central=False)[0]
    return only


def _central_difference(subject: Subject, step: float) -> Array:
    """(f(x + h) - f(x - h)) / 2 h."""
    only: Array = _quotients(subject, [step], central=True)[0]
    return only


def _difference_bound(order: int) -> Callable[[Subject, float], Array]:
    """Truncation + rounding: 2 (|D(2h) - D(h)| + r(2h) + r(h)) / (2^p - 1) + r(h).

    D(h) is the quotient of order p = 1 (forward) or 2 (central), whose error is c h^p + ..., so
    that D(2h) - D(h) = (2^p - 1) c h^p + ...: Richardson's estimate, doubled for what follows.
    r(h) = 2 b / (p h) + 4 u |D(h)| bounds the rounding of D(h), and of the estimate too: near 1 a
    value moves in steps of 2 u, and two quotients may well be equal and off by a whole step. b
    bounds the error of one value of f in these very operations; the constants' doubt is the same in
    all values and drops out. Infinite where a branch lies within twice the step.
    """

    def rounding(subject: Subject, quotient: Array, step: float) -> Array:
        one_value = subject.exact_bound[..., None]
        return 2.0 * one_value / (order * step) + 4.0 * DOUBLE.unit * np.abs(quotient)

    def bound(subject: Subject, step: float) -> Array:
        single, double = _quotients(subject, [step, 2.0 * step], central=order == 2)
        own = rounding(subject, single, step)
        unsure = own + rounding(subject, double, 2.0 * step)
        truncation = (np.abs(double - single) + unsure) / (2**order - 1)
        near = subject.bounded(subject.x, radius=2.0 * step, exact=True)
        smooth = is_decided(near.bound, near.value)[..., None]
        return np.where(smooth, 2.0 * truncation + own, np.inf)

    return bound


def _complex_step(subject: Subject, step: float) -> Array:
    """Im f(x + i h) / h."""
    return last(np.imag(subject.repeated(_shifted(subject, 1j * step)))) / step


def _compiled_complex_step(subject: Subject, step: float) -> Array:
    """The same of the generated C, compiled in complex numbers."""
    stepped = _call(subject, "compiled complex step", _shifted(subject, 1j * step))
    return last(np.imag(stepped)) / step


def _dual(subject: Subject) -> Array:
    """The tangents of dual numbers."""
    return subject.tangents.value


def _casadi_forward(subject: Subject) -> Array:
    return last(subject.traced.forward(subject.x, subject.directions))


def _casadi_reverse(subject: Subject) -> Array:
    return _gradients(subject).value


def _casadi_reverse_bound(subject: Subject) -> Array:
    reverse = subject.traced.reverse
    seeds = np.eye(len(reverse.rows))
    # One seed per entry of the output makes large batches: a few states at a time save memory.
    at_once = max(1, 512 // max(1, len(seeds)))
    bounds = [
        error_bound(reverse.graph, {"x": x[:, None, :], "s": seeds}, radius=subject.unsure)
        for x in np.split(subject.x, range(at_once, len(subject.x), at_once))
    ]
    return _gradients(subject, np.concatenate([b["gradient"].bound for b in bounds])).bound


def _gradients(subject: Subject, bound: Array | None = None) -> Bounded:
    """One gradient per structural nonzero of the output, in its place, along all directions."""
    reverse = subject.traced.reverse
    seeds = np.broadcast_to(np.eye(len(reverse.rows)), (len(subject.x), *[len(reverse.rows)] * 2))
    found = reverse(subject.x, seeds)
    gradients = Bounded(found, np.zeros(found.shape) if bound is None else bound)
    if found.shape[-1] != subject.directions.shape[1]:
        gradients = gradients @ np.swapaxes(subject.directions, -1, -2)
    shape = (len(subject.x), subject.instance.output.size, subject.directions.shape[1])
    whole, bounds = np.zeros(shape), np.zeros(shape)
    whole[:, list(reverse.rows)], bounds[:, list(reverse.rows)] = gradients.value, gradients.bound
    full = (len(subject.x), *subject.shape, subject.directions.shape[1])
    return Bounded(whole.reshape(full), bounds.reshape(full))


def _tangent_bound(subject: Subject) -> Array:
    return subject.tangents.bound


def _forward_bound(subject: Subject) -> Array:
    return subject.forward_bound


def _stepless(compute: Callable[[Subject], Array]) -> Callable[[Subject, float], Array]:
    return lambda subject, _: compute(subject)


def _twice(bound: Callable[[Subject], Array]) -> Callable[[Subject, float], Array]:
    """An operation on x + i h dx rounds at most twice as often as one on the dual x + e dx: complex
    products have the same terms, quotients and elementary functions up to twice as many."""
    return lambda subject, _: 2.0 * bound(subject)


DERIVATIVE_LANES: Mapping[str, DerivativeLane] = {
    "dual": DerivativeLane(_stepless(_dual), _stepless(_tangent_bound)),
    "forward difference": DerivativeLane(_forward_difference, _difference_bound(1), FORWARD_STEP),
    "central difference": DerivativeLane(_central_difference, _difference_bound(2), CENTRAL_STEP),
    "complex step": DerivativeLane(_complex_step, _twice(_tangent_bound), COMPLEX_STEP),
    "casadi forward": DerivativeLane(_stepless(_casadi_forward), _stepless(_forward_bound)),
    "casadi reverse": DerivativeLane(_stepless(_casadi_reverse), _stepless(_casadi_reverse_bound)),
    "compiled complex step": DerivativeLane(
        _compiled_complex_step, _twice(_forward_bound), COMPLEX_STEP
    ),
}


def measured_value(subject: Subject, lane: str) -> Bounded:
    """A lane's value with the bound of its error."""
    chosen = value_lanes(subject.instance)[lane]
    return Bounded(chosen.compute(subject), chosen.bound(subject))


def measured_derivative(subject: Subject, lane: str) -> Bounded:
    """A lane's derivatives with the bound of their error."""
    chosen = DERIVATIVE_LANES[lane]
    step = chosen.step or 0.0
    return Bounded(chosen.compute(subject, step), chosen.bound(subject, step))
