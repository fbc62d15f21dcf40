"""Plans: the values are those of the quantity, the winner is the cheapest, bundles share."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import symkin
from symkin.errors import ArgumentError
from symkin.graph import Graph, count
from symkin.graph.optimise import PASSES
from symkin.model import Robot
from symkin.model.generated import random_chain, random_tree
from symkin.model.prepare import STEPS, USUAL
from symkin.plan import OBJECTIVES, Plan, bundle, plan
from symkin.quantities import BUNDLES, QUANTITIES

planning = importlib.import_module("symkin.plan")  # the module, not the function

GENERATOR_SEED = 4


def drawn(robot: Robot, graph: Graph) -> dict[str, np.ndarray]:
    """Inputs of a graph, quaternions of length one."""
    generator = np.random.default_rng(GENERATOR_SEED)
    inputs = {port.name: generator.uniform(-1.0, 1.0, port.shape) for port in graph.inputs}
    for start in robot.quaternions:
        q = inputs["q"]
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return inputs


def assert_same_values(robot: Robot, graph: Graph, quantities: dict[str, str]) -> None:
    """The outputs of the graph are the quantities, to rounding: eps times the operations, which
    none of these robots amplifies by more than its condition, a thousand."""
    inputs = drawn(robot, graph)
    found = graph.evaluate(inputs)
    tolerance = 1e3 * np.finfo(float).eps * count(graph).operations
    for output, quantity in quantities.items():
        own = {slot.name: inputs[slot.name] for slot in QUANTITIES[quantity].inputs}
        right = symkin.evaluate(robot, quantity, **own)
        assert np.abs(found[output] - right).max() <= tolerance * max(1.0, np.abs(right).max())


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "jacobian_body"])
def test_a_plan_has_the_values_of_its_quantity(quantity: str) -> None:
    robot = symkin.load("ur5")
    found = plan(robot, quantity)
    assert found.graph.name == quantity
    assert_same_values(robot, found.graph, {found.graph.outputs[0].port.name: quantity})


def test_the_winner_costs_least_and_losers_are_listed() -> None:
    found = plan(symkin.load("ur5"), "forward_dynamics")
    costs = [c.cost for c in found.candidates if c.cost is not None]
    assert costs == sorted(costs)
    assert found.winner.cost == count(found.graph).operations == found.winner.counts.operations
    assert {c.formulations[0] for c in found.candidates} == {"factorised", "articulated"}
    assert found.winner.formulations == ("factorised",)
    assert all(c.counts is None for c in found.candidates[len(costs) :])
    (instance,) = found.instances
    assert (instance.formulation, instance.preparation) == ("factorised", found.winner.preparation)


def test_no_candidate_beats_the_plan() -> None:
    """Every formulation of every preparation, optimised by hand."""
    from symkin.graph.optimise import optimise
    from symkin.quantities import bind
    from symkin.trace import trace_instance

    robot = symkin.load("scara")
    for quantity in ("inverse_dynamics", "jacobian_space", "forward_dynamics"):
        best = count(plan(robot, quantity).graph).operations
        for formulation in QUANTITIES[quantity].formulations_of(robot):
            for steps in ((), ("lump",), tuple(STEPS)):
                instance = bind(robot, quantity, formulation=formulation).prepared(steps)
                assert best <= count(optimise(trace_instance(instance))).operations


def test_one_formulation_can_be_asked_for() -> None:
    robot = symkin.load("ur5")
    found = plan(robot, "forward_dynamics", formulation="articulated")
    assert {c.formulations for c in found.candidates} == {("articulated",)}
    assert count(found.graph).operations > count(plan(robot, "forward_dynamics").graph).operations


def test_without_passes_the_graph_is_as_traced() -> None:
    robot = symkin.load("planar_2r")
    found = plan(robot, "inverse_dynamics", passes=())
    assert found.winner.counts == found.winner.traced
    assert found.passes == ()
    assert plan(robot, "inverse_dynamics").passes == tuple(PASSES)


def test_the_same_question_is_answered_once() -> None:
    first = plan(symkin.load("scara"), "mass_matrix")
    assert plan(symkin.load("scara"), "mass_matrix") is first
    assert plan(symkin.load("scara").with_gravity((0, 0, 0)), "mass_matrix") is not first
    assert plan(symkin.load("scara"), "mass_matrix", passes=()) is not first
    assert plan(symkin.load("scara"), "mass_matrix", parameters=["gravity"]) is not first
    forces = [symkin.Force("flange")]
    pushed = plan(symkin.load("scara"), "external_torque", forces=forces)
    assert plan(symkin.load("scara"), "external_torque", forces=forces) is pushed
    assert plan(symkin.load("scara"), "external_torque") is not pushed


def test_the_objective_is_what_is_minimised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OBJECTIVES, "most operations", lambda g: -count(g).operations)
    for name in ("MARGIN", "CLOSE", "WORK"):
        monkeypatch.setattr(planning, name, 10_000)
    robot = symkin.load("ur5")
    worst = plan(robot, "forward_dynamics", objective="most operations")
    assert worst.objective == "most operations"
    assert worst.winner.formulations == ("articulated",)


@pytest.mark.parametrize("objective", list(OBJECTIVES))
def test_every_objective_makes_a_plan(objective: str) -> None:
    found = plan(symkin.load("planar_2r"), "mass_matrix", objective=objective)
    assert found.winner.cost is not None
    assert 0.0 < found.winner.cost < (1e-5 if objective == "time" else 1e5)


def test_wrong_names_are_refused() -> None:
    robot = symkin.load("planar_2r")
    with pytest.raises(ArgumentError, match="no objective 'speed'; there are operations"):
        plan(robot, "mass_matrix", objective="speed")
    with pytest.raises(ArgumentError, match=r"unknown passes \['none'\]"):
        plan(robot, "mass_matrix", passes=["none"])
    with pytest.raises(ArgumentError, match="no quantity 'mass_matrx'; did you mean mass_matrix"):
        plan(robot, "mass_matrx")
    with pytest.raises(ArgumentError, match="give it a name"):
        bundle(robot, ["mass_matrix", "bias"])
    with pytest.raises(ArgumentError, match="has no option 'frames'"):
        bundle(robot, ["mass_matrix", "bias"], "both", frames="tool")


@pytest.mark.parametrize(
    "name", ["pose_and_jacobian", "task_space", "forward_dynamics_derivatives"]
)
def test_bundles_have_the_values_of_their_quantities(name: str) -> None:
    robot = symkin.load("ur5")
    graph = bundle(robot, name)
    assert graph.name == name
    outputs = [output.port.name for output in graph.outputs]
    assert_same_values(robot, graph, dict(zip(outputs, BUNDLES[name].quantities, strict=True)))


def test_a_bundle_shares() -> None:
    robot = symkin.load("ur5")
    alone = [count(plan(robot, q).graph).operations for q in BUNDLES["task_space"].quantities]
    together = count(bundle(robot, "task_space")).operations
    assert max(alone) < together < 0.95 * sum(alone)
    graph = bundle(robot, "task_space")
    assert [port.name for port in graph.inputs] == ["q", "v"]
    assert [output.port.name for output in graph.outputs] == ["T", "J", "M", "h"]


def test_outputs_of_one_name_are_called_like_their_quantities() -> None:
    robot = symkin.load("planar_2r")
    graph = bundle(robot, ["jacobian_body", "jacobian_space", "mass_matrix"], "two jacobians")
    assert graph.name == "two_jacobians"
    assert [o.port.name for o in graph.outputs] == ["jacobian_body", "jacobian_space", "M"]
    graph = bundle(robot, ["inverse_dynamics", "forward_dynamics"], "both")
    assert [port.name for port in graph.inputs] == ["q", "v", "a", "tau"]
    assert [o.port.name for o in graph.outputs] == ["inverse_dynamics", "forward_dynamics"]


def test_parameters_come_last_in_a_bundle() -> None:
    robot = symkin.load("planar_2r")
    graph = bundle(robot, ["bias", "inverse_dynamics"], "both", parameters=["payload"])
    assert [port.name for port in graph.inputs] == ["q", "v", "a", "payload"]


def test_quantities_of_frames_are_bundled_at_each_tip() -> None:
    robot = symkin.load("tree12")
    graph = bundle(robot, ["forward_kinematics", "mass_matrix"], "all")
    poses = [f"forward_kinematics_{tip}" for tip in robot.tips]
    assert [o.port.name for o in graph.outputs] == [*poses, "M"]
    graph = bundle(robot, "pose_and_jacobian", frame="camera", relative_to="torso")
    assert [o.port.name for o in graph.outputs] == ["T", "J"]
    assert "Frame: camera; relative to: torso" in graph.outputs[0].port.doc


def test_a_bundle_becomes_one_c_function() -> None:
    robot = symkin.load("planar_2r")
    graph = bundle(robot, "inverse_dynamics_derivatives")
    module = symkin.emit_c(graph, name="arm")
    assert "double dtau_dq[4],\n    double dtau_dv[4]);" in module.files["arm.h"]
    assert "Derivative of inverse_dynamics by v" in module.files["arm.h"]
    inputs = drawn(robot, graph)
    found = symkin.build(module).inverse_dynamics_derivatives(**inputs)
    right = symkin.evaluate(robot, "inverse_dynamics_dv", **inputs)
    assert np.allclose(found["dtau_dv"], right, rtol=0.0, atol=1e-13 * np.abs(right).max())


def test_known_bundles_are_of_quantities_and_no_quantity() -> None:
    assert not set(BUNDLES) & set(QUANTITIES)
    for name, known in BUNDLES.items():
        assert known.name == name
        assert len(known.quantities) > 1
        assert set(known.quantities) <= set(QUANTITIES)


def test_hopeless_formulations_of_large_robots_are_not_traced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def formulations(found: Plan) -> set[str]:
        return {c.formulations[0] for c in found.candidates}

    monkeypatch.setattr(planning, "PART", 4)
    robot = random_chain(5)
    for hopeless, expected in ((1.0, {"subtrees"}), (np.inf, {"subtrees", "tangents"})):
        monkeypatch.setattr(planning, "HOPELESS", hopeless)
        planning._planned.cache_clear()
        assert formulations(plan(robot, "inverse_dynamics_dq")) == expected
    planning._planned.cache_clear()


def test_large_graphs_are_prepared_in_few_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = symkin.load("ur5")
    small = {c.preparation for c in plan(robot, "inverse_dynamics").candidates}
    best = plan(robot, planning.GUIDE, passes=["number_values"]).winner.preparation
    monkeypatch.setattr(planning, "MODERATE", 10)
    planning._planned.cache_clear()
    large = {c.preparation for c in plan(robot, "inverse_dynamics").candidates}
    assert large == {USUAL, best} < small
    monkeypatch.setattr(planning, "LARGE", 10)
    planning._planned.cache_clear()
    guide = {c.preparation for c in plan(robot, planning.GUIDE).candidates}
    assert min(map(len, guide)) == len(USUAL)
    planning._planned.cache_clear()


@pytest.mark.parametrize("robot", [random_chain(5), random_tree(9, seed=3)], ids=lambda r: r.name)
def test_generated_robots_are_sound_and_the_same_again(robot: Robot) -> None:
    again = random_chain(5) if robot.name == "chain5" else random_tree(9, seed=3)
    assert robot.digest == again.digest
    assert_same_values(robot, plan(robot, "inverse_dynamics").graph, {"tau": "inverse_dynamics"})
    assert np.linalg.eigvalsh(symkin.evaluate(robot, "mass_matrix", q=np.zeros(robot.nv)))[0] > 0


def test_a_generated_tree_branches_and_a_chain_does_not() -> None:
    chain, tree = random_chain(8), random_tree(8)
    assert len(chain.tips) == 1
    assert len(tree.tips) > 1
    assert tree.digest != random_tree(8, seed=1).digest
    with pytest.raises(ArgumentError, match="a robot cannot have -1 joints"):
        random_chain(-1)


def test_more_work_takes_more_time() -> None:
    robot = symkin.load("ur5")
    small, large = (
        plan(robot, q).graph for q in ("potential_energy", "inverse_dynamics_derivatives")
    )
    assert 0.0 < symkin.seconds_per_call(small) < symkin.seconds_per_call(large)


def test_what_takes_or_gives_nothing_can_be_timed() -> None:
    still = symkin.load("<robot name='r'><link name='a'/></robot>")
    assert symkin.seconds_per_call(plan(still, "mass_matrix").graph) > 0.0
    floating = symkin.load("planar_2r", base="floating")
    assert symkin.seconds_per_call(plan(floating, "mass_matrix").graph) > 0.0
