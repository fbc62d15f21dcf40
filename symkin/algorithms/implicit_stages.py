"""The stage of an implicit one-step method, found by a number of Newton steps that is known.

At a part p of the step h (1: implicit Euler, 1/2: implicit midpoint) the stage is the state

    v_s = v + p h a,    q_s = integrate(q, p h v_s)

whose acceleration a solves ID(q_s, v_s, a) = tau. Stated by inverse dynamics, the equation needs
no forward dynamics, and its derivative M + p h (dID/dv + p h (dID/dq) J), with J that of integrate
along its tangent vector, has the zeros that the tree's branches make in M.
Hairer & Wanner, Solving Ordinary Differential Equations II (1996), section IV.8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, mul, sub
from symkin.algorithms.aba import forward_dynamics
from symkin.algorithms.configuration import integrate, integrate_dd
from symkin.algorithms.rnea import inverse_dynamics
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.errors import ArgumentError
from symkin.model import Robot

FIRST_ERROR = 0.1
"""How far, relative to what Newton's method converges on, its start may be from the solution."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Where in a step of h seconds from (q, v) under tau the dynamics are to hold."""

    robot: Robot
    q: Matrix
    v: Matrix
    tau: Matrix
    h: Scalar
    part: float

    def state(self, a: Matrix) -> tuple[Matrix, Matrix]:
        """q_s and v_s, given the acceleration (nv x 1)."""
        v = self.v + a * (self.h * self.part)
        return integrate(self.robot, self.q, v * (self.h * self.part)), v

    def residual(self, a: Matrix) -> Matrix:
        """ID(q_s, v_s, a) - tau, nv x 1 in N m or N: what the solution a makes zero."""
        return inverse_dynamics(self.robot, *self.state(a), a) - self.tau

    def derivative(self, v: Matrix, by_q: Matrix, by_v: Matrix, M: Matrix) -> Matrix:
        """That of the residual along a, nv x nv, given v_s and those of ID at the stage."""
        step = self.h * self.part
        turned = by_q @ integrate_dd(self.robot, v * step)
        change: Matrix = (by_v + turned * step) * step
        return M + change

    def acceleration(self, tolerance: float) -> Matrix:
        """The solution a, nv x 1, by Newton's method from the acceleration at (q, v)."""
        a = forward_dynamics(self.robot, self.q, self.v, self.tau)
        for _ in range(newton_iterations(tolerance)):
            q, v = self.state(a)
            by_q, by_v, M = inverse_dynamics_derivatives(self.robot, q, v, a)
            a = a - eliminate(self.derivative(v, by_q, by_v, M), self.residual(a))
        return a


def newton_iterations(tolerance: float) -> int:
    """How many Newton steps square a relative error of `FIRST_ERROR` until below the tolerance.

    Raises ArgumentError for a tolerance that is not between 0 and 1.
    """
    if not 0.0 < tolerance < 1.0:
        raise ArgumentError(
            f"tolerance is relative and must lie between 0 and 1, not {tolerance!r}; "
            "1e-15 solves to rounding"
        )
    squarings = math.log2(math.log(tolerance) / math.log(FIRST_ERROR))
    return max(1, math.ceil(squarings - 1e-9))  # 1e-2 is one squaring away, in spite of rounding


def eliminate(A: Matrix, B: Matrix) -> Matrix:
    """X with A X = B, for a square A that need not be symmetric.

    Gaussian elimination from the last unknown to the first, as in `crba.factorise`, so that zeros
    of branches stay zero. There is no pivoting: A is a mass matrix and what a short step adds.
    """
    n = A.shape[0]
    rows = [list(row) for row in A.rows]
    right = [B[i, :] for i in range(n)]
    inverses: list[Scalar] = [1.0] * n
    for k in range(n - 1, -1, -1):
        inverses[k] = 1.0 / rows[k][k]
        for i in range(k):
            ratio = mul(rows[i][k], inverses[k])
            for j in range(k):
                rows[i][j] = sub(rows[i][j], mul(ratio, rows[k][j]))
            right[i] = right[i] - right[k] * ratio
    solved: list[Matrix] = []
    for k in range(n):
        known = right[k]
        for j in range(k):
            known = known - solved[j] * rows[k][j]
        solved.append(known * inverses[k])
    return Matrix([row for part in solved for row in part.rows], columns=B.shape[1])
