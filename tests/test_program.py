"""Programs: what is computed in stages equals what is computed at once, in Python and in C."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import symkin
from symkin.algebra import Matrix, constant
from symkin.algorithms import stacked
from symkin.algorithms.stacks import Branches, Factors, Invert, Solve, depth_first
from symkin.algorithms.tree import bodies
from symkin.emit import division, emit_c
from symkin.errors import EmitError
from symkin.graph import count
from symkin.graph.program import Call, Program, Returned
from symkin.model import Robot
from symkin.model.base import with_base
from symkin.model.generated import random_chain, random_tree
from symkin.quantities import BUNDLES, STACKED, bind_all
from symkin.spatial import Inertia
from symkin.trace_program import trace_program
from symkin.verify.states import sample_states

Inputs = dict[str, np.ndarray]
EPS = sys.float_info.epsilon
WHOLE = (
    "mass_matrix",
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)


def floating() -> Robot:
    """A tree whose root, a body of its own, floats."""
    robot = random_tree(9)
    root, *others = robot.links
    trunk = Inertia.of_body(3.0, constant([0.1, 0.0, 0.2]), constant(0.1 * np.eye(3)))
    robot = replace(robot, links=(replace(root, inertia=trunk), *others))
    return with_base(robot, "floating")


ROBOTS = {
    "tree12": lambda: symkin.load("tree12"),
    "floating": floating,
    "chain9": lambda: random_chain(9),
}


def staged(robot: Robot, name: str) -> Program:
    names = BUNDLES[name].quantities if name in BUNDLES else (name,)
    instances = [
        instance.prepared(("lump", "reframe", "regroup"))
        for instance in bind_all(robot, names, formulation=STACKED)
    ]
    return trace_program(name if name in BUNDLES else None, instances)


def states(program: Program, robot: Robot) -> Inputs:
    drawn = sample_states(robot, 3, seed=5)
    return {port.name: drawn[port.name] for port in program.inputs}


def results(library: symkin.Library, program: Program, inputs: Inputs) -> list[np.ndarray]:
    found = library[program.name](**inputs)
    return list(found.values()) if isinstance(found, dict) else [found]


def expected(robot: Robot, name: str, inputs: Inputs) -> list[np.ndarray]:
    rows = BUNDLES[name].quantities if name in BUNDLES else (name,)
    return [
        symkin.evaluate(
            robot, row, **{s.name: inputs[s.name] for s in symkin.QUANTITIES[row].inputs}
        )
        for row in rows
    ]


def close(robot: Robot, q: np.ndarray, found: np.ndarray, wanted: np.ndarray) -> None:
    """Up to some roundings for each joint, times the condition of what is solved with."""
    condition = float(np.max(np.linalg.cond(symkin.evaluate(robot, "mass_matrix", q=q))))
    scale = float(np.max(np.abs(wanted)))
    assert float(np.max(np.abs(found - wanted))) <= 16 * robot.nv * condition * EPS * scale


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("kind", ROBOTS)
def test_values_in_python_and_in_c(kind: str, name: str) -> None:
    robot = ROBOTS[kind]()
    program = staged(robot, name)
    assert program.calls
    inputs = states(program, robot)
    outputs = results(symkin.build(emit_c(program, name="m"), flags="-O1"), program, inputs)
    evaluated = program.evaluate(inputs)
    for output, wanted, in_c in zip(
        program.outputs, expected(robot, name, inputs), outputs, strict=True
    ):
        close(robot, inputs["q"], evaluated[output.port.name], wanted)
        close(robot, inputs["q"], in_c, wanted)


@pytest.mark.parametrize("options", [{"order": "column"}, {"zeros": "nonzeros"}])
def test_layouts(options: dict[str, str]) -> None:
    robot = symkin.load("tree12")
    program = staged(robot, "inverse_dynamics_derivatives")
    inputs = states(program, robot)
    module = emit_c(program, name="m", **options)
    found = results(symkin.build(module, flags="-O1"), program, inputs)
    plain = results(symkin.build(emit_c(program, name="m"), flags="-O1"), program, inputs)
    for array, whole, one in zip(module.functions[0].outputs, plain, found, strict=True):
        flat = np.reshape(whole, (-1, array.port.size))
        assert np.array_equal(np.reshape(one, flat.shape), flat)


def test_single_precision() -> None:
    robot = symkin.load("tree12")
    program = staged(robot, "mass_matrix")
    inputs = states(program, robot)
    single = symkin.build(emit_c(program, name="m", real="float"), flags="-O1")[program.name]
    (wanted,) = expected(robot, "mass_matrix", inputs)
    found = single(**{k: x.astype(np.float32) for k, x in inputs.items()})
    close_enough = 64 * robot.nv * np.finfo(np.float32).eps * np.max(np.abs(wanted))
    assert np.max(np.abs(found - wanted)) <= close_enough


def test_complex_steps_through_the_kernels() -> None:
    robot = random_chain(9)
    program = staged(robot, "forward_dynamics")
    inputs = {k: x[:1] for k, x in states(program, robot).items()}
    derivative = symkin.evaluate(robot, "forward_dynamics_dv", **inputs)[0]
    library = symkin.build(emit_c(program, name="m"), flags="-O1", arithmetic="complex")
    step = 1e-30
    for j in range(robot.nv):
        moved = inputs["v"] + 1j * step * np.eye(robot.nv)[j]
        a = library[program.name](**(inputs | {"v": moved}))
        close(robot, inputs["q"], np.imag(a[0]) / step, derivative[:, j])


def test_outputs_may_overlap_inputs() -> None:
    robot = random_chain(9)
    program = staged(robot, "forward_dynamics")
    module = emit_c(program, name="m")
    (main,) = (text for name, text in module.files.items() if name.endswith(".c"))
    first, *later = main.split("static SYMKIN_PART void ")[1:]
    assert "tau[" in first
    assert not any("tau[" in piece.split("}")[0] for piece in later)


def test_calls_of_quantities_that_share_them_are_made_once() -> None:
    robot = random_chain(9)
    kernels = [type(call.kernel).__name__ for call in staged(robot, WHOLE[-1]).calls]
    assert kernels.count("Factors") == 1
    assert kernels.count("Solve") == 3
    assert kernels.count("PairedProducts") == 1


def test_what_calls_nothing_is_a_graph() -> None:
    robot = symkin.load("ur5")
    program = trace_program(None, bind_all(robot, ["mass_matrix"]))
    assert program.calls == ()
    graph = program.graph
    assert emit_c(program, name="m").files == emit_c(graph, name="m").files


@pytest.mark.parametrize("size", [7, 40, 1000])
def test_long_functions_are_written_in_parts(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = symkin.load("tree12")
    graph = symkin.trace(robot, "forward_dynamics")
    whole = symkin.build(emit_c(graph, name="m"), flags="-O1")[graph.name]
    monkeypatch.setattr(division.divide, "__defaults__", (size,))
    module = emit_c(graph, name="m")
    (text,) = (text for name, text in module.files.items() if name.endswith(".c"))
    assert text.count("static SYMKIN_PART void") >= count(graph).operations // size
    inputs = {k: x for k, x in sample_states(robot, 3).items() if k in ("q", "v", "tau")}
    parts = symkin.build(module, flags="-O1")[graph.name]
    assert np.array_equal(parts(**inputs), whole(**inputs))


def test_conditions_cross_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = symkin.load("ur5")
    graph = symkin.trace(robot, "pose_rotvec")
    whole = symkin.build(emit_c(graph, name="m"), flags="-O1")[graph.name]
    monkeypatch.setattr(division.divide, "__defaults__", (3,))
    parts = symkin.build(emit_c(graph, name="m"), flags="-O1")[graph.name]
    q = sample_states(robot, 5)["q"]
    assert np.array_equal(parts(q), whole(q))


def test_a_matrix_in_pieces_is_refused() -> None:
    robot = random_chain(9)
    program = staged(robot, "forward_dynamics")
    calls = list(program.calls)
    solve = next(k for k, call in enumerate(calls) if isinstance(call.kernel, Solve))
    L, b = calls[solve].stacks
    factors = next(row.call for row in L if isinstance(row, Returned))
    assert isinstance(calls[factors].kernel, Factors)
    calls[solve] = Call(calls[solve].kernel, (L[::-1], b), (1,), 0)
    broken = Program(program.graph, program.inputs, program.sources, tuple(calls), program.columns)
    with pytest.raises(EmitError, match="forward_dynamics: a matrix is not the result of one call"):
        emit_c(broken, name="m")


def test_a_kernel_without_c_is_refused() -> None:
    class Strange:
        def compute(self, *stacks: Matrix) -> tuple[Matrix, ...]:
            return stacks

    program = staged(random_chain(9), "inverse_dynamics")
    calls = (*program.calls[:-1], Call(Strange(), program.calls[-1].stacks, (1,), 0))
    broken = Program(program.graph, program.inputs, program.sources, calls, program.columns)
    with pytest.raises(EmitError, match="inverse_dynamics: no C for the kernel"):
        emit_c(broken, name="m")


@pytest.mark.parametrize("kind", ROBOTS)
def test_kernels_solve_and_invert(kind: str) -> None:
    robot = ROBOTS[kind]()
    q = sample_states(robot, 1)["q"][0]
    place = Matrix([(x,) for x in q], columns=1)
    at = stacked.Stacked.of(robot, place)
    M = np.array([[float(x) for x in row] for row in at.mass_matrix().rows])
    (L,) = Factors(at.branches).compute(at.mass_matrix())
    (inverse,) = Invert(at.branches).compute(L)
    (X,) = Solve(at.branches, negative=True).compute(L, at.mass_matrix())
    identity = np.eye(robot.nv)
    bound = 16 * robot.nv * np.linalg.cond(M) * EPS
    assert np.max(np.abs(M @ np.array(inverse.rows, dtype=float) - identity)) <= bound
    assert np.max(np.abs(np.array(X.rows, dtype=float) + identity)) <= bound


def test_branches_of_a_tree() -> None:
    robot = floating()
    tree = bodies(robot, Matrix([(x,) for x in sample_states(robot, 0)["q"][0]], columns=1))
    branches = Branches.of(tree, depth_first(tree))
    assert branches.first[:7] == (0, 0, 0, 0, 0, 0, 6)
    assert branches.last[0] == 5
    assert branches.end[0] == len(branches) == robot.nv
    for k in range(len(branches)):
        carried = range(k + 1, branches.end[k])
        assert all(k in branches.above(j) for j in carried)
        assert all(branches.related(j, k) for j in carried)
