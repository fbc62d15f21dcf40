"""The trouble cases in symkin's terms: what a check gives, and what it still has to wait for.

The cases count twists and Jacobians linear first and order joints by ``joint_order``; symkin is
angular first and has an order of its own. `Given` converts both, here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import case_oracle
import numpy as np
from scalars import array, vector

import symkin
from symkin.algebra import Matrix
from symkin.algorithms.external_forces import Force
from symkin.model import Joint, Robot, with_base
from symkin.model.conventions import MUJOCO, PINOCCHIO, Convention
from symkin.spatial import rotation_zyx

PACKAGE = Path(symkin.__file__).parent
FOLDERS = (Path(__file__).parent / "cases", Path(__file__).parent / "siblings")

REFERENCES = {"lwa": "position", "space": "space", "body": "body"}
"""The cases' names for the frame in which a twist is taken, and symkin's."""

CONVENTIONS = {"body": PINOCCHIO, "world_lin_body_ang": replace(MUJOCO, real_first=False)}
"""The cases' names for the velocity of a floating base; their quaternions are x, y, z, w."""

PORTS = {"q": "q", "qd": "v", "qdd": "a", "tau": "tau", "qd_body": "v", "qdd_body": "a"}
"""The cases' names for the inputs of a quantity, and symkin's."""

LATER: Mapping[str, tuple[str, ...]] = {
    "M": ("mass_matrix",),
    "M_diag": ("mass_matrix",),
    "eigvals_M": ("mass_matrix",),
    "Minv": ("inverse_mass_matrix",),
    "rnea": ("inverse_dynamics",),
    "rnea_wrong": ("inverse_dynamics",),
    "dh_rnea": ("inverse_dynamics",),
    "compiled_rnea": ("inverse_dynamics",),
    "pickled_rnea": ("inverse_dynamics",),
    "budget": ("inverse_dynamics",),
    "rnea_fext": ("inverse_dynamics_external",),
    "fd": ("forward_dynamics",),
    "bias": ("bias",),
    "gravity_torque": ("gravity_torque",),
    "drnea_dq": ("inverse_dynamics_dq",),
    "drnea_dqd": ("inverse_dynamics_dv",),
    "drnea_dqdd": ("mass_matrix",),
    "dfd_dq": ("forward_dynamics_dq",),
    "dfd_dqd": ("forward_dynamics_dv",),
    "dfd_dtau": ("inverse_mass_matrix",),
    "A_continuous": ("linearised_dx",),
    "B_continuous": ("linearised_dtau",),
    "A_discrete": ("step_rk4_dx",),
    "B_discrete": ("step_rk4_dtau",),
}
"""Ops of quantities to come, and the rows of the table that they wait for."""

OPTIMISATION = (
    *("external_jacobian", "external_hessian", "behaviour", "ocp_cost", "ocp_q", "ocp_umax"),
)
"""Ops that wait for the package `symkin.nlp`."""

FLOATING = ("convert_v", "convert_a", "value_error")
"""Ops that make sense of a base that moves freely only."""


POSITIONS = ("fk", "jac lwa", "jac space", "jac body")
RATES = (
    *("jdot lwa", "jdot space", "jdot body", "jdot_qd lwa", "twist lwa", "twist space"),
    *("twist body", "frame_acc lwa classical", "frame_acc body classical", "frame_acc lwa spatial"),
    *("frame_acc space spatial", "frame_acc body spatial", "rpy", "jac_analytic"),
)
"""What a battery checks unless it says otherwise: op, reference and type of acceleration."""


ROUNDING = 1e-12
"""Siblings are robots of metres in states of a few rad/s: no intermediate value exceeds 10, and
no entry has more than 500 roundings of 1.1e-16 behind it, which makes 6e-13."""


