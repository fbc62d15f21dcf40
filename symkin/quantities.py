"""THE TABLE: one row per quantity, and how a row is bound to a robot and its frames.

From a row come evaluation, tracing, the C signature and its comment, the checks of ctypes
arguments, the choices of the command line, the reference page and the tests' parameters.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from symkin.algebra import Matrix
from symkin.algorithms import center_of_mass as com
from symkin.algorithms import jacobian_rates as rates
from symkin.algorithms import jacobians, kinematics
from symkin.algorithms.path import Path
from symkin.errors import ArgumentError
from symkin.model import Robot

Size: TypeAlias = int | Literal["nq", "nv"]
Formulation: TypeAlias = Callable[..., Matrix]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output array: its name, shape, unit and meaning. Flat order is row-major.

    A unit "a, b" is that of the angular, then of the linear part; "a | b" is that of entries which
    belong to revolute, then to prismatic joints.
    ``labels`` name the entries along the axes that run over joints.
    """

    name: str
    shape: tuple[int, ...]
    unit: str
    doc: str
    labels: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Slot:
    """A port of the table, whose shape depends on the robot."""

    name: str
    shape: tuple[Size, ...]
    unit: str
    doc: str

    def of(self, robot: Robot) -> Port:
        """The port for one robot."""
        sizes = {"nq": robot.nq, "nv": robot.nv}
        shape = tuple(s if isinstance(s, int) else sizes[s] for s in self.shape)
        over_joints = not all(isinstance(s, int) for s in self.shape)
        labels = robot.joint_names if over_joints else ()
        return Port(self.name, shape, self.unit, self.doc, labels)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One row: what can be computed, from what, and by which formulations (the first is usual).

    A quantity of a frame is computed by functions of a `Path` from its base to the frame; one of
    the whole robot by functions of the `Robot`. ``per_frame`` says which. ``per_mass``: the
    quantity is per kilogram, and a robot without moving mass has none.
    """

    name: str
    doc: str
    reference: str
    inputs: tuple[Slot, ...]
    output: Slot
    formulations: Mapping[str, Formulation]
    per_frame: bool = True
    per_mass: bool = False


Q = Slot("q", ("nq",), "rad | m", "joint positions")
V = Slot("v", ("nv",), "rad/s | m/s", "joint velocities")
A = Slot("a", ("nv",), "rad/s^2 | m/s^2", "joint accelerations")

_MR = "Lynch & Park, Modern Robotics (2017)"
_RBDA = "Featherstone, Rigid Body Dynamics Algorithms (2008)"


_ROWS = {
    "space": "(omega, v): twist of the frame at the base's origin, in the base's axes",
    "body": "(omega, v): twist of the frame at its own origin, in its own axes",
    "position": "(omega, dp/dt): angular velocity and velocity of the frame's origin, base's axes",
    "zyx": "(dphi, dtheta, dpsi, dp)/dt: rates of roll, pitch, yaw (ZYX) and of the position",
    "rotvec": "(dr, dp)/dt: rates of the rotation vector r = log R and of the position",
}


def _jacobian_rows() -> list[Quantity]:
    values: dict[str, tuple[dict[str, Formulation], str]] = {
        "space": (
            {
                "recursion": jacobians.jacobian_space,
                "adjoint": jacobians.jacobian_space_exponentials,
            },
            "equation 5.11",
        ),
        "body": (
            {
                "recursion": jacobians.jacobian_body,
                "adjoint": jacobians.jacobian_body_adjoint,
            },
            "equations 5.18, 5.22",
        ),
        "position": (
            {
                "recursion": jacobians.jacobian_position,
                "adjoint": jacobians.jacobian_position_adjoint,
            },
            "section 5.1.5, footnote 3",
        ),
        "zyx": ({"recursion": jacobians.jacobian_zyx}, "section 5.1.5 and appendix B.1"),
        "rotvec": ({"recursion": jacobians.jacobian_rotvec}, "equation 5.25"),
    }
    dots: dict[str, dict[str, Formulation]] = {
        "space": {"lie_bracket": rates.jacobian_space_dot},
        "body": {
            "lie_bracket": rates.jacobian_body_dot,
            "adjoint": rates.jacobian_body_dot_adjoint,
        },
        "position": {
            "recursion": rates.jacobian_position_dot,
            "adjoint": rates.jacobian_position_dot_adjoint,
        },
        "zyx": {"recursion": rates.jacobian_zyx_dot},
        "rotvec": {"recursion": rates.jacobian_rotvec_dot},
    }
    products: dict[str, Formulation] = {
        "space": rates.jacobian_space_dot_v,
        "body": rates.jacobian_body_dot_v,
        "position": rates.jacobian_position_dot_v,
        "zyx": rates.jacobian_zyx_dot_v,
        "rotvec": rates.jacobian_rotvec_dot_v,
    }
    rows = []
    for kind, meaning in _ROWS.items():
        formulations, where = values[kind]
        rows += [
            Quantity(
                f"jacobian_{kind}",
                f"Jacobian J with J v = {meaning}.",
                f"{_MR}, {where}",
                (Q,),
                Slot("J", (6, "nv"), "1, m | 1/m, 1", f"maps v to {meaning}"),
                formulations,
            ),
            Quantity(
                f"jacobian_{kind}_dot",
                f"Time derivative of jacobian_{kind} along v, entry by entry.",
                f"{_MR}, sections 5.1 and 8.3",
                (Q, V),
                Slot("J_dot", (6, "nv"), "1/s, m/s | 1/(m s), 1/s", f"d/dt of jacobian_{kind}"),
                dots[kind],
            ),
            Quantity(
                f"jacobian_{kind}_dot_v",
                f"(dJ/dt) v of jacobian_{kind}: its part of the acceleration at a = 0.",
                f"{_MR}, sections 5.1 and 8.3",
                (Q, V),
                Slot("J_dot_v", (6,), "rad/s^2, m/s^2", f"time derivative of {meaning} at a = 0"),
                {"recursion": products[kind]},
            ),
        ]
    return rows


def _motion_rows() -> list[Quantity]:
    twists = {
        "space": kinematics.twist_space,
        "body": kinematics.twist_body,
        "position": kinematics.twist_position,
    }
    accelerations: dict[str, tuple[Formulation, str]] = {
        "spatial_space": (
            kinematics.acceleration_spatial_space,
            "time derivative of twist_space",
        ),
        "spatial_body": (
            kinematics.acceleration_spatial_body,
            "time derivative of twist_body",
        ),
        "spatial_position": (
            kinematics.acceleration_spatial_position,
            "spatial acceleration at the frame's origin, in the base's axes",
        ),
        "classical_position": (
            kinematics.acceleration_classical_position,
            "(domega/dt, d^2 p/dt^2) in the base's axes: what an accelerometer's point does",
        ),
        "classical_body": (
            kinematics.acceleration_classical_body,
            "(domega/dt, d^2 p/dt^2) in the frame's own axes",
        ),
    }
    rows = [
        Quantity(
            f"twist_{kind}",
            f"Velocity of the frame: {_ROWS[kind]}.",
            f"{_MR}, sections 3.3.2 and 5.1",
            (Q, V),
            Slot("V", (6,), "rad/s, m/s", _ROWS[kind]),
            {"recursion": function},
        )
        for kind, function in twists.items()
    ]
    rows += [
        Quantity(
            f"acceleration_{kind}",
            f"Acceleration of the frame: {meaning}.",
            f"{_RBDA}, section 2.11; {_MR}, equation 8.51",
            (Q, V, A),
            Slot("A", (6,), "rad/s^2, m/s^2", f"angular first: {meaning}"),
            {"recursion": function},
        )
        for kind, (function, meaning) in accelerations.items()
    ]
    return rows


_TABLE = [
    Quantity(
        "forward_kinematics",
        "Pose of the frame in its base.",
        f"{_MR}, equation 4.14",
        (Q,),
        Slot("T", (4, 4), "1, m", "homogeneous matrix (R, p; 0, 1)"),
        {
            "recursion": kinematics.forward_kinematics,
            "exponentials": kinematics.forward_kinematics_exponentials,
        },
    ),
    Quantity(
        "pose_zyx",
        "Pose of the frame as roll, pitch, yaw with R = Rz(psi) Ry(theta) Rx(phi), and position.",
        f"{_MR}, appendix B.1",
        (Q,),
        Slot("x", (6,), "rad, m", "(phi, theta, psi, p)"),
        {"recursion": kinematics.pose_zyx},
    ),
    Quantity(
        "pose_rotvec",
        "Pose of the frame as rotation vector r = log R, |r| <= pi, and position.",
        f"{_MR}, section 3.2.3",
        (Q,),
        Slot("x", (6,), "rad, m", "(r, p)"),
        {"recursion": kinematics.pose_rotvec},
    ),
    Quantity(
        "zyx_condition",
        "cos(theta) of the ZYX angles: jacobian_zyx grows like its inverse.",
        f"{_MR}, section 5.1.5",
        (Q,),
        Slot("c", (1,), "1", "cos(theta) >= 0; 0 at the gimbal singularity"),
        {"recursion": kinematics.zyx_condition},
    ),
    *_jacobian_rows(),
    *_motion_rows(),
    Quantity(
        "hessian_position",
        "Derivative of jacobian_position: H[i, j, k] = d J[i, j] / d q[k].",
        "Haviland & Corke, Manipulator Differential Kinematics, part 2 (2022), section II",
        (Q,),
        Slot("H", (6, "nv", "nv"), "1, m | 1/m, 1 per q", "d J_p[i, j] / d q[k]"),
        {"recursion": jacobians.hessian_position},
    ),
    Quantity(
        "center_of_mass",
        "Centre of mass of all moving links, in the root link's axes.",
        f"{_RBDA}, section 2.13",
        (Q,),
        Slot("c", (3,), "m", "centre of mass"),
        {"recursion": com.center_of_mass},
        per_frame=False,
        per_mass=True,
    ),
    Quantity(
        "jacobian_center_of_mass",
        "Jacobian of center_of_mass: its velocity is J v.",
        "Orin & Goswami, Centroidal momentum matrix of a humanoid robot (2008)",
        (Q,),
        Slot("J", (3, "nv"), "m | 1", "d c / d q"),
        {"recursion": com.jacobian_center_of_mass},
        per_frame=False,
        per_mass=True,
    ),
]

QUANTITIES: Mapping[str, Quantity] = {row.name: row for row in _TABLE}


@dataclass(frozen=True, eq=False)
class Instance:
    """A quantity of one robot and, for a quantity of a frame, of one frame relative to another.

    ``name`` is a C identifier: the quantity, then those frames that are not the usual ones.
    """

    robot: Robot
    quantity: Quantity
    formulation: str
    frame: str | None
    relative_to: str | None
    name: str

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The input ports."""
        return tuple(slot.of(self.robot) for slot in self.quantity.inputs)

    @property
    def output(self) -> Port:
        """The output port."""
        return self.quantity.output.of(self.robot)

    @property
    def doc(self) -> str:
        """The row's line, and the frames meant."""
        if self.frame is None:
            return self.quantity.doc
        return f"{self.quantity.doc} Frame: {self.frame}; relative to: {self.relative_to}."

    def __call__(self, *inputs: Matrix) -> Matrix:
        """The output's entries for column inputs of any scalar, its flat order row by row."""
        compute = self.quantity.formulations[self.formulation]
        if self.frame is None or self.relative_to is None:
            return compute(self.robot, *inputs)
        return compute(Path.between(self.robot, self.relative_to, self.frame), *inputs)


