"""Verification: it passes what is right, fails what is wrong, and lists what it could not do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from arms import ARMS, flyer, gripper, oblique, planar, pose, wrist

from symkin import quantities
from symkin.algebra import Bounded, Matrix, constant
from symkin.algorithms.contact import Contact
from symkin.algorithms.external_forces import Force
from symkin.emit import emit_c
from symkin.errors import ArgumentError, BuildError, VerifyError
from symkin.library import build
from symkin.model import Attachment, Joint, Robot, assemble, load
from symkin.quantities import QUANTITIES, bind
from symkin.spatial import Inertia, Pose, rotation_zyx
from symkin.trace import trace
from symkin.verify import DERIVATIVE_LANES, Check, Verification, differentiate, value, verify
from symkin.verify import compiled as compiled_module
from symkin.verify import traced as traced_module
from symkin.verify.checks import judge, skipped
from symkin.verify.compiled import BUILDS
from symkin.verify.lanes import COSTLY_LANES, measured_derivative
from symkin.verify.oracles import ORACLES
from symkin.verify.states import GIMBAL_MARGIN, sample_states
from symkin.verify.subject import Subject
from symkin.verify.traced import Traced

EPS = np.finfo(float).eps
INTERPRETED = ("graph", "casadi", "dual", "complex step")


def failures(verification: Verification) -> str:
    return "\n".join(str(check) for check in verification.failures)


# What is right passes.


def test_an_arm_passes_every_check() -> None:
    had = [name for name, row in QUANTITIES.items() if not row.missing(planar())]
    found = verify(planar(), had, samples=4)
    assert found.passed, failures(found)
    lanes = {check.lane for check in found.checks if check.quantity == "jacobian_zyx_dot"}
    assert {*DERIVATIVE_LANES, "graph", "casadi", "compiled"} - {"dual"} <= lanes
    for name in had:
        assert any(check.quantity == name and check.passed for check in found.checks), name


@pytest.mark.parametrize("arm", [wrist, oblique])
def test_arms_in_space_pass(arm: Callable[[], Robot]) -> None:
    usual = [
        name
        for name, row in QUANTITIES.items()
        if (row.per_frame or len(row.inputs) < 3) and not row.missing(arm())
    ]
    found = verify(arm(), usual, samples=3)
    assert found.passed, failures(found)
    for name in usual:
        assert any(check.quantity == name and check.passed for check in found.checks), name


def test_trees_and_followers_pass() -> None:
    found = verify(gripper(), ["jacobian_body_dot", "center_of_mass"], samples=3)
    assert found.passed, failures(found)
    assert {check.quantity for check in found.checks} == {
        "jacobian_body_dot_left",
        "jacobian_body_dot_nail",
        "center_of_mass",
    }


def test_quaternions_pass() -> None:
    """Derivatives are along v, in the tangent space."""
    rows = ["pose_rotvec", "jacobian_space", "jacobian_position_dot", "hessian_position"]
    found = verify(flyer(), rows, samples=2)
    assert found.passed, failures(found)
    tangent = differentiate(
        flyer(), "center_of_mass", lane="dual", q=sample_states(flyer())["q"][0]
    )
    assert tangent["q"].shape == (3, flyer().nv)


@pytest.mark.parametrize(("frame", "base"), [("nail", "left"), ("base", "nail"), ("left", "left")])
def test_moving_bases_pass(frame: str, base: str) -> None:
    rows = ["forward_kinematics", "jacobian_space", "jacobian_body_dot", "twist_position"]
    found = verify(gripper(), rows, frame=frame, relative_to=base, samples=2, lanes=INTERPRETED)
    assert found.passed, failures(found)
    asked = [check for check in found.skipped if "Pinocchio" in check.lane]
    installed = ORACLES["Pinocchio"].installed()
    reason = "relative to the root, 'base'" if installed else "not installed: pip install pin"
    assert asked
    assert all(reason in check.note for check in asked)


PLACE = Pose(rotation_zyx(constant([0.4, -0.3, 0.2])), constant([0.5, -0.6, 0.7]))
SOFT = Contact("tool", True, damping=2.0, stiffness=1.0, softness=0.1, place=PLACE)


@pytest.mark.parametrize(
    ("quantity", "options"),
    [
        (
            "external_torque",
            {"forces": [Force("tool", axes="upper"), Force("upper", about="base")]},
        ),
        ("inverse_dynamics_external", {"forces": [Force("tool", axes="base", about="upper")]}),
        ("contact_acceleration", {"contacts": [SOFT, Contact("upper", softness=0.2)]}),
        ("contact_force", {"contacts": [SOFT]}),
        ("inverse_dynamics", {"parameters": ["payload", "gravity", "armature"]}),
        ("mass_matrix", {"parameters": ["mass:upper", "com:upper", "inertia:fore"]}),
    ],
)
def test_options_are_verified(quantity: str, options: Any) -> None:
    """Laws hold whatever acts, is held or is an input; derivatives by parameters are compared."""
    found = verify(planar(), [quantity], samples=2, lanes=INTERPRETED, oracles=False, **options)
    assert found.passed, failures(found)
    lanes = [check.lane for check in found.checks if check.passed]
    assert any(lane.startswith("law: ") for lane in lanes)
    assert {"graph", "casadi", "complex step"} <= set(lanes)


def test_all_formulations_are_compared() -> None:
    with pytest.raises(ArgumentError, match="all formulations are compared; restrict lanes"):
        verify(planar(), ["jacobian_body"], formulation="adjoint")


def test_contacts_that_pinocchio_holds_otherwise_are_not_asked_for() -> None:
    found = verify(planar(), "contact_force", contacts=[SOFT], samples=1, lanes=("graph",))
    (asked,) = (check for check in found.skipped if "Pinocchio" in check.lane)
    installed = ORACLES["Pinocchio"].installed()
    assert ("holds hard points only" if installed else "not installed") in asked.note


def test_a_robot_without_joints_passes() -> None:
    post = assemble(
        "post",
        {"base": Inertia.zero(), "top": Inertia.zero()},
        [Attachment(Joint("weld", "fixed"), "base", "top")],
    )
    found = verify(post, samples=1)
    assert found.passed, failures(found)
    assert differentiate(post, "pose_zyx", lane="dual", q=[])["q"].shape == (6, 0)


# What is wrong fails.


def with_row(monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Any], Any]) -> None:
    """Change every formulation's output: all lanes then agree with one another."""
    row = QUANTITIES[name]

    def changed(compute: Callable[..., Matrix]) -> Callable[..., Matrix]:
        return lambda *inputs: change(compute(*inputs))

    formulations = {key: changed(compute) for key, compute in row.formulations.items()}
    monkeypatch.setitem(QUANTITIES, name, replace(row, formulations=formulations))


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_wrong_formula_breaks_a_law(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """One part in a thousand million, in all lanes alike, and nobody else to ask.

    Newton's method forgives rounding, which running bounds do not know: those of implicit steps
    are a million times coarser, and what is left of their equations is zero but for rounding.
    """
    error = 1e-3 if name.startswith("step_implicit") else 1e-9
    shift = 1.0 if name.endswith("_residual") else 0.0
    with_row(monkeypatch, name, lambda result: (result * (1.0 + error)).map(lambda x: x + shift))
    row = QUANTITIES[name]
    arm = planar() if row.on_request and not row.missing(planar()) else oblique()
    found = verify(arm, [name], samples=2, lanes=("dual", "graph"), oracles=False)
    assert not found.passed
    assert all(check.lane.startswith("law: ") for check in found.failures)


def small(name: str) -> Robot:
    """A robot that has the quantity and does not take long with it."""
    return planar() if QUANTITIES[name].on_request else oblique()


@pytest.mark.parametrize(
    ("name", "lane"),
    [
        (name, lane)
        for name, row in QUANTITIES.items()
        for lane in list(row.formulations)[1:]
        if lane in row.formulations_of(small(name))
    ],
)
def test_a_wrong_formulation_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, lane: str
) -> None:
    row = QUANTITIES[name]
    wrong = row.formulations[lane]
    both = {**row.formulations, lane: lambda *inputs: wrong(*inputs) * (1.0 + 1e-9)}
    monkeypatch.setitem(QUANTITIES, name, replace(row, formulations=both))
    found = verify(small(name), [name], samples=2, lanes=(lane,), oracles=False)
    assert [check.lane for check in found.failures] == [lane]
    assert "worst entry" in found.failures[0].note