@dataclass(frozen=True)
class Check:
    """One check: its own data, and those of the case that it belongs to.

    ``part`` is the key of ``expect`` that is meant, where each has to be waited for on its own.
    """

    folder: Path
    case: Mapping[str, Any]
    number: int
    part: str | None = None

    @property
    def data(self) -> Mapping[str, Any]:
        data: Mapping[str, Any] = self.case["checks"][self.number]
        return (
            data
            if self.part is None
            else {**data, "expect": {self.part: data["expect"][self.part]}}
        )

    @cached_property
    def expected(self) -> Mapping[str, Any]:
        """The data; what they leave to be computed is computed by the oracle."""
        if "expect" in self.data or self.op not in case_oracle.OF_ROBOT:
            return self.data
        expect = case_oracle.answer(self.folder, self.case, self.data)
        return {"atol": ROUNDING, "rtol": ROUNDING, **self.data, "expect": expect}

    @property
    def op(self) -> str:
        op: str = self.data["op"]
        return op

    @property
    def given(self) -> Mapping[str, Any]:
        given: Mapping[str, Any] = self.data.get("in", {})
        return given

    @property
    def id(self) -> str:
        """case/name, and the check's number where the case has that name twice."""
        name = self.data["name"]
        twice = sum(check["name"] == name for check in self.case["checks"]) > 1
        mark = self.part or (self.number if twice else None)
        return f"{self.folder.name}/{name}" + (f" [{mark}]" if mark is not None else "")

    @property
    def floats(self) -> bool:
        """Whether the base is meant to move freely."""
        return self.op in FLOATING or self.given.get("base") == "floating"

    @property
    def may_be_refused(self) -> bool:
        """Whether an error is as good an answer to the case's file as its numbers."""
        return "alternative" in self.case.get("convention", {})

    @property
    def missing(self) -> list[str]:
        """What symkin does not have yet and the check needs."""
        rows = LATER.get(self.part or self.op, ())
        missing = [f"quantity {row}" for row in rows if row not in symkin.QUANTITIES]
        if self.op in OPTIMISATION and not (PACKAGE / "nlp" / "__init__.py").exists():
            missing.append("symkin.nlp")
        return missing

    @property
    def files(self) -> list[str | None]:
        """The files that the check is about: those it names, or all of what must not come out."""
        if self.op.endswith("_wrong"):
            return sorted(p.name for p in self.folder.iterdir() if p.name != "expected.json")
        return self.given.get("files", [None])


