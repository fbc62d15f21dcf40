"""Right angles that are right: what is moved to what it stands for, what is not, what is said."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed import array, fk

from symkin.algebra import constant
from symkin.errors import ArgumentError
from symkin.model import load
from symkin.model.snap import (
    Snap,
    nearest_rotation,
    orthogonality_defect,
    sine_cosine,
    turn,
    turn_rpy,
)

CASES = Path(__file__).parent / "cases"
EPS = np.finfo(float).eps
HALF_ROOT = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1.57079632679", math.pi / 2),
        ("-1.570796327", -math.pi / 2),
        ("1.5707963267948961", math.pi / 2),
        ("3.14159265359", math.pi),
        ("0.785398163", math.pi / 4),
        ("2.356194490", 3 * math.pi / 4),
        ("-4.71238898038", -3 * math.pi / 2),
        ("1.57079632679490E+00", math.pi / 2),
        ("157079632679e-11", math.pi / 2),
        ("-1.1e-16", 0.0),
        ("1e-12", 0.0),
        # too few digits: 1.5708 is what the file says
        ("1.5708", None),
        ("1.570796", None),
        ("1.5707963", None),
        ("0.78539816", None),
        ("0.000000000", None),
        # enough digits, but they say something else
        ("1.570796325", None),
        ("1.57079632681", None),
        ("1.570800000000", None),
        ("1.1e-12", None),
        # within a unit of the last digit, yet further than any number may be moved
        ("1.57079633", None),
        ("3.14159265", None),
    ],
)
def test_the_rule_of_digits(written: str, meant: float | None) -> None:
    snap = Snap("digits")
    value = float(written)
    assert snap.angle(value, "here", written) == (value if meant is None else meant)
    cleaned = [note for note in snap.notes if note.kind == "cleaned"]
    assert len(cleaned) == (meant is not None)
    assert snap.largest <= 1e-9
    assert Snap("off").angle(value, "here", written) == value


def test_a_tolerance_moves_whatever_is_near() -> None:
    snap = Snap(1e-5)
    assert snap.angle(1.5708, "here", "1.5708") == math.pi / 2
    assert snap.angle(3.1415, "here", "3.1415") == 3.1415
    assert [str(note) for note in snap.notes] == [
        "cleaned: here: 1.5708 read as pi/2 (moved by 3.7e-06 rad)"
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1.5708", "1.5708 is 3.7e-06 rad off pi/2 and is kept; snap=1e-05 takes it for pi/2"),
        ("-3.1415", "-3.1415 is 9.3e-05 rad off -pi and is kept; snap=1e-04 takes it for -pi"),
        ("1.57079633", "1.57079633 is 3.2e-09 rad off pi/2 and is kept; snap=1e-08 takes it"),
        ("1.57079632679", None),
        ("1.5710", None),
        ("0.00001", None),  # a small angle is no zero written short
        ("0", None),
    ],
)
def test_nearly_right_angles_that_are_kept_are_warned_of(written: str, said: str | None) -> None:
    snap = Snap("digits")
    value = float(written)
    for _ in range(2):
        snap.angle(value, "here", written)
    warnings = [note.message for note in snap.notes if note.kind == "warning"]
    assert len(warnings) == (said is not None)
    assert all(message.startswith(said) for message in warnings)
    for rule in ("off", 1e-9):
        other = Snap(rule)
        other.angle(value, "here", written)
        assert not [note for note in other.notes if note.kind == "warning"]


def test_the_tolerance_that_a_warning_names_is_enough() -> None:
    path = CASES / "U54_rounded_half_pi" / "robot.urdf"
    said = {note.message for note in load(path).notes if note.kind == "warning"}
    assert {re.search("snap=([^ ]+)", message)[1] for message in said} == {"1e-05", "1e-06"}
    assert not [note for note in load(path, snap=1e-5).notes if note.kind == "warning"]


@given(st.floats(-20.0, 20.0))
def test_nothing_moves_by_more_than_promised(value: float) -> None:
    assert abs(Snap("digits").angle(value, "here") - value) <= 1e-9


@pytest.mark.parametrize("rule", ["on", 0.0, -1e-5, 0.2, math.nan, True, None])
def test_unknown_rules_are_refused(rule: object) -> None:
    with pytest.raises(ArgumentError, match='give "digits", "off" or a tolerance'):
        Snap(rule)  # type: ignore[arg-type]


@pytest.mark.parametrize("k", range(-16, 17))
def test_sines_are_exact_at_multiples(k: int) -> None:
    sine, cosine = sine_cosine(k * math.pi / 4)
    assert {abs(sine), abs(cosine)} in ({0.0, 1.0}, {HALF_ROOT})
    assert sine == pytest.approx(math.sin(k * math.pi / 4), abs=20 * EPS)
    assert cosine == pytest.approx(math.cos(k * math.pi / 4), abs=20 * EPS)


@given(st.floats(-1e6, 1e6))
def test_sines_elsewhere(angle: float) -> None:
    assert sine_cosine(angle) == pytest.approx((math.sin(angle), math.cos(angle)), abs=20 * EPS)


def test_rotations_by_right_angles_have_structural_zeros() -> None:
    quarter = math.pi / 2
    R = turn_rpy(quarter, -quarter, math.pi)
    assert all(x in (0.0, 1.0, -1.0) and math.copysign(1.0, x or 1.0) == (x or 1.0) for x in R)
    assert turn((0, 0, 1), math.pi / 4).rows == (
        (HALF_ROOT, -HALF_ROOT, 0.0),
        (HALF_ROOT, HALF_ROOT, 0.0),
        (0.0, 0.0, 1.0),
    )
    assert "-0.0" not in repr(R)


def test_rotations_stay_rotations() -> None:
    # zeros that cancellation left at rounding are cleaned ...
    roll, pitch = math.atan(HALF_ROOT), math.pi / 6
    R = turn_rpy(0.3, 0.7, 0.0) @ turn_rpy(0.3, 0.7, 0.0).T @ turn_rpy(0.0, roll, pitch)
    cleaned = Snap("digits").rotation(R, "here")
    assert cleaned[2, 1] == 0.0
    assert orthogonality_defect(cleaned) <= 8 * EPS
    # ... but a cosine is not made 1 next to a sine that is not 0
    tilted = turn_rpy(3e-7, 0.0, 0.0)
    assert Snap("digits").rotation(tilted, "here") is tilted
    assert Snap("off").rotation(R, "here") is R


def test_a_tolerance_cleans_whole_rotations() -> None:
    snap = Snap(1e-5)
    R = snap.rotation(turn_rpy(4e-6, -7e-6, math.pi / 2), "here")
    assert R.rows == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert snap.largest == pytest.approx(math.hypot(4e-6, 7e-6), rel=1e-4)


def test_axes() -> None:
    snap = Snap("digits")
    assert tuple(snap.direction(constant([0, -0.77, 0]), "here")) == (0.0, -1.0, 0.0)
    assert tuple(snap.direction(constant([1e-13, 0, 2]), "here")) == (0.0, 0.0, 1.0)
    slanted = snap.direction(constant([1, 1e-13, 1]), "here")
    assert tuple(slanted) == pytest.approx((HALF_ROOT, 0.0, HALF_ROOT), abs=EPS)
    assert slanted[1] == 0.0
    followed = Snap("off").direction(constant([1e-13, 0, 2]), "here")
    assert followed[0] == 5e-14
    assert Snap(1e-5).direction(constant([1e-6, 0, 1]), "here")[0] == 0.0


def test_nearest_rotation_agrees_with_the_polar_factor() -> None:
    rough = np.round(array(turn_rpy(0.4, -0.7, 1.1)), 3)
    u, _, v = np.linalg.svd(rough)
    np.testing.assert_allclose(array(nearest_rotation(constant(rough))), u @ v, atol=8 * EPS)


def test_rounded_right_angles_are_followed_by_default() -> None:
    path = CASES / "U54_rounded_half_pi" / "robot.urdf"
    assert load(path).digest == load(path, snap="off").digest
    assert "read as" not in load(path).report()
    snapped = load(path, snap=1e-5)
    assert all(x in (0.0, 1.0, -1.0) for link in snapped.links[1:] for x in link.joint.origin.R)


def test_the_report_says_what_moved_and_how_far() -> None:
    path = CASES / "U26_locale_comma" / "robot.urdf"
    robot, followed = load(path), load(path, snap="off")
    assert robot.report().splitlines()[:2] == [
        "cleaned: 1.57079632679 read as pi/2 (moved by 4.9e-12 rad) (robot.urdf:14: joint 'j1')",
        "cleaned: cleaning moved an angle by at most 4.9e-12 rad, and a frame at q = 0 by at most "
        "4.9e-12 rad and 0.0e+00 m (locale)",
    ]
    assert "cleaned" not in followed.report()
    difference = fk(robot, [0.0], "a") - fk(followed, [0.0], "a")
    assert 4e-12 < np.abs(difference).max() < 5e-12
