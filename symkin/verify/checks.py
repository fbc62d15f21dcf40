"""What a verification says: one line per check, and the verdict over all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.algebra.bounded import Bounded
from symkin.verify.arrays import exactly

Array = npt.NDArray[np.float64]

DECIDED = 0.01
"""The largest tolerance, in parts of the numbers compared, that still says something."""


@dataclass(frozen=True, slots=True)
class Check:
    """A quantity held against one lane, law or oracle.

    ``error`` and ``tolerance`` are those of the entry, over all states, whose error is the largest
    part of its tolerance. ``passed`` is None for a check that was not carried out; ``note`` says
    why.
    """

    quantity: str
    lane: str
    error: float
    tolerance: float
    passed: bool | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of a robot."""

    robot: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether some check was carried out and none failed."""
        return not self.failures and any(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.passed is False)

    @property
    def skipped(self) -> tuple[Check, ...]:
        """The checks that were not carried out, each with its reason."""
        return tuple(check for check in self.checks if check.passed is None)

    def __str__(self) -> str:
        done = len(self.checks) - len(self.skipped)
        text = f"{self.robot}: {done - len(self.failures)} of {done} checks passed"
        return text + (f", {len(self.skipped)} not carried out" if self.skipped else "")


def skipped(quantity: str, lane: str, reason: str) -> Check:
    """A check that was not carried out."""
    return Check(quantity, lane, np.nan, np.nan, None, reason)


def judge(quantity: str, lane: str, left: Any, right: Any, note: str = "") -> Check:
    """Two arrays, states along the first axis, agree within the sum of their errors' bounds.

    An entry is undecided when the sum is more than `DECIDED` of the largest number in its state:
    rounding alone can carry it across a branch, an angle from pi to -pi say. A check of which
    nothing is decided is not carried out; a note counts undecided entries of all states. NaN fails.
    """
    difference = _bounded(left) - _bounded(right)
    errors, tolerances = np.abs(difference.value), difference.bound
    decided = is_decided(tolerances, _bounded(left).value)
    if not errors.size:
        return Check(quantity, lane, 0.0, 0.0, True, _remarks([note, "nothing to compare"]))
    if np.isnan(errors).any():
        return Check(quantity, lane, np.nan, 0.0, False, _remarks([note, _where(errors)]))
    if not decided.any():
        reason = "rounding decides at every state on which side of a branch it lies"
        return skipped(quantity, lane, _remarks([note, reason]))
    excess = np.where(decided, errors - tolerances, -np.inf)
    ratio = np.where(decided, errors / np.where(tolerances > 0.0, tolerances, 1.0), -1.0)
    worst = np.unravel_index(np.argmax(np.where(excess.max() > 0.0, excess, ratio)), errors.shape)
    remarks = [note]
    if excess.max() > 0.0:
        remarks.append(f"worst entry {[int(i) for i in worst[1:]]} of state {int(worst[0])}")
    if not decided.all():
        edge = decided.size - np.count_nonzero(decided)
        remarks.append(f"{edge} of {decided.size} entries on a branch's edge")
    return Check(
        quantity,
        lane,
        float(errors[worst]),
        float(tolerances[worst]),
        bool(excess.max() <= 0.0),
        _remarks(remarks),
    )


def is_decided(tolerances: Array, values: Array) -> npt.NDArray[np.bool_]:
    """Where tolerances are small beside one and the largest value of the same state."""
    axes = tuple(range(1, values.ndim))
    largest = np.max(np.abs(values), axis=axes, keepdims=True, initial=1.0)
    decided: npt.NDArray[np.bool_] = tolerances <= DECIDED * largest
    return decided


def _bounded(side: Any) -> Bounded:
    return side if isinstance(side, Bounded) else exactly(side)


def _where(errors: Array) -> str:
    first = [int(i) for i in np.argwhere(np.isnan(errors))[0]]
    return f"NaN at entry {first[1:]} of state {first[0]}"


def _remarks(parts: Iterable[str]) -> str:
    return "; ".join(part for part in parts if part)
