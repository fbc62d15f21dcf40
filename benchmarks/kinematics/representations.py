"""One motion in several representations: the planar arm by hand, the UR5, the gimbal."""

from __future__ import annotations

from typing import Any

import numpy as np
from bench import Interval, Row, Section, Table, at_most

import symkin
from kinematics.states import EPS, KINDS, Array, States, draw, error, load, one_state
from symkin.algebra import column
from symkin.spatial import rate_zyx_inverse


def closed_forms(quick: bool) -> Section:
    """Experiment 1: the planar 2R arm against its closed forms."""
    state = draw("planar_2r", 50 if quick else 200)
    l1, l2 = planar_lengths()
    q1, q2 = state.q.T
    v1 = state.v[:, 0]
    x1, y1 = l1 * np.cos(q1), l1 * np.sin(q1)
    x2, y2 = l2 * np.cos(q1 + q2), l2 * np.sin(q1 + q2)
    # Each matrix by its columns.
    J_p = _stack([(0, 0, 1, -(y1 + y2), x1 + x2, 0), (0, 0, 1, -y2, x2, 0)], q1)
    J_s = _stack([(0, 0, 1, 0, 0, 0), (0, 0, 1, y1, -x1, 0)], q1)
    J_s_dot = _stack([(0, 0, 0, 0, 0, 0), (0, 0, 0, x1 * v1, y1 * v1, 0)], q1)
    by_hand = States(state.robot, np.radians([30.0, 60.0]), np.array([1.0, 0.5]), np.zeros(2))
    p_dot = by_hand.of("twist_position")[3:5]
    column_dot = by_hand.of("jacobian_space_dot")[3:5, 1]
    cosine = np.sqrt(3.0) / 2.0
    # Entries are sums of two numbers below 1: an eps or two of rounding.
    limit = at_most(4e-16)
    return Section(
        "1. Planar 2R arm against closed forms",
        f"{len(state)} states, links of {l1:g} and {l2:g} m",
        (
            Row("J_p", error(state.of("jacobian_position"), J_p), limit, 2.2e-16),
            Row("J_s", error(state.of("jacobian_space"), J_s), limit, 5.6e-17),
            Row("dJ_s/dt", error(state.of("jacobian_space_dot"), J_s_dot), limit, 5.6e-17),
            Row("by hand at (30°, 60°), v = (1, 0.5): dp/dt", tuple(p_dot), None, (-0.65, 0.3464)),
            Row("  difference", error(p_dot, (-0.5 * l1 - 1.5 * l2, cosine * l1)), limit),
            Row("  column 2 of dJ_s/dt", tuple(column_dot), None, (0.3464, 0.2)),
            Row("  difference", error(column_dot, (cosine * l1, 0.5 * l1)), limit),
        ),
    )


def planar_lengths() -> tuple[float, float]:
    """The lengths of the planar arm's two links, in m."""
    robot = load("planar_2r")
    elbow = robot.link_names[list(robot.coordinates)[1]]
    home = np.zeros(2)
    first = symkin.evaluate(robot, "forward_kinematics", frame=elbow, q=home)
    second = symkin.evaluate(robot, "forward_kinematics", relative_to=elbow, q=home)
    return float(first[0, 3]), float(second[0, 3])


def _stack(columns: list[tuple[Any, ...]], like: Array) -> Array:
    entries = [[np.broadcast_to(np.asarray(x, float), like.shape) for x in c] for c in columns]
    return np.transpose(np.array(entries), (2, 1, 0))


