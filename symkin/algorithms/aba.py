"""Forward dynamics: by the articulated body algorithm, and by solving with the mass matrix.

Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.1 and section 6.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, constant, identity, mul, sub, vstack, zeros
from symkin.algorithms.crba import factorise, mass_matrix, momentum, solve
from symkin.algorithms.rnea import bias, carried_wrench, rotors
from symkin.algorithms.tree import degrees, drive, gather, moving_links, placements
from symkin.errors import ModelError
from symkin.model import Robot
from symkin.spatial import Inertia, Pose, ad, ad_dual, skew


def forward_dynamics(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """a = M^-1 (tau - C v - g), by M = L' D L: cheap for arms, and all that followers allow."""
    return solve(factorise(mass_matrix(robot, q)), tau - bias(robot, q, v))


def forward_dynamics_articulated(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> Matrix:
    """a in a number of operations that grows with the number of joints only. Table 7.1.

    Raises ModelError for robots with followers: they are no trees of independent joints.
    """
    if any(link.joint is not None and link.joint.mimic is not None for link in robot.links):
        raise ModelError(f"{robot.name}: joints that follow others have no articulated inertia")
    poses, freedom, moving = placements(robot, q), degrees(robot), moving_links(robot)
    armature = dict(rotors(robot))
    V: dict[int, Matrix] = {}
    c: dict[int, Matrix] = {}
    A: dict[int, ArticulatedInertia] = {}
    p: dict[int, Matrix] = {}
    for i in moving:
        link, own = robot.links[i], drive(freedom[i], v)
        V[i] = poses[i].Ad_inverse(V.get(link.parent, zeros(6))) + own
        c[i] = ad(V[i], own)
        A[i] = ArticulatedInertia.of(link.inertia)
        p[i] = ad_dual(V[i], momentum(link.inertia, V[i]))

    pivots: dict[int, list[tuple[Matrix, Scalar, Scalar]]] = {}
    for i in reversed(moving):
        pivots[i] = []
        for degree in reversed(freedom[i]):
            U = A[i] @ degree.S
            D = (degree.S.T @ U)[0, 0] + armature.get(degree.index, 0.0)
            u = sub(tau[degree.index], (degree.S.T @ p[i])[0, 0])
            A[i] = A[i].without(U, D)
            p[i] = p[i] + U * (u / D)
            pivots[i].append((U, D, u))
        parent = robot.links[i].parent
        if parent in A:
            A[parent] = A[parent] + A[i].seen_from(poses[i])
            p[parent] = p[parent] + carried_wrench(poses[i], p[i] + A[i] @ c[i])

    a: dict[int, Matrix] = {}
    entries: list[tuple[int, Scalar]] = []
    ground = vstack(zeros(3), -constant(robot.gravity))
    for i in moving:
        a[i] = poses[i].Ad_inverse(a.get(robot.links[i].parent, ground)) + c[i]
        for degree, (U, D, u) in zip(freedom[i], reversed(pivots[i]), strict=True):
            rate = sub(u, (U.T @ a[i])[0, 0]) / D
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
        """self - U U' / D: what is left when one joint lets go."""
        n, f = U[:3], U[3:]
        n_over, f_over = n.map(lambda x: mul(1.0 / D, x)), f.map(lambda x: mul(1.0 / D, x))
        return ArticulatedInertia(
            self.J - n @ n_over.T, self.H - n @ f_over.T, self.M - f @ f_over.T
        )

    def seen_from(self, pose: Pose) -> ArticulatedInertia:
        """The same in the frame in which its own has this pose."""
        R, P = pose.R, skew(pose.p)
        M, H = R @ self.M @ R.T, R @ self.H @ R.T
        moved = H + P @ M
        return ArticulatedInertia(R @ self.J @ R.T - H @ P + P @ moved.T, moved, M)