def bind(
    robot: Robot,
    quantity: str,
    *,
    frame: str | None = None,
    relative_to: str | None = None,
    formulation: str | None = None,
) -> Instance:
    """The instance of a row for a robot.

    ``frame`` may be left out when the robot has one tip only; ``relative_to`` is the root link
    unless given, and may move. Raises ArgumentError for unknown names, listing the known ones.
    """
    row = QUANTITIES.get(quantity)
    if row is None:
        raise ArgumentError(f"no quantity {quantity!r}; {_nearest(quantity, tuple(QUANTITIES))}")
    if formulation is None:
        formulation = next(iter(row.formulations))
    elif formulation not in row.formulations:
        raise ArgumentError(
            f"{quantity}: no formulation {formulation!r}; there are {', '.join(row.formulations)}"
        )
    if row.per_mass and not robot.moving_mass:
        raise ArgumentError(
            f"{quantity}: no joint of robot {robot.name!r} moves any mass; give its links masses"
        )
    if not row.per_frame:
        if frame is not None or relative_to is not None:
            raise ArgumentError(f"{quantity} belongs to the whole robot: it takes no frame")
        return Instance(robot, row, formulation, None, None, quantity)
    if frame is None:
        if len(robot.tips) != 1:
            raise ArgumentError(
                f"{quantity}: robot {robot.name!r} has {len(robot.tips)} tips "
                f"({', '.join(robot.tips)}); say which frame is meant"
            )
        frame = robot.tips[0]
    root = robot.links[0].name
    relative_to = root if relative_to is None else relative_to
    for frame_name in (frame, relative_to):
        robot.frame(frame_name)
    name = quantity
    if robot.tips != (frame,):
        name += f"_{identifier(frame)}"
    if relative_to != root:
        name += f"_relative_to_{identifier(relative_to)}"
    return Instance(robot, row, formulation, frame, relative_to, name)


def bind_all(
    robot: Robot,
    quantities: Iterable[str] | None = None,
    *,
    frame: str | None = None,
    relative_to: str | None = None,
) -> tuple[Instance, ...]:
    """The instances of the rows named, or of every row that the robot has, in their order.

    Without ``frame``, a quantity of a frame is bound once for each of the robot's tips; one of the
    whole robot takes no part in the choice of frames. Raises ArgumentError as `bind` does.
    """
    instances: list[Instance] = []
    if quantities is None:
        massless = not robot.moving_mass
        quantities = [row.name for row in _TABLE if not (row.per_mass and massless)]
    for name in dict.fromkeys(quantities):
        row = QUANTITIES.get(name)
        if row is None or not row.per_frame:
            instances.append(bind(robot, name))
            continue
        for tip in robot.tips if frame is None else (frame,):
            instances.append(bind(robot, name, frame=tip, relative_to=relative_to))
    return tuple(instances)


def identifier(name: str) -> str:
    """The name with everything that C does not allow in an identifier turned into underscores."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _nearest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
