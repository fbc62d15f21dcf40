"""Right angles that are right, zeros that are zero: numbers as they were meant, not as rounded.

Files write a right angle as 1.57079632679, and its stray 5e-12 turns a zero of every later product
into a coefficient. The rule, ``snap``, says how far a number may be moved to what it stands for:

``"digits"``
    An angle written with at least nine significant digits that lies within one unit of the last of
    them and within 1e-9 rad of a multiple of pi/4 is that multiple. Entries of a rotation or an
    axis within 1e-12 of 0 or +-1 are that.
``"off"``
    Numbers are followed to rounding.
a tolerance
    As ``"digits"``, but whatever lies within the tolerance is moved, however it is written.

A matrix is moved only if it stays a rotation to rounding. Everything moved is noted; and under
``"digits"`` the nearly right angles that are kept, such as 1.5708, are warned of.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from symkin.algebra import Matrix, constant, identity, norm
from symkin.errors import ArgumentError
from symkin.model.notes import Note
from symkin.model.robot import Robot
from symkin.spatial import Pose, axis_rotation

SnapRule: TypeAlias = Literal["digits", "off"] | float

_EIGHTH_TURN = math.pi / 4
_EPS = sys.float_info.epsilon
_FEWEST_DIGITS = 9
_FARTHEST = 1e-9  # what "digits" may move an angle by, in rad
_NOISE = 1e-12  # what "digits" takes for rounding of 0 and +-1
_SUSPECT = 1e-4  # within which of a multiple of pi/4, but 0, an angle that is kept is warned of
_LARGEST_TOLERANCE = 0.1  # beyond it, neighbouring multiples of pi/4 come into reach
_HALF_ROOT = math.sqrt(0.5)
_SINES = (0.0, _HALF_ROOT, 1.0, _HALF_ROOT, 0.0, -_HALF_ROOT, -1.0, -_HALF_ROOT)


class Snap:
    """The rule at work while one robot is read: moves numbers and notes what it moved.

    ``largest`` is the largest change of an angle, in rad. Raises ArgumentError for an unknown rule.
    """

    def __init__(self, rule: SnapRule) -> None:
        self.by_digits = rule == "digits"
        if isinstance(rule, float) and 0.0 < rule <= _LARGEST_TOLERANCE:
            self.noise = rule
        elif rule == "digits" or rule == "off":
            self.noise = _NOISE if self.by_digits else 0.0
        else:
            raise ArgumentError(
                f'snap={rule!r}: give "digits", "off" or a tolerance up to {_LARGEST_TOLERANCE}'
            )
        self.largest = 0.0
        self.notes: list[Note] = []

    def angle(self, value: float, where: str, written: str | None = None) -> float:
        """The angle in rad that ``value`` stands for; ``written`` is the file's text of it."""
        k = round(value / _EIGHTH_TURN)
        meant = k * _EIGHTH_TURN
        distance = abs(value - meant)
        reach = self.noise
        if self.by_digits:
            digits, unit = _precision(written if written is not None else repr(value))
            if digits >= _FEWEST_DIGITS:
                reach = max(reach, min(unit, _FARTHEST))
        text = written if written is not None else repr(value)
        if distance == 0.0 or distance > reach:
            if self.by_digits and k != 0 and reach < distance <= _SUSPECT:
                self._warn(where, text, k, distance)
            return value
        self._note(where, f"{text} read as {_multiple(k)} (moved by {distance:.1e} rad)", distance)
        return meant

    def rotation(self, R: Matrix, where: str) -> Matrix:
        """The rotation that R stands for: entries near 0 and +-1 exact, if it stays a rotation."""
        cleaned = R.map(self._exact)
        if cleaned.rows == R.rows:
            return R
        cleaned = nearest_rotation(cleaned).map(self._exact)
        if orthogonality_defect(cleaned) > 8 * _EPS:
            return R
        moved = _angle_between(R, cleaned)
        self._note(where, f"rotation cleaned of entries within {self.noise:g} of 0 or 1", moved)
        return cleaned

    def direction(self, axis: Matrix, where: str) -> Matrix:
        """The unit vector along a nonzero axis (3 x 1), entries near 0 and +-1 exact."""
        length = math.hypot(*axis)  # of any size: no square overflows or vanishes
        unit = axis.map(lambda x: x / length)
        if abs(length - 1.0) > 4 * _EPS:
            text = " ".join(f"{c:.8g}" for c in axis)
            self.notes.append(Note("cleaned", where, f"axis ({text}) made a unit vector"))
        cleaned = unit.map(lambda x: 0.0 if abs(x) <= self.noise else x)
        if cleaned.rows == unit.rows:
            return unit
        length = float(norm(cleaned))
        cleaned = cleaned.map(lambda x: x / length)
        moved = math.asin(min(1.0, float(norm(unit - cleaned))))
        if moved > _EPS:
            self._note(where, f"axis cleaned of entries within {self.noise:g} of 0", moved)
        return cleaned

    def _exact(self, x: float) -> float:
        for exact in (0.0, 1.0, -1.0):
            if abs(x - exact) <= self.noise:
                return exact
        return x

    def _warn(self, where: str, text: str, k: int, distance: float) -> None:
        enough = 10.0 ** math.ceil(math.log10(distance))
        message = (
            f"{text} is {distance:.1e} rad off {_multiple(k)} and is kept; "
            f"snap={enough:.0e} takes it for {_multiple(k)}"
        )
        note = Note("warning", where, message)
        if note not in self.notes:  # as of two angles of one origin
            self.notes.append(note)

    def _note(self, where: str, message: str, moved: float) -> None:
        self.notes.append(Note("cleaned", where, message))
        self.largest = max(self.largest, moved)