def checks() -> list[Check]:
    """Every check of every case."""
    found = []
    for path in sorted(path for folder in FOLDERS for path in folder.glob("*/expected.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        case["checks"] += [check for battery in case.get("batteries", []) for check in _of(battery)]
        for number, data in enumerate(case["checks"]):
            parts = data["expect"] if data["op"] == "shapes" else (None,)
            found += [Check(path.parent, case, number, part) for part in parts]
    return found


def _of(battery: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The checks of a battery: its ops of each of its frames in each of its states."""
    ops = battery.get("ops", POSITIONS + (RATES if battery.get("rates") else ()))
    for number, state in enumerate(battery["states"]):
        for frame in battery["frames"]:
            for words in ops:
                op, *rest = words.split()
                given = {**battery.get("in", {}), **state, "file": battery["file"], "frame": frame}
                given |= dict(zip(("ref", "type"), rest, strict=False))
                name = f"{words} of {frame} in {battery['file']}, state {number}"
                yield {"name": name, "op": op, "in": given}


def evaluated(robot: Robot, quantity: str, **arguments: Any) -> np.ndarray:
    return np.asarray(symkin.evaluate(robot, quantity, **arguments))


def traced(
    robot: Robot,
    quantity: str,
    *,
    frame: str | None = None,
    relative_to: str | None = None,
    forces: Sequence[Force] | None = None,
    **inputs: Any,
) -> np.ndarray:
    graph = symkin.trace(robot, quantity, frame=frame, relative_to=relative_to, forces=forces)
    (value,) = graph.evaluate(inputs).values()
    return np.asarray(value)


WAYS: tuple[Callable[..., np.ndarray], ...] = (evaluated, traced)
"""The ways in which every check of a quantity computes it."""


@dataclass(frozen=True)
class Given:
    """What a check gives, in symkin's terms, and how to say results in the case's.

    ``scratch`` is a folder to write in, ``compute`` one of `WAYS`; ``file`` is given where the
    check is about several.
    """

    check: Check
    scratch: Path
    compute: Callable[..., np.ndarray] = evaluated
    file: str | None = None

    def __getitem__(self, key: str) -> Any:
        return self.check.given[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self.check.given.get(key, default)

    @property
    def path(self) -> Path:
        """The file that the check is about; if it names none, the only one of the case."""
        file = self.file or self.get("file") or self.check.data.get("file")
        if file:
            return self.check.folder / file
        (path,) = (path for path in self.check.folder.iterdir() if path.name != "expected.json")
        return path

    @cached_property
    def robot(self) -> Robot:
        """The robot of the file, handed over and changed as the check says."""
        source: Any = self.path
        if self.get("load_as") == "str":
            source = self.path.read_bytes().decode(self.get("decode", "utf-8"))
        elif self.get("load_as") == "bytes":
            source = self.path.read_bytes()
        robot = symkin.load(source, convention=self.get("convention"))
        if self.check.floats:
            robot = with_base(robot, "floating")
        if "gravity" in self.check.given:
            robot = robot.with_gravity(self["gravity"])
        if "payload" in self.check.given:
            robot = robot.with_payload(self["payload"]["m"], self["payload"]["p"])
        if "armature" in self.check.given:
            names = self.check.case["joint_order"]
            robot = robot.with_armature(dict(zip(names, self["armature"], strict=True)))
        return robot.with_friction(damping=self.get("damping", False))

    @property
    def frame(self) -> str | None:
        """The check's frame; if it names none, the robot's only tip."""
        frame: str | None = self.get("frame")
        return frame

    @property
    def reference(self) -> str:
        """The frame in which a twist is taken, as symkin calls it."""
        return REFERENCES[self["ref"]]

    @cached_property
    def joint_order(self) -> list[str]:
        """The joints in the case's order: one that floats comes first and has no say in it."""
        robot = self.robot
        own = [joint.name for joint in robot.joints if joint.kind == "floating"]
        rest = [name for name in robot.joint_names if name not in own]
        order = self.get("joint_order", self.check.case.get("joint_order"))
        assert order is None or sorted(order) == sorted(rest)
        return own + list(rest if order is None else order)

    @property
    def convention(self) -> Convention:
        """How the case writes the coordinates of a floating base."""
        return CONVENTIONS[self.get("base_velocity", "body")]

    def places(self, size: Callable[[Joint], int]) -> list[int]:
        """For each entry of the case's vectors over joints its place in symkin's."""
        joints = self.robot.joints
        ends = list(accumulate(size(joint) for joint in joints))
        own = {j.name: range(end - size(j), end) for j, end in zip(joints, ends, strict=True)}
        return [place for name in self.joint_order for place in own[name]]

    def given_vector(self, name: str, size: Callable[[Joint], int]) -> Matrix:
        """An input in symkin's order of joints, zero where it is not given."""
        places = self.places(size)
        values = np.zeros(len(places))
        if name in self.check.given:
            values[places] = self[name]
        return vector(values)

    def inputs(self, *names: str) -> dict[str, np.ndarray]:
        """The named inputs in symkin's order of joints and in its coordinates."""
        robot, convention = self.robot, self.convention
        q = convention.q_from(robot, self.given_vector("q", lambda joint: joint.nq))
        found = {"q": q}
        for name in names:
            if name == "q":
                continue
            given = self.given_vector(name, lambda joint: joint.nv)
            if PORTS[name] == "v":
                found["v"] = convention.v_from(robot, q, given)
            elif PORTS[name] == "a":
                found["a"] = convention.a_from(robot, q, found["v"], given)
            else:
                found["tau"] = convention.tau_from(robot, q, given)
        wanted = [PORTS[name] for name in names]
        return {port: array(found[port]).reshape(-1) for port in wanted}

    def of_frame(self, quantity: str, *names: str) -> np.ndarray:
        """A quantity of the check's frame, of the named inputs."""
        frames = {"frame": self.frame, "relative_to": self.get("relative_to")}
        return self.compute(self.robot, quantity, **frames, **self.inputs(*names))

    def of_robot(self, quantity: str, *names: str, **more: Any) -> np.ndarray:
        """A quantity of the whole robot, of the named inputs and of more."""
        return self.compute(self.robot, quantity, **self.inputs(*names), **more)

    def in_order(self, values: np.ndarray) -> np.ndarray:
        """The last axis, of forces or of columns, as the case orders and writes it."""
        q = vector(self.inputs("q")["q"])
        X = array(self.convention.velocity_map(self.robot, q))
        return (values @ X.T)[..., self.places(lambda joint: joint.nv)]

    def linear_first(self, A: np.ndarray) -> np.ndarray:
        """Six rows (angular, linear) in the order that the check wants."""
        return A if self.get("rows") == "ang_lin" else np.concatenate([A[3:], A[:3]])


def agree(value: Any, data: Mapping[str, Any]) -> None:
    """Fail unless the value is what the check expects: |value - expect| <= atol + rtol |expect|.

    With ``sign_free`` minus the value is as good; with ``rebuild`` any roll, pitch and yaw are
    that give this rotation to ``rebuild_atol``; of a mapping only the expected keys count.
    """
    if "rebuild" in data:
        value = array(rotation_zyx(vector(value)))
        data = {"expect": data["rebuild"], "atol": data["rebuild_atol"], "rtol": 0.0}
    expect = data["expect"]
    if isinstance(expect, Mapping):
        for key, expected in expect.items():
            agree(value[key], {"atol": 0.0, "rtol": 0.0, **data, "expect": expected})
    elif isinstance(value, list) and value and isinstance(value[0], str):
        assert value == expect
    else:
        value, expect = np.asarray(value, dtype=float), np.asarray(expect, dtype=float)
        assert value.shape == expect.shape
        signs = (1.0, -1.0) if data.get("sign_free") else (1.0,)
        near = [np.isclose(s * value, expect, data["rtol"], data["atol"]).all() for s in signs]
        assert any(near), f"{value} instead of {expect}"
