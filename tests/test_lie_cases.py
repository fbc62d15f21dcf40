"""Trouble cases of logarithms: half turns, tiny angles, the pose error at its goal."""

from __future__ import annotations

import numpy as np
import pytest
import scalars
from scalars import EPS, array, checks, vector

from symkin import spatial
from symkin.algebra import Matrix, constant, cos, sin, zeros
from symkin.spatial import Pose


@pytest.mark.parametrize("check", checks("L01_log_at_pi") + checks("L03_log_near_zero"))
def test_cases_of_logarithms(check: dict) -> None:
    R = scalars.matrix(check["in"]["R"])
    value, expect = array(spatial.log_so3(R)).ravel(), np.array(check["expect"])
    if check.get("sign_free") and value @ expect < 0:
        value = -value
    assert (np.abs(value - expect) <= check["atol"] + check["rtol"] * np.abs(expect)).all()
    assert np.abs(array(spatial.exp_so3(vector(value)) - R)).max() < 1e-12


def arm(q: Matrix) -> Pose:
    """The tool's pose of the three-joint arm of case L05, its numbers copied from robot.urdf."""

    def turn(axis: list[int], angle: object) -> Pose:
        return Pose(spatial.axis_rotation(constant(axis), sin(angle), cos(angle)), zeros(3))

    def placed(xyz: list[float], rpy: list[float]) -> Pose:
        return Pose(spatial.rotation_zyx(constant(rpy)), constant(xyz))

    first = placed([0.0, 0.0, 0.2], [0.0, 0.0, 0.0]) @ turn([0, 0, 1], q[0])
    second = placed([0.05, 0.0, 0.25], [0.0, 0.0, 0.3]) @ turn([0, 1, 0], q[1])
    third = placed([0.35, 0.0, 0.0], [0.2, 0.0, 0.0]) @ turn([0, 1, 0], q[2])
    return first @ second @ third @ placed([0.2, 0.03, 0.05], [0.5, -0.3, 0.8])


LINEAR_FIRST = [3, 4, 5, 0, 1, 2]


def pose_error(q_goal: list[float]) -> scalars.Function:
    goal = arm(vector(q_goal))
    return lambda q: spatial.log_se3(goal.inverse() @ arm(q))


@pytest.mark.parametrize("check", checks("L05_pose_error_gradient_at_goal"))
def test_case_of_the_pose_error_at_the_goal(check: dict) -> None:
    q, error = np.array(check["in"]["q"]), pose_error(check["in"]["q_goal"])
    traced = scalars.Symbolic(error, 3)
    value = traced.value(q)
    jacobian = np.hstack([traced.along(q, e) for e in np.eye(3)])
    stepped = np.hstack([scalars.complex_step(error, q, e) for e in np.eye(3)])
    assert np.abs(stepped - jacobian).max() < 1e-14
    cost = scalars.Symbolic(lambda q: (error(q).T @ error(q)) * 0.5, 3)
    results = {
        "pose_error": value[LINEAR_FIRST, 0],
        "pose_error_jac": jacobian[LINEAR_FIRST],
        "pose_cost_grad": cost.gradient(q, np.eye(1)),
        "pose_cost_hess": cost.hessian(q, np.eye(1)),
    }
    expect = np.array(check["expect"])
    bound = check["atol"] + check["rtol"] * np.abs(expect)
    assert (np.abs(results[check["op"]] - expect) <= bound).all()


def test_pose_error_exactly_at_the_goal() -> None:
    """T_goal^-1 T = 1 to the last bit: error 0, its derivative 1, the cost's Hessian 1."""
    traced = scalars.Symbolic(lambda x: spatial.log_se3(spatial.exp_se3(x)), 6)
    x = np.zeros(6)
    assert np.array_equal(traced.value(x), np.zeros((6, 1)))
    rows = np.array([traced.gradient(x, row) for row in np.eye(6)])
    columns = np.hstack([traced.along(x, e) for e in np.eye(6)])
    assert np.abs(rows - np.eye(6)).max() <= EPS
    assert np.abs(columns - np.eye(6)).max() <= EPS

    def cost(x: Matrix) -> Matrix:
        e = spatial.log_se3(spatial.exp_se3(x))
        return (e.T @ e) * 0.5

    traced_cost = scalars.Symbolic(cost, 6)
    assert np.abs(traced_cost.gradient(x, np.eye(1))).max() == 0.0
    assert np.abs(traced_cost.hessian(x, np.eye(1)) - np.eye(6)).max() < 8 * EPS
