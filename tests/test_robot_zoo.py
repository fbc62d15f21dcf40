"""Robot files of others: each loads, or says exactly why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from zoo import FILES, title

from symkin.errors import ModelError
from symkin.model import Robot, load, prepare
from symkin.model.prepare import USUAL

REFUSED = {
    "alex_psyonic_hands.urdf": "joint 'Left_index_q2': mimic .* 'index_q1', which does not exist",
    "romeo_laas_small.urdf": "link 'body': inertia is not positive semidefinite",
    "tiago.urdf": "link 'base_antenna_left_link': inertia is not positive semidefinite",
    "tiago_dual.urdf": "link 'base_antenna_left_link': inertia is not positive semidefinite",
    "tiago_no_hand.urdf": "link 'base_antenna_left_link': inertia is not positive semidefinite",
    "ur3.urdf": "a robot needs at least one link",
}


def test_there_are_many() -> None:
    assert len(FILES) > 60
    assert set(REFUSED) <= {path.name for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=title)
def test_loads_or_says_why(path: Path) -> None:
    if path.name in REFUSED:
        with pytest.raises(ModelError, match=REFUSED[path.name]):
            load(path)
        if "inertia" in REFUSED[path.name]:
            assert load(path, inertia=False).nq > 0
        return
    robot = load(path)
    check_whole(robot)
    followed = load(path, snap="off")
    assert followed.joint_names == robot.joint_names


def check_whole(robot: Robot) -> None:
    """What every robot has, before and after it is prepared."""
    prepared = prepare(robot, [step for step in USUAL if step != "rescale"])
    assert prepared.joint_names == robot.joint_names
    assert set(prepared.frame_names) >= set(robot.frame_names)
    assert set(prepared.tips) == set(robot.tips)
    eps_of_sum = 1e-15 * len(robot.links)
    assert prepared.moving_mass == pytest.approx(robot.moving_mass, rel=eps_of_sum)
    for name in robot.joint_names:
        assert f"{name} (" in str(robot)
    for note in robot.notes:
        assert note.where
        assert note.message
