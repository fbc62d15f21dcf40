"""Rows of the dynamics: forces, inertias, energies, momenta and their derivatives."""

from __future__ import annotations

from functools import partial

from symkin.algorithms import (
    aba,
    configuration,
    coriolis_matrix,
    crba,
    forward_derivatives,
    momentum,
    regressor,
    rnea,
    rnea_derivatives,
    rnea_tangents,
    second_order,
    stacked,
)
from symkin.quantities import demands
from symkin.quantities.demands import Demand
from symkin.quantities.table import (
    FEATHERSTONE,
    OWN_LINKS,
    STACKED,
    A,
    Formulation,
    Q,
    Quantity,
    Slot,
    V,
)

TAU = Slot("tau", ("nv",), "N m | N", "joint forces")
LAM = Slot("lam", ("nv",), "1", "weights of the entries")
D = Slot("d", ("nv",), "rad | m", "tangent vector, like v times a time")
Q_END = Slot("q_end", ("nq",), "rad | m", "joint positions")

ARTICLES = {
    "carpentier": (
        "Carpentier & Mansard, Analytical derivatives of rigid body dynamics algorithms (2018)"
    ),
    "echeandia": (
        "Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel "
        "symbols for rigid-body systems (2021)"
    ),
    "sola": "Sola, Deray & Atchuthan, A micro Lie theory for state estimation in robotics (2018)",
    "singh": (
        "Singh, Russell & Wensing, On second-order derivatives of rigid-body dynamics (2024)"
    ),
    "orin": "Orin, Goswami & Lee, Centroidal dynamics of a humanoid robot (2013)",
}


def _row(
    name: str,
    doc: str,
    reference: str,
    inputs: tuple[Slot, ...],
    output: Slot,
    formulations: dict[str, Formulation],
    demand: Demand = demands.nothing,
    bars: tuple[str, ...] = (),
) -> Quantity:
    limits = {STACKED: demands.alike} if STACKED in formulations else {}
    return Quantity(
        name,
        doc,
        reference,
        inputs,
        output,
        formulations,
        "robot",
        demand,
        limits,
        bars=bars,
    )


def _hessian_rows(function: str, symbol: str, last: Slot, demand: Demand) -> list[Quantity]:
    """Second derivatives over (q, v, last), contracted with weights and as a tensor."""
    contracted: Formulation = getattr(second_order, f"{function}_hessian")
    tensor: Formulation = getattr(second_order, f"{function}_hessian_tensor")
    by = f"(q, v, {last.name}), q along integrate"
    return [
        Quantity(
            f"{function}_hessian",
            f"Hessian of lam' {symbol} of {function} over {by}: symmetric.",
            ARTICLES["singh"],
            (Q, V, last, LAM),
            Slot("H", ("3nv", "3nv"), "1, by pair", f"over {by}"),
            {"link_axes": contracted, "root_axes": partial(contracted, root_axes=True)},
            belongs_to="robot",
            demand=demand,
            bars=(),
        ),
        Quantity(
            f"{function}_hessian_tensor",
            f"Second derivatives of every entry of {symbol} of {function} over {by}.",
            ARTICLES["singh"],
            (Q, V, last),
            Slot("H", ("nv", "3nv", "3nv"), "unit of the entry, by pair", f"over {by}"),
            {"link_axes": tensor, "root_axes": partial(tensor, root_axes=True)},
            belongs_to="robot",
            demand=demand,
            on_request=True,
            bars=(),
        ),
    ]


