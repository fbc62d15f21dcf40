"""Robot files of others: their dynamics agree with Pinocchio, which reads the same files.

Every robot is fixed, and floats. Joints that follow others move freely in Pinocchio's model, whose
forces and inertias are then folded: G'tau and G'M G, with G the rates of all joints by those of
the leaders.

Coordinates are measured in units in which each one's inertia is one: forces are divided by the
square root of M's diagonal, accelerations multiplied, so that a finger's error counts as much as a
trunk's. The condition number kappa is that of M in these units: below 1e5 in all of this zoo.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from zoo import READABLE, title

from symkin.errors import ArgumentError, ModelError
from symkin.evaluate import evaluate
from symkin.model import Robot, load
from symkin.model.base import BaseKind
from symkin.quantities import QUANTITIES
from symkin.verify.oracles.pinocchio import Pinocchio
from symkin.verify.states import sample_states

if not Pinocchio.installed():
    pytest.skip('needs the extra "verify"', allow_module_level=True)

IMPOSSIBLE = {
    "romeo_laas_small.urdf": "body",
    "tiago.urdf": "base_antenna_left_link",
    "tiago_dual.urdf": "base_antenna_left_link",
    "tiago_no_hand.urdf": "base_antenna_left_link",
}
"""Links whose inertia no body has."""
MASSLESS = {"romeo.urdf": "LHand, RHand"}
"""Joints that move nothing."""

FILES = [path for path in READABLE if path.name not in IMPOSSIBLE]
VALUE, DERIVATIVE = 1e-12, 1e-11
"""4500 roundings of the largest entry, and ten times as many: sums over up to a hundred links."""

files = pytest.mark.parametrize("path", FILES, ids=title)
bases = pytest.mark.parametrize("base", ["fixed", "floating"])


@bases
@files
def test_dynamics(path: Path, base: BaseKind) -> None:
    """Forces and inertias to 1e-12, their derivatives to 1e-11; accelerations to kappa times that.

    Solving M a = tau - bias carries the errors of M and of bias to a, kappa-fold at most.
    """
    robot = load(path, snap="off", base=base)
    oracle = Pinocchio(robot, None, peer(path, robot, base))
    state = {name: x[0] for name, x in sample_states(robot, 1, seed=7).items()}
    M = oracle.dynamics("mass_matrix", state)
    size = np.sqrt(np.diag(M))
    size[size == 0.0] = 1.0  # what moves nothing
    kappa = float(np.linalg.cond(M / np.outer(size, size))) if robot.nv else 1.0
    assert kappa < 1e5 or path.name in MASSLESS

    def check(quantity: str, tolerance: float, units: Any, **options: str) -> None:
        inputs = {slot.name: state[slot.name] for slot in QUANTITIES[quantity].inputs}
        ours = evaluate(robot, quantity, **options, **inputs) * units
        theirs = oracle.dynamics(quantity, state) * units
        what = f"{quantity} {options}, kappa {kappa:.0e}"
        # Entries of derivatives are of order one in these units, unless a symmetry cancels them.
        least = 1.0 if theirs.ndim == 2 else 0.0
        allowed = tolerance * float(np.max(np.abs(theirs), initial=least))
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=allowed, err_msg=what)

    forces = 1.0 / np.outer(size, size)
    check("mass_matrix", VALUE, forces)
    check("inverse_dynamics", VALUE, 1.0 / size)
    for by in ("dq", "dv"):
        check(f"inverse_dynamics_{by}", DERIVATIVE, forces, formulation="subtrees")
    if path.name in MASSLESS:
        return
    check("forward_dynamics", kappa * VALUE, size)
    if base == "floating" and robot.nv == oracle.model.nv:
        check("forward_dynamics", kappa * VALUE, size, formulation="articulated")
    for by in ("dq", "dv"):
        check(f"forward_dynamics_{by}", kappa * DERIVATIVE, np.outer(size, 1.0 / size))


def peer(path: Path, robot: Robot, base: BaseKind) -> Any:
    """What Pinocchio reads from the file."""
    pin = Pinocchio.library()
    if base == "fixed":
        return pin.buildModelFromUrdf(str(path))
    return pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer(), robot.joint_names[0])


@bases
@pytest.mark.parametrize("path", [path for path in FILES if path.name in MASSLESS], ids=title)
def test_joints_that_move_nothing_are_named(path: Path, base: BaseKind) -> None:
    robot = load(path, snap="off", base=base)
    state = {name: x[0] for name, x in sample_states(robot, 1, seed=7).items()}
    message = rf"singular: {MASSLESS[path.name]} moves no inertia; give .* a mass"
    for quantity in ("forward_dynamics", "forward_dynamics_dq", "inverse_mass_matrix"):
        inputs = {slot.name: state[slot.name] for slot in QUANTITIES[quantity].inputs}
        with pytest.raises(ArgumentError, match=message):
            evaluate(robot, quantity, **inputs)


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_links_that_cannot_be_are_named(name: str) -> None:
    path = next(path for path in READABLE if path.name == name)
    message = f"link '{IMPOSSIBLE[name]}': inertia is not positive semidefinite"
    with pytest.raises(ModelError, match=message):
        load(path, snap="off")


def test_the_zoo_has_what_is_hard() -> None:
    """Humanoids, hands, followers and what moves nothing."""
    names = {path.name for path in FILES}
    assert {"g1_29dof_with_hand_rev_1_0.urdf", "talos_full_v2.urdf", "centauro.urdf"} <= names
    assert {"allegro_left_hand.urdf", "pr2.urdf", "tiago_pro.urdf", *MASSLESS} <= names
