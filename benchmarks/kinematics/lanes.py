"""The third document: every way to a Jacobian, and the integral that checks them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from bench import Row, Section, at_most

import symkin
from kinematics.geometry import axial, hat, times, transposed
from kinematics.states import EPS, KINDS, Array, States, draw, error, load, one_state
from symkin.build import find_compiler
from symkin.errors import BuildError
from symkin.verify.lanes import (
    CENTRAL_STEP,
    DERIVATIVE_LANES,
    FORWARD_STEP,
    differentiate,
    value,
)

# Six displacements, and what follows from them: some tens of roundings of numbers about 1.
EXACT = at_most(1e-14)
# Truncation with derivatives of T of at most 1, and four roundings of each entry, over the step.
DIFFERENCES = {
    "forward difference": (at_most(FORWARD_STEP / 2.0 + 4.0 * EPS / FORWARD_STEP), "1e-8 level"),
    "central difference": (
        at_most(CENTRAL_STEP**2 / 6.0 + 4.0 * EPS / CENTRAL_STEP / 2.0),
        "1e-11 level",
    ),
}
RELATIVE = "1e-15 level"
COMPILER = "C compiler"


def lanes(quick: bool) -> Section:
    """J_p of the UR5 by every lane, against the same recursion in extended precision."""
    state = draw("ur5", 50 if quick else 200)
    reference = replace(state, q=state.q.astype(np.longdouble)).of("jacobian_position")
    library, stepped = libraries() if compiler_found() else (None, None)
    rows = []
    for lane, values in (*value_lanes(state, library), *derivative_lanes(state, stepped)):
        target, document = DIFFERENCES.get(lane, (EXACT, RELATIVE))
        if values is None:
            rows.append(Row(lane, None, target, document, missing=COMPILER))
        else:
            rows.append(Row(lane, error(values, reference), target, document))
    bits = np.finfo(np.longdouble).nmant + 1
    return Section(
        "Third document: J_p of the UR5 by every lane",
        f"{len(state)} states; against the recursion in numbers of {bits} bits. Lanes that "
        "differentiate T(q) take their usual steps.",
        tuple(rows),
    )


def compiler_found() -> bool:
    """Whether there is anything to compile C with."""
    try:
        find_compiler()
    except BuildError:
        return False
    return True


def libraries() -> tuple[symkin.Library, symkin.Library]:
    """J_p compiled, and T compiled in complex numbers."""
    robot = load("ur5")
    modules = [
        symkin.emit_c(symkin.trace(robot, quantity), name=f"ur5_{quantity}")
        for quantity in ("jacobian_position", "forward_kinematics")
    ]
    return symkin.build(modules[0]), symkin.build(modules[1], arithmetic="complex")


Lanes = Iterator[tuple[str, Array | None]]
"""A lane's name and J_p; None when it could not be built."""


def value_lanes(state: States, library: symkin.Library | None) -> Lanes:
    """Ways to J_p itself."""
    for lane, name in (
        ("recursion", "closed-form recursion: axis and origin columns"),
        ("adjoint", "adjoint: L(p) Ad_T of each screw"),
        ("casadi", "CasADi function of the graph"),
        ("compiled", "compiled C"),
    ):
        if lane == "compiled" and library is None:
            yield name, None
        else:
            J = value(state.robot, "jacobian_position", lane=lane, library=library, q=state.q)
            yield name, J


def derivative_lanes(state: States, stepped: symkin.Library | None) -> Lanes:
    """Ways to dT/dq, and so to J_p: omega from dR R', and dp."""
    R = state.of("forward_kinematics")[:, None, :3, :3]
    for lane in DERIVATIVE_LANES:
        if lane == "compiled complex step" and stepped is None:
            yield lane, None
            continue
        library = stepped if lane == "compiled complex step" else None
        dT = differentiate(
            state.robot, "forward_kinematics", lane=lane, library=library, q=state.q
        )["q"]
        dT = np.moveaxis(dT, -1, 1)
        omega = axial(dT[..., :3, :3] @ transposed(R))
        yield lane, transposed(np.concatenate([omega, dT[..., :3, 3]], axis=-1))


def integral_consistency(_: bool) -> Section:
    """Integrals of rates along a path of the UR5 against the change of what they are rates of."""
    nodes, weights = np.polynomial.legendre.leggauss(30)
    along, ends = path((nodes + 1.0) / 2.0), path(np.array([0.0, 1.0]))

    def check(what: str, rate: Array, quantity: str) -> Row:
        start, end = ends.of(quantity)
        return Row(what, error(np.tensordot(weights / 2.0, rate, axes=1), end - start), EXACT)

    rows = []
    for kind in KINDS:
        rows.append(check(f"pose, by J v, {kind}", *pose_rate(kind, along)))
        rate = along.of(f"jacobian_{kind}_dot")
        rows.append(check(f"J, by dJ/dt, {kind}", rate, f"jacobian_{kind}"))
    cosine = float(along.of("zyx_condition").min())
    angle = float(np.linalg.norm(along.of("pose_rotvec")[:, :3], axis=-1).max())
    return Section(
        "Third document: integrals along a path of the UR5",
        f"Gauss quadrature with {len(nodes)} nodes; on the path cos(theta) >= {cosine:.2g} and "
        f"|r| <= {angle:.2g}",
        tuple(rows),
    )


def path(t: Array) -> States:
    """A smooth path at the times t."""
    pace, phase = np.array([2.0, 3.0, 2.5, 1.5, 2.0, 3.0]), np.arange(6.0)
    swing, middle = np.array([0.6, 0.4, 0.5, 0.7, 0.3, 0.8]), one_state().q
    angle = pace * t[:, None] + phase
    return States(
        load("ur5"),
        middle + swing * np.sin(angle),
        swing * pace * np.cos(angle),
        -swing * pace**2 * np.sin(angle),
    )


def pose_rate(kind: str, state: States) -> tuple[Array, str]:
    """The rate of the pose that a kind of velocity means, and the quantity that is the pose."""
    V = times(state.of(f"jacobian_{kind}"), state.v)
    if kind in ("zyx", "rotvec"):
        return V, f"pose_{kind}"
    T = state.of("forward_kinematics")
    T_dot = T @ hat(V) if kind == "body" else hat(V) @ T
    if kind == "position":
        T_dot[:, :3, 3] = V[:, 3:]
    return T_dot, "forward_kinematics"
