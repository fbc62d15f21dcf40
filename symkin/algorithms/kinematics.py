"""Poses, twists and accelerations of a frame. Lynch & Park, Modern Robotics (2017), 4.1 and 8.3."""

from __future__ import annotations

from symkin.algebra import Matrix, mul, sqrt, vstack, zeros
from symkin.algorithms.path import Path
from symkin.spatial import Pose, ad, cross, euler_zyx, log_so3


def forward_kinematics(path: Path, q: Matrix) -> Matrix:
    """T, by composing the joints' frames one after another."""
    return path.poses(q)[1].matrix()


def forward_kinematics_exponentials(path: Path, q: Matrix) -> Matrix:
    """T = exp([S_1] q_1) ... exp([S_n] q_n) M. Modern Robotics, equation 4.14."""
    P = Pose.identity()
    for factor in path.exponentials(q):
        P = P @ factor
    return (P @ path.home()[1]).matrix()


def pose_zyx(path: Path, q: Matrix) -> Matrix:
    """(phi, theta, psi, p): roll, pitch, yaw with R = Rz(psi) Ry(theta) Rx(phi), and position."""
    T = path.poses(q)[1]
    return vstack(euler_zyx(T.R), T.p)


def pose_rotvec(path: Path, q: Matrix) -> Matrix:
    """(r, p): exponential coordinates of the rotation, |r| <= pi, and position."""
    T = path.poses(q)[1]
    return vstack(log_so3(T.R), T.p)


def zyx_condition(path: Path, q: Matrix) -> Matrix:
    """cos(theta) = det E, the distance of the ZYX angles from their singularity."""
    R = path.poses(q)[1].R
    return Matrix([[sqrt(mul(R[0, 0], R[0, 0]) + mul(R[1, 0], R[1, 0]))]])


def twist_body(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """V_b = J_b v, carried from link to link."""
    return moving_frame(path, q, v)[1]


def twist_space(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """V_s = Ad_T V_b."""
    T, V, _ = moving_frame(path, q, v)
    return T.Ad(V)


def twist_position(path: Path, q: Matrix, v: Matrix) -> Matrix:
    """(omega, dp/dt) in the base's axes."""
    T, V, _ = moving_frame(path, q, v)
    return rotate(T.R, V)


def acceleration_spatial_body(path: Path, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """dV_b/dt."""
    return moving_frame(path, q, v, a)[2]


def acceleration_spatial_space(path: Path, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """dV_s/dt = Ad_T dV_b/dt, since [V_b, V_b] = 0."""
    T, _, A = moving_frame(path, q, v, a)
    return T.Ad(A)


def acceleration_spatial_position(path: Path, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """dV_b/dt in the base's axes."""
    T, _, A = moving_frame(path, q, v, a)
    return rotate(T.R, A)


def acceleration_classical_body(path: Path, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """(d omega/dt, d^2 p/dt^2) in the frame's own axes."""
    _, V, A = moving_frame(path, q, v, a)
    return classical(V, A)


def acceleration_classical_position(path: Path, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """(d omega/dt, d^2 p/dt^2) in the base's axes."""
    T, V, A = moving_frame(path, q, v, a)
    return rotate(T.R, classical(V, A))


def moving_frame(
    path: Path, q: Matrix, v: Matrix, a: Matrix | None = None
) -> tuple[Pose, Matrix, Matrix]:
    """The target's pose T, body twist V_b and its time derivative, carried from joint to joint.

    V <- Ad_{X^-1} V + S v and A <- Ad_{X^-1} A + [V, S v] + S a, X the displacement from one
    joint to the next. Modern Robotics, equations 8.50 and 8.51; without ``a``, A = (dJ_b/dt) v.
    """
    T, V, A = Pose.identity(), zeros(6), zeros(6)
    passages, after = path.passages(q)
    for step, (before, motion) in zip(path.steps, passages, strict=True):
        X = before @ motion
        T = T @ X
        screws = step.screws
        if not step.constant_after:
            screws = tuple(motion.Ad_inverse(S) for S in screws)
        drive = step.drive(screws, v)
        V = X.Ad_inverse(V) + drive
        A = X.Ad_inverse(A) + ad(V, drive)
        if a is not None:
            A = A + step.drive(screws, a)
    return T @ after, after.Ad_inverse(V), after.Ad_inverse(A)


def classical(V: Matrix, A: Matrix) -> Matrix:
    """Classical from spatial acceleration: the point's own is dv/dt + omega x v.

    Featherstone, Rigid Body Dynamics Algorithms (2008), section 2.11.
    """
    return A + vstack(zeros(3), cross(V[:3], V[3:]))


def rotate(R: Matrix, V: Matrix) -> Matrix:
    """diag(R, R) V."""
    return vstack(R @ V[:3], R @ V[3:])
