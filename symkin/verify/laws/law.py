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


def times_v(product: str, matrix: str) -> Law:
    """The quantity ``product`` is ``matrix`` times v."""

    def sides(scene: Scene) -> Sides:
        return scene.value(product), along(scene.value(matrix), scene.v)

    return Law(f"{matrix} v", sides)
