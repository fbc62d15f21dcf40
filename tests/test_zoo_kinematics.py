"""Robot files of others: their kinematics agree with Pinocchio, which reads the same files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from zoo import FILES, READABLE, UNREADABLE, title

from symkin.errors import ModelError
from symkin.evaluate import evaluate
from symkin.model import Robot, load
from symkin.verify.oracles.pinocchio import Pinocchio
from symkin.verify.states import sample_states

if not Pinocchio.installed():
    pytest.skip('needs the extra "verify"', allow_module_level=True)

STATES = 3
FRAMES = 4
JACOBIANS = ("jacobian_space", "jacobian_body", "jacobian_position")


@pytest.mark.parametrize("path", READABLE, ids=title)
def test_as_the_file_says(path: Path) -> None:
    """To rounding: 1e-12 of one metre or of the largest entry is 4500 roundings, for trees of up
    to a hundred joints."""
    compare(read(path, "off"), path, 1e-12, (*JACOBIANS, *(f"{name}_dot" for name in JACOBIANS)))


@pytest.mark.parametrize("path", READABLE, ids=title)
def test_with_numbers_moved_to_what_they_stand_for(path: Path) -> None:
    """The default moves nothing by more than 1e-9; ten links of a metre add up to 1e-8."""
    compare(read(path, "digits"), path, 1e-8, JACOBIANS)


def read(path: Path, snap: str) -> Robot:
    """The robot, without its inertias where those cannot be."""
    try:
        return load(path, snap=snap)
    except ModelError:
        return load(path, snap=snap, inertia=False)


def compare(robot: Robot, path: Path, tolerance: float, quantities: tuple[str, ...]) -> None:
    """Poses of all links, and more of some of them, the last of each branch among them."""
    pin = Pinocchio.library()
    oracle = Pinocchio(robot, None, pin.buildModelFromUrdf(str(path)))
    states = sample_states(robot, STATES - 1, seed=7)
    rows = list(zip(states["q"], states["v"], states["a"], strict=True))
    everywhere = [("forward_kinematics", name) for name in robot.link_names]
    some = [(quantity, name) for name in chosen(robot) for quantity in quantities]
    expected: dict[tuple[str, str], list[np.ndarray]] = {key: [] for key in (*everywhere, *some)}
    for row in rows:
        oracle.move_to(*row)
        for quantity, name in expected:
            expected[quantity, name].append(oracle.read(quantity, oracle.frame_id(name)))
    for (quantity, name), answers in expected.items():
        inputs = {"q": states["q"]}
        if quantity.endswith("_dot"):
            inputs["v"] = states["v"]
        ours = evaluate(robot, quantity, frame=name, **inputs)
        theirs = np.array(answers)
        allowed = tolerance * max(1.0, float(np.max(np.abs(theirs), initial=0.0)))
        what = f"{quantity} of {name}"
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=allowed, err_msg=what)


def chosen(robot: Robot) -> list[str]:
    """Links at the ends of branches and between, evenly spread over the tree."""
    parents = {link.parent for link in robot.links}
    leaves = [link.name for i, link in enumerate(robot.links) if i not in parents]
    inner = [name for name in robot.link_names if name not in leaves]
    return spread(leaves, FRAMES) + spread(inner, 1)


def spread(names: list[str], count: int) -> list[str]:
    places = np.linspace(0, len(names) - 1, min(count, len(names)))
    return [names[round(place)] for place in places]


def test_the_unreadable_are_in_the_package() -> None:
    assert set(UNREADABLE) <= {path.name for path in FILES}
