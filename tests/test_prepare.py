"""Preparation changes no value: each step alone and all of them, on robots of every kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import arms
import movers
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scalars import vector

from symkin.algebra import Matrix, constant
from symkin.errors import ArgumentError
from symkin.graph import count
from symkin.model import Attachment, Joint, Robot, assemble, load
from symkin.model.generated import random_chain, random_tree
from symkin.model.hold import hold
from symkin.model.prepare import STEPS, USUAL, prepare
from symkin.model.reframe import reframe
from symkin.model.regroup import regroup
from symkin.model.rescale import rescale
from symkin.model.rezero import rezero, split
from symkin.quantities import QUANTITIES, Instance, bind_all
from symkin.spatial import Inertia, Pose, rotation_zyx
from symkin.trace import trace

ROUNDING = 1e-13
"""Relative to the largest entry, times the condition stated where it is used."""

ZERO = 0.01
"""Forces and the like below this are sums that cancel."""

WAYS = {
    "usual": USUAL,
    "all": tuple(STEPS),
    **{f"lump {step}": ("lump", step) for step in STEPS if step != "lump"},
    "axes, unregrouped": ("lump", "reframe", "rezero", "hold", "split"),
}

QUICK = (
    "forward_kinematics",
    "jacobian_space",
    "jacobian_body_dot",
    "acceleration_classical_position",
    "inverse_dynamics",
    "mass_matrix",
    "kinetic_energy",
    "potential_energy",
    "center_of_mass",
    "centroidal_momentum",
    "coriolis_matrix",
    "inverse_dynamics_dq",
    "inverse_dynamics_dv",
    "inverse_dynamics_external",
    "inverse_dynamics_external_dq",
    "inverse_dynamics_regressor",
)
"""Rows that stand for all kinds of them."""


def draw(instance: Instance, seed: int, size: float = 1.0) -> list[Matrix]:
    rng = np.random.default_rng(seed)
    inputs = []
    for port in instance.inputs:
        x = rng.normal(size=port.size) * size
        for k in port.quaternions:
            x[k : k + 4] /= np.linalg.norm(x[k : k + 4])
        inputs.append(vector([0.01]) if port.name == "h" else vector(x))
    return inputs


def worst(robot: Robot, steps: tuple[str, ...], rows: tuple[str, ...], seed: int) -> float:
    """The largest change that preparing makes, relative to the quantity's largest entry."""
    change = 0.0
    for instance in bind_all(robot, [row for row in rows if not QUANTITIES[row].missing(robot)]):
        inputs = draw(instance, seed)
        plain = np.array([float(x) for x in instance(*inputs)])
        if plain.size == 0:
            continue
        prepared = np.array([float(x) for x in instance.prepared(steps)(*inputs)])
        scale = max(float(np.abs(plain).max()), ZERO)
        change = max(change, float(np.abs(prepared - plain).max()) / scale)
    return change


