"""A Coriolis matrix C with C v the Coriolis force and dM/dt - 2 C skew-symmetric.

Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems (2021), algorithm 1, in the subtree moments of `rnea_derivatives`.
"""

from __future__ import annotations

from symkin.algebra import Matrix, Scalar, add, mul, zeros
from symkin.algorithms.rnea import carried_wrench, outward
from symkin.algorithms.rnea_derivatives import Perturbation, Response, departures, subtrees_of
from symkin.algorithms.tree import Degree, degrees, moving_links, placements
from symkin.model import Robot
from symkin.spatial import cross


def coriolis_matrix(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """C(q, v), nv x nv. C_ij = S_i' (B S_j + I dS_j/dt) over the composite of the outer joint."""
    poses, freedom, moving = placements(robot, q), degrees(robot), moving_links(robot)
    motions = outward(robot, poses, freedom, v, zeros(robot.nv))
    away = departures(robot, poses, freedom, motions, v)
    subtrees = subtrees_of(robot, poses, motions, away)
    C: list[list[Scalar]] = [[0.0] * robot.nv for _ in range(robot.nv)]

    def put(row: Degree, column: Degree, x: Scalar) -> None:
        half = mul(0.5 * row.multiplier * column.multiplier, x)
        C[row.index][column.index] = add(C[row.index][column.index], half)

    def speeding(i: int, S: Matrix) -> Perturbation:
        """Twice B S + I dS/dt, as a perturbation of the subtree of link i."""
        w, own = S[:3], motions[i].w
        return Perturbation(w, cross(own, w) * 2.0, cross(own, S[3:]) * 2.0)

    for i in moving:
        for degree in freedom[i]:
            F = subtrees[i].wrench(speeding(i, degree.S))
            response = Response.of(subtrees[i], degree.S)
            for other in freedom[i]:
                put(other, degree, (other.S.T @ F)[0, 0])
            j = i
            while robot.links[j].parent in subtrees:
                F, response = carried_wrench(poses[j], F), response.carried(poses[j], away[j])
                j = robot.links[j].parent
                for other in freedom[j]:
                    put(other, degree, (other.S.T @ F)[0, 0])
                    put(degree, other, response @ speeding(j, other.S))
    return Matrix(C, columns=robot.nv)
