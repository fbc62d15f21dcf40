"""How many times faster than Pinocchio one call is to be, by size of the robot."""

from __future__ import annotations

from collections.abc import Mapping

FUNCTIONS: Mapping[str, str] = {
    "ID": "inverse_dynamics",
    "M": "mass_matrix",
    "FD": "forward_dynamics",
    "dID": "inverse_dynamics_derivatives",
    "dFD": "forward_dynamics_derivatives",
}
"""dID is by q and v in one call, dFD by q, v and tau."""

ARM: Mapping[str, float] = {"ID": 9.0, "M": 5.0, "FD": 12.0, "dID": 14.0, "dFD": 11.0}
"""Up to 7 degrees of freedom."""

COLD = 1.0
"""What a call after other work must reach everywhere."""


def least(nv: int, function: str) -> float:
    """The warm target."""
    if nv <= 7:
        return ARM[function]
    if nv <= 38:
        return 4.0
    return 2.0 if nv >= 96 else 1.0
