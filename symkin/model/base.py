"""How a robot's root stands in the world: fixed as it is described, or free to move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from symkin.algebra import constant
from symkin.model.joint import JointKind

BaseKind = Literal["fixed", "floating", "floating_zyx", "planar"]

_X, _Y, _Z = constant([1, 0, 0]), constant([0, 1, 0]), constant([0, 0, 1])

# Chains of one degree of freedom each: their coordinates' rates are the velocities.
_CHAINS: Mapping[str, tuple[tuple[str, JointKind], ...]] = {}
