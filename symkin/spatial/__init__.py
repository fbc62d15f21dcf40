"""Rigid-body mathematics, the book's letters: six-vectors are angular first, (omega, v)."""

from symkin.spatial.inertia import Inertia
from symkin.spatial.pose import Pose, ad, axis_rotation, cross, skew

__all__ = ["Inertia", "Pose", "ad", "axis_rotation", "cross", "skew"]
