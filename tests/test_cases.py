"""Every check of every trouble case: what went wrong with other tools, and the right answers.

`cases/` holds what users' troubles gave and `siblings/` more of each kind with other numbers;
`cases/README.md` is the format. A check of a quantity that is not in the table yet is skipped, and
runs as soon as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_adapter import LATER, OPTIMISATION, WAYS, Check, Given, agree, checks
from case_compiled import COMPILED_OPS
from case_ops import GROUP_OPS, MODEL_OPS, QUANTITY_OPS

import symkin
from symkin.errors import SymkinError


def _load_error(g: Given) -> None:
    """A file that is no robot is refused by a message that mentions what the check wants."""
    if g.check.may_be_refused:
        return  # The other checks of the case hold the numbers that are as good.
    # A path that ends in .xacro asks for its expansion; as URDF means its text.
    source = g.path.read_bytes() if g.path.suffix == ".xacro" else g.path
    with pytest.raises(SymkinError) as caught:
        symkin.load(source)
    for words in g.check.data["must_mention"]:
        assert any(word in str(caught.value) for word in words.split("|")), str(caught.value)


def _load_warning(g: Given) -> None:
    """What is odd about a file is said, as a warning, and not of what is not odd."""
    warnings = "\n".join(str(note) for note in symkin.load(g.path).notes if note.kind == "warning")
    assert all(word in warnings for word in g.check.data["must_mention"]), warnings
    assert not any(word in warnings for word in g.check.data.get("must_not_mention", []))


def _value_error(g: Given) -> None:
    with pytest.raises(SymkinError, match="quaternion"):
        g.of_frame("forward_kinematics", "q")


OTHER_OPS: Mapping[str, Callable[[Given], Any]] = {
    **MODEL_OPS,
    **GROUP_OPS,
    **COMPILED_OPS,
    "load_error": _load_error,
    "load_warning": _load_warning,
    "value_error": _value_error,
}
CHECKS = checks()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_check(check: Check, tmp_path: Path) -> None:
    if check.missing:
        pytest.skip(f"waits for {' and '.join(check.missing)}")
    for file in check.files:
        if check.op in QUANTITY_OPS:
            for way in WAYS:
                _agree_or_raise(Given(check, tmp_path, way, file))
        else:
            value = OTHER_OPS[check.op](Given(check, tmp_path, file=file))
            if "expect" in check.expected:
                agree(value, check.expected)


def _agree_or_raise(g: Given) -> None:
    """Compare a quantity with what is expected, or with what must not come out."""
    expected = g.check.expected
    allowed = re.search(r"or raise naming the (\w+)", expected.get("note", ""))
    try:
        value = QUANTITY_OPS[g.check.op](g)
    except SymkinError as error:
        if allowed is None or allowed[1] not in str(error):
            raise
        return
    if g.check.op.endswith("_wrong"):
        with pytest.raises(AssertionError):
            agree(value, expected)
    else:
        agree(value, expected)


def test_every_op_is_known() -> None:
    ops = {check.op for check in CHECKS}
    assert ops <= {*QUANTITY_OPS, *OTHER_OPS, *LATER, *OPTIMISATION}


def test_a_check_waits_only_while_its_quantity_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = [c for c in CHECKS if any("quantity" in what for what in c.missing)]
    assert {check.part or check.op for check in waiting} <= set(LATER)
    rows = {row: object() for rows in LATER.values() for row in rows}
    monkeypatch.setattr(symkin, "QUANTITIES", {**symkin.QUANTITIES, **rows})
    assert not [check.id for check in waiting if check.missing]


def test_a_wrong_value_does_not_agree() -> None:
    data = {"expect": [[1.0, 2.0]], "atol": 1e-9, "rtol": 1e-9}
    agree(np.array([[1.0 + 1e-9, 2.0 - 2e-9]]), data)
    agree(-np.array([[1.0, 2.0]]), {**data, "sign_free": True})
    for wrong in ([[1.0, 2.0 + 4e-9]], [[-1.0, -2.0]], [[1.0], [2.0]], [[1.0, np.nan]]):
        with pytest.raises(AssertionError):
            agree(np.array(wrong), data)
    with pytest.raises(AssertionError):
        agree({"nq": 2}, {"expect": {"nq": 3}})
    with pytest.raises(AssertionError):
        agree({"names": ["a", "b"]}, {"expect": {"names": ["b", "a"]}})
