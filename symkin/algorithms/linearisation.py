"""The dynamics linearised about a state, in continuous time and held for a step of h seconds.

The state's displacement is x = (dq, dv) in the tangent space that moves with it, 2 nv entries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, block, identity, mul, vstack, zeros
from symkin.algorithms.configuration import bracket
from symkin.algorithms.crba import factorise, inverse, mass_matrix, solve, solve_columns
from symkin.algorithms.rnea import bias
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.errors import ArgumentError
from symkin.model import Robot

HALF_EPS = 2.0**-53


@dataclass(frozen=True, slots=True, eq=False)
class LinearSystem:
    """x' = A x + B dtau + c in continuous time, or the same for one step, x+ = A x + B dtau + c.

    A is 2 nv x 2 nv, B 2 nv x nv, c 2 nv x 1.
    """

    A: Matrix
    B: Matrix
    c: Matrix

    def held(self, h: Scalar, bound: float = 1.0) -> LinearSystem:
        """The exact solution over h seconds: E = exp(A h), and its integral times B and times c.

        dtau is held; along h these three change at A E, E B and E c. E is the Taylor polynomial of
        A h / 2^s, squared s times. s and the degree, known beforehand, leave out what is below
        rounding wherever ||A h|| <= ``bound`` in some norm. Raises ArgumentError unless the bound
        is positive and finite. Higham, Functions of Matrices (2008), section 10.3; Van Loan,
        Computing integrals involving the matrix exponential (1978).
        """
        squarings, degree = taylor_plan(bound)
        A, size = self.A, self.A.shape[0]
        part, half = mul(h, 0.5**squarings), size // 2
        power, weight = identity(size), 1.0  # A^k and part^k / k!
        E, integral = zeros(size, size), zeros(size, size)
        for k in range(degree + 1):
            E = E + power * weight
            weight = mul(mul(weight, part), 1.0 / (k + 1))
            integral = integral + power * weight
            # Upper rows from the left, lower ones from the right, where A has its zeros and ones.
            power = vstack(A[:half, :] @ power, power[half:, :] @ A)
        B, c = integral @ self.B, integral @ self.c
        for _ in range(squarings):
            B, c, E = B + E @ B, c + E @ c, E @ E
        return LinearSystem(E, B, c)


def linearisation(robot: Robot, q: Matrix, v: Matrix, tau: Matrix) -> LinearSystem:
    """A = [[-ad_v, 1], [da/dq, da/dv]], B = [0; M^-1], c = (v, a): of the motion from (q, v).

    ad_v is zero but for joints that turn in space: a displacement is of the body in its own axes,
    which turn under it. The matrices of every integration scheme are 1 + h A and h B to first
    order. Held for a step, c gives the state itself to second order: it goes to
    integrate(integrate(q, h v), c_q - h v), which is q + c_q for other joints, and to v + c_v.
    """
    n = robot.nv
    factors = factorise(mass_matrix(robot, q))
    a = solve(factors, tau - bias(robot, q, v))
    by_q, by_v, _ = inverse_dynamics_derivatives(robot, q, v, a)
    a_q, a_v = -solve_columns(factors, by_q), -solve_columns(factors, by_v)
    A = block([[-bracket(robot, v), identity(n)], [a_q, a_v]])
    B = vstack(zeros(n, n), inverse(factors))
    return LinearSystem(A, B, vstack(v, a))


def taylor_plan(bound: float) -> tuple[int, int]:
    """How often to square, and the degree, for `LinearSystem.held` up to a norm of ``bound``."""
    if not 0.0 < bound < math.inf:
        raise ArgumentError(
            f"bound is of the norm of A h and must be positive and finite, not {bound!r}"
        )
    squarings = max(0, math.ceil(math.log2(bound)))
    norm = bound / 2**squarings
    # Lagrange's remainder over the least that exp can be; every squaring doubles what is left out.
    left_out, degree = math.exp(2.0 * norm) * norm * 2**squarings, 0
    while left_out > HALF_EPS:
        degree += 1
        left_out *= norm / (degree + 1)
    return squarings, degree
