"""Laws of forces from outside: by default one wrench at every tip, in the root's axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symkin.algebra.bounded import Bounded
from symkin.verify.arrays import exactly, joined, skew_of, transposed
from symkin.verify.laws.law import Law, Sides, columns_of, hessian_of
from symkin.verify.scene import Scene


def _work(scene: Scene) -> Bounded:
    """The sum of J_s' (R n + p x R f, R f), R the axes of each wrench and p its point."""
    root, total = scene.robot.links[0].name, exactly(np.zeros((scene.count, scene.robot.nv, 1)))
    for k, force in enumerate(scene.instance("external_torque").forces):
        J = scene.of(force.frame, root).value("jacobian_space")
        axes = scene.of(force.axes or force.frame, root).value("forward_kinematics")
        about = scene.of(force.about or force.frame, root).value("forward_kinematics")
        F = exactly(scene.states["F"][:, 6 * k : 6 * k + 6, None])
        n, f = axes[:, :3, :3] @ F[:, :3], axes[:, :3, :3] @ F[:, 3:]
        total = total + transposed(J) @ joined([n + skew_of(about[:, :3, 3]) @ f, f], axis=-2)
    return total[..., 0]


def _torque(scene: Scene) -> Sides:
    return scene.value("external_torque"), _work(scene)


def _less_torque(scene: Scene) -> Sides:
    return scene.value("inverse_dynamics_external"), scene.value("inverse_dynamics") - _work(scene)


def _there_and_back(scene: Scene) -> Sides:
    a = scene.value("forward_dynamics_external")
    back = scene.at({**scene.states, "a": a.value}).value("inverse_dynamics_external")
    off = np.abs(scene.value("mass_matrix").value) @ a.bound[:, :, None]
    return Bounded(back.value, back.bound + off[..., 0]), scene.states["tau"]


LAWS: Mapping[str, tuple[Law, ...]] = {
    "external_torque": (
        Law("sum of J_s' F, every F in the root's axes about its origin", _torque),
    ),
    "external_torque_dF": (columns_of("external_torque_dF", "external_torque", 1),),
    "inverse_dynamics_external": (Law("inverse_dynamics less J_s' F", _less_torque),),
    "inverse_dynamics_external_dq": (
        columns_of("inverse_dynamics_external_dq", "inverse_dynamics_external", 0),
    ),
    "forward_dynamics_external": (Law("inverse dynamics gives tau back", _there_and_back),),
    **{
        f"forward_dynamics_external_{by}": (
            columns_of(f"forward_dynamics_external_{by}", "forward_dynamics_external", number),
        )
        for number, by in enumerate(("dq", "dv"))
    },
    "inverse_dynamics_external_hessian": (
        hessian_of(
            "inverse_dynamics_external_hessian",
            "inverse_dynamics_external_dq",
            "inverse_dynamics_dv",
        ),
    ),
    "forward_dynamics_external_hessian": (
        hessian_of(
            "forward_dynamics_external_hessian",
            "forward_dynamics_external_dq",
            "forward_dynamics_external_dv",
        ),
    ),
    "forward_dynamics_dF": (columns_of("forward_dynamics_dF", "forward_dynamics_external", 3),),
}
