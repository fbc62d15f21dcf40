"""What callers get wrong in Python is refused by a message that names it and the way out."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from arms import planar

import symkin
from symkin.errors import ArgumentError
from symkin.quantities import bind, bind_all
from symkin.verify import differentiate

Q = np.array([0.3, -0.8])


@pytest.mark.parametrize(
    "call",
    [
        lambda robot: symkin.evaluate(robot, "jacobian_body", q=Q),
        lambda robot: symkin.trace(robot, "jacobian_body"),
        lambda robot: symkin.verify(robot, ["jacobian_body"]),
        lambda robot: symkin.verify(robot),
        lambda robot: bind(robot, "jacobian_body"),
        lambda robot: bind_all(robot),
    ],
)
def test_a_name_is_no_robot(call: Callable[[Any], Any]) -> None:
    with pytest.raises(ArgumentError, match=r"pass symkin\.load\('ur5'\), not 'ur5' itself"):
        call("ur5")
    with pytest.raises(ArgumentError, match=r"symkin\.load makes one, and not one of NoneType"):
        call(None)


def test_a_report_is_of_robots_graphs_and_verifications() -> None:
    with pytest.raises(ArgumentError, match=r"pass symkin\.load\('ur5'\)"):
        symkin.report("ur5")
    with pytest.raises(ArgumentError, match="of a robot, a verification, plans or graphs"):
        symkin.report([planar()])  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="of a robot, a verification, plans or graphs"):
        symkin.report(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("quantity", [None, 3, ["jacobian_body"]])
def test_a_quantity_is_a_name(quantity: Any) -> None:
    for call in (bind, symkin.trace):
        with pytest.raises(ArgumentError, match=r"no quantity .*; (there are|did you mean) "):
            call(planar(), quantity)
    with pytest.raises(ArgumentError, match="no quantity"):
        bind_all(planar(), [quantity])


def test_one_quantity_is_named_alone() -> None:
    assert [i.name for i in bind_all(planar(), "jacobian_body")] == ["jacobian_body"]
    found = symkin.verify(planar(), "jacobian_body", samples=1, lanes=("graph",), oracles=False)
    assert {check.quantity for check in found.checks} == {"jacobian_body"}


def test_no_quantities_are_refused() -> None:
    with pytest.raises(ArgumentError, match="no quantities are named; leave them out for all"):
        symkin.verify(planar(), [])


def test_a_number_is_an_input_of_one_entry() -> None:
    given = {"q": Q, "v": Q, "tau": Q}
    one = symkin.evaluate(planar(), "step_rk4", **given, h=0.01)
    assert np.array_equal(one, symkin.evaluate(planar(), "step_rk4", **given, h=[0.01]))
    with pytest.raises(ArgumentError, match=r"q \(joint positions\) has shape \(\)"):
        symkin.evaluate(planar(), "forward_kinematics", q=0.1)


@pytest.mark.parametrize(
    ("q", "said"),
    [
        (["0.3", "-0.8"], "of text"),
        ([b"0.3", b"-0.8"], "of text"),
        (np.array(["2024-01-01", "2024-01-02"], "datetime64[D]"), "of dates or times"),
        (np.array([1, 2], "timedelta64[s]"), "of dates or times"),
        ([None, 0.3], "it holds None"),
        ([0.3, datetime.date(2024, 1, 1)], r"it holds datetime\.date\(2024, 1, 1\)"),
        ({"shoulder": None, "elbow": 0.3}, "it holds None"),
        (np.ma.masked_array(Q, [True, False]), r"masked; .*filled\(\)"),
        ([[0.1], [0.2, 0.3]], "inhomogeneous"),
    ],
)
def test_inputs_are_arrays_of_numbers(q: Any, said: str) -> None:
    with pytest.raises(ArgumentError, match=f"center_of_mass: q .*{said}"):
        symkin.evaluate(planar(), "center_of_mass", q=q)


def test_numbers_of_any_kind_are_taken() -> None:
    expected = symkin.evaluate(planar(), "center_of_mass", q=[0.5, -1.0])
    for q in ([Fraction(1, 2), -1], np.array([0.5, -1], object)):
        assert np.array_equal(symkin.evaluate(planar(), "center_of_mass", q=q), expected)


def test_what_is_not_finite_gives_nan_quietly() -> None:
    """As C does; warnings are errors in these tests."""
    for q in ([np.inf, 0.0], [np.nan, 0.0], [-np.inf, np.inf]):
        assert np.isnan(symkin.evaluate(planar(), "forward_kinematics", q=q)).any()
        assert np.isnan(differentiate(planar(), "forward_kinematics", lane="dual", q=q)["q"]).any()


def test_python_m_symkin() -> None:
    command = [sys.executable, "-m", "symkin", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("symkin ")
    help_text = subprocess.run([*command[:3], "--help"], capture_output=True, text=True, check=True)
    assert "Usage: symkin " in help_text.stdout
