"""Jacobians V = J(q) v of a frame. Lynch & Park, Modern Robotics (2017), section 5.1.

Columns are twists (omega, v), angular first. Each Jacobian has two independent forms: a recursion
over the joints' frames (axis and origin columns), and one by adjoints of screws.
"""

from __future__ import annotations

from symkin.algebra import Matrix, Scalar, add, mul, vstack, zeros
from symkin.algorithms.path import Columns, Path
from symkin.spatial import (
    Pose,
    cross,
    log_so3,
    rate_zyx_inverse_at,
    right_jacobian_so3_inverse,
)


def jacobian_space(path: Path, q: Matrix) -> Matrix:
    """J_s: each joint's axis and the moment of that axis about the base's origin."""
    return path.fold(space_columns(path, q)[0])


def jacobian_space_exponentials(path: Path, q: Matrix) -> Matrix:
    """J_s,i = Ad_{exp([S_1] q_1) ... exp([S_(i-1)] q_(i-1))} S_i. Equation 5.11."""
    columns: Columns = []
    P = Pose.identity()
    for step, home, factor in zip(path.steps, path.home()[0], path.exponentials(q), strict=True):
        following = P @ factor
        carrier = P if step.constant_before else following
        columns.append(tuple(carrier.Ad(home.Ad(S)) for S in step.screws))
        P = following
    return path.fold(columns)


def jacobian_body(path: Path, q: Matrix) -> Matrix:
    """J_b, from the target backwards: each joint's screw as the target sees it."""
    return path.fold(body_columns(path, q))


def jacobian_body_adjoint(path: Path, q: Matrix) -> Matrix:
    """J_b = Ad_{T^-1} J_s. Equation 5.22."""
    columns, T = space_columns(path, q)
    return path.fold([[T.Ad_inverse(J) for J in own] for own in columns])


def jacobian_position(path: Path, q: Matrix) -> Matrix:
    """J_p: (omega_i, omega_i x (p - p_i)) of a revolute joint, (0, z_i) of a prismatic one."""
    return path.fold(position_columns(path, q)[0])


def jacobian_position_adjoint(path: Path, q: Matrix) -> Matrix:
    """J_p = L(p) J_s: (omega, v + omega x p) of every column of J_s."""
    columns, T = space_columns(path, q)
    return path.fold([[moved_to(T.p, J) for J in own] for own in columns])


def jacobian_zyx(path: Path, q: Matrix) -> Matrix:
    """diag(E^-1, 1) J_p, to the rates of the ZYX angles and of p; infinite where cos(theta) = 0."""
    columns, T = position_columns(path, q)
    E_inverse = rate_zyx_inverse_at(T.R)
    return path.fold([[vstack(E_inverse @ J[:3], J[3:]) for J in own] for own in columns])


def jacobian_rotvec(path: Path, q: Matrix) -> Matrix:
    """diag(A^-1(r), R) J_b, to the rates of r = log R and of p. Equation 5.25."""
    T = path.poses(q)[1]
    A_inverse = right_jacobian_so3_inverse(log_so3(T.R))
    columns = body_columns(path, q)
    return path.fold([[vstack(A_inverse @ J[:3], T.R @ J[3:]) for J in own] for own in columns])


def hessian_position(path: Path, q: Matrix) -> Matrix:
    """H[i, j, k], derivative of J_p[i, j] along unit speed k, as a 6 n x n matrix: H[i n + j, k].

    Column j turns with all that moves its carrier and, through p, moves with what comes after:
    (omega_k x omega_j, omega_k x l_j) for k before j and (0, omega_j x l_k) for k behind it.
    """
    columns, _ = position_columns(path, q)
    n = path.nv
    H: list[list[list[Scalar]]] = [[[0.0] * n for _ in range(n)] for _ in range(6)]
    degrees = [
        (i, step, step.coordinate.velocity + m, J)
        for i, (step, own) in enumerate(zip(path.steps, columns, strict=True))
        for m, J in enumerate(own)
    ]
    for i, step, j, J_j in degrees:
        for other, step_k, k, J_k in degrees:
            if other < i or (other == i and not step.constant_before):
                change = vstack(cross(J_k[:3], J_j[:3]), cross(J_k[:3], J_j[3:]))
            else:
                change = vstack(zeros(3), cross(J_j[:3], J_k[3:]))
            scale = step.coordinate.multiplier * step_k.coordinate.multiplier
            for row, entry in enumerate(change):
                H[row][j][k] = add(H[row][j][k], mul(scale, entry))
    return Matrix([row for plane in H for row in plane], columns=n)


def space_columns(path: Path, q: Matrix) -> tuple[Columns, Pose]:
    """Each joint's screws in the base frame, and the target's pose T."""
    carriers, T = path.poses(q)
    pairs = zip(carriers, path.steps, strict=True)
    return [tuple(P.Ad(S) for S in step.screws) for P, step in pairs], T


def body_columns(path: Path, q: Matrix) -> Columns:
    """Each joint's screws in the target's frame."""
    columns: Columns = []
    passages, X = path.passages(q)
    for step, (before, motion) in zip(reversed(path.steps), reversed(passages), strict=True):
        after = X
        X = motion @ X
        carrier = after if step.constant_after else X
        columns.append(tuple(carrier.Ad_inverse(S) for S in step.screws))
        X = before @ X
    return columns[::-1]


def position_columns(path: Path, q: Matrix) -> tuple[Columns, Pose]:
    """Each joint's (omega, dp/dt) at unit speed in the base's axes, and the target's pose T."""
    carriers, T = path.poses(q)
    columns = []
    for P, step in zip(carriers, path.steps, strict=True):
        own = []
        for S in step.screws:
            w = P.R @ S[:3]
            own.append(vstack(w, P.R @ S[3:] + cross(w, T.p - P.p)))
        columns.append(tuple(own))
    return columns, T


def moved_to(p: Matrix, column: Matrix) -> Matrix:
    """L(p) V: the velocity of the body's point at p in place of that at the base's origin."""
    return vstack(column[:3], column[3:] + cross(column[:3], p))
