"""How a frame's velocity and acceleration change with the positions and speeds of its joints.

With J_j the screw of degree of freedom j in the target's frame, V_<j and A_<j the parts of twist
and acceleration that the joints before its own give, and V_>j that of the joints behind:

    dV/dq_j = [V_<j, J_j]
    dA/dq_j = [A_<j, J_j] + [[V_<j, J_j], V - V_<j]
    dA/dv_j = [J_j, V_>j] + [V_<j, J_j]

since a displacement moves the target along J_j relative to what comes before: dJ_i/dq_j =
[J_i, J_j] for i before j. The double brackets of A = sum [J_i v_i, J_k v_k] collapse by Jacobi's
identity. Lynch & Park, Modern Robotics (2017), section 8.1 and equation 5.18, for the brackets.
"""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, vstack, zeros
from symkin.algorithms.jacobians import body_columns
from symkin.algorithms.kinematics import classical, rotate
from symkin.algorithms.path import Columns, Path
from symkin.spatial import Pose, ad, cross


@dataclass(frozen=True, slots=True, eq=False)
class FrameMotion:
    """A frame's pose T, twist V and acceleration A = dV/dt in its own axes, and how they came.

    For each joint of the path: its columns J in the target's frame, the parts (V_<, A_<) of the
    joints before it, and V_<= with its own.
    """

    T: Pose
    V: Matrix
    A: Matrix
    J: Columns
    before: list[tuple[Matrix, Matrix]]
    passed: list[Matrix]


def frame_motion(path: Path, q: Matrix, v: Matrix, a: Matrix) -> FrameMotion:
    """The motion of the path's target relative to its base."""
    J = body_columns(path, q)
    V, A = zeros(6), zeros(6)
    before, passed = [], []
    for step, own in zip(path.steps, J, strict=True):
        drive = step.drive(own, v)
        before.append((V, A))
        A = A + step.drive(own, a) + ad(V, drive)
        V = V + drive
        passed.append(V)
    return FrameMotion(path.poses(q)[1], V, A, J, before, passed)


def twist_position(motion: FrameMotion) -> Matrix:
    """(omega, dp/dt) in the base's axes, 6 x 1."""
    return rotate(motion.T.R, motion.V)


def acceleration_position(motion: FrameMotion) -> Matrix:
    """(domega/dt, d^2 p/dt^2) in the base's axes, 6 x 1."""
    return rotate(motion.T.R, classical(motion.V, motion.A))


def twist_position_derivatives(path: Path, motion: FrameMotion) -> tuple[Matrix, Matrix]:
    """d/dq and d/dv of `twist_position`, 6 x nv each; displacements in the tangent space."""
    R, dq, dv = motion.T.R, [], []
    for own, (V_in, _) in zip(motion.J, motion.before, strict=True):
        dq.append([rotate(R, _turned(S, motion.V) + ad(V_in, S)) for S in own])
        dv.append([rotate(R, S) for S in own])
    return path.fold(dq), path.fold(dv)


def acceleration_position_derivatives(path: Path, motion: FrameMotion) -> tuple[Matrix, Matrix]:
    """d/dq and d/dv of `acceleration_position`, 6 x nv each; displacements in the tangent space."""
    R, V, dq, dv = motion.T.R, motion.V, [], []
    acceleration = classical(V, motion.A)
    for own, (V_in, A_in), V_out in zip(motion.J, motion.before, motion.passed, strict=True):
        by_q, by_v = [], []
        for S in own:
            V_q = ad(V_in, S)
            A_q, A_v = ad(A_in, S) + ad(V_q, V - V_in), ad(S, V - V_out) + V_q
            by_q.append(rotate(R, _turned(S, acceleration) + A_q + _classical_change(V, V_q)))
            by_v.append(rotate(R, A_v + _classical_change(V, S)))
        dq.append(by_q)
        dv.append(by_v)
    return path.fold(dq), path.fold(dv)


def _turned(S: Matrix, V: Matrix) -> Matrix:
    """How the parts of V change in the base's axes when its frame turns along S."""
    return vstack(cross(S[:3], V[:3]), cross(S[:3], V[3:]))


def _classical_change(V: Matrix, change: Matrix) -> Matrix:
    """The change of omega x v, the difference of classical and spatial acceleration."""
    return vstack(zeros(3), cross(change[:3], V[3:]) + cross(V[:3], change[3:]))
