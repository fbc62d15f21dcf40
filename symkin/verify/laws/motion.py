"""Laws of twists and accelerations.

Lynch & Park, Modern Robotics (2017), section 8.3; Featherstone, Rigid Body Dynamics Algorithms
(2008), section 2.11.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symkin.algebra.bounded import Bounded
from symkin.verify.arrays import along, joined, rotated, skew_of
from symkin.verify.laws.law import Law, Sides, times_v
from symkin.verify.scene import Scene


def _rate_of(twist: str, acceleration: str) -> Law:
    def sides(scene: Scene, lane: str) -> Sides:
        return scene.value(acceleration), _total_rate(scene, twist, lane)

    return Law(f"d/dt {twist}", sides, (twist,))


def _total_rate(scene: Scene, twist: str, lane: str) -> Bounded:
    """dV/dt = dV/dq v + dV/dv a."""
    return along(scene.derivative(twist, lane), np.concatenate([scene.v, scene.a], axis=-1))


def _rotated_rate(scene: Scene, lane: str) -> Sides:
    change = _total_rate(scene, "twist_body", lane)
    return scene.value("acceleration_spatial_position"), _in_base_axes(scene, change)


def _classical(kind: str) -> Law:
    def sides(scene: Scene) -> Sides:
        V = scene.value(f"twist_{kind}")
        extra = (skew_of(V[:, :3]) @ V[:, 3:, None])[..., 0]
        spatial = scene.value(f"acceleration_spatial_{kind}")
        expected = joined([spatial[:, :3], spatial[:, 3:] + extra])
        return scene.value(f"acceleration_classical_{kind}"), expected

    return Law(f"classical - spatial = (0, omega x v) of twist_{kind}", sides)


def _same_in_base_axes(scene: Scene) -> Sides:
    own = scene.value("acceleration_classical_body")
    return scene.value("acceleration_classical_position"), _in_base_axes(scene, own)


def _in_base_axes(scene: Scene, vectors: Bounded) -> Bounded:
    R = scene.value("forward_kinematics")[..., :3, :3]
    return rotated(R, vectors[..., None])[..., 0]


LAWS: Mapping[str, tuple[Law, ...]] = {
    **{
        f"twist_{kind}": (times_v(f"twist_{kind}", f"jacobian_{kind}"),)
        for kind in ("space", "body", "position")
    },
    "acceleration_spatial_space": (_rate_of("twist_space", "acceleration_spatial_space"),),
    "acceleration_spatial_body": (_rate_of("twist_body", "acceleration_spatial_body"),),
    "acceleration_spatial_position": (
        Law("diag(R, R) d/dt twist_body", _rotated_rate, ("twist_body",)),
        _classical("position"),
    ),
    "acceleration_classical_position": (
        _rate_of("twist_position", "acceleration_classical_position"),
    ),
    "acceleration_classical_body": (
        _classical("body"),
        Law("R' times classical_position", _same_in_base_axes),
    ),
}
