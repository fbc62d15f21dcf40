"""Rows of the dynamics under forces from outside, and of what is linear in inertial parameters."""

from __future__ import annotations

from functools import partial

from symkin.algorithms import external_forces as external
from symkin.algorithms import external_hessian
from symkin.quantities import demands
from symkin.quantities.demands import Demand
from symkin.quantities.dynamics import ARTICLES, LAM, TAU
from symkin.quantities.table import FEATHERSTONE, A, Formulation, Q, Quantity, Slot, V

F = Slot("F", ("6k",), "N m, N", "wrenches (n, f) that act on the robot, one behind the other")

_SECTION = f"{FEATHERSTONE}, section 5.3"


def _row(
    name: str,
    doc: str,
    inputs: tuple[Slot, ...],
    output: Slot,
    compute: Formulation,
    demand: Demand = demands.nothing,
) -> Quantity:
    return Quantity(
        name,
        doc,
        _SECTION,
        inputs,
        output,
        {"wrenches": compute},
        belongs_to="forces",
        demand=demand,
    )


def _hessian_row(function: str, symbol: str, last: Slot, demand: Demand) -> Quantity:
    """Second derivatives over (q, v, last), contracted with weights."""
    compute: Formulation = getattr(external_hessian, f"{function}_hessian")
    by = f"(q, v, {last.name}), q along integrate"
    return Quantity(
        f"{function}_hessian",
        f"Hessian of lam' {symbol} of {function} over {by}, F's entries held: symmetric.",
        ARTICLES["singh"],
        (Q, V, last, F, LAM),
        Slot("H", ("3nv", "3nv"), "1, by pair", f"over {by}"),
        {"link_axes": compute, "root_axes": partial(compute, root_axes=True)},
        belongs_to="forces",
        demand=demand,
        on_request=True,
    )


ROWS = [
    _row(
        "inverse_dynamics_external",
        "Joint forces tau = M a + C v + g - J' F under wrenches F from outside.",
        (Q, V, A, F),
        Slot("tau", ("nv",), "N m | N", "joint forces"),
        external.inverse_dynamics_external,
    ),
    _row(
        "inverse_dynamics_external_dq",
        "Derivative of inverse_dynamics_external along q in the tangent space, F's entries held.",
        (Q, V, A, F),
        Slot("dtau_dq", ("nv", "nv"), "N m/rad | N/m", "d tau / d q"),
        external.inverse_dynamics_external_dq,
    ),
    _row(
        "external_torque",
        "J' F: the joint forces that do what the wrenches F do.",
        (Q, F),
        Slot("tau", ("nv",), "N m | N", "joint forces"),
        external.external_torque,
    ),
    _row(
        "external_torque_dF",
        "J' of the wrenches F: minus the derivative of inverse_dynamics_external by F.",
        (Q,),
        Slot("J_transposed", ("nv", "6k"), "1 | m", "d tau / d F"),
        external.external_torque_dF,
    ),
    _row(
        "forward_dynamics_external",
        "Accelerations a under joint forces tau and wrenches F from outside.",
        (Q, V, TAU, F),
        Slot("a", ("nv",), "rad/s^2 | m/s^2", "joint accelerations"),
        external.forward_dynamics_external,
        demands.inertia,
    ),
    _row(
        "forward_dynamics_external_dq",
        "Derivative of forward_dynamics_external along q in the tangent space, F's entries held.",
        (Q, V, TAU, F),
        Slot("da_dq", ("nv", "nv"), "1/s^2", "d a / d q"),
        external.forward_dynamics_external_dq,
        demands.inertia,
    ),
    _row(
        "forward_dynamics_external_dv",
        "Derivative of forward_dynamics_external by v.",
        (Q, V, TAU, F),
        Slot("da_dv", ("nv", "nv"), "1/s", "d a / d v"),
        external.forward_dynamics_external_dv,
        demands.inertia,
    ),
    _row(
        "forward_dynamics_dF",
        "Derivative M^-1 J' of forward_dynamics_external by F.",
        (Q,),
        Slot("da_dF", ("nv", "6k"), "1/(kg m^2), 1/(kg m) | 1/(kg m), 1/kg", "d a / d F"),
        external.forward_dynamics_dF,
        demands.inertia,
    ),
    _hessian_row("inverse_dynamics_external", "tau", A, demands.nothing),
    _hessian_row("forward_dynamics_external", "a", TAU, demands.inertia),
]
