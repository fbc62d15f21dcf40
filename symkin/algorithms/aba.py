"""Forward dynamics: by solving with the mass matrix, and by the articulated body algorithm.

Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.1 and table 7.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, column, identity, mul, sub, vstack, zeros
from symkin.algorithms.crba import factorise, mass_matrix, momentum, solve
from symkin.algorithms.rnea import NO_WRENCHES, Wrenches, bias, carried_wrench
from symkin.algorithms.tree import ROOT, along, bodies, gather
from symkin.errors import ModelError
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, ad, ad_dual, rotated, skew


def forward_dynamics(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, external: Wrenches = NO_WRENCHES
) -> Matrix:
    """a = M^-1 (tau - bias), by M = L' D L: cheap for arms, and all that followers allow.

    ``external`` holds the wrenches that act on bodies from outside.
    """
    return solve(factorise(mass_matrix(robot, q)), tau - bias(robot, q, v, external))


def forward_dynamics_articulated(
    robot: Robot, q: Matrix, v: Matrix, tau: Matrix, external: Wrenches = NO_WRENCHES
) -> Matrix:
    """a, in a number of operations that grows with the number of joints only. Table 7.1.

    Raises ModelError for robots with followers: they are no trees of independent joints.
    """
    if any(link.joint is not None and link.joint.mimic is not None for link in robot.links):
        raise ModelError(f"{robot.name}: joints that follow others have no articulated inertia")
    tree = bodies(robot, q)
    V: dict[int, Matrix] = {ROOT: zeros(6)}
    c, p = [], []
    for i, body in enumerate(tree):
        own = body.drive(v)
        V[i] = body.pose.Ad_inverse(V[body.parent]) + own
        c.append(ad(V[i], own))
        F = ad_dual(V[i], momentum(body.inertia, V[i]))
        p.append(F - external[i] if i in external else F)

    A = [ArticulatedInertia.of(body.inertia) for body in tree]
    pivots: list[list[tuple[Matrix, Scalar, Scalar]]] = [[] for _ in tree]
    for i in range(len(tree) - 1, -1, -1):
        body = tree[i]
        for degree in reversed(body.degrees):
            U = A[i] @ degree.S
            D = add(along(degree.S, U), degree.armature)
            u = sub(sub(tau[degree.index], degree.resistance(v)), along(degree.S, p[i]))
            A[i] = A[i].without(U, D)
            p[i] = p[i] + U * (u / D)
            pivots[i].insert(0, (U, D, u))
        if body.parent != ROOT:
            A[body.parent] = A[body.parent] + A[i].seen_from(body.pose)
            p[body.parent] = p[body.parent] + carried_wrench(body.pose, p[i] + A[i] @ c[i])

    a: dict[int, Matrix] = {ROOT: vstack(zeros(3), -column(*robot.gravity))}
    entries: list[tuple[int, Scalar]] = []
    for i, body in enumerate(tree):
        a[i] = body.pose.Ad_inverse(a[body.parent]) + c[i]
        for degree, (U, D, u) in zip(body.degrees, pivots[i], strict=True):
            rate = sub(u, along(U, a[i])) / D
            a[i] = a[i] + degree.S * rate
            entries.append((degree.index, rate))
    return gather(robot, entries)


@dataclass(frozen=True, slots=True, eq=False)
class ArticulatedInertia:
    """A symmetric 6 x 6 inertia in 3 x 3 blocks: n = J w + H v, f = H' w + M v."""

    J: Matrix
    H: Matrix
    M: Matrix

    @staticmethod
    def of(inertia: Inertia) -> ArticulatedInertia:
        """That of a single body."""
        mass = identity(3) * inertia.mass
        return ArticulatedInertia(inertia.about_origin, skew(inertia.moment), mass)

    def __matmul__(self, V: Matrix) -> Matrix:
        w, v = V[:3], V[3:]
        return vstack(self.J @ w + self.H @ v, self.H.T @ w + self.M @ v)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.J + other.J, self.H + other.H, self.M + other.M)

    def without(self, U: Matrix, D: Scalar) -> ArticulatedInertia:
        """self - U U' / D: what is left when one degree of freedom lets go."""
        n, f = U[:3], U[3:]
        over = U.map(lambda x: mul(1.0 / D, x))
        return ArticulatedInertia(
            self.J - n @ over[:3].T, self.H - n @ over[3:].T, self.M - f @ over[3:].T
        )

    def seen_from(self, pose: Pose) -> ArticulatedInertia:
        """The same in the frame in which its own has this pose."""
        R, P = pose.R, skew(pose.p)
        M, H = rotated(R, self.M), rotated(R, self.H)
        moved = H + P @ M
        return ArticulatedInertia(rotated(R, self.J) - H @ P + P @ moved.T, moved, M)