ROWS = [
    _row(
        "inverse_dynamics",
        "Joint forces tau = M(q) a + C(q, v) v + g(q) that produce the accelerations a.",
        f"{FEATHERSTONE}, section 5.3; Luh, Walker & Paul (1980)",
        (Q, V, A),
        Slot("tau", ("nv",), "N m | N", "joint forces"),
        {"newton_euler": rnea.inverse_dynamics, STACKED: stacked.inverse_dynamics},
    ),
    _row(
        "bias",
        "Joint forces C(q, v) v + g(q) at a = 0.",
        f"{FEATHERSTONE}, section 6.1",
        (Q, V),
        Slot("h", ("nv",), "N m | N", "bias forces"),
        {"newton_euler": rnea.bias},
    ),
    _row(
        "gravity_torque",
        "Joint forces g(q) that hold the robot still against gravity.",
        f"{FEATHERSTONE}, section 5.3",
        (Q,),
        Slot("g", ("nv",), "N m | N", "holding forces"),
        {"newton_euler": rnea.gravity_torque},
    ),
    _row(
        "coriolis_torque",
        "Coriolis and centrifugal joint forces C(q, v) v.",
        f"{FEATHERSTONE}, section 5.3",
        (Q, V),
        Slot("c", ("nv",), "N m | N", "Coriolis and centrifugal forces"),
        {"newton_euler": rnea.coriolis_torque},
    ),
    _row(
        "coriolis_matrix",
        "A matrix C with C v = coriolis_torque and dM/dt - 2 C skew-symmetric.",
        ARTICLES["echeandia"],
        (Q, V),
        Slot("C", ("nv", "nv"), "kg m^2/s | kg/s", "Coriolis matrix"),
        {"composites": coriolis_matrix.coriolis_matrix},
    ),
    _row(
        "mass_matrix",
        "Mass matrix M(q), symmetric and positive definite, both triangles.",
        f"{FEATHERSTONE}, table 6.2",
        (Q,),
        Slot("M", ("nv", "nv"), "kg m^2 | kg", "mass matrix"),
        {"composites": crba.mass_matrix, STACKED: stacked.mass_matrix},
    ),
    _row(
        "inverse_mass_matrix",
        "M(q)^-1 = da/dtau of forward_dynamics, both triangles.",
        f"{FEATHERSTONE}, section 6.5",
        (Q,),
        Slot("M_inverse", ("nv", "nv"), "1/(kg m^2) | 1/kg", "inverse mass matrix"),
        {"factorised": crba.inverse_mass_matrix, STACKED: stacked.inverse_mass_matrix},
        demands.inertia,
    ),
    Quantity(
        "forward_dynamics",
        "Accelerations a that the joint forces tau produce.",
        f"{FEATHERSTONE}, section 6.1 and table 7.1",
        (Q, V, TAU),
        Slot("a", ("nv",), "rad/s^2 | m/s^2", "joint accelerations"),
        {
            "factorised": aba.forward_dynamics,
            "articulated": aba.forward_dynamics_articulated,
            STACKED: stacked.forward_dynamics,
        },
        belongs_to="robot",
        demand=demands.inertia,
        limits={"articulated": demands.independence, STACKED: demands.alike},
        bars=(),
    ),
    _row(
        "kinetic_energy",
        "Kinetic energy v'M v / 2.",
        f"{FEATHERSTONE}, section 2.14",
        (Q, V),
        Slot("T", (1,), "J", "kinetic energy"),
        {"links": momentum.kinetic_energy},
    ),
    _row(
        "potential_energy",
        "Energy in the field of gravity, zero for masses at the root's origin.",
        f"{FEATHERSTONE}, section 2.14",
        (Q,),
        Slot("U", (1,), "J", "potential energy"),
        {"composites": momentum.potential_energy},
    ),
    _row(
        "centroidal_momentum",
        "Total momentum (angular, linear) about the centre of mass, in the root's axes.",
        ARTICLES["orin"],
        (Q, V),
        Slot("h_G", (6,), "kg m^2/s, kg m/s", "momentum about the centre of mass"),
        {"links": momentum.centroidal_momentum},
        demands.mass,
        ("rescale",),
    ),
    _row(
        "centroidal_momentum_matrix",
        "A_G with A_G v = centroidal_momentum.",
        ARTICLES["orin"],
        (Q,),
        Slot("A_G", (6, "nv"), "kg m^2, kg m | kg m, kg", "maps v to centroidal_momentum"),
        {"composites": momentum.centroidal_momentum_matrix},
        demands.mass,
        ("rescale",),
    ),
    _row(
        "centroidal_momentum_matrix_dot",
        "Time derivative of centroidal_momentum_matrix along v.",
        ARTICLES["orin"],
        (Q, V),
        Slot("A_G_dot", (6, "nv"), "kg m^2/s, kg m/s | kg m/s, kg/s", "dA_G/dt"),
        {"dual": momentum.centroidal_momentum_matrix_dot},
        demands.mass,
        ("rescale",),
    ),
    _row(
        "inverse_dynamics_dq",
        "Derivative of inverse_dynamics along displacements of q in the tangent space.",
        ARTICLES["carpentier"],
        (Q, V, A),
        Slot("dtau_dq", ("nv", "nv"), "N m/rad | N/m", "d tau / d q"),
        {
            "subtrees": rnea_derivatives.inverse_dynamics_dq,
            "tangents": rnea_tangents.inverse_dynamics_dq,
            STACKED: stacked.inverse_dynamics_dq,
        },
    ),
    _row(
        "inverse_dynamics_dv",
        "Derivative of inverse_dynamics by v; that by a is mass_matrix.",
        ARTICLES["carpentier"],
        (Q, V, A),
        Slot("dtau_dv", ("nv", "nv"), "N m s/rad | N s/m", "d tau / d v"),
        {
            "subtrees": rnea_derivatives.inverse_dynamics_dv,
            "tangents": rnea_tangents.inverse_dynamics_dv,
            STACKED: stacked.inverse_dynamics_dv,
        },
    ),
    _row(
        "forward_dynamics_dq",
        "Derivative of forward_dynamics along displacements of q in the tangent space.",
        ARTICLES["carpentier"],
        (Q, V, TAU),
        Slot("da_dq", ("nv", "nv"), "1/s^2", "d a / d q"),
        {
            "implicit": forward_derivatives.forward_dynamics_dq,
            "implicit_inverse": partial(
                forward_derivatives.forward_dynamics_dq, solver=crba.multiply_columns
            ),
            STACKED: stacked.forward_dynamics_dq,
        },
        demands.inertia,
    ),
    _row(
        "forward_dynamics_dv",
        "Derivative of forward_dynamics by v; that by tau is inverse_mass_matrix.",
        ARTICLES["carpentier"],
        (Q, V, TAU),
        Slot("da_dv", ("nv", "nv"), "1/s", "d a / d v"),
        {
            "implicit": forward_derivatives.forward_dynamics_dv,
            "implicit_inverse": partial(
                forward_derivatives.forward_dynamics_dv, solver=crba.multiply_columns
            ),
            STACKED: stacked.forward_dynamics_dv,
        },
        demands.inertia,
    ),
    _row(
        "inverse_dynamics_regressor",
        "Y with tau = Y pi, pi the mass, first moments and inertia of every body that moves.",
        "Khalil & Dombre, Modeling, Identification and Control of Robots (2002), section 9.5",
        (Q, V, A),
        Slot("Y", ("nv", "10n"), "N m | N per unit of pi", "without rotors and friction"),
        {"wrenches": regressor.inverse_dynamics_regressor},
        bars=OWN_LINKS,
    ),
    *_hessian_rows("inverse_dynamics", "tau", A, demands.nothing),
    *_hessian_rows("forward_dynamics", "a", TAU, demands.inertia),
    _row(
        "integrate",
        "Positions q moved by a tangent vector d, such as v h.",
        ARTICLES["sola"],
        (Q, D),
        Slot("q_end", ("nq",), "rad | m", "joint positions"),
        {"exponential": configuration.integrate},
    ),
    _row(
        "difference",
        "The shortest tangent vector d at q with integrate(q, d) = q_end.",
        ARTICLES["sola"],
        (Q, Q_END),
        Slot("d", ("nv",), "rad | m", "tangent vector"),
        {"logarithm": configuration.difference},
    ),
]
