"""Graphs computed group by group, and algorithms recorded and repeated: the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from arms import ARMS

from symkin.algebra import DOUBLE, Bounded, Dual
from symkin.evaluate import evaluate_instance, push_forward
from symkin.graph import Graph, levels
from symkin.graph.error_bound import error_bound
from symkin.quantities import Instance, bind_all
from symkin.trace import trace_instance
from symkin.verify.recording import Recorder, Recording
from symkin.verify.states import sample_states

Array = np.ndarray[Any, Any]

ROWS = ("pose_rotvec", "jacobian_zyx_dot", "forward_dynamics_dq", "centroidal_momentum_matrix_dot")
CASES = [(arm, row) for arm in ("oblique", "flyer", "gripper") for row in ROWS]


def case(arm: str, quantity: str) -> tuple[Instance, Graph, dict[str, Array]]:
    instance = bind_all(ARMS[arm](), [quantity])[0]
    states = sample_states(instance.robot, 3, seed=3)
    return instance, trace_instance(instance), {p.name: states[p.name] for p in instance.inputs}


def node_by_node(graph: Graph, entries: list[list[Any]], part: Any) -> Array:
    """An output's entries, (states, entries), each node computed alone."""
    values = graph.values(entries)
    nodes = graph.outputs[0].nodes
    columns = [0.0 if i < 0 else part(values[i]) for i in nodes]
    return np.stack([np.broadcast_to(column, (4,)) for column in columns], axis=-1)


def entries_of(graph: Graph, inputs: dict[str, Array]) -> list[list[Array]]:
    return [list(np.moveaxis(inputs[port.name], -1, 0)) for port in graph.inputs]


@pytest.mark.parametrize(("arm", "quantity"), CASES)
def test_groups_compute_what_nodes_say(arm: str, quantity: str) -> None:
    """Within rounding: sin and cos of whole arrays may differ from those of single numbers."""
    _, graph, inputs = case(arm, quantity)
    name = graph.outputs[0].port.name
    bound = error_bound(graph, inputs)[name].bound.reshape((4, -1))
    for kind in (float, complex):
        given = {port: array.astype(kind) for port, array in inputs.items()}
        found = graph.evaluate(given)[name].reshape((4, -1))
        expected = node_by_node(graph, entries_of(graph, given), lambda x: x)
        assert found.dtype == kind
        assert np.all(np.abs(found - expected) <= 4.0 * bound)


@pytest.mark.parametrize(("arm", "quantity"), CASES)
def test_groups_carry_bounds_and_tangents(arm: str, quantity: str) -> None:
    _, graph, inputs = case(arm, quantity)
    x = np.concatenate([inputs[port.name] for port in graph.inputs], axis=-1).T
    seeds = np.cos(np.arange(x.size)).reshape(x.shape)
    constants = graph.levels.constants
    still = np.zeros(constants.shape)
    stored = np.array([DOUBLE.of_constant(c) for c in constants.tolist()])

    def exact(array: Array) -> Bounded:
        return Bounded(array, np.zeros(array.shape))

    known = Dual(exact(x), exact(seeds))
    found = graph.levels(known, Dual(Bounded(constants, stored), exact(still)))
    rows = iter(zip(x, seeds, strict=True))
    entries = [
        [Dual(Bounded(value), Bounded(seed)) for value, seed in (next(rows) for _ in range(p.size))]
        for p in graph.inputs
    ]
    nonzeros = list(graph.outputs[0].nonzeros)
    for part in ("value", "bound"):
        tangents = node_by_node(
            graph, entries, lambda y, part=part: getattr(y.d, part) if isinstance(y, Dual) else 0.0
        )
        ours, expected = getattr(found.d, part).T, tangents[:, nonzeros]
        size = np.max(np.abs(expected), initial=1e-300)
        assert np.max(np.abs(ours - expected), initial=0.0) <= 1e-11 * size


def test_states_are_computed_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    _, graph, inputs = case("oblique", "pose_rotvec")
    output = graph.outputs[0].port.name
    at_once = error_bound(graph, inputs)[output]
    monkeypatch.setattr(levels, "AT_ONCE", 1)
    one_by_one = error_bound(graph, inputs)[output]
    assert np.allclose(at_once.value, one_by_one.value, rtol=0, atol=float(at_once.bound.max()))
    assert one_by_one.bound.shape == at_once.bound.shape
    assert graph.evaluate({"q": np.zeros((0, 5))})[output].shape == (0, 6)


@pytest.mark.parametrize(("arm", "quantity"), CASES)
def test_a_recording_is_the_algorithm(arm: str, quantity: str) -> None:
    """Values, complex values, tangents; and what it says of their errors holds."""
    instance, _, inputs = case(arm, quantity)
    recording = Recording.of(instance)
    x = np.concatenate([inputs[port.name] for port in instance.inputs], axis=-1)
    bounded = recording.bounded(x, radius=0.0, exact=False)
    assert np.all(recording.bounded(x, radius=0.0, exact=True).bound <= bounded.bound)
    for kind in (float, complex):
        expected = evaluate_instance(instance, {k: y.astype(kind) for k, y in inputs.items()})
        found = recording.values(x.astype(kind))
        assert found.dtype == kind
        assert np.all(np.abs(found - expected.reshape(found.shape)) <= 4.0 * bounded.bound)
    directions = np.cos(np.arange(2 * x.size)).reshape((4, 2, x.shape[-1]))
    ends = np.cumsum([port.size for port in instance.inputs])[:-1]
    values = dict(zip(inputs, np.split(x[:, None, :], ends, axis=-1), strict=True))
    seeds = dict(zip(inputs, np.split(directions, ends, axis=-1), strict=True))
    tangents = recording.tangents(x, directions, radius=0.0)
    if not any(port.quaternions for port in instance.inputs):  # those are not scaled to length 1
        expected = push_forward(instance, values, seeds)[1].reshape(tangents.value.shape)
        assert np.all(np.abs(tangents.value - expected) <= 4.0 * tangents.bound)


def test_recorded_scalars_meet_constants_and_one_another_alone() -> None:
    recorder = Recorder()
    x = recorder.input(0, 0)
    assert [node.operation for node in recorder.nodes] == ["input"]
    assert isinstance(2.0 / (1.0 - x) * 3, type(x))
    assert isinstance(x * Dual(1.0, 1.0), Dual)
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "1"
