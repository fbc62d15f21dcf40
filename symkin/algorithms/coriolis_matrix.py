"""A Coriolis matrix C with C v the Coriolis force and dM/dt - 2 C skew-symmetric.

Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems (2021), algorithm 1, in the subtree moments of `rnea_derivatives`.
"""

from __future__ import annotations

from symkin.algebra import Matrix, zeros
from symkin.algorithms.rnea import Motion, carried_wrench, outward
from symkin.algorithms.rnea_derivatives import Perturbation, Response, departures, subtrees_of
from symkin.algorithms.tree import ROOT, SquareSum, along, bodies, stations
from symkin.model import Robot
from symkin.spatial import cross


def coriolis_matrix(robot: Robot, q: Matrix, v: Matrix) -> Matrix:
    """C(q, v), nv x nv: C_ij = S_i' (B S_j + I dS_j/dt) over the composite of the outer joint."""
    tree = bodies(robot, q)
    motions = outward(robot, tree, v, zeros(robot.nv))
    away = departures(tree, motions, v)
    subtrees, places = subtrees_of(tree, motions, away), stations(robot, tree, away)
    known: list[list[Perturbation]] = []
    C = SquareSum(robot.nv)
    for i, (body, place) in enumerate(zip(tree, places, strict=True)):
        changes = [_speeding(motions[i], degree.S) for degree in body.degrees]
        known.append([change.seen_from(place) for change in changes])
        for degree, change in zip(body.degrees, changes, strict=True):
            F, response = subtrees[i].wrench(change), Response.of(subtrees[i], degree.S)
            for other in body.degrees:
                C.put(other, degree, along(other.S, F))
            F, response = (
                carried_wrench(place.entry, F),
                response.carried(place.entry, place.drift),
            )
            j = i
            while tree[j].parent != ROOT:
                F, response = (
                    carried_wrench(places[j].pose, F),
                    response.carried(places[j].pose, places[j].away),
                )
                j = tree[j].parent
                for other, S, change_j in zip(
                    tree[j].degrees, places[j].axes, known[j], strict=True
                ):
                    C.put(other, degree, along(S, F))
                    C.put(degree, other, response @ change_j)
    return C.matrix()


def _speeding(motion: Motion, S: Matrix) -> Perturbation:
    """B S + I dS/dt of a subtree, as the perturbation of its motion that takes this wrench."""
    w = motion.w
    return Perturbation(S[:3] * 0.5, cross(w, S[:3]), cross(w, S[3:]))