FIXTURES: dict[str, Callable[[], Robot]] = {
    "planar": arms.planar,
    "wrist": arms.wrist,
    "oblique": arms.oblique,
    "gripper": arms.gripper,
    "flyer": arms.flyer,
    "flying": movers.flying,
    "pendulum": movers.pendulum,
    "chain": lambda: random_chain(7, seed=3),
    "tree": lambda: random_tree(9, seed=5),
    "ur5": lambda: load("ur5"),
    "fr3": lambda: load("fr3"),
    "scara": lambda: load("scara"),
    "planar_2r": lambda: load("planar_2r"),
    "tree12": lambda: load("tree12"),
    "floating tree": lambda: load("tree12", base="floating"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FIXTURES)
def test_no_value_changes(name: str, way: str) -> None:
    """A chain of 12 joints multiplies rounding by its length and by the ratio of reach to offset:
    hundreds at most."""
    assert worst(FIXTURES[name](), WAYS[way], QUICK, seed=1) < 100 * ROUNDING


@pytest.mark.parametrize("name", ["oblique", "flyer", "scara", "ur5"])
def test_no_value_of_any_row_changes(name: str) -> None:
    """Inverse matrices multiply rounding by the condition of M, below 1e4 here."""
    robot = FIXTURES[name]()
    rows = tuple(
        row
        for row, quantity in QUANTITIES.items()
        if not quantity.missing(robot) and "tensor" not in row and "implicit" not in row
    )
    for way in ("usual", "all"):
        assert worst(robot, WAYS[way], rows, seed=2) < 1e4 * ROUNDING


ANGLES = st.sampled_from([0.0, math.pi / 2, -math.pi / 2, math.pi, 0.3, -1.1])
OFFSETS = st.sampled_from([0.0, 0.0, 0.2, -0.35, 0.07])
AXES = st.sampled_from([(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, 1, 0), (0, 0.6, 0.8), (-0.8, 0, 0.6)])
KINDS = st.sampled_from(["revolute"] * 5 + ["continuous", "prismatic", "helical", "spherical"])


@st.composite
def trees(draw: st.DrawFn) -> Robot:
    """Axes that are parallel, opposite, coincident, crossing, skew, at right angles or not."""
    bodies, joints = {"l0": Inertia.zero()}, []
    size = draw(st.integers(1, 5))
    if draw(st.booleans()):
        joints.append(Attachment(Joint("free", "floating"), "l0", "body"))
        bodies["body"] = Inertia.of_body(2.0, constant([0.1, -0.05, 0.2]), _tensor(0.3))
    names = list(bodies)
    for k in range(1, size + 1):
        parent = names[-1] if draw(st.integers(0, 3)) else draw(st.sampled_from(names))
        place = Pose(
            rotation_zyx(constant([draw(ANGLES), draw(ANGLES), draw(ANGLES)])),
            constant([draw(OFFSETS), draw(OFFSETS), draw(OFFSETS)]),
        )
        kind = draw(KINDS)
        pitch = 0.1 if kind == "helical" else 0.0
        joint = Joint(f"j{k}", kind, place, constant(draw(AXES)), pitch=pitch)
        joints.append(Attachment(joint, parent, f"l{k}"))
        com = constant([draw(OFFSETS), draw(OFFSETS), draw(OFFSETS)])
        bodies[f"l{k}"] = Inertia.of_body(1.0 + k / 7, com, _tensor(draw(ANGLES)))
        names.append(f"l{k}")
    return assemble("drawn", bodies, joints)


def _tensor(turn: float) -> Matrix:
    R = rotation_zyx(constant([turn, turn / 2, -turn]))
    return R @ constant(np.diag([0.02, 0.03, 0.04])) @ R.T


@settings(max_examples=20, deadline=None)
@given(robot=trees(), seed=st.integers(0, 99))
def test_no_value_changes_on_drawn_trees(robot: Robot, seed: int) -> None:
    """Feet of common normals of axes 0.3 rad apart stand at three times the offsets."""
    assert worst(robot, tuple(STEPS), QUICK, seed) < 1000 * ROUNDING
    assert worst(robot, USUAL, QUICK, seed) < 1000 * ROUNDING


def nearly_parallel(angle: float, about: int) -> Robot:
    """Each axis tilted by an angle against the one before, beside which it stands."""
    bodies, joints = {"l0": Inertia.zero()}, []
    tilt = rotation_zyx(constant([angle if k == about else 0.0 for k in range(3)]))
    for k in range(1, 6):
        joint = Joint(f"j{k}", "revolute", Pose(tilt, constant([0.3, -0.1, 0.2])))
        joints.append(Attachment(joint, f"l{k - 1}", f"l{k}"))
        com = constant([0.1, 0.02, -0.2])
        bodies[f"l{k}"] = Inertia.of_body(1.0 + k / 7, com, _tensor(0.3))
    return assemble("tilted", bodies, joints)


@pytest.mark.parametrize("about", [0, 1])
@pytest.mark.parametrize(
    "angle", [1e-12, 1e-9, 2.6e-6, 1e-3, 0.03, 3.14159, math.pi - 1e-9, math.pi / 2 - 1e-9, 1.5708]
)
def test_nearly_parallel_axes_leave_all_digits(angle: float, about: int) -> None:
    """Their common normal may stand kilometres away, and their cosine is rounded to 1."""
    robot = nearly_parallel(angle, about)
    for way in ("usual", "all", "lump reframe", "lump hold"):
        assert worst(robot, WAYS[way], QUICK, seed=1) < ROUNDING


def test_frames_stay_where_they_were_put() -> None:
    robot = load("ur5")
    prepared = prepare(robot)
    assert set(robot.frame_names) <= set(prepared.frame_names)
    assert prepared.tips == robot.tips
    assert prepared.position_names == robot.position_names
    assert prepared.links[0].name == robot.links[0].name


def test_axes_of_a_reframed_arm_lie_on_z_and_displacements_have_zeros() -> None:
    for link in reframe(prepare(load("ur5"), ("lump",))).links[1:]:
        assert link.joint is not None
        assert tuple(link.joint.axis) == (0.0, 0.0, 1.0)
        assert all(x in (-1.0, 0.0, 1.0) for x in link.joint.origin.R)
    for link in rezero(reframe(random_chain(6))).links[2:]:
        assert link.joint is not None
        R, p = link.joint.origin.R, link.joint.origin.p
        assert (R[0, 0], R[0, 1], R[0, 2], p[1]) == (1.0, 0.0, 0.0, 0.0)


def test_regrouping_leaves_no_mass_and_keeps_the_sum() -> None:
    robot = reframe(prepare(load("fr3"), ("lump",)))
    for link in regroup(robot).links[2:]:
        inertia = link.inertia
        assert inertia.mass == inertia.moment[2] == inertia.about_origin[1, 1] == 0.0
    assert math.isclose(
        sum(link.inertia.mass for link in regroup(robot).links),
        sum(link.inertia.mass for link in robot.links),
    )


def test_parallel_axes_are_found() -> None:
    def held(name: str) -> list[int]:
        robot = hold(reframe(prepare(load(name), ("lump",))))
        return [i for i, link in enumerate(robot.links) if link.held]

    assert held("ur5") == [2, 3, 4]
    assert held("fr3") == []
    assert held("scara") == [2, 3, 4]  # the first turns about gravity
    assert held("planar_2r") == [2]


def test_a_first_joint_that_gravity_feels_is_held_too() -> None:
    robot = load("planar_2r").with_gravity((0.0, -9.81, 0.0))
    assert [i for i, link in enumerate(hold(robot).links) if link.held] == [1, 2]


def test_what_slides_on_a_turning_link_keeps_its_frame() -> None:
    robot = reframe(prepare(load("scara"), ("lump",)))
    slide = robot.links[3].joint
    assert slide is not None
    assert slide.kind == "prismatic"
    assert tuple(slide.origin.R) == tuple(Pose.identity().R)
    assert tuple(slide.origin.p) == (0.0, 0.0, 0.0)


def test_oblique_displacements_are_split_into_turns_about_one_axis() -> None:
    robot = split(rezero(reframe(random_chain(5))))
    assert len(robot.links) == 10  # all but the first joint's, which hangs on the root as given
    middle = robot.links[2]
    assert middle.joint is not None
    assert middle.joint.kind == "fixed"
    assert middle.inertia.mass == 0.0


def test_the_unit_of_length_is_an_offset_that_much_is_carried_across() -> None:
    robot = rescale(prepare(load("fr3"), ("lump", "reframe")))
    offsets = [abs(x) for link in robot.links if link.joint for x in link.joint.origin.p]
    assert 1.0 in offsets
    sliding = prepare(load("scara"), ("lump", "reframe"))
    assert rescale(sliding) is sliding


def test_rows_that_speak_of_links_as_given_see_them_so() -> None:
    (regressor,) = bind_all(load("ur5"), "inverse_dynamics_regressor")
    assert regressor.prepared().preparation == ("lump",)
    (pose,) = bind_all(load("ur5"), "forward_kinematics")
    assert "rescale" not in pose.prepared(tuple(STEPS)).preparation


def test_masses_that_are_inputs_are_regrouped_too() -> None:
    graph = trace(load("fr3"), "inverse_dynamics", parameters=["mass:fr3_link4"])
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7))
    tau = [
        graph.evaluate({"q": q, "v": v, "a": a, "mass_fr3_link4": np.array([mass])})["tau"]
        for mass in (2.0, 3.0, 4.0)
    ]
    assert np.allclose(tau[0] + tau[2], 2 * tau[1], rtol=1e-12)
    assert not np.allclose(tau[0], tau[1])


