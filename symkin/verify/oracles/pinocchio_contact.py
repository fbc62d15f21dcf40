"""Frames that Pinocchio holds: its rigid constraints and their derivatives.

Carpentier, Budhiraja & Mansard, Proximal and sparse resolution of constrained dynamic equations
(2021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from symkin.algorithms.contact import Contact
from symkin.quantities import Instance
from symkin.quantities.demands import independence

Array = npt.NDArray[np.float64]

_WHOLE = ("contact_acceleration", "contact_force")

CONTACT_CONVENTIONS = {
    **dict.fromkeys(_WHOLE, "constraintDynamics, CONTACT_3D"),
    **{
        f"{whole}_d{by}": "computeConstraintDynamicsDerivatives, CONTACT_3D"
        for whole in _WHOLE
        for by in ("q", "v", "tau")
    },
}

HARD = (1e-15, 1e-15, 0.0, 1)
"""Accuracies, softness and iterations of its solver: one solution of the equations as they are."""


class Model(Protocol):
    """What is asked of Pinocchio's adapter; G takes our velocities to its own."""

    pin: Any
    model: Any
    data: Any
    G: Array

    def positions(self, q: Array) -> Array: ...

    def frame_id(self, name: str) -> int: ...


def refused_contacts(instance: Instance) -> str:
    """Why Pinocchio's answer would be another one; "" if it would not.

    Its drift of a full contact is that of the spatial acceleration, and Baumgarte's terms are of
    errors that it states in other axes.
    """
    if not instance.contacts:
        return ""
    for contact in instance.contacts:
        if contact.full or not contact.hard or contact.damping or contact.stiffness:
            return f"holds hard points only, and {contact.frame} is held otherwise"
    return independence(instance.robot)


def contact_dynamics(
    oracle: Model, quantity: str, contacts: Sequence[Contact], state: Mapping[str, Array]
) -> Array:
    """Accelerations, contact forces or a derivative of one of them."""
    pin, model, data, G = oracle.pin, oracle.model, oracle.data, oracle.G
    held, solved = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for contact in contacts:
        frame = model.frames[oracle.frame_id(contact.frame)]
        place = (frame.parentJoint, frame.placement, pin.LOCAL_WORLD_ALIGNED)
        held.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *place))
    for each in held:
        solved.append(each.createData())
    pin.initConstraintDynamics(model, data, held, solved)
    v, tau = (G @ state.get(name, np.zeros(G.shape[1])) for name in ("v", "tau"))
    settings = pin.ProximalSettings(*HARD)
    q = oracle.positions(state["q"])
    a = pin.constraintDynamics(model, data, q, v, tau, held, solved, settings)
    whole, _, by = quantity.rpartition("_d")
    if not whole:
        return np.array(G.T @ a if quantity == "contact_acceleration" else data.lambda_c)
    pin.computeConstraintDynamicsDerivatives(model, data, held, solved, settings)
    if whole == "contact_acceleration":
        return np.array(G.T @ getattr(data, f"ddq_d{by}") @ G)
    return np.array(getattr(data, f"dlambda_d{by}") @ G)
