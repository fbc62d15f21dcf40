"""How a robot's root stands in the world: fixed as it is described, or free to move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from symkin.algebra import constant
from symkin.errors import ArgumentError, ModelError
from symkin.model.joint import Joint, JointKind
from symkin.model.robot import Link, Robot
from symkin.spatial import Inertia

BaseKind = Literal["fixed", "floating", "floating_zyx", "planar"]

_X, _Y, _Z = constant([1, 0, 0]), constant([0, 1, 0]), constant([0, 0, 1])

# Chains of one degree of freedom each: their coordinates' rates are the velocities.
_CHAINS: Mapping[str, tuple[tuple[str, JointKind], ...]] = {}