def one_motion(_: bool) -> Section:
    """Experiment 2: one motion of the UR5's joints as five vectors."""
    state = one_state()
    J = {kind: state.of(f"jacobian_{kind}") for kind in KINDS}
    V = {kind: J[kind] @ state.v for kind in KINDS}
    p, theta = state.of("forward_kinematics")[:3, 3], state.of("pose_zyx")[1]
    dets = [float(abs(np.linalg.det(J[kind]))) for kind in KINDS[:3]]
    sigma = {kind: np.linalg.svd(J[kind], compute_uv=False) for kind in KINDS[:3]}
    smallest = {kind: float(sigma[kind][-1]) for kind in sigma}
    moved = V["space"][3:] + np.cross(V["space"][:3], p)
    yaw = V["space"][2] + np.sin(theta) * V["zyx"][0]
    # Rounding of J's entries moves a determinant, and the smallest singular value, by at most
    # this part: n eps times the condition number.
    rounding = at_most(6.0 * EPS * float(sigma["space"][0] / sigma["space"][-1]))
    vectors = tuple((kind, *(float(x) for x in V[kind])) for kind in KINDS)
    return Section(
        "2. UR5: one motion of the joints in five representations",
        f"q = {_vector(state.q)} rad, v = {_vector(state.v)} rad/s",
        (
            Row("v_s + omega x p = dp/dt", error(moved, V["position"][3:]), at_most(8.0 * EPS)),
            Row(
                "dpsi/dt = omega_z + sin(theta) dphi/dt",
                error(yaw, V["zyx"][2]),
                at_most(8.0 * EPS),
            ),
            Row("|det J_s|, |det J_p|", (dets[0], dets[2]), None, (0.0825, 0.0825)),
            Row("  J_s, J_b, J_p: relative spread", float(np.ptp(dets)) / dets[0], rounding),
            Row(
                "smallest singular value of J_s, J_p",
                (smallest["space"], smallest["position"]),
                None,
                (0.2142, 0.2128),
            ),
            Row(
                "  J_b, J_p: relative difference",
                abs(smallest["body"] / smallest["position"] - 1.0),
                rounding,
            ),
        ),
        (
            Table(
                "J v, angular (or rates of angles) first",
                ("representation", "1", "2", "3", "4", "5", "6"),
                vectors,
            ),
        ),
    )


def _vector(entries: Array) -> str:
    return f"({', '.join(f'{x:g}' for x in entries)})"


PI_HALF_REST = 6.123233995736766e-17  # pi/2 - np.pi / 2
# pi/2 - theta and the largest entry of E^-1 in the document.
GIMBAL = ((0.63, 1.6), (0.063, 15.0), (6.3e-3, 150.0), (6.3e-4, 1.5e3), (6.3e-7, 1.5e6))


def gimbal(_: bool) -> Section:
    """Experiment 6: E^-1 grows as 1 / cos(theta) towards the gimbal."""
    psi = 0.3
    rows, curve = [], []
    for nominal, document in GIMBAL:
        theta = np.float64(np.pi / 2.0 - nominal)
        inverse = rate_zyx_inverse(column(np.float64(0.2), theta, np.float64(psi)))
        largest = float(max(abs(x) for x in inverse))
        distance = (np.pi / 2.0 - float(theta)) + PI_HALF_REST
        curve.append((nominal, largest, document, largest * distance))
        # theta carries a rounding of eps/2 of itself: that part of the distance is not known.
        exact = np.cos(psi) / np.sin(distance)
        rows.append(
            Row(
                f"pi/2 - theta = {nominal:g}: largest entry, relative error",
                float(abs(largest / exact - 1.0)),
                at_most(4.0 * EPS + EPS / nominal),
            )
        )
    products = tuple(row[3] for row in curve if row[0] <= 0.063)
    rows.append(
        Row(
            "largest entry times pi/2 - theta <= 0.063: range",
            Interval(min(products), max(products)),
            # cos(psi) x / sin(x), x <= 0.063: at most x^2 / 6 above cos(psi) = 0.95534.
            Interval(np.cos(psi) * (1.0 - 1e-9), np.cos(psi) * (1.0 + 0.063**2 / 6.0 * 1.01)),
            Interval(0.955, 0.956),
        )
    )
    return Section(
        "6. ZYX angles: E^-1 towards the gimbal",
        f"psi = {psi:g} rad",
        tuple(rows),
        (
            Table(
                "growth",
                ("pi/2 - theta", "largest entry", "document", "product"),
                tuple(curve),
            ),
        ),
    )