def read_snapped(read: Callable[[Snap], Robot], rule: SnapRule) -> Robot:
    """Read a robot under the rule; if that moved anything, note by how much its poses changed."""
    snap = Snap(rule)
    robot = read(snap)
    if snap.largest <= 4 * _EPS:
        return robot
    angle, distance = _home_change(robot, read(Snap("off")))
    change = (
        f"cleaning moved an angle by at most {snap.largest:.1e} rad, and a frame at q = 0 "
        f"by at most {angle:.1e} rad and {distance:.1e} m"
    )
    return robot.with_notes([Note("cleaned", robot.name, change)])


def sine_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine of a constant angle in rad, exact at multiples of pi/4 up to two turns."""
    k = round(angle / _EIGHTH_TURN)
    if abs(k) <= 16 and abs(angle - k * _EIGHTH_TURN) <= _EPS * abs(angle):
        return _SINES[k % 8], _SINES[(k + 2) % 8]
    return math.sin(angle), math.cos(angle)


def turn(axis: Sequence[int], angle: float) -> Matrix:
    """Rotation about a coordinate axis by a constant angle in rad, exact at multiples of pi/4."""
    return axis_rotation(constant(axis), *sine_cosine(angle)).map(lambda x: x + 0.0)


def turn_rpy(roll: float, pitch: float, yaw: float) -> Matrix:
    """Rz(yaw) Ry(pitch) Rx(roll) of constant angles in rad, exact at multiples of pi/4."""
    R = turn((0, 0, 1), yaw) @ turn((0, 1, 0), pitch) @ turn((1, 0, 0), roll)
    return R.map(lambda x: x + 0.0)  # no -0.0


def nearest_rotation(R: Matrix) -> Matrix:
    """The rotation nearest to an almost orthogonal constant matrix.

    Newton's iteration for the polar factor, R <- R (3 I - R'R) / 2. Higham, Functions of Matrices
    (2008), section 8.3; four steps bring a defect of 0.1 to rounding.
    """
    for _ in range(4):
        R = (R @ (identity(3) * 3.0 - R.T @ R)) * 0.5
    return R


def orthogonality_defect(R: Matrix) -> float:
    """The largest entry of R'R - I."""
    return max(abs(float(x)) for x in R.T @ R - identity(3))


def _precision(written: str) -> tuple[int, float]:
    """Number of significant digits of a decimal number, and the unit of the last one."""
    mantissa, _, exponent = written.strip().lower().lstrip("+-").partition("e")
    whole, _, decimals = mantissa.partition(".")
    digits = re.sub(r"\D", "", whole + decimals).lstrip("0")
    return len(digits), 10.0 ** (int(exponent or 0) - len(decimals))


def _multiple(k: int) -> str:
    divisor = math.gcd(k, 4)
    above, below = k // divisor, 4 // divisor
    if above == 0:
        return "0"
    name = {1: "pi", -1: "-pi"}.get(above, f"{above} pi")
    return name if below == 1 else f"{name}/{below}"


def _angle_between(A: Matrix, B: Matrix) -> float:
    square = sum(x * x for x in A - B)
    return 2.0 * math.asin(min(1.0, math.sqrt(square / 8.0)))


def _home_change(one: Robot, other: Robot) -> tuple[float, float]:
    angle = distance = 0.0
    for a, b in zip(_home_frames(one), _home_frames(other), strict=True):
        angle = max(angle, _angle_between(a.R, b.R))
        distance = max(distance, norm(a.p - b.p))
    return angle, distance


def _home_frames(robot: Robot) -> list[Pose]:
    added = [robot.home[frame.link] @ frame.pose for frame in robot.frames]
    return [*robot.home, *added]
