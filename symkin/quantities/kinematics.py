"""Rows of the kinematics: poses, Jacobians and their rates, twists, accelerations, mass centre."""

from __future__ import annotations

from symkin.algorithms import center_of_mass as com
from symkin.algorithms import jacobian_rates as rates
from symkin.algorithms import jacobians, kinematics
from symkin.quantities import demands
from symkin.quantities.table import (
    FEATHERSTONE,
    MODERN_ROBOTICS,
    A,
    Formulation,
    Q,
    Quantity,
    Slot,
    V,
)

_MEANINGS = {
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
    for kind, meaning in _MEANINGS.items():
        formulations, where = values[kind]
        rows += [
            Quantity(
                f"jacobian_{kind}",
                f"Jacobian J with J v = {meaning}.",
                f"{MODERN_ROBOTICS}, {where}",
                (Q,),
                Slot("J", (6, "nv"), "1, m | 1/m, 1", f"maps v to {meaning}"),
                formulations,
            ),
            Quantity(
                f"jacobian_{kind}_dot",
                f"Time derivative of jacobian_{kind} along v, entry by entry.",
                f"{MODERN_ROBOTICS}, sections 5.1 and 8.3",
                (Q, V),
                Slot("J_dot", (6, "nv"), "1/s, m/s | 1/(m s), 1/s", f"d/dt of jacobian_{kind}"),
                dots[kind],
            ),
            Quantity(
                f"jacobian_{kind}_dot_v",
                f"(dJ/dt) v of jacobian_{kind}: its part of the acceleration at a = 0.",
                f"{MODERN_ROBOTICS}, sections 5.1 and 8.3",
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
            f"Velocity of the frame: {_MEANINGS[kind]}.",
            f"{MODERN_ROBOTICS}, sections 3.3.2 and 5.1",
            (Q, V),
            Slot("V", (6,), "rad/s, m/s", _MEANINGS[kind]),
            {"recursion": function},
        )
        for kind, function in twists.items()
    ]
    rows += [
        Quantity(
            f"acceleration_{kind}",
            f"Acceleration of the frame: {meaning}.",
            f"{FEATHERSTONE}, section 2.11; {MODERN_ROBOTICS}, equation 8.51",
            (Q, V, A),
            Slot("A", (6,), "rad/s^2, m/s^2", f"angular first: {meaning}"),
            {"recursion": function},
        )
        for kind, (function, meaning) in accelerations.items()
    ]
    return rows


ROWS = [
    Quantity(
        "forward_kinematics",
        "Pose of the frame in its base.",
        f"{MODERN_ROBOTICS}, equation 4.14",
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
        f"{MODERN_ROBOTICS}, appendix B.1",
        (Q,),
        Slot("x", (6,), "rad, m", "(phi, theta, psi, p)"),
        {"recursion": kinematics.pose_zyx},
    ),
    Quantity(
        "pose_rotvec",
        "Pose of the frame as rotation vector r = log R, |r| <= pi, and position.",
        f"{MODERN_ROBOTICS}, section 3.2.3",
        (Q,),
        Slot("x", (6,), "rad, m", "(r, p)"),
        {"recursion": kinematics.pose_rotvec},
    ),
    Quantity(
        "zyx_condition",
        "cos(theta) of the ZYX angles: jacobian_zyx grows like its inverse.",
        f"{MODERN_ROBOTICS}, section 5.1.5",
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
        f"{FEATHERSTONE}, section 2.13",
        (Q,),
        Slot("c", (3,), "m", "centre of mass"),
        {"recursion": com.center_of_mass},
        belongs_to="robot",
        demand=demands.mass,
    ),
    Quantity(
        "jacobian_center_of_mass",
        "Jacobian of center_of_mass: its velocity is J v.",
        "Orin & Goswami, Centroidal momentum matrix of a humanoid robot (2008)",
        (Q,),
        Slot("J", (3, "nv"), "m | 1", "d c / d q"),
        {"recursion": com.jacobian_center_of_mass},
        belongs_to="robot",
        demand=demands.mass,
    ),
]