@pytest.mark.parametrize("name", ["jacobian_space", "acceleration_classical_body"])
@pytest.mark.parametrize("oracle", ORACLES)
def test_oracles_contradict_a_wrong_formula(
    monkeypatch: pytest.MonkeyPatch, name: str, oracle: str
) -> None:
    if not ORACLES[oracle].installed():
        pytest.skip('needs the extra "verify"')
    if name not in ORACLES[oracle].conventions:
        name = next(iter(ORACLES[oracle].conventions))
    with_row(monkeypatch, name, lambda result: result * (1.0 + 1e-9))
    found = verify(oblique(), [name], samples=2, lanes=("graph",))
    assert any(check.lane.startswith(oracle) for check in found.failures)


def test_swapped_components_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commonest mistake there is: (v, omega) for (omega, v)."""

    def swapped(J: Matrix) -> Matrix:
        return Matrix([*J.rows[3:], *J.rows[:3]])

    with_row(monkeypatch, "jacobian_position", swapped)
    assert not verify(wrist(), ["jacobian_position"], samples=1, lanes=("dual",)).passed


def test_nan_fails() -> None:
    check = judge("twist_body", "casadi", np.array([[1.0, np.nan]]), np.array([[1.0, 2.0]]))
    assert check.passed is False
    assert check.note == "NaN at entry [1] of state 0"


# Judging.


def test_the_worst_entry_is_reported() -> None:
    ours = Bounded(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1e-3, 1e-6], [1e-6, 1e-6]]))
    theirs = np.array([[1.0005, 2.0], [3.0, 4.0 + 5e-6]])
    check = judge("x", "lane", ours, theirs)
    assert (check.passed, check.note) == (False, "worst entry [1] of state 1")
    assert check.error == pytest.approx(5e-6)
    assert check.tolerance == pytest.approx(1e-6)
    assert judge("x", "lane", ours, ours.value).passed


def test_what_rounding_leaves_open_is_not_judged() -> None:
    edge = Bounded(np.array([[np.pi], [1.0]]), np.array([[7.0], [1e-15]]))
    check = judge("pose_zyx", "lane", edge, np.array([[-np.pi], [1.0]]))
    assert check.passed
    assert check.note == "1 of 2 entries on a branch's edge"
    nothing = judge("pose_zyx", "lane", edge[:1], np.array([[-np.pi]]))
    assert nothing.passed is None
    assert "rounding decides" in nothing.note


def test_a_verification_that_checked_nothing_has_not_passed() -> None:
    one = Check("x", "lane", 0.0, 1.0, True)
    other = skipped("x", "lane", "no compiler")
    assert Verification("arm", (one, other)).passed
    assert not Verification("arm", (other,)).passed
    assert str(Verification("arm", (one, other))) == "arm: 1 of 1 checks passed, 1 not carried out"


def test_zyx_is_judged_away_from_the_gimbal_only() -> None:
    """A tool that points along the only axis has a pitch of a quarter turn, whatever q is."""
    turner = assemble(
        "turner",
        {"base": Inertia.zero(), "link": Inertia.zero()},
        [Attachment(Joint("turn", "continuous"), "base", "link")],
        {"tool": ("link", pose((0, 0, 0), (0, np.pi / 2, 0)))},
    )
    found = verify(turner, ["jacobian_zyx", "jacobian_body"], samples=2, lanes=("graph",))
    never = [check for check in found.checks if check.quantity == "jacobian_zyx"]
    assert [(check.lane, check.passed) for check in never] == [("all lanes", None)]
    assert never[0].note == f"cos(theta) >= {GIMBAL_MARGIN} at 0 of 3 states"
    assert found.passed, failures(found)


# What cannot be done is listed.


def test_oracles_that_are_not_installed_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for oracle in ORACLES.values():
        monkeypatch.setattr(oracle, "installed", classmethod(lambda cls: False))
    found = verify(planar(), ["jacobian_body"], samples=1, lanes=("graph",))
    assert found.passed
    assert {check.note for check in found.skipped} == {
        f"not installed: pip install {oracle.package}" for oracle in ORACLES.values()
    }


def test_without_a_compiler_the_compiled_lanes_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise BuildError("no C compiler found")

    for lane in BUILDS:
        monkeypatch.setitem(BUILDS, lane, refuse)
    found = verify(planar(), ["twist_body"], samples=1, oracles=False)
    assert found.passed
    assert {(check.lane, check.note) for check in found.skipped} == {
        ("compiled", "no C compiler found"),
        ("compiled complex step", "no C compiler found"),
    }


def test_a_library_is_used_and_what_it_lacks_is_listed() -> None:
    library = build(emit_c(trace(planar(), "twist_body"), name="some"))
    rows = ["twist_body", "twist_space"]
    found = verify(planar(), rows, library=library, samples=1, lanes=("compiled",), oracles=False)
    by_name = {check.quantity: check for check in found.checks if check.lane == "compiled"}
    assert by_name["twist_body"].passed
    assert by_name["twist_space"].note == "the library has no twist_space"


def test_a_law_is_stepped_through_a_library_that_has_all_it_differentiates() -> None:
    library = build(emit_c([trace(planar(), "inverse_dynamics")], name="alone"))
    lanes = ("dual", "compiled", "compiled complex step")
    found = verify(planar(), ["inverse_dynamics"], library=library, samples=1, lanes=lanes)
    stepped = [c.lane for c in found.checks if c.lane.endswith("by compiled complex step")]
    assert found.passed
    assert not any("power" in lane or "Lagrange" in lane for lane in stepped)


def test_a_library_of_another_robot_fails() -> None:
    """The compiled lanes hold what was given, not what would have been built."""
    longer = replace(planar().frames[0], pose=pose((0.3 + 1e-9, 0, 0)))
    other = replace(planar(), frames=(longer,))
    library = build(emit_c(trace(other, "twist_position"), name="other"))
    found = verify(
        planar(), ["twist_position"], library=library, samples=1, lanes=("compiled",), oracles=False
    )
    assert [check.lane for check in found.failures] == ["compiled"]


# How much is done, and by whom.


def test_a_quick_verification_lists_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traced_module, "LARGE", 100)
    rows = ["jacobian_body", "inverse_dynamics_dq"]
    quick = verify(oblique(), rows, samples=2, oracles=False)
    whole = verify(oblique(), rows, samples=2, oracles=False, thorough=True)
    assert quick.passed, failures(quick)
    assert whole.passed, failures(whole)
    left = [check.lane for check in quick.skipped if check.quantity == "inverse_dynamics_dq"]
    assert left == [
        "the graph as planned",
        *COSTLY_LANES,
        *(f"law: d inverse_dynamics, by {lane}" for lane in COSTLY_LANES),
    ]
    assert not whole.skipped
    both = {"compiled", "law: d inverse_dynamics, by dual", "complex step"}
    for found in (quick, whole):
        done = {c.lane for c in found.checks if c.passed and c.quantity == "inverse_dynamics_dq"}
        assert both <= done


def test_functions_too_large_for_complex_numbers_are_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled_module, "LARGE", 50)
    monkeypatch.setattr(compiled_module, "MOST_COMPLEX", 100)
    found = verify(oblique(), ["twist_body"], samples=1, oracles=False, thorough=True)
    assert found.passed
    assert [(check.lane, check.note) for check in found.skipped] == [
        (
            "compiled complex step",
            "a function of more than 100 operations takes compilers gigabytes in complex numbers",
        )
    ]


def test_processes_share_the_work() -> None:
    rows = ["jacobian_body", "inverse_dynamics", "inverse_dynamics_dq", "mass_matrix", "integrate"]
    said: list[tuple[int, int, str]] = []
    alone = verify(planar(), rows, samples=1, oracles=False)
    shared = verify(
        planar(), rows, samples=1, oracles=False, jobs=2, progress=lambda *now: said.append(now)
    )
    assert [(c.quantity, c.lane, c.passed) for c in shared.checks] == [
        (c.quantity, c.lane, c.passed) for c in alone.checks
    ]
    assert said[0] == (0, 5, "jacobian_body")
    assert said[-1] == (5, 5, "")
    with pytest.raises(ArgumentError, match="0 jobs; at least 1"):
        verify(planar(), rows, jobs=0)


def test_others_that_solve_are_allowed_what_solving_makes_of_their_rounding() -> None:
    """The last joint of a SCARA has an inertia of 2e-4: what is divided by it loses four digits."""
    if not ORACLES["Pinocchio"].installed():
        pytest.skip('needs the extra "verify"')
    found = verify(load("scara"), ["forward_dynamics_dv"], lanes=("graph",))
    assert found.passed, failures(found)
    asked = next(check for check in found.checks if check.lane.startswith("Pinocchio"))
    assert asked.tolerance < 1e-10


# Arguments, states, progress.


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"no lanes compield; there are .*compiled"):
        verify(planar(), lanes=("compield",))
    with pytest.raises(ArgumentError, match="no quantity 'jacobian'"):
        verify(planar(), ["jacobian"])
    with pytest.raises(ArgumentError, match="-1 samples"):
        verify(planar(), samples=-1)


def test_progress_is_told() -> None:
    said: list[tuple[int, int, str]] = []
    verify(
        planar(),
        ["twist_body", "center_of_mass"],
        samples=1,
        lanes=("graph",),
        oracles=False,
        progress=lambda *now: said.append(now),
    )
    assert said == [(0, 2, "twist_body"), (1, 2, "center_of_mass"), (2, 2, "")]


@pytest.mark.parametrize("arm", ARMS)
def test_states_are_inside_the_limits_and_always_the_same(arm: str) -> None:
    robot = ARMS[arm]()
    states, again = sample_states(robot, 20, seed=5), sample_states(robot, 20, seed=5)
    assert all(np.array_equal(states[key], again[key]) for key in states)
    assert not np.array_equal(states["q"], sample_states(robot, 20, seed=6)["q"])
    assert states["q"].shape == (21, robot.nq)
    column = 0
    for joint in robot.joints:
        q = states["q"][:-1, column : column + joint.nq]
        if joint.nq == 1:
            assert np.all(q >= max(joint.limits.lower, -np.pi))
            assert np.all(q <= min(joint.limits.upper, np.pi))
            assert states["q"][-1, column] == 0.0
        else:
            assert np.allclose(np.linalg.norm(q[:, -4:], axis=1), 1.0)
            assert states["q"][-1, column + joint.nq - 1] == 1.0
        column += joint.nq


def test_the_table_is_one_and_the_same() -> None:
    assert quantities.QUANTITIES is QUANTITIES


# Lanes by themselves.

Q, V = np.array([0.3, -0.8]), np.array([1.0, 0.5])


@pytest.mark.parametrize("lane", ["recursion", "adjoint", "graph", "casadi", "compiled"])
def test_values_by_every_lane(lane: str) -> None:
    library = build(emit_c(trace(planar(), "jacobian_body"), name="lanes"))
    states = np.stack([Q, 2 * Q, -Q])[:, None]
    found = value(planar(), "jacobian_body", lane=lane, library=library, q=states)
    assert found.shape == (3, 1, 6, 2)
    expected = value(planar(), "jacobian_body", lane="recursion", q=Q)
    assert np.allclose(found[0, 0], expected, rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("lane", DERIVATIVE_LANES)
def test_derivatives_by_every_lane(lane: str) -> None:
    library = build(emit_c(trace(planar(), "twist_position"), name="d"), arithmetic="complex")
    found = differentiate(planar(), "twist_position", lane=lane, library=library, q=Q, v=V)
    assert {name: part.shape for name, part in found.items()} == {"q": (6, 2), "v": (6, 2)}
    J = value(planar(), "jacobian_position", lane="recursion", q=Q)
    tolerance = {"forward difference": 1e-7, "central difference": 1e-10}.get(lane, 8 * EPS)
    assert np.max(np.abs(found["v"] - J)) <= tolerance
    batch = differentiate(
        planar(), "twist_position", lane=lane, library=library, q=np.stack([Q, Q])[:, None], v=V
    )
    assert batch["q"].shape == (2, 1, 6, 2)


@pytest.mark.parametrize(("lane", "order"), [("forward difference", 1), ("central difference", 2)])
def test_differences_converge_at_their_order(lane: str, order: int) -> None:
    """Halving the step divides the truncation by 2^order, while rounding is out of sight."""
    exact = differentiate(oblique(), "pose_zyx", lane="dual", q=np.full(5, 0.2))["q"]
    errors = [
        np.max(
            np.abs(
                differentiate(oblique(), "pose_zyx", lane=lane, step=h, q=np.full(5, 0.2))["q"]
                - exact
            )
        )
        for h in (2.0**-8, 2.0**-9)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.05)


@pytest.mark.parametrize(
    ("lane", "step", "power", "ulps"),
    [
        ("forward difference", 2.0**-26, 2, (0.4, -0.78, 0.9)),
        ("central difference", 2.0**-17, 3, (-0.37576285, 0.69738102, 0.18103649)),
    ],
)
def test_quotients_near_one_may_agree_and_both_be_off(
    lane: str, step: float, power: int, ulps: tuple[float, float, float]
) -> None:
    """1 + O(h^2): in units in the last place of 1 the values are rounded so that D(h) = D(2h)."""
    e, a, c = (part * EPS / step**k for part, k in zip(ulps, (0, 1, power), strict=True))

    def near_one(_: Robot, q: Matrix) -> Matrix:
        x = q.rows[0][0]
        higher = x * x if power == 2 else x * x * x
        return Matrix([(1.0 + (e + x * a + higher * c),), (0.0,), (0.0,)])

    row = replace(QUANTITIES["center_of_mass"], formulations={"only": near_one})
    instance = replace(bind(planar(), "center_of_mass"), quantity=row, formulation="only")

    def none(lane: str, _: Traced) -> Any:
        raise BuildError(lane)

    subject = Subject(instance, np.zeros((1, 2)), Traced(instance), none)
    there, exact = measured_derivative(subject, lane), measured_derivative(subject, "dual")
    assert exact.value[0, 0, 0] == pytest.approx(a)
    twice = DERIVATIVE_LANES[lane].compute(subject, 2.0 * step)
    assert abs(there.value - twice)[0, 0, 0] <= EPS * abs(a), "else the estimate sees it"
    assert judge("near_one", lane, there, exact).passed


def test_the_complex_step_does_not_matter() -> None:
    found = [
        differentiate(oblique(), "pose_rotvec", lane="complex step", step=h, q=np.full(5, 0.2))["q"]
        for h in (1e-20, 1e-60, 1e-100)
    ]
    assert np.max(np.abs(found[0] - found[1])) <= 4 * EPS
    assert np.max(np.abs(found[1] - found[2])) <= 4 * EPS


def test_lanes_say_what_they_cannot_do() -> None:
    with pytest.raises(ArgumentError, match="no lane 'symbolic'; there are dual, forward diff"):
        differentiate(planar(), "pose_zyx", lane="symbolic", q=Q)
    with pytest.raises(ArgumentError, match=r"lane 'dual' takes no step of 0\.1"):
        differentiate(planar(), "pose_zyx", lane="dual", step=0.1, q=Q)
    with pytest.raises(ArgumentError, match=r"'forward difference' takes no step of -0\.1"):
        differentiate(planar(), "pose_zyx", lane="forward difference", step=-0.1, q=Q)
    with pytest.raises(ArgumentError, match="'compiled' needs library=, with pose_zyx in it"):
        value(planar(), "pose_zyx", lane="compiled", q=Q)
    with pytest.raises(ArgumentError, match="pose_zyx: no lane 'dual'; there are recursion, graph"):
        value(planar(), "pose_zyx", lane="dual", q=Q)
    with pytest.raises(ArgumentError, match=r"pose_zyx: q .* has shape"):
        value(planar(), "pose_zyx", lane="graph", q=np.zeros(3))


def test_pinocchio_names_a_frame_that_it_lacks() -> None:
    oracle = ORACLES["Pinocchio"]
    if not oracle.installed():
        pytest.skip('needs the extra "verify"')
    with pytest.raises(VerifyError, match="no frame 'nowhere'"):
        oracle(planar(), "nowhere")