def test_every_step_says_what_it_did() -> None:
    robot = load("ur5")
    texts = [str(note) for note in prepare(robot).notes]
    for word in ("welded", "on its joint's axis", "regrouped", "axes that stay", "units of"):
        assert any(word in text for text in texts), word


def test_steps_have_names() -> None:
    with pytest.raises(ArgumentError, match="unknown steps \\['polish'\\]; there are"):
        prepare(load("ur5"), ["polish"])


@pytest.mark.parametrize(("name", "most"), [("ur5", 290), ("fr3", 640), ("tree12", 1500)])
def test_inverse_dynamics_takes_few_operations(name: str, most: int) -> None:
    assert count(trace(load(name), "inverse_dynamics")).operations <= most


def test_a_preparation_that_changed_a_value_would_be_seen() -> None:
    robot = load("ur5")
    heavier = replace(robot, links=(*robot.links[:2], _doubled(robot), *robot.links[3:]))
    (one,), (other,) = bind_all(robot, "mass_matrix"), bind_all(heavier, "mass_matrix")
    (q,) = draw(one, 0)
    assert [float(x) for x in one(q)] != [float(x) for x in other(q)]


def _doubled(robot: Robot):  # type: ignore[no-untyped-def]
    link = robot.links[2]
    return replace(link, inertia=link.inertia + link.inertia)
