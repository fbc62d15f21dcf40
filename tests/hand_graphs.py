"""Small graphs put together by hand, so that emission is tested without robots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from symkin.graph import Graph, Node, Output
from symkin.quantities import Port

JOINTS = ("shoulder", "elbow")
Q = Port("q", (2,), "rad", "joint positions", JOINTS)
V = Port("v", (2,), "rad/s", "joint velocities", JOINTS)


def graph(
    name: str,
    inputs: Sequence[Port],
    outputs: Mapping[Port, Sequence[int]],
    nodes: Sequence[Node],
    **about: str,
) -> Graph:
    found = tuple(Output(port, tuple(entries)) for port, entries in outputs.items())
    return Graph(name, tuple(inputs), found, tuple(nodes), **about)


def everything() -> Graph:
    """Each operation once at least, two outputs, structural zeros, and an input never read."""
    nodes = (
        Node("input", (0, 0)),
        Node("input", (0, 1)),
        Node("constant", value=-0.5),
        Node("sin", (0,)),
        Node("cos", (1,)),
        Node("mul", (3, 4)),
        Node("add", (5, 2)),
        Node("sub", (6, 0)),
        Node("div", (7, 2)),
        Node("mul", (8, 8)),
        Node("sqrt", (9,)),
        Node("neg", (10,)),
        Node("atan2", (11, 2)),
        Node("less", (12, 0)),
        Node("less", (2, 1)),
        Node("not", (13,)),
        Node("and", (14, 15)),
        Node("select", (16, 10, 12)),
        Node("select", (0, 17, 2)),
        Node("mul", (13, 3)),  # a condition as a number
    )
    entries = {
        Port("J", (3, 2), "1 | m", "every operation"): (5, -1, 2, 18, -1, 12),
        Port("c", (3,), "1", "conditions and constants"): (16, 0, 19),
    }
    return graph(
        "everything",
        (Q, V),
        entries,
        nodes,
        doc="All there is. Frame: tool; relative to: base.",
        reference="The book, equation 1",
        origin="hand",
    )


def planar_pose(length: float = 0.7, name: str = "position") -> Graph:
    """(x, y, angle) of a planar arm of two links of 1 and ``length`` metres."""
    nodes = (
        Node("input", (0, 0)),
        Node("input", (0, 1)),
        Node("add", (0, 1)),
        Node("constant", value=length),
        Node("cos", (0,)),
        Node("cos", (2,)),
        Node("mul", (3, 5)),
        Node("add", (4, 6)),
        Node("sin", (0,)),
        Node("sin", (2,)),
        Node("mul", (3, 9)),
        Node("add", (8, 10)),
    )
    outputs = {Port("x", (3,), "m, m, rad", "where the arm's end is"): (7, 11, 2)}
    return graph(name, (Q,), outputs, nodes, doc="Pose of a planar arm.", origin="planar")


def planar_pose_by_hand(q: Sequence[float], length: float = 0.7) -> list[float]:
    angle = q[0] + q[1]
    return [
        math.cos(q[0]) + length * math.cos(angle),
        math.sin(q[0]) + length * math.sin(angle),
        angle,
    ]


def copied(name: str, inputs: Sequence[Port], output: Port, entries: Sequence[int]) -> Graph:
    """Output entries that are entries of the first input, or -1 for structural zeros."""
    numbers = sorted({entry for entry in entries if entry >= 0})
    nodes = [Node("input", (0, entry)) for entry in numbers]
    found = [numbers.index(entry) if entry >= 0 else -1 for entry in entries]
    return graph(name, inputs, {output: found}, nodes, doc="Copies entries.")


def hessian() -> Graph:
    """An output of three axes, 2 x 2 x 3, whose entry (i, j, k) is 100 i + 10 j + k where not 0."""
    entries = [100 * i + 10 * j + k for i in range(2) for j in range(2) for k in range(3)]
    nodes = [Node("constant", value=float(entry)) for entry in entries if entry % 2]
    found = iter(range(len(nodes)))
    numbers = [next(found) if entry % 2 else -1 for entry in entries]
    return graph("hessian", (), {Port("H", (2, 2, 3), "1", "numbered entries"): numbers}, nodes)


def roundings() -> Graph:
    """q0 q1 + q0 / q1 - sqrt(q0^2 + q1^2): operations that IEEE 754 defines to the last bit."""
    nodes = (
        Node("input", (0, 0)),
        Node("input", (0, 1)),
        Node("mul", (0, 1)),
        Node("div", (0, 1)),
        Node("add", (2, 3)),
        Node("mul", (0, 0)),
        Node("mul", (1, 1)),
        Node("add", (5, 6)),
        Node("sqrt", (7,)),
        Node("sub", (4, 8)),
    )
    return graph("roundings", (Q,), {Port("x", (1,), "1", "a number"): (9,)}, nodes)


def no_joints() -> Graph:
    """What a robot without joints has: an empty input, a constant pose and a 6 x 0 Jacobian."""
    outputs = {
        Port("T", (2, 2), "1", "a constant pose"): (0, -1, -1, 0),
        Port("J", (6, 0), "1", "an empty Jacobian"): (),
    }
    empty = Port("q", (0,), "rad | m", "joint positions")
    return graph("fixed", (empty,), outputs, [Node("constant", value=1.0)])


def constant(value: float, name: str = "broken") -> Graph:
    """x[1, 0] = q[0] * value."""
    nodes = [Node("input", (0, 0)), Node("constant", value=value), Node("mul", (0, 1))]
    return graph(name, (Q,), {Port("x", (2, 2), "1", "a product"): (0, -1, 2, -1)}, nodes)
