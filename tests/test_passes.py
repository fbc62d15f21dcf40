"""Passes over graphs: the same values up to rounding, never more operations, nothing by chance."""

from __future__ import annotations

import functools
import math
import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hand_graphs import Q, V, everything, graph
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_graphs import assert_agree, graphs

from symkin import load, trace
from symkin.errors import ArgumentError
from symkin.graph import PASSES, Graph, Node, count, gains, optimise
from symkin.quantities import Port
from symkin.verify.states import sample_states

NUMBERS = st.sampled_from((0.0, 1.0, -1.0, 0.5, 1e-9)) | st.floats(-4.0, 4.0, width=32)
PAIRS = st.tuples(NUMBERS, NUMBERS)


def expression(*nodes: Node, result: int = -1) -> Graph:
    """The graph of one value of q0, q1 and v0, v1, its nodes 0 to 3; of the last node if unsaid."""
    inputs = [Node("input", (port, entry)) for port in range(2) for entry in range(2)]
    every = [*inputs, *nodes]
    number = len(every) - 1 if result < 0 else result
    return graph("one", (Q, V), {Port("x", (1,), "1", "a value"): (number,)}, every)


def names(found: Graph) -> list[str]:
    """The operations in order, inputs and constants left out."""
    return [n.operation for n in found.nodes if n.operation not in ("input", "constant")]


def optimised(found: Graph, name: str) -> Graph:
    """After the pass of this name, or all."""
    return optimise(found) if name == "all" else PASSES[name](found)


def constant(value: float) -> Node:
    return Node("constant", value=value)


@pytest.mark.parametrize("name", [*PASSES, "all"])
@given(found=graphs(), q=PAIRS, v=PAIRS)
@settings(max_examples=100, deadline=None)
def test_values_stay(name: str, found: Graph, q: Any, v: Any) -> None:
    better = optimised(found, name)
    assert assert_agree(found, better, {"q": np.array(q), "v": np.array(v)}) or assume(False)


@pytest.mark.parametrize("name", [*PASSES, "all"])
@given(found=graphs())
@settings(max_examples=100, deadline=None)
def test_never_more_operations(name: str, found: Graph) -> None:
    numbered, better = PASSES["number_values"](found), optimised(found, name)
    more = count(better).div if name in ("divide_once", "all") else 0
    assert count(better).operations <= count(numbered).operations + more
    assert count(numbered).operations <= count(found).operations
    for before, after in zip(found.outputs, better.outputs, strict=True):
        assert before.port == after.port
        zero = {i for i, n in enumerate(before.nodes) if n < 0}
        assert zero <= {i for i, n in enumerate(after.nodes) if n < 0}


@given(found=graphs())
@settings(max_examples=50, deadline=None)
def test_optimised_graphs_stay_as_they_are(found: Graph) -> None:
    once = optimise(found)
    assert count(optimise(once)) == count(once)


def test_unknown_passes_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"unknown passes \['magic'\]; there are \['number_"):
        optimise(everything(), ["magic"])
    with pytest.raises(ArgumentError, match="unknown passes"):
        gains(everything(), ["magic"])


def test_gains_follow_the_passes() -> None:
    found = gains(trace(load("ur5"), "mass_matrix"))
    assert [name for name, _ in found] == list(PASSES)
    operations = [counts.operations for _, counts in found]
    assert operations == sorted(operations, reverse=True)


