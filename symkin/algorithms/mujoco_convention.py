"""MuJoCo's conventions: its coordinates of a free body, and its Jacobians laid out as it does.

MuJoCo moves a free body by its position along the world's axes and a rotation about its own:
v = (dp/dt, omega). That is three slides and a ball, so a robot rewritten in this way has every
quantity as MuJoCo has it. Positions stay (p, x y z w) here and are (p, w x y z) there.
MuJoCo documentation: XML reference, joint type "free"; API reference, mjd_transitionFD.
"""

from __future__ import annotations

from dataclasses import replace

from symkin.algebra import Matrix, Scalar, identity, vstack, zeros
from symkin.algorithms.integrators import transition
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.model import Joint, Link, Robot
from symkin.spatial import Inertia, Pose


def in_mujoco_coordinates(robot: Robot) -> Robot:
    """The same robot with its floating joints as three slides and a ball.

    q has the same entries as before; v and tau of a body that floats are (dp/dt, omega) and (f, n)
    with p and f in the axes of the joint's frame, omega and n in those of the body.
    """
    links: list[Link] = []
    places: list[int] = []
    for link in robot.links:
        joint, parent = link.joint, -1 if link.joint is None else places[link.parent]
        if joint is not None and joint.kind == "floating":
            *slides, joint = _slides_and_ball(joint)
            for slide in slides:
                links.append(Link(slide.name, Inertia.zero(), slide, parent))
                parent = len(links) - 1
        places.append(len(links))
        links.append(replace(link, joint=joint, parent=parent))
    frames = tuple(replace(frame, link=places[frame.link]) for frame in robot.frames)
    return replace(robot, links=tuple(links), frames=frames)


def _slides_and_ball(joint: Joint) -> list[Joint]:
    here, unit = Pose.identity(), identity(3)
    slides = [
        replace(
            joint, name=f"{joint.name}.{axis}", kind="prismatic", origin=here, axis=unit.column(k)
        )
        for k, axis in enumerate("xyz")
    ]
    first = replace(slides[0], origin=joint.origin)
    return [first, *slides[1:], replace(joint, kind="spherical", origin=here)]


def qpos(robot: Robot, q: Matrix) -> Matrix:
    """MuJoCo's positions, nq x 1: those of symkin with the real part of quaternions first."""
    parts, start = [zeros(0)], 0
    for joint in robot.joints:
        own, start = q[start : start + joint.nq], start + joint.nq
        if joint.kind in ("spherical", "floating"):
            w = joint.nq - 1
            own = vstack(own[: w - 3], own[w:], own[w - 3 : w])
        parts.append(own)
    return vstack(*parts)


def inverse_dynamics_jacobians(
    robot: Robot, q: Matrix, v: Matrix, a: Matrix
) -> tuple[Matrix, Matrix, Matrix]:
    """DfDq, DfDv and DfDa of ``mjd_inverseFD``, nv x nv: row i is the derivative along input i.

    q as symkin has it, v and a in MuJoCo's coordinates.
    """
    by_q, by_v, by_a = inverse_dynamics_derivatives(in_mujoco_coordinates(robot), q, v, a)
    return by_q.T, by_v.T, by_a.T


def transition_matrices(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, h: Scalar
) -> tuple[Matrix, Matrix]:
    """A and B of ``mjd_transitionFD`` for MuJoCo's Euler integrator (semi-implicit), h in s.

    A is 2 nv x 2 nv over (dq, dv), as here; B 2 nv x nv for a motor of gear 1 at every degree of
    freedom. v and tau in MuJoCo's coordinates; joints have no damping.
    """
    moved = transition(in_mujoco_coordinates(robot), "semi_implicit_euler", q, v, tau, h)
    return moved.A, moved.B
