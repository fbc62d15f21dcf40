"""Others' figures, and the targets: additions, products, divisions and roots of each function.

``PUBLISHED``: Astudillo, Carpentier et al. (2021), table S1, the analytic derivatives; for the UR5
and the Panda arm Pinocchio's algorithms traced with CasADi SX, which take fewer than urdf2casadi's.
``PROTOTYPE``: the least that was seen in trials before symkin.
"""

from __future__ import annotations

from collections.abc import Mapping

FUNCTIONS: Mapping[str, str] = {
    "ID": "inverse_dynamics",
    "M": "mass_matrix",
    "FD": "forward_dynamics",
    "dID": "inverse_dynamics_derivatives",
    "dFD": "forward_dynamics_derivatives",
    "hessian of lam' tau": "inverse_dynamics_hessian",
    "hessian of lam' a": "forward_dynamics_hessian",
    "A, B": "step_semi_implicit_euler_derivatives",
}
"""dID is by q and v, dFD by q, v and tau, A and B those of a semi-implicit Euler step."""

FIRST = ("ID", "M", "FD", "dID", "dFD")
"""The functions that others have figures of."""

PUBLISHED: Mapping[str, tuple[int, ...]] = {
    "ur5": (564, 286, 1277, 5101, 7055),
    "panda": (1218, 1049, 2629, 7405, 10065),
}
PUBLISHED_WITHOUT_M: Mapping[str, tuple[int, ...]] = {
    "iiwa7": (1150, 2675, 7739, 11874),
    "gen3": (1492, 3424, 9426, 14565),
    "yumi": (2416, 6208, 22064, 36401),
    "atlas": (4627, 11564, 52604, 164975),
}
PROTOTYPE: Mapping[str, tuple[int, ...]] = {
    "ur5": (299, 190, 572, 1317, 2626),
    "panda": (611, 414, 1230, 3041, 5128),
    "iiwa7": (445, 304, 930, 3299, 5413),
    "tree12": (1812, 2000, 4183, 10335, 16771),
    "chain12": (1752, 2870, 5506, 12348, 24044),
    "solo12": (1231, 730, 3147, 5833, 20286),
    "chain24": (3708, 11018, 15353, 31910, 116930),
    "atlas": (3165, 3225, 7698, 24935, 47957),
    "g1": (3543, 4008, 12198, 24692, 101064),
}
TARGETS: Mapping[str, tuple[int, ...]] = {
    "ur5": (250, 170, 480, 1000, 2000),
    "panda": (520, 370, 1000, 2400, 4200),
    "tree12": (1500, 1700, 3500, 8500, 14000),
    "solo12": (1000, 620, 2600, 4800, 15000),
    "g1": (3000, 3400, 10000, 20000, 75000),
    "chain24": (3200, 9500, 13000, 27000, 95000),
}


def of(figures: Mapping[str, tuple[int, ...]], robot: str, function: str) -> int | None:
    """The figure of a robot's function, if there is one."""
    functions = FIRST if figures is not PUBLISHED_WITHOUT_M else ("ID", "FD", "dID", "dFD")
    if robot not in figures or function not in functions:
        return None
    return figures[robot][functions.index(function)]


def published(robot: str, function: str) -> int | None:
    """The least published figure."""
    found = of(PUBLISHED, robot, function)
    return found if found is not None else of(PUBLISHED_WITHOUT_M, robot, function)
