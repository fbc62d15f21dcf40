"""Forces as a linear function of parameters, and which parameters they tell apart."""

from __future__ import annotations

import numpy as np
import pytest
from movers import flying
from peer import Peer, columns, state, worst
from scalars import EPS, array
from test_friction import resisting

from symkin.algorithms import rnea
from symkin.algorithms.regressor import (
    drive_parameter_names,
    drive_parameters,
    drive_regressor,
    inertial_parameter_names,
    inertial_parameters,
    inverse_dynamics_regressor,
)
from symkin.identification import base_parameters
from symkin.model import Robot, load, prepare
from symkin.model.prepare import lump
from symkin.spatial import Inertia

DYNAMICS = 1000 * EPS
ROBOTS = {
    "ur5": lambda: load("ur5"),
    "fr3": lambda: load("fr3"),
    "scara": lambda: load("scara"),
    "tree12, floating": lambda: load("tree12", base="floating"),
    "flying": flying,
}


@pytest.mark.parametrize("name", ROBOTS)
def test_forces_are_linear_in_the_parameters(name: str) -> None:
    robot = ROBOTS[name]().with_armature({})
    own = columns(*state(robot, 0))
    tau = array(rnea.inverse_dynamics(robot, *own))
    drives = drive_regressor(robot, *own[1:]) @ drive_parameters(robot)
    for made in (robot, prepare(robot, ("lump",))):
        Y, pi = inverse_dynamics_regressor(made, *own), inertial_parameters(made)
        assert Y.shape == (robot.nv, len(pi)) == (robot.nv, len(inertial_parameter_names(made)))
        assert inertial_parameter_names(made) == inertial_parameter_names(robot)
        assert worst(Y @ pi + drives, tau) <= DYNAMICS


def test_columns_are_those_of_pinocchio() -> None:
    robot = lump(load("tree12", base="floating"))
    q, v, a = state(robot, 1)
    peer = Peer(robot)
    Y = peer.pin.computeJointTorqueRegressor(
        peer.model, peer.data, peer.q(q), peer.theirs(v), peer.theirs(a)
    )[peer.order]
    # theirs: Ixx, Ixy, Iyy, Ixz, Iyz, Izz
    places = [0, 1, 2, 3, 4, 6, 9, 5, 8, 7]
    columns_ = [10 * body + k for body in range(peer.model.njoints - 1) for k in places]
    assert worst(inverse_dynamics_regressor(robot, *columns(q, v, a)), Y[:, columns_]) <= DYNAMICS


def test_names_and_values_of_parameters() -> None:
    robot = load("planar_2r")
    names = inertial_parameter_names(robot)
    assert names[:10] == tuple(
        f"upper_arm.{p}" for p in ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Ixz")
    )
    body: Inertia = lump(robot).links[1].inertia
    I = array(body.about_origin)  # noqa: E741 - the book's letter
    moments = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[1, 2], I[0, 2]]
    expect = [body.mass, *body.moment, *moments]
    assert list(inertial_parameters(robot))[:10] == expect


@pytest.mark.parametrize(("damping", "smoothing"), [(False, None), (True, None), (True, 0.1)])
def test_drives_have_columns_of_their_own(damping: bool, smoothing: float | None) -> None:
    robot = resisting().with_friction(damping=damping, smoothing=smoothing)
    own = columns(*state(robot, 2))
    Y, pi = inverse_dynamics_regressor(robot, *own), inertial_parameters(robot)
    Y_d, pi_d = drive_regressor(robot, *own[1:]), drive_parameters(robot)
    tau = array(rnea.inverse_dynamics(robot, *own))
    assert worst(Y @ pi + Y_d @ pi_d, tau) <= DYNAMICS
    names = drive_parameter_names(robot)
    assert Y_d.shape == (robot.nv, len(names))
    assert names[3:6] == ("hinge.armature", "hinge.damping", "hinge.friction")
    assert list(pi_d)[3:6] == [0.05, 0.3, 0.5]
    counted = np.abs(array(Y_d)).max(axis=0) > 0.0
    assert counted[3::3].all()
    assert (counted[1::3] == damping).all()
    assert (counted[2::3] == (smoothing is not None)).all()


@pytest.mark.parametrize(
    ("name", "count"),
    [
        # one for a first link about the vertical, seven for every further one that turns
        ("ur5", 36),
        ("fr3", 43),
        # I_1 + m_2 l_1^2, and of the second link its first moments and inertia about the axis
        ("planar_2r", 4),
        ("scara", 8),
    ],
)
def test_known_numbers_of_base_parameters(name: str, count: int) -> None:
    base = base_parameters(load(name))
    assert len(base.independent) == count
    assert base.left_kept > 0.1
    assert base.left_dropped < 1e-13


def test_base_parameters_of_a_planar_arm_by_hand() -> None:
    robot = load("planar_2r")
    assert base_parameters(robot).describe() == (
        "upper_arm.Izz + 0.16 forearm.m",
        "forearm.mx",
        "forearm.my",
        "forearm.Izz",
    )
    inertial = dict(zip(inertial_parameter_names(robot), inertial_parameters(robot), strict=True))
    expect = [
        inertial["upper_arm.Izz"] + 0.4**2 * inertial["forearm.m"],
        *(inertial[f"forearm.{p}"] for p in ("mx", "my", "Izz")),
    ]
    assert worst(base_parameters(robot).values(robot), expect) <= 1e-14


@pytest.mark.parametrize("name", ROBOTS)
def test_base_parameters_give_the_same_forces(name: str) -> None:
    """Also at states and with parameters that they were not found from, and no fewer would."""
    robot: Robot = ROBOTS[name]()
    base = base_parameters(robot)
    rows = [array(inverse_dynamics_regressor(robot, *columns(*state(robot, s)))) for s in range(40)]
    Y = np.vstack(rows)
    pi = np.random.default_rng(3).normal(size=Y.shape[1])
    independent = Y[:, list(base.independent)]
    assert worst(independent @ (base.grouping @ pi), Y @ pi) <= 1e-12
    assert np.linalg.matrix_rank(Y, tol=1e-9 * np.linalg.norm(Y, 2)) == len(base.independent)
    assert (base.grouping[:, list(base.independent)] == np.eye(len(base.independent))).all()
