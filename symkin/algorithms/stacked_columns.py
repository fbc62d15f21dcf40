"""What is computed for one degree of freedom at a time in `stacked`: functions of columns.

Bodies are given by h and I = (xx, yy, zz, xy, yz, xz) about the common point, 9 x 1, and their
mass; twists, accelerations and wrenches are 6 x 1. An acceleration A is spatial: the velocity of
the body's point that passes the common point changes by A_v + w x v.
"""

from __future__ import annotations

from symkin.algebra import Matrix, add, column, mul, vstack
from symkin.algorithms import crba
from symkin.algorithms.rnea import Motion, inertial_wrench, squared
from symkin.algorithms.rnea_derivatives import Perturbation, Response, Subtree, completed
from symkin.algorithms.tree import along
from symkin.spatial import Inertia, Pose, ad, ad_dual, cross, skew


def numbers(inertia: Inertia) -> Matrix:
    """h and I of an inertia."""
    return inertia.parameters[1:]


def placed(R: Matrix, p: Matrix, S: Matrix, mass: Matrix, body: Matrix) -> tuple[Matrix, Matrix]:
    """S and the body, whose frame has the pose (R, p), R row by row, about the common point."""
    pose = Pose(Matrix([R[:3], R[3:6], R[6:]]), p)
    return pose.Ad(S), numbers(_inertia(mass, body).seen_from(pose))


def momentum(S: Matrix, mass: Matrix, body: Matrix) -> tuple[Matrix]:
    """I S."""
    return (crba.momentum(_inertia(mass, body), S),)


def drive(S: Matrix, v: Matrix) -> tuple[Matrix]:
    """S v."""
    return (S * v[0],)


def rate(S: Matrix, V: Matrix, v: Matrix, a: Matrix) -> tuple[Matrix]:
    """S a + V x S v, V of the own body."""
    return (S * a[0] + ad(V, S) * v[0],)


def force(mass: Matrix, body: Matrix, V: Matrix, A: Matrix, lift: Matrix) -> tuple[Matrix]:
    """The wrench that a body's motion takes, lifted against gravity."""
    w, w_dot = V[:3], A[:3]
    a = A[3:] + lift + cross(w, V[3:])
    motion = Motion(w, w_dot, a, skew(w_dot) + squared(w))
    return (inertial_wrench(_inertia(mass, body), motion),)


def torque(S: Matrix, F: Matrix, rotor: Matrix, a: Matrix) -> tuple[Matrix]:
    """S'F, and what the rotor takes."""
    return (column(add(along(S, F), mul(rotor[0], a[0]))),)


def flow(mass: Matrix, body: Matrix, V: Matrix) -> tuple[Matrix]:
    """g = sum m r_dot and N = sum m ((r_dot . r) 1 - r_dot r') of a body, row by row."""
    w, v, inertia = V[:3], V[3:], _inertia(mass, body)
    turning = Subtree.of(inertia, w)
    N = turning.N + completed(v @ inertia.moment.T)
    return (column(*(turning.g + v * mass[0]), *N),)


def responses(S: Matrix, mass: Matrix, body: Matrix, flow: Matrix) -> tuple[Matrix]:
    """How the joint's force answers a perturbation of its subtree: the product with the latter."""
    response = Response.of(_subtree(mass, body, flow), S)
    return (vstack(response.w, response.momentum),)


def perturbations(
    S: Matrix, V: Matrix, V_before: Matrix, A_before: Matrix, lift: Matrix
) -> tuple[Matrix, Matrix]:
    """(2 d_w, beta, d_a), 9 x 1, by a displacement and by a speed along S."""
    turned = ad(V_before, S)
    A = vstack(A_before[:3], A_before[3:] + lift)
    by_q = ad(A, S) + ad(V_before, turned)
    by_v = ad(V_before + V, S)
    return vstack(turned[:3] * 2.0, by_q), vstack(S[:3] * 2.0, by_v)


def wrenches(
    S: Matrix, mass: Matrix, body: Matrix, flow: Matrix, F: Matrix, by_q: Matrix, by_v: Matrix
) -> tuple[Matrix, Matrix]:
    """The wrenches that these perturbations of the subtree take, as its carriers feel them."""
    subtree = _subtree(mass, body, flow)
    return (
        subtree.wrench(_perturbation(by_q)) + ad_dual(S, F),
        subtree.wrench(_perturbation(by_v)),
    )


def _inertia(mass: Matrix, body: Matrix) -> Inertia:
    return Inertia.of_parameters(vstack(mass, body))


def _subtree(mass: Matrix, body: Matrix, flow: Matrix) -> Subtree:
    return Subtree(_inertia(mass, body), flow[:3], Matrix([flow[3:6], flow[6:9], flow[9:]]))


def _perturbation(change: Matrix) -> Perturbation:
    return Perturbation(change[:3] * 0.5, change[3:6], change[6:])
