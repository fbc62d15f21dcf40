"""The running error bound of graphs: exact values in fifty digits stay inside it."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from arms import oblique, planar
from long_numbers import long

from symkin.algebra import DOUBLE, SINGLE, Rounding
from symkin.graph import Graph
from symkin.graph.error_bound import error_bound
from symkin.quantities import bind
from symkin.trace import trace
from symkin.verify.states import sample_states
from symkin.verify.traced import Traced

STATES = sample_states(oblique(), samples=2, seed=3)
ROWS = [
    "forward_kinematics",
    "pose_zyx",
    "pose_rotvec",
    "jacobian_body",
    "jacobian_zyx_dot",
    "jacobian_rotvec_dot",
    "acceleration_classical_position",
    "hessian_position",
    "jacobian_center_of_mass",
]


def flat(graph: Graph, values: list[Any]) -> list[Any]:
    """The first output's entries, structural zeros left out."""
    return [values[i] for i in graph.outputs[0].nodes if i >= 0]


def exact(graph: Graph, inputs: dict[str, np.ndarray]) -> list[Any]:
    """With constants as they are stored."""
    longs = [[long(x) for x in inputs[port.name]] for port in graph.inputs]
    nodes = graph.values(longs)
    return [long(x) if isinstance(x, float) else x for x in flat(graph, nodes)]


def computed(graph: Graph, inputs: dict[str, np.ndarray], real: Any) -> list[float]:
    """In an arithmetic of NumPy, constants rounded to it."""
    numbers = [[real(x) for x in inputs[port.name]] for port in graph.inputs]
    return [float(real(x)) for x in flat(graph, graph.values(numbers))]


@pytest.mark.parametrize(("real", "rounding"), [(np.float64, DOUBLE), (np.float32, SINGLE)])
@pytest.mark.parametrize("quantity", ROWS)
def test_exact_values_stay_inside(quantity: str, real: Any, rounding: Rounding) -> None:
    graph = trace(oblique(), quantity)
    for state in range(2):
        inputs = {
            port.name: STATES[port.name][state].astype(real).astype(np.float64)
            for port in graph.inputs
        }
        known = error_bound(graph, inputs, rounding)[graph.outputs[0].port.name]
        bounds = known.bound.ravel()[list(graph.outputs[0].nonzeros)]
        with mpmath.workdps(50):
            references = exact(graph, inputs)
            found = computed(graph, inputs, real)
            errors = [float(abs(long(x) - y)) for x, y in zip(found, references, strict=True)]
        assert np.all(errors <= bounds)
        assert max(errors) > 0.0
        # Rounding errors cancel: the bound is above them, but not by orders that would hide faults.
        size = max(1.0, max(abs(x) for x in found))
        assert max(bounds) <= 1e5 * rounding.unit * size


def test_derivative_graphs_too() -> None:
    traced = Traced(bind(oblique(), "jacobian_zyx"))
    for directional, size in ((traced.forward, 5), (traced.reverse, len(traced.reverse.rows))):
        inputs = {"x": STATES["q"][0], "s": np.linspace(-1.0, 1.0, size)}
        known = error_bound(directional.graph, inputs)
        output = directional.graph.outputs[0]
        with mpmath.workdps(50):
            references = exact(directional.graph, inputs)
            found = computed(directional.graph, inputs, np.float64)
            errors = [float(abs(long(x) - y)) for x, y in zip(found, references, strict=True)]
        assert np.all(errors <= known[output.port.name].bound.ravel()[list(output.nonzeros)])


def test_batches_and_shapes() -> None:
    graph = trace(planar(), "jacobian_position_dot")
    known = error_bound(graph, {"q": np.ones((4, 1, 2)), "v": np.ones((3, 2))})["J_dot"]
    assert known.value.shape == known.bound.shape == (4, 3, 6, 2)
    alone = error_bound(graph, {"q": np.ones(2), "v": np.ones(2)})["J_dot"]
    assert np.array_equal(known.bound[1, 2], alone.bound)
    assert not alone.bound[np.logical_not(graph.sparsity())].any()


def test_inputs_known_to_a_radius() -> None:
    graph = trace(planar(), "forward_kinematics")
    q = np.array([0.3, -0.8])
    near = error_bound(graph, {"q": q}, radius=1e-6)["T"]
    moved = graph.evaluate({"q": q + 1e-6 * np.array([1.0, -1.0])})["T"]
    assert np.all(np.abs(moved - near.value) <= near.bound)
    assert near.bound.max() <= 1e-5
