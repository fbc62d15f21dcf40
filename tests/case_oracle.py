"""What the cases' ops mean, from their definitions, in 50 digits and without symkin.

Files are read by the standard library's parser; poses are products of elementary motions, and
every rate is a central difference in 50 digits, which is exact to 1e-17 and better.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import lie_oracle
import mpmath
import numpy as np

mpmath.mp.dps = 50
STEP = mpmath.mpf(10) ** -12

Array = np.ndarray
Positions = Mapping[str, Any]
"""Positions by joint name."""


def numbers(text: str) -> Array:
    return exact([mpmath.mpf(word) for word in text.split()])


def exact(values: Any) -> Array:
    return np.vectorize(mpmath.mpf, otypes=[object])(np.asarray(values, dtype=object))


def pose(R: Array, p: Array) -> Array:
    T = exact(np.eye(4))
    T[:3, :3], T[:3, 3] = R, p
    return T


def turned(axis: Sequence[Any], angle: Any) -> Array:
    """The rotation about an axis of any length, by Rodrigues' formula."""
    axis = exact(axis)
    axis = axis / mpmath.sqrt(sum(axis * axis))
    along = np.outer(axis, axis)
    across = exact(np.eye(3)) - along
    return along + across * mpmath.cos(angle) + lie_oracle.hat(axis) * mpmath.sin(angle)


def turned_rpy(rpy: Array) -> Array:
    x, y, z = exact(np.eye(3))
    return turned(z, rpy[2]) @ turned(y, rpy[1]) @ turned(x, rpy[0])


class Arm:
    """A robot as a mapping from each link to its parent, the pose in it and the body."""

    def __init__(self) -> None:
        self.links: dict[str, tuple[str | None, Callable[[Positions], Array]]] = {}
        self.bodies: dict[str, tuple[Any, Array, Array]] = {}
        self.joints: list[str] = []
        self.moving: set[str] = set()

    def place(self, frame: str, q: Positions) -> Array:
        parent, motion = self.links[frame]
        return motion(q) if parent is None else self.place(parent, q) @ motion(q)

    def moves(self, link: str) -> bool:
        parent = self.links[link][0]
        return link in self.moving or (parent is not None and self.moves(parent))