@pytest.mark.parametrize(
    ("nodes", "left"),
    [
        ((Node("sub", (0, 1)), Node("sub", (1, 0)), Node("add", (4, 5))), []),
        ((Node("sub", (0, 1)), Node("sub", (1, 0)), Node("div", (4, 5))), ["sub", "div", "neg"]),
        ((Node("mul", (0, 1)), Node("mul", (1, 0)), Node("sub", (4, 5))), []),
        ((Node("neg", (0,)), Node("add", (4, 1))), ["sub"]),
        ((Node("neg", (0,)), Node("neg", (4,))), []),
        ((Node("neg", (0,)), Node("cos", (4,))), ["cos"]),
        ((Node("neg", (0,)), Node("sin", (4,)), Node("sub", (1, 5))), ["sin", "add"]),
        ((constant(0.0), Node("add", (0, 4)), Node("mul", (5, 4))), []),
        ((constant(1.0), Node("mul", (0, 4)), Node("div", (5, 4))), []),
        ((constant(-1.0), Node("mul", (0, 4)), Node("add", (5, 1))), ["sub"]),
        ((constant(3.0), Node("mul", (0, 4)), Node("mul", (4, 5))), ["mul"]),
        ((constant(3.0), Node("div", (4, 0)), Node("mul", (4, 5))), ["div"]),
        ((constant(4.0), Node("div", (0, 4))), ["mul"]),
        ((Node("add", (0, 0)),), ["mul"]),
        ((Node("sqrt", (0,)), Node("mul", (4, 4))), []),
        ((Node("less", (0, 0)), Node("select", (4, 0, 1))), []),
        ((Node("less", (0, 1)), Node("not", (4,)), Node("select", (5, 1, 0))), ["less", "select"]),
        ((Node("less", (0, 1)), Node("and", (4, 4)), Node("select", (5, 1, 1))), []),
        ((constant(2.0), Node("sqrt", (4,)), Node("mul", (5, 5)), Node("sub", (6, 4))), []),
    ],
)
def test_what_numbering_leaves(nodes: tuple[Node, ...], left: list[str]) -> None:
    assert names(PASSES["number_values"](expression(*nodes))) == left


LIKE = (
    constant(6.6),
    Node("mul", (4, 0)),
    Node("mul", (5, 1)),  # (6.6 q0) q1
    Node("mul", (0, 1)),
    Node("mul", (7, 4)),  # (q0 q1) 6.6
    Node("add", (6, 8)),
)


@pytest.mark.parametrize(
    ("nodes", "value"),
    [
        ((*LIKE, constant(3.0), Node("mul", (9, 10))), 3.0 * 13.2 * 0.5 * 0.7),
        (
            (
                *LIKE,
                constant(2.0),
                Node("mul", (10, 7)),
                Node("add", (9, 11)),
                Node("add", (12, 7)),
            ),
            16.2 * 0.5 * 0.7,
        ),
        (
            (constant(2.0), Node("mul", (4, 0)), Node("add", (5, 0)), Node("add", (6, 0))),
            4.0 * 0.5,
        ),
    ],
)
@pytest.mark.parametrize("name", [*PASSES, "all"])
def test_like_terms_that_meet_are_added(nodes: tuple[Node, ...], value: float, name: str) -> None:
    found = expression(*nodes)
    x = optimised(found, name).evaluate({"q": np.array([0.5, 0.7]), "v": np.zeros(2)})["x"]
    assert x[0] == pytest.approx(value, rel=8 * np.finfo(float).eps)


def sums(*totals: str) -> Graph:
    """Sums of products, such as "ab+ac-2d", of the inputs a, b, c, d and of digits."""
    nodes = [Node("input", (port, entry)) for port in range(2) for entry in range(2)]

    def put(node: Node) -> int:
        nodes.append(node)
        return len(nodes) - 1

    def product(text: str) -> int:
        values = ["abcd".find(x) if x.isalpha() else put(constant(float(x))) for x in text]
        return functools.reduce(lambda x, y: put(Node("mul", (x, y))), values)

    ends = []
    for total in totals:
        first, *others = re.findall(r"([+-]?)(\w+)", total)
        end = product(first[1])
        for sign, text in others:
            end = put(Node("sub" if sign == "-" else "add", (end, product(text))))
        ends.append(end)
    return graph("sums", (Q, V), {Port("x", (len(ends),), "1", "sums"): ends}, nodes)


