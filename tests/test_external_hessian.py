"""Second derivatives under forces from outside, against CasADi's along integrate."""

from __future__ import annotations

from collections.abc import Callable

import casadi
import numpy as np
import pytest
from movers import flying
from peer import columns, state, worst
from scalars import EPS, Symbolic, array, vector

from symkin.algebra import Matrix
from symkin.algorithms import configuration, external_forces, external_hessian
from symkin.algorithms.crba import mass_matrix
from symkin.algorithms.external_forces import Force
from symkin.model import Robot, load

SCENES: dict[str, Callable[[], tuple[Robot, tuple[Force, ...]]]] = {
    "ur5": lambda: (load("ur5"), (Force("tool0", axes="base_link"), Force("forearm_link"))),
    "flying": lambda: (
        flying(),
        (
            Force("hand", axes="world"),
            Force("arm", axes="tail", about="base"),
            Force("tail", axes="world", about="hand"),
        ),
    ),
}


def by_casadi(robot: Robot, f: Callable[..., Matrix], x: list[np.ndarray]) -> np.ndarray:
    """The Hessian of lambda'f(integrate(q, d), v, a, F) over (d, v, a) at d = 0."""
    q, v, a, F, lam = x
    n = robot.nv
    at = Matrix([[casadi.SX(float(entry))] for entry in q])

    def moved(x: Matrix) -> Matrix:
        d, v, a = (x[k * n : (k + 1) * n] for k in range(3))
        return f(configuration.integrate(robot, at, d), v, a, vector(F))

    return Symbolic(moved, 3 * n).hessian(np.concatenate([np.zeros(n), v, a]), lam)


@pytest.mark.parametrize("root_axes", [False, True])
@pytest.mark.parametrize("kind", ["inverse", "forward"])
@pytest.mark.parametrize("name", SCENES)
def test_hessians_along_integrate(name: str, kind: str, root_axes: bool) -> None:
    robot, forces = SCENES[name]()
    q, v, a = state(robot, 0)
    rng = np.random.default_rng(1)
    x = [q, v, a, rng.normal(size=6 * len(forces)), rng.normal(size=robot.nv)]
    whole = getattr(external_forces, f"{kind}_dynamics_external")
    hessian = getattr(external_hessian, f"{kind}_dynamics_external_hessian")
    H = hessian(robot, forces, *columns(*x), root_axes=root_axes)
    assert np.array_equal(array(H), array(H).T)
    expected = by_casadi(robot, lambda *own: whole(robot, forces, *own), x)
    # M^-1 is applied thrice: to the forces, to lambda, and to the change of M mu.
    condition = np.linalg.cond(array(mass_matrix(robot, vector(q)))) if kind == "forward" else 1.0
    assert worst(H, expected) <= 100 * EPS * condition


def test_only_outside_forces_act_on_what_is_weightless() -> None:
    robot, forces = SCENES["flying"]()
    own = columns(*state(robot, 2))
    F = vector(np.random.default_rng(3).normal(size=6 * len(forces)))
    moved = external_forces.inverse_dynamics_external_dq(robot, forces, *own, F)
    free = external_forces.inverse_dynamics_external_dq(robot, (), *own, vector(np.zeros(0)))
    slope = external_hessian.external_torque_dq(robot, forces, own[0], F)
    assert worst(slope, array(free) - array(moved)) <= 1000 * EPS
