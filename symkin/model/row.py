"""A row of a table, one joint and the body it moves, read strictly: a mistyped key is an error.

Keys that DH and screw tables share, all optional: ``name`` and ``link`` (names of the joint and of
the body it moves), ``limits`` (``lower``, ``upper`` in rad or m, ``velocity``, ``effort``),
``damping``, ``friction``, ``armature``, and the body's mass ``m`` (kg), centre of mass ``r`` (3, m)
and moments ``I`` about it (Ixx, Iyy, Izz, Ixy, Iyz, Ixz, kg m^2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from symkin.algebra import Matrix, constant
from symkin.errors import ModelError
from symkin.model.inertia import checked, tensor_of
from symkin.model.joint import Joint, JointKind, Limits
from symkin.model.notes import Note
from symkin.model.snap import Snap, nearest_rotation, orthogonality_defect
from symkin.spatial import Inertia, Pose

SHARED_KEYS = (
    *("name", "link", "comment", "limits", "damping", "friction", "armature"),
    *("m", "r", "I"),
)
MOMENTS_ORDER = "Ixx Iyy Izz Ixy Iyz Ixz"
_LIMIT_KEYS = ("lower", "upper", "velocity", "effort")
# A matrix printed with three decimals is still meant to be a rotation.
_ROTATION_PRECISION = 2e-3
_ROUNDING = 2e-15


@dataclass(frozen=True, slots=True)
class Row:
    """One mapping of a table; ``where`` names file and row."""

    values: Mapping[str, Any]
    where: str

    def error(self, key: str, problem: str) -> ModelError:
        """A ModelError about one key."""
        return ModelError(f"{self.where}: {key} = {self.values.get(key)!r}: {problem}")

    def allow(self, *keys: str) -> None:
        """Refuse keys that are not among these and the shared ones."""
        allowed = (*keys, *SHARED_KEYS)
        for key in self.values:
            if key not in allowed:
                raise ModelError(
                    f"{self.where}: unknown key {key!r}; there are {', '.join(allowed)}"
                )

    def text(self, key: str, default: str) -> str:
        """A name that is not empty."""
        value = self.values.get(key, default)
        if not isinstance(value, str) or not value:
            raise self.error(key, "a name expected")
        return value

    def flag(self, key: str) -> bool:
        """True or false, false when it is not given."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.error(key, "true or false expected")
        return value

    def number(self, key: str, default: float = 0.0) -> float:
        """A finite number."""
        if key not in self.values:
            return default
        return self._number(key, self.values[key])

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        """``count`` finite numbers, zeros when they are not given."""
        values = self.values.get(key, (0.0,) * count)
        if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != count:
            raise self.error(key, f"{count} numbers expected")
        return tuple(self._number(key, value) for value in values)

    def joint(
        self, name: str, kind: JointKind, origin: Pose, axis: Matrix, pitch: float = 0.0
    ) -> Joint:
        """The row's joint, placed and directed as its table says."""
        given = self.values.get("limits", {})
        if not isinstance(given, Mapping):
            raise self.error("limits", f"a mapping of {', '.join(_LIMIT_KEYS)} expected")
        bounds = Row(given, f"{self.where}: limits")
        for key in given:
            if key not in _LIMIT_KEYS:
                raise bounds.error(key, f"unknown limit; there are {', '.join(_LIMIT_KEYS)}")
        limits = Limits(
            bounds.number("lower", -math.inf),
            bounds.number("upper", math.inf),
            bounds.number("velocity", math.inf),
            bounds.number("effort", math.inf),
        )
        return Joint(
            self.text("name", name),
            kind,
            origin,
            axis,
            pitch,
            limits,
            damping=self.number("damping"),
            friction=self.number("friction"),
            armature=self.number("armature"),
        )

    def body(self, notes: list[Note]) -> Inertia:
        """The row's body, in the axes its table says."""
        given = Inertia.of_body(
            self.number("m"), constant(self.numbers("r", 3)), tensor_of(self.numbers("I", 6))
        )
        return checked(given, self.where, notes)

    def _number(self, key: str, value: Any) -> float:
        # bool is a number to Python and a slip to everybody else
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise self.error(key, "finite numbers expected")
        return float(value)


def rigid_pose(matrix: Pose | Sequence[Sequence[float]], where: str, snap: Snap) -> Pose:
    """The pose of a 4 x 4 homogeneous matrix of plain numbers, its rotation made exactly one.

    Raises ModelError, beginning with ``where``, for a matrix that is not a rigid displacement.
    """
    if isinstance(matrix, Pose):
        return matrix
    rows = [list(row) for row in matrix]
    if [len(row) for row in rows] != [4, 4, 4, 4]:
        raise ModelError(f"{where}: a pose is a 4 x 4 matrix")
    entries = [
        Row({"pose": row}, f"{where}: row {i + 1}").numbers("pose", 4) for i, row in enumerate(rows)
    ]
    T = constant(entries)
    if T[3:, :].rows != ((0.0, 0.0, 0.0, 1.0),):
        raise ModelError(f"{where}: the last row of a pose is 0 0 0 1")
    R = T[:3, :3]
    defect = orthogonality_defect(R)
    if defect > _ROTATION_PRECISION or _determinant(R) < 0.0:
        raise ModelError(
            f"{where}: the left upper 3 x 3 part is no rotation (R'R - I up to {defect:.1g}, "
            f"determinant {_determinant(R):.3g})"
        )
    if defect > _ROUNDING:
        R = nearest_rotation(R)
        message = f"matrix made a rotation, from which its entries were up to {defect:.0e} away"
        snap.notes.append(Note("cleaned", where, message))
    return Pose(snap.rotation(R, where), T[:3, 3:])


def _determinant(R: Matrix) -> float:
    (a, b, c), (d, e, f), (g, h, i) = R.rows
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