@pytest.mark.parametrize(
    ("name", "totals", "adds", "muls"),
    [
        ("collect", ["a+b-a"], 0, 0),
        ("collect", ["3ab-2ab"], 0, 1),
        ("collect", ["2a+3b+4a"], 1, 2),
        ("collect", ["1+a+2+b"], 2, 0),
        ("share_terms", ["a+b+c", "a+b+d"], 3, 0),
        ("share_terms", ["a+c-b", "b+d-a"], 3, 0),
        ("share_terms", ["a+b+c+d", "b+c+d", "c+d"], 3, 0),
        ("share_factors", ["abc", "abd"], 0, 3),
        ("share_factors", ["aab", "aac"], 0, 3),
        ("factor", ["ab+ac"], 1, 1),
        ("factor", ["ab+ac-ad"], 2, 1),
        ("factor", ["3a-3b"], 1, 1),
        ("factor", ["ab+ac", "ab+ad"], 2, 2),
        ("factor", ["ab+ac", "ab-ac"], 2, 2),
        ("factor", ["ac+ad+bc+bd"], 2, 2),
        ("factor", ["aab+aac"], 1, 2),
        ("factor", ["aabc+aad", "abd+abc"], 2, 5),
        ("all", ["ac+ad+bc+bd", "ac+ad-bc-bd"], 3, 2),
    ],
)
def test_what_passes_leave(name: str, totals: list[str], adds: int, muls: int) -> None:
    left = count(optimised(sums(*totals), name))
    assert (left.add + left.sub, left.mul) == (adds, muls)


def test_multiplying_out_constants() -> None:
    # 2 (3 a + 5 b), where nothing else needs the sum, is 6 a + 10 b.
    nodes = (constant(3.0), Node("mul", (0, 4)), constant(5.0), Node("mul", (1, 6)))
    found = expression(*nodes, Node("add", (5, 7)), constant(2.0), Node("mul", (8, 9)))
    assert sorted(names(PASSES["collect"](found))) == ["add", "mul", "mul"]


def test_shared_values_are_chosen_anew() -> None:
    # ab is shared, then abc + abd and ab: dissolved, ab (c + d) is found.
    nodes = (Node("mul", (0, 1)), Node("mul", (0, 2)), Node("mul", (4, 2)), Node("mul", (5, 1)))
    found = expression(*nodes, Node("mul", (4, 3)), Node("add", (6, 8)), Node("add", (9, 7)))
    assert count(PASSES["reshare"](found)).operations <= 5


@pytest.mark.parametrize(("divisions", "left"), [(2, ["div"] * 2), (3, ["div", *["mul"] * 3])])
def test_many_divisions_by_one_value_become_one(divisions: int, left: list[str]) -> None:
    nodes = [Node("input", (port, entry)) for port in range(2) for entry in range(2)]
    nodes += [Node("div", (k, 3)) for k in range(divisions)]
    port = Port("x", (divisions,), "1", "quotients")
    found = graph("quotients", (Q, V), {port: range(4, 4 + divisions)}, nodes)
    assert names(PASSES["divide_once"](found)) == left


def test_a_reciprocal_of_one_product_is_a_division() -> None:
    found = expression(constant(1.0), Node("div", (4, 0)), Node("mul", (5, 1)))
    assert names(PASSES["divide_once"](found)) == ["div"]


def test_nothing_depends_on_the_hash_seed() -> None:
    code = (
        "import symkin; from symkin.graph import optimise;"
        "g = symkin.trace(symkin.load('scara'), 'inverse_dynamics_dq'); print(optimise(g).digest)"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("value", [math.inf, math.nan, 0.0])
def test_divisions_that_fail_are_left_to_fail(value: float) -> None:
    found = optimise(expression(constant(value), Node("div", (0, 4))))
    assert names(found) == ["div"]


def test_overflow_is_left_to_happen() -> None:
    found = expression(constant(1e300), Node("mul", (4, 4)), Node("mul", (0, 5)))
    assert names(optimise(found)) == ["mul", "mul"]


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "pose_zyx", "pose_rotvec"])
def test_robots_agree_to_rounding(quantity: str) -> None:
    robot = load("fr3")
    found = trace(robot, quantity)
    states = sample_states(robot, samples=20, seed=1)
    for k in range(20):
        inputs = {port.name: states[port.name][k] for port in found.inputs}
        assert assert_agree(found, optimise(found), inputs)
