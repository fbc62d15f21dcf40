"""What a law is, and the shapes that several share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from symkin.verify.arrays import along, exactly, joined, last_to, transposed
from symkin.verify.scene import Scene

Sides: TypeAlias = tuple[Any, Any]
"""Two arrays, states along the first axis, of numbers or `Bounded`."""


@dataclass(frozen=True, slots=True)
class Law:
    """An equation between quantities.

    Its sides are ``sides(scene)``, or ``sides(scene, lane)`` if it ``differentiates`` quantities:
    then it is checked with the derivatives of every lane that has them all.
    """

    text: str
    sides: Callable[..., Sides]
    differentiates: tuple[str, ...] = ()


def derivative_of(whole: str, part: str) -> Law:
    """The quantity ``whole`` is the derivative of ``part`` with respect to q."""

    def sides(scene: Scene, lane: str) -> Sides:
        return scene.value(whole), scene.derivative(part, lane)

    return Law(f"d/dq {part}", sides, (part,))


def columns_of(part: str, whole: str, first: int) -> Law:
    """The quantity ``part`` is columns of the derivatives of ``whole``, from ``first`` nv on."""

    def sides(scene: Scene, lane: str) -> Sides:
        matrix = scene.value(part)
        start, width = first * scene.robot.nv, matrix.value.shape[-1]
        return matrix, scene.derivative(whole, lane)[..., start : start + width]

    return Law(f"d {whole}", sides, (whole,))


def hessian_of(hessian: str, by_q: str, by_v: str) -> Law:
    """The quantity ``hessian`` is lam' d(df/dx)/dx of first derivatives by q and by v.

    Its part over q is symmetrised: moving along S_j first turns S_k.
    """

    def sides(scene: Scene, lane: str) -> Sides:
        nv = scene.robot.nv
        lam = exactly(scene.states["lam"][:, None, None, :])
        rows = []
        for first in (by_q, by_v):
            change = last_to(scene.derivative(first, lane)[..., : 3 * nv], 1)
            rows.append(transposed((lam @ change)[:, :, 0]))
        over_q, over_v = rows
        top = over_q[..., :nv]
        symmetric = joined([(top + transposed(top)) * 0.5, over_q[..., nv:]])
        H = scene.value(hessian)
        return H[:, : 2 * nv], joined([symmetric, over_v], axis=-2)

    return Law(f"lam' d/dx of {by_q} and {by_v}", sides, (by_q, by_v))


def times_v(product: str, matrix: str) -> Law:
    """The quantity ``product`` is ``matrix`` times v."""

    def sides(scene: Scene) -> Sides:
        return scene.value(product), along(scene.value(matrix), scene.v)

    return Law(f"{matrix} v", sides)
