"""What a law is, and the shapes that several share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from symkin.verify.arrays import along
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


def times_v(product: str, matrix: str) -> Law:
    """The quantity ``product`` is ``matrix`` times v."""

    def sides(scene: Scene) -> Sides:
        return scene.value(product), along(scene.value(matrix), scene.v)

    return Law(f"{matrix} v", sides)
