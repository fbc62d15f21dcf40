"""Derivatives laid out as MuJoCo has them, against its own finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from movers import MOVERS, body, flying, state
from scalars import CASES, array, relative_error

from symkin.algebra import Matrix, constant
from symkin.algorithms import mujoco_convention
from symkin.algorithms.crba import mass_matrix
from symkin.algorithms.mujoco_convention import in_mujoco_coordinates
from symkin.model import Attachment, Joint, Link, Robot, assemble, load
from symkin.spatial import Inertia, Pose, quaternion_from_rotation
from symkin.spatial.rotations import rotation_zyx

mujoco = pytest.importorskip("mujoco")

STEP = 0.01
DIFFERENCES = 1e-5
"""What forward differences of step 1e-6 leave of Jacobians that change by 10 per radian."""


def drone() -> Robot:
    """A body that floats with two links that hang on it, one by a hinge and one by a ball."""
    tilted = Pose(rotation_zyx(constant([0.3, -0.5, 0.8])), constant([0.2, 0.1, -0.05]))
    return assemble(
        "drone",
        {
            "world": Inertia.zero(),
            "base": body(3.0, 0.05, 0.02, -0.03),
            "arm": body(1.2, 0.1, 0.05, 0.2),
            "hand": body(0.7, 0.05, 0.1, 0.02),
        },
        [
            Attachment(Joint("free", "floating"), "world", "base"),
            Attachment(
                Joint("hinge", "revolute", tilted, constant([0, 0.6, 0.8]), armature=0.02),
                "base",
                "arm",
            ),
            Attachment(Joint("ball", "spherical", tilted), "arm", "hand"),
        ],
    )


ROBOTS = {
    "ur5": MOVERS["ur5"],
    "scara": lambda: load("scara"),
    "tree12": lambda: load("tree12"),
    "case": lambda: load(CASES / "D06_transition_matrices" / "robot.urdf"),
    "drone": drone,
}
robots = pytest.mark.parametrize("robot", [make() for make in ROBOTS.values()], ids=tuple(ROBOTS))

KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "spherical": "ball",
    "floating": "free",
}


def mjcf(robot: Robot) -> str:
    """The robot for MuJoCo, with a motor of gear 1 for every degree of freedom."""
    motors = []
    for joint in robot.joints:
        for k in range(joint.nv):
            gear = np.eye(6)[k]
            motors.append(f'<motor joint="{joint.name}" gear="{_numbers(gear)}"/>')
    x, y, z = robot.gravity
    return f"""<mujoco>
      <compiler angle="radian" boundmass="0" boundinertia="0"/>
      <option timestep="{STEP}" gravity="{x} {y} {z}" integrator="Euler">
        <flag contact="disable"/></option>
      <worldbody>{"".join(_body(robot, i) for i in robot.children(0))}</worldbody>
      <actuator>{"".join(motors)}</actuator>
    </mujoco>"""


def _body(robot: Robot, index: int) -> str:
    link = robot.links[index]
    joint, place = _joint(link), _place(link.joint.origin)
    inside = "".join(_body(robot, i) for i in robot.children(index))
    return f"<body {place}>{joint}{_inertial(link.inertia)}{inside}</body>"


def _joint(link: Link) -> str:
    joint = link.joint
    if not joint.moves:
        return ""
    axis, kind = _numbers(joint.axis), KINDS[joint.kind]
    return f'<joint name="{joint.name}" type="{kind}" axis="{axis}" armature="{joint.armature}"/>'


def _place(pose: Pose) -> str:
    x, y, z, w = quaternion_from_rotation(pose.R)
    return f'pos="{_numbers(pose.p)}" quat="{_numbers((w, x, y, z))}"'


def _inertial(inertia: Inertia) -> str:
    if inertia.mass == 0.0:
        return ""
    T = array(inertia.tensor)
    moments = (T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2])
    mass = f'pos="{_numbers(inertia.com)}" mass="{float(inertia.mass)!r}"'
    return f'<inertial {mass} fullinertia="{_numbers(moments)}"/>'


def _numbers(values: object) -> str:
    return " ".join(repr(float(x)) for x in values)


def simulated(robot: Robot) -> tuple:
    model = mujoco.MjModel.from_xml_string(mjcf(robot))
    data = mujoco.MjData(model)
    q, v, tau = state(robot)
    data.qpos[:] = array(mujoco_convention.qpos(robot, q)).ravel()
    data.qvel[:] = array(v).ravel()
    data.ctrl[:] = array(tau).ravel()
    return model, data


@robots
def test_inverse_dynamics_jacobians_are_mjd_inverse_fd(robot: Robot) -> None:
    model, data = simulated(robot)
    q, v, a = state(robot)
    data.qacc[:] = array(a).ravel()
    theirs = [np.zeros((robot.nv, robot.nv)) for _ in range(3)]
    mujoco.mj_inverse(model, data)
    mujoco.mjd_inverseFD(model, data, 1e-6, False, *theirs, None, None, None, None)
    ours = mujoco_convention.inverse_dynamics_jacobians(robot, q, v, a)
    for one, other in zip(ours, theirs, strict=True):
        assert relative_error(array(one), other) < DIFFERENCES
    # The first two are far from symmetric: what is not transposed would not pass.
    assert relative_error(array(ours[0].T), theirs[0]) > 0.01


@robots
def test_transition_matrices_are_mjd_transition_fd(robot: Robot) -> None:
    model, data = simulated(robot)
    A, B = np.zeros((2 * robot.nv, 2 * robot.nv)), np.zeros((2 * robot.nv, robot.nv))
    mujoco.mj_forward(model, data)
    mujoco.mjd_transitionFD(model, data, 1e-6, True, A, B, None, None)
    ours = mujoco_convention.transition_matrices(robot, *state(robot), np.float64(STEP))
    assert relative_error(array(ours[0]), A) < DIFFERENCES
    assert relative_error(array(ours[1]), B) < DIFFERENCES
    assert relative_error(array(ours[0].T), A) > 0.01


def test_robot_in_mujoco_coordinates() -> None:
    robot = flying()
    other = in_mujoco_coordinates(robot)
    assert (other.nq, other.nv) == (robot.nq, robot.nv)
    assert other.joint_names == ("free.x", "free.y", "free.z", "free", "hinge", "ball")
    q = state(robot)[0]
    # M' = S' M S for v = S v' = (omega, R' dp/dt): rotations leave the spectrum of M alone.
    spectra = [np.linalg.eigvalsh(array(mass_matrix(r, q))) for r in (robot, other)]
    assert relative_error(spectra[0], spectra[1]) < 1e-14
    assert in_mujoco_coordinates(other).digest == other.digest


def test_positions_have_the_real_part_of_quaternions_first() -> None:
    q = Matrix([[x] for x in (1, 2, 3, 10, 20, 30, 40, 5, 11, 21, 31, 41)])
    expected = [1, 2, 3, 40, 10, 20, 30, 5, 41, 11, 21, 31]
    assert list(mujoco_convention.qpos(flying(), q)) == expected
