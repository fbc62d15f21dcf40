"""SO(3) and SE(3) from the definitions of exp and its Jacobian as matrix series, in 50 digits."""

from __future__ import annotations

import mpmath
import numpy as np

ZERO = mpmath.mpf(0)


def hat(w: np.ndarray) -> np.ndarray:
    x, y, z = w
    return np.array([[ZERO, -z, y], [z, ZERO, -x], [-y, x, ZERO]])


def hat_se3(xi: np.ndarray) -> np.ndarray:
    T = np.full((4, 4), ZERO)
    T[:3, :3], T[:3, 3] = hat(xi[:3]), xi[3:]
    return T


def ad_se3(xi: np.ndarray) -> np.ndarray:
    A = np.full((6, 6), ZERO)
    A[:3, :3] = A[3:, 3:] = hat(xi[:3])
    A[3:, :3] = hat(xi[3:])
    return A


def series(A: np.ndarray, shift: int) -> np.ndarray:
    """The sum of A^n / (n + shift)!: exp for shift 0, the left Jacobian (A = ad) for shift 1."""
    term = total = np.array(mpmath.eye(len(A)).tolist()).reshape(A.shape)
    n = shift
    while max(abs(x) for x in term.ravel()) > mpmath.mpf(10) ** -55:
        n += 1
        term = term @ A / n
        total = total + term
    return total


def inverse(A: np.ndarray) -> np.ndarray:
    return np.array(mpmath.inverse(mpmath.matrix(A.tolist())).tolist()).reshape(A.shape)


def exp_so3(r: np.ndarray) -> np.ndarray:
    return series(hat(r), 0)


def exp_se3(xi: np.ndarray) -> np.ndarray:
    return series(hat_se3(xi), 0)


def left_so3(r: np.ndarray) -> np.ndarray:
    return series(hat(r), 1)


def right_so3(r: np.ndarray) -> np.ndarray:
    return series(-hat(r), 1)


def left_se3(xi: np.ndarray) -> np.ndarray:
    return series(ad_se3(xi), 1)


def right_se3(xi: np.ndarray) -> np.ndarray:
    return series(-ad_se3(xi), 1)