def read(path: Path, convention: str | None = None) -> Arm:
    if path.suffix != ".json":
        return _read_urdf(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    if "M" in data:
        return _read_screws(data)
    return _read_dh(data, convention or data["convention"])


def _read_urdf(path: Path) -> Arm:
    root = ElementTree.parse(path).getroot()
    arm = Arm()
    for link in root.findall("link"):
        arm.links[link.attrib["name"]] = None, lambda q: exact(np.eye(4))
        body = link.find("inertial")
        if body is not None:
            arm.bodies[link.attrib["name"]] = _body(body)
    mimics = {}
    for joint in root.findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            mimics[joint.attrib["name"]] = mimic.attrib

    def own(name: str, q: Positions) -> Any:
        if name not in mimics:
            return q[name]
        given = mimics[name]
        multiplier = mpmath.mpf(given.get("multiplier", "1"))
        return multiplier * own(given["joint"], q) + mpmath.mpf(given.get("offset", "0"))

    for joint in root.findall("joint"):
        name, kind = joint.attrib["name"], joint.attrib["type"]
        tag = joint.find("axis")
        axis = numbers(tag.attrib["xyz"] if tag is not None else "1 0 0")
        parent, child = joint.find("parent").attrib["link"], joint.find("child").attrib["link"]

        arm.links[child] = parent, _moved(kind, _origin(joint), axis, partial(own, name))
        if kind != "fixed":
            arm.moving.add(child)
            if name not in mimics:
                arm.joints.append(name)
    return arm


def _moved(
    kind: str, origin: Array, axis: Array, position: Callable[[Positions], Any]
) -> Callable[[Positions], Array]:
    """The pose of a joint's child in its parent, as a function of all positions."""
    if kind == "fixed":
        return lambda q: origin
    if kind == "prismatic":
        unit = axis / mpmath.sqrt(sum(axis * axis))
        return lambda q: origin @ pose(exact(np.eye(3)), unit * position(q))
    return lambda q: origin @ pose(turned(axis, position(q)), exact(np.zeros(3)))


def _origin(tag: ElementTree.Element) -> Array:
    origin = tag.find("origin")
    given = {} if origin is None else origin.attrib
    return pose(turned_rpy(numbers(given.get("rpy", "0 0 0"))), numbers(given.get("xyz", "0 0 0")))


def _body(tag: ElementTree.Element) -> tuple[Any, Array, Array]:
    """Mass, centre of mass and inertia about it, in the axes of the link."""
    T = _origin(tag)
    inertia = tag.find("inertia")
    tensor = exact(np.zeros((3, 3)))
    if inertia is not None:
        for i, a in enumerate("xyz"):
            for j, b in enumerate("xyz"):
                tensor[i, j] = mpmath.mpf(inertia.attrib["i" + min(a, b) + max(a, b)])
    R = T[:3, :3]
    return mpmath.mpf(tag.find("mass").attrib["value"]), T[:3, 3], R @ tensor @ R.T


def _read_dh(data: Mapping[str, Any], convention: str) -> Arm:
    """Standard: Rz(theta) Tz(d) Tx(a) Rx(alpha). Modified: Rx(alpha) Tx(a) Rz(theta) Tz(d)."""
    arm, parent = Arm(), "base"
    arm.links[parent] = None, lambda q: exact(np.eye(4))
    x, _, z = exact(np.eye(3))
    nowhere = exact(np.zeros(3))
    rows = data.get("links") or data["table"]
    for i, row in enumerate(rows):
        name = f"j{i}"

        def motion(q: Positions, row: Any = row, name: str = name) -> Array:
            turns = row["type"] == "R"
            sign = -1 if row.get("flip") else 1
            theta = mpmath.mpf(row.get("theta_offset" if turns else "theta", 0))
            d = mpmath.mpf(row.get("d" if turns else "d_offset", 0))
            theta, d = (theta + sign * q[name], d) if turns else (theta, d + sign * q[name])
            about_z = pose(turned(z, theta), nowhere) @ pose(exact(np.eye(3)), z * d)
            about_x = pose(turned(x, mpmath.mpf(row.get("alpha", 0))), x * mpmath.mpf(row["a"]))
            return about_z @ about_x if convention == "standard" else about_x @ about_z

        arm.links[f"dh{i + 1}"] = parent, motion
        arm.joints.append(name)
        parent = f"dh{i + 1}"
    tool = exact(data.get("tool", np.eye(4)))
    arm.links["flange"] = parent, lambda q: tool
    return arm


def _read_screws(data: Mapping[str, Any]) -> Arm:
    """T = exp([S_1] q_1) ... M, each screw scaled to |w| = 1, or to |v| = 1 where w is zero."""
    arm, parent = Arm(), "base"
    arm.links[parent] = None, lambda q: exact(np.eye(4))
    home = exact(data["M"])
    for i, screw in enumerate(data.get("Slist_columns") or data["Blist_columns"]):
        screw = exact(screw)
        part = screw[:3] if any(screw[:3]) else screw[3:]
        screw = screw / mpmath.sqrt(sum(part * part))
        if "Blist_columns" in data:
            screw = _vee(home @ lie_oracle.hat_se3(screw) @ lie_oracle.inverse(home))
        name = f"j{i}"
        arm.links[name] = (
            parent,
            lambda q, S=screw, name=name: lie_oracle.exp_se3(S * q[name]),
        )
        arm.joints.append(name)
        parent = name
    arm.links[data.get("tool_name", "tool")] = parent, lambda q: home
    return arm


def _vee(A: Array) -> Array:
    """The twist (omega, v) of a 4 x 4 matrix in se(3)."""
    return np.array([A[2, 1], A[0, 2], A[1, 0], *A[:3, 3]])


class State:
    """A check's robot on its way: q(t) = q + qd t + qdd t^2 / 2, joints in the case's order."""

    def __init__(self, folder: Path, case: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        self.given = given
        file = case.get("oracle") or given.get("file") or given["files"][0]
        self.arm = read(folder / file, given.get("convention"))
        self.order = given.get("joint_order") or case.get("joint_order") or self.arm.joints
        self.frame = given.get("frame") or list(self.arm.links)[-1]
        self.ref = given.get("ref", "lwa")

    @property
    def q(self) -> Array:
        return self.values("q")

    def values(self, key: str) -> Array:
        return exact(self.given.get(key, np.zeros(len(self.order))))

    def at(self, t: Any) -> Array:
        return self.q + self.values("qd") * t + self.values("qdd") * t * t / 2

    def pose(self, q: Array) -> Array:
        """The pose of the frame in its base."""
        named = dict(zip(self.order, q, strict=True))
        T = self.arm.place(self.frame, named)
        base = self.given.get("relative_to")
        return T if base is None else lie_oracle.inverse(self.arm.place(base, named)) @ T

    def twist(self, path: Callable[[Any], Array], ref: str, t: Any = 0) -> Array:
        """The twist (omega, v) of the frame at time t, while q is path(t)."""
        T, T_dot = self.pose(path(t)), derivative(lambda s: self.pose(path(s)), t)
        if ref == "body":
            return _vee(lie_oracle.inverse(T) @ T_dot)
        space = _vee(T_dot @ lie_oracle.inverse(T))
        return space if ref == "space" else np.concatenate([space[:3], T_dot[:3, 3]])

    def jacobian(self, q: Array, ref: str) -> Array:
        """Its columns are the twists at unit speeds."""
        units = exact(np.eye(len(self.order)))
        columns = [self.twist(lambda t, e=e: q + e * t, ref) for e in units]
        return np.stack(columns, axis=1) if columns else np.zeros((6, 0))

    def jacobian_dot(self) -> Array:
        return derivative(lambda t: self.jacobian(self.at(t), self.ref))

    def acceleration(self) -> Array:
        """Spatial: the rate of the twist, as the frame has it. Classical: of omega and dp/dt."""
        if self.ref == "space":
            return derivative(lambda t: self.twist(self.at, "space", t))
        natural = "body" if self.given["type"] == "spatial" else "lwa"
        A = derivative(lambda t: self.twist(self.at, natural, t))
        R = self.pose(self.q)[:3, :3]
        turn = R if natural == "body" else R.T
        return A if self.ref == natural else np.concatenate([turn @ A[:3], turn @ A[3:]])

    def rpy(self, q: Array) -> Array:
        R = self.pose(q)[:3, :3]
        roll, yaw = mpmath.atan2(R[2, 1], R[2, 2]), mpmath.atan2(R[1, 0], R[0, 0])
        return np.array([roll, mpmath.asin(-R[2, 0]), yaw])

    def com(self, q: Array) -> Array:
        """The centre of mass of all that moves."""
        named = dict(zip(self.order, q, strict=True))
        total, moment = mpmath.mpf(0), exact(np.zeros(3))
        for name, (mass, center, _) in self.arm.bodies.items():
            if self.arm.moves(name):
                T = self.arm.place(name, named)
                total, moment = total + mass, moment + mass * (T[:3, :3] @ center + T[:3, 3])
        return moment / total

    def error(self, q: Array) -> Array:
        """log6(T_goal^-1 T(q)), linear first."""
        goal = self.pose(self.values("q_goal"))
        return self.linear_first(_log(lie_oracle.inverse(goal) @ self.pose(q)))

    def cost_gradient(self, q: Array) -> Array:
        """Of half the square of the error."""
        units = exact(np.eye(len(self.order)))
        cost = [lambda t, e=e: sum(self.error(q + e * t) ** 2) / 2 for e in units]
        return np.array([derivative(c) for c in cost])

    def along_each(self, function: Callable[[Array], Array]) -> Array:
        """The derivatives of a function of q with respect to its entries, as columns."""
        units = exact(np.eye(len(self.order)))
        columns = [derivative(lambda t, e=e: function(self.q + e * t)) for e in units]
        return np.stack(columns, axis=1)

    def linear_first(self, A: Array) -> Array:
        return A if self.given.get("rows") == "ang_lin" else np.concatenate([A[3:], A[:3]])


def derivative(function: Callable[[Any], Array], t: Any = 0) -> Array:
    """The central difference: truncated at 1e-24, rounded at 1e-38."""
    return (function(t + STEP) - function(t - STEP)) / (2 * STEP)


def _log(T: Array) -> Array:
    """The exponential coordinates (r, v) of a pose that is no half turn."""
    R = T[:3, :3]
    sine = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    length = mpmath.sqrt(sum(sine * sine))
    angle = mpmath.atan2(length, (np.trace(R) - 1) / 2)
    r = sine * (angle / length if length else 1)
    return np.concatenate([r, lie_oracle.inverse(lie_oracle.left_so3(r)) @ T[:3, 3]])


def _jacobian_analytic(s: State) -> Array:
    return s.along_each(lambda q: np.concatenate([s.pose(q)[:3, 3], s.rpy(q)]))


def _flat(s: State) -> Array:
    value = OF_ROBOT[s.given["of"]](s)
    return value.ravel(order="F")


def _screws(s: State, ref: str) -> Array:
    return s.jacobian(exact(np.zeros(len(s.order))), ref)


OF_ROBOT: Mapping[str, Callable[[State], Array]] = {
    **dict.fromkeys(("fk", "fk_relative", "dh_fk", "poe_fk", "compiled_fk"), lambda s: s.pose(s.q)),
    **dict.fromkeys(("jac", "jac_relative"), lambda s: s.linear_first(s.jacobian(s.q, s.ref))),
    "rpy": lambda s: s.rpy(s.q),
    "jac_analytic": _jacobian_analytic,
    "jdot": lambda s: s.linear_first(s.jacobian_dot()),
    "jdot_qd": lambda s: s.linear_first(s.jacobian_dot() @ s.values("qd")),
    "twist": lambda s: s.linear_first(s.twist(s.at, s.ref)),
    "frame_acc": lambda s: s.linear_first(s.acceleration()),
    "pose_error": lambda s: s.error(s.q),
    "pose_error_jac": lambda s: s.along_each(s.error),
    "pose_cost_grad": lambda s: s.cost_gradient(s.q),
    "pose_cost_hess": lambda s: s.along_each(s.cost_gradient),
    "com": lambda s: s.com(s.q),
    "jac_com_total": lambda s: s.along_each(s.com),
    "flat_dense_col_major": _flat,
    "dh_jac_lin": lambda s: s.jacobian(s.q, "lwa")[3:],
    "poe_jac_space": lambda s: s.jacobian(s.q, "space"),
    "poe_jac_body": lambda s: s.jacobian(s.q, "body"),
    "poe_screws": lambda s: _screws(s, "space"),
    "poe_normalise": lambda s: _screws(s, "space").T,
    "poe_body_screws": lambda s: _screws(s, "body").T,
    "inertia_link_axes": lambda s: s.arm.bodies[s.given["link"]][2],
}
"""The ops of which this knows the answer."""


def answer(folder: Path, case: Mapping[str, Any], check: Mapping[str, Any]) -> Array:
    """The right value for a check, rounded to doubles."""
    value = OF_ROBOT[check["op"]](State(folder, case, check["in"]))
    return np.asarray(value, dtype=float)
