"""Quantities that are often wanted at once: as one function they share what they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symkin.algorithms.integrators import SCHEMES


@dataclass(frozen=True, slots=True)
class Bundle:
    """The names of some quantities, in the order of the function's outputs, and what they are."""

    name: str
    doc: str
    quantities: tuple[str, ...]


BUNDLES: Mapping[str, Bundle] = {
    bundle.name: bundle
    for bundle in (
        Bundle(
            "pose_and_jacobian",
            "Where the frame is, and how it moves with the joints.",
            ("forward_kinematics", "jacobian_position"),
        ),
        Bundle(
            "task_space",
            "What a controller in task space needs of the model.",
            ("forward_kinematics", "jacobian_position", "mass_matrix", "bias"),
        ),
        Bundle(
            "inverse_dynamics_derivatives",
            "Derivatives of inverse_dynamics by q and v; that by a is mass_matrix.",
            ("inverse_dynamics_dq", "inverse_dynamics_dv"),
        ),
        Bundle(
            "forward_dynamics_derivatives",
            "Derivatives of forward_dynamics by q, v and tau.",
            ("forward_dynamics_dq", "forward_dynamics_dv", "inverse_mass_matrix"),
        ),
        Bundle(
            "contact_dynamics",
            "Forward dynamics in contact: one solve gives both.",
            ("contact_acceleration", "contact_force"),
        ),
        Bundle(
            "contact_dynamics_derivatives",
            "Derivatives of both outputs of contact_dynamics by q, v and tau.",
            tuple(
                f"{whole}_{by}"
                for whole in ("contact_acceleration", "contact_force")
                for by in ("dq", "dv", "dtau")
            ),
        ),
        *(
            Bundle(
                f"step_{scheme}_derivatives",
                f"A = dx+/dx and B = dx+/dtau of step_{scheme}.",
                (f"step_{scheme}_dx", f"step_{scheme}_dtau"),
            )
            for scheme in SCHEMES
        ),
    )
}
"""By name."""
