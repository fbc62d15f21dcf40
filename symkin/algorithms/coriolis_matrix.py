"""A Coriolis matrix C with C v the Coriolis force and dM/dt - 2 C skew-symmetric.

Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems (2021), algorithm 1, in the subtree moments of `rnea_derivatives`.
"""

from __future__ import annotations

from symkin.algebra import Matrix, zeros
from symkin.algorithms.rnea import Motion, carried_wrench, outward
from symkin.algorithms.rnea_derivatives import Perturbation, Response, departures, subtrees_of
from symkin.algorithms.tree import ROOT, SquareSum, along, bodies
from symkin.model import Robot
from symkin.spatial import cross


def coriolis_matrix(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """C(q, v), nv x nv: C_ij = S_i' (B S_j + I dS_j/dt) over the composite of the outer joint."""
    tree = bodies(robot, q)
    motions = outward(robot, tree, v, zeros(robot.nv))
    away = departures(tree, motions, v)
    subtrees = subtrees_of(tree, motions, away)
    C = SquareSum(robot.nv)
    for i, body in enumerate(tree):
        for degree in body.degrees:
            F = subtrees[i].wrench(_speeding(motions[i], degree.S))
            response = Response.of(subtrees[i], degree.S)
            for other in body.degrees:
                C.put(other, degree, along(other.S, F))
            j = i
            while tree[j].parent != ROOT:
                F, response = (
                    carried_wrench(tree[j].pose, F),
                    response.carried(tree[j].pose, away[j]),
                )
                j = tree[j].parent
                for other in tree[j].degrees:
                    C.put(other, degree, along(other.S, F))
                    C.put(degree, other, response @ _speeding(motions[j], other.S))
    return C.matrix()


def _speeding(motion: Motion, S: Matrix) -> Perturbation:
    """B S + I dS/dt of a subtree, as the perturbation of its motion that takes this wrench."""
    w = motion.w
    return Perturbation(S[:3] * 0.5, cross(w, S[:3]), cross(w, S[3:]))
