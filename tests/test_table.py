"""The table of quantities is complete: every row is documented and has an independent check."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from arms import ARMS, planar

from symkin.errors import ArgumentError
from symkin.quantities import QUANTITIES, Quantity, Slot, bind
from symkin.verify.laws import LAWS
from symkin.verify.oracles import ORACLES


def faults(row: Quantity) -> list[str]:
    """What a row lacks."""
    slots = (*row.inputs, row.output)
    checked = row.name in LAWS or any(row.name in o.conventions for o in ORACLES.values())
    return [
        fault
        for fault, present in (
            ("doc", row.doc.endswith(".")),
            ("reference", re.search(r"\(\d{4}\)", row.reference)),
            ("unit", all(slot.unit for slot in slots)),
            ("doc of a port", all(slot.doc for slot in slots)),
            ("formulation", row.formulations),
            ("independent check", checked),
        )
        if not present
    ]


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_row_is_complete(name: str) -> None:
    assert faults(QUANTITIES[name]) == []
    assert QUANTITIES[name].name == name
    assert name.isidentifier()


def test_an_incomplete_row_is_found() -> None:
    row = QUANTITIES["twist_body"]
    nothing = Slot("V", (6,), "", "")
    bare = replace(row, name="new", doc="", reference="", output=nothing, formulations={})
    assert faults(bare) == [
        "doc",
        "reference",
        "unit",
        "doc of a port",
        "formulation",
        "independent check",
    ]


def test_every_row_has_a_law() -> None:
    """Other libraries may be missing; laws are always there."""
    assert set(LAWS) == set(QUANTITIES)
    assert all(LAWS.values())


def test_laws_and_oracles_speak_of_rows_only() -> None:
    named = {name for oracle in ORACLES.values() for name in oracle.conventions}
    assert named <= set(QUANTITIES)
    differentiated = {name for laws in LAWS.values() for law in laws for name in law.differentiates}
    assert differentiated <= set(QUANTITIES)


def test_every_oracle_states_its_conventions() -> None:
    for oracle in ORACLES.values():
        assert all(oracle.conventions.values())
        assert oracle.__doc__


@pytest.mark.parametrize("arm", ARMS)
def test_formulations_of_one_row_have_one_shape(arm: str) -> None:
    robot = ARMS[arm]()
    for row in QUANTITIES.values():
        if row.missing(robot):
            with pytest.raises(ArgumentError, match=row.name):
                bind(robot, row.name)
            continue
        frame = robot.tips[0] if row.per_frame else None
        shapes = {
            bind(robot, row.name, frame=frame, formulation=name).output.shape
            for name in row.formulations_of(robot)
        }
        assert len(shapes) == 1


def test_ports_of_a_robot() -> None:
    instance = bind(planar(), "jacobian_space_dot")
    assert [port.shape for port in instance.inputs] == [(2,), (2,)]
    assert instance.output.shape == (6, 2)
    assert instance.output.size == 12
