"""Forces from outside, run-time parameters and derivatives by any input, through every way."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from arms import flyer, planar
from scalars import vector

import symkin
from symkin import Contact, Force
from symkin.algebra import Matrix
from symkin.algorithms.regressor import inverse_dynamics_regressor
from symkin.errors import ArgumentError, ModelError
from symkin.evaluate import evaluate_instance
from symkin.model import Robot, load, prepare
from symkin.model.prepare import USUAL
from symkin.quantities import bind, bind_all
from symkin.quantities.demands import separation
from symkin.quantities.places import contacts_of
from symkin.trace import trace_instance

EPS = np.finfo(float).eps


def states(n: int, *names: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {name: rng.uniform(-1.0, 1.0, n) for name in names}


def test_a_wrench_at_the_tip_does_what_its_jacobian_says() -> None:
    robot = load("ur5")
    given, F = states(6, "q", "v", "a"), np.arange(1.0, 7.0)
    free = symkin.evaluate(robot, "inverse_dynamics", **given)
    for axes, kind in (("base_link", "position"), (None, "body")):
        force = [Force(robot.tips[0], axes=axes)]
        tau = symkin.evaluate(robot, "inverse_dynamics_external", forces=force, F=F, **given)
        J = symkin.evaluate(robot, f"jacobian_{kind}", q=given["q"])
        assert np.allclose(tau, free - J.T @ F, rtol=0.0, atol=64 * EPS * np.abs(free).max())


def test_forces_are_one_at_every_tip_in_the_roots_axes_unless_given() -> None:
    robot = load("tree12")
    instance = bind(robot, "forward_dynamics_external")
    assert [force.frame for force in instance.forces] == list(robot.tips)
    assert {force.axes for force in instance.forces} == {robot.links[0].name}
    (port,) = (port for port in instance.inputs if port.name == "F")
    assert port.shape == (6 * len(robot.tips),)
    assert port.labels[:6] == tuple(
        f"{robot.tips[0]}.{x}" for x in ("nx", "ny", "nz", "fx", "fy", "fz")
    )
    assert "moment about" in instance.doc


def test_parameters_are_inputs_and_their_nominal_values_change_nothing() -> None:
    robot = load("ur5")
    given = states(6, "q", "v", "a")
    names = ["gravity", "mass:forearm_link", "payload"]
    nominal = {"gravity": robot.gravity, "mass_forearm_link": 2.33, "payload": np.zeros(10)}
    nominal["mass_forearm_link"] = [
        float(robot.links[robot.link_index("forearm_link")].inertia.mass)
    ]
    plain = symkin.evaluate(robot, "inverse_dynamics", **given)
    scale = np.abs(plain).max()
    same = symkin.evaluate(robot, "inverse_dynamics", parameters=names, **given, **nominal)
    assert np.allclose(same, plain, rtol=0.0, atol=256 * EPS * scale)
    graph = symkin.trace(robot, "inverse_dynamics", parameters=names)
    assert [port.name for port in graph.inputs] == ["q", "v", "a", *nominal]
    traced = graph.evaluate({**given, **nominal})["tau"]
    assert np.allclose(traced, plain, rtol=0.0, atol=256 * EPS * scale)


def test_a_parameter_goes_through_c() -> None:
    robot = planar()
    given, payload = states(2, "q"), [2.0, 0.1, -0.2, 0.0, 0.3, 0.3, 0.3, 0.0, 0.0, 0.0]
    graph = symkin.trace(robot, "mass_matrix", parameters=["payload"])
    with symkin.build(symkin.emit_c(graph, name="arm")) as library:
        M = library.mass_matrix(q=given["q"], payload=payload)
    expected = symkin.evaluate(
        robot, "mass_matrix", parameters=["payload"], payload=payload, **given
    )
    assert np.allclose(M, expected, rtol=0.0, atol=64 * EPS * np.abs(M).max())
    assert not np.allclose(M, symkin.evaluate(robot, "mass_matrix", q=given["q"]))


def test_the_derivative_by_a_payload_is_the_regressor_of_its_body() -> None:
    robot = load("planar_2r")
    given = states(2, "q", "v", "a")
    link = next(link.name for link in reversed(robot.links) if link.moves)
    names, port = [f"inertia:{link}"], f"inertia_{link}"
    graph = symkin.trace(robot, "inverse_dynamics", parameters=names, derivative=port)
    assert graph.name == f"inverse_dynamics_d{port}"
    assert graph.outputs[0].port.shape == (2, 10)
    (D,) = graph.evaluate({**given, port: np.zeros(10)}).values()
    Y = inverse_dynamics_regressor(robot, *(vector(given[name]) for name in ("q", "v", "a")))
    last = np.array([[float(x) for x in row] for row in Y.rows])[:, -10:]
    assert np.allclose(D, last, rtol=0.0, atol=64 * EPS * np.abs(last).max())


def test_derivatives_by_positions_are_taken_along_v() -> None:
    robot = flyer()
    rng = np.random.default_rng(0)
    q = rng.normal(size=robot.nq)
    for start in robot.quaternions:
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    given = {"q": q, "v": rng.normal(size=robot.nv), "a": rng.normal(size=robot.nv)}
    graph = symkin.trace(robot, "inverse_dynamics", derivative="q")
    (D,) = graph.evaluate(given).values()
    closed = symkin.evaluate(robot, "inverse_dynamics_dq", **given)
    assert D.shape == (robot.nv, robot.nv)
    assert np.allclose(D, closed, rtol=0.0, atol=1024 * EPS * np.abs(closed).max())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"forces": [Force("nowhere")]}, ModelError, "nowhere"),
        ({"forces": [Force("tool0", axes="elsewhere")]}, ModelError, "elsewhere"),
        ({"parameters": ["payloat"]}, ArgumentError, "payload"),
        ({"derivative": "w"}, ArgumentError, "no input 'w': q, v, a, F"),
    ],
)
def test_wrong_names_are_said(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    robot = load("ur5")
    with pytest.raises(error, match=message):
        symkin.trace(robot, "inverse_dynamics_external", **arguments)


def test_a_quantity_without_forces_says_which_take_them() -> None:
    with pytest.raises(ArgumentError, match="takes no forces; these do: inverse_dynamics_external"):
        symkin.trace(load("ur5"), "inverse_dynamics", forces=[Force("tool0")])


def test_contacts_are_the_origins_of_all_tips_unless_given() -> None:
    robot = load("tree12", base="floating")
    instance = bind(robot, "contact_force")
    assert [contact.frame for contact in instance.contacts] == list(robot.tips)
    assert instance.output.shape == (3 * len(robot.tips),)
    assert instance.output.labels[:3] == tuple(f"{robot.tips[0]}.{x}" for x in ("fx", "fy", "fz"))
    assert instance.doc.endswith(f" Contact 2: the origin of {robot.tips[2]}.")
    held = [Contact(robot.tips[0], full=True, damping=2, softness=0.5)]
    instance = bind(robot, "contact_force_dq", contacts=held)
    assert instance.output.shape == (6, robot.nv)
    assert "the rotation and the origin of left_tool, damping 2.0, softness 0.5." in instance.doc


@pytest.mark.parametrize(
    ("contacts", "error", "message"),
    [
        ([Contact("nowhere")], ModelError, "no frame 'nowhere'"),
        ([], ArgumentError, "no contacts; that is plain forward dynamics"),
        ([Contact("base_link")], ArgumentError, "'base_link': no joint moves this frame"),
        ([Contact("tool0", stiffness=1.0)], ArgumentError, "has stiffness; say at which place"),
        (
            [Contact("tool0"), Contact("wrist_3_link")],
            ArgumentError,
            "of robot 'ur5' at tool0, wrist_3_link hold 6 coordinates that cannot move one without "
            "the other, .* give them softness",
        ),
        ([Contact("forearm_link")], ArgumentError, "at forearm_link hold 3 coordinates"),
    ],
)
def test_contacts_that_cannot_hold_are_refused(
    contacts: list[Contact], error: type[Exception], message: str
) -> None:
    robot, given = load("ur5"), states(6, "q", "v", "tau")
    for call in (symkin.trace, partial(symkin.evaluate, **given), bind):
        with pytest.raises(error, match=message):
            call(robot, "contact_acceleration", contacts=contacts)


def test_softness_tells_contacts_apart() -> None:
    """Two frames in one place share the load by their softness."""
    robot, given = load("ur5"), states(6, "q", "v", "tau")
    soft = [Contact("tool0", softness=0.1), Contact("wrist_3_link", softness=0.3)]
    assert np.array_equal(robot.frame("tool0").pose.p, robot.frame("wrist_3_link").pose.p)
    f = symkin.evaluate(robot, "contact_force", contacts=soft, **given)
    condition = 1.0 / separation(robot, soft, vector(given["q"]))
    allowed = 100 * EPS * condition * np.abs(f).max()
    assert np.allclose(f[:3], 3.0 * f[3:], rtol=0.0, atol=allowed)


def test_a_quantity_without_contacts_says_which_take_them() -> None:
    with pytest.raises(ArgumentError, match="bias takes no contacts; these do: contact_acceler"):
        bind(load("ur5"), "bias", contacts=[Contact("tool0")])
    with pytest.raises(ArgumentError, match="contact_force takes no forces; these do: inverse_d"):
        bind(load("ur5"), "contact_force", forces=[Force("tool0")])
    with pytest.raises(ArgumentError, match="contact_force belongs to the whole robot"):
        bind(load("ur5"), "contact_force", frame="tool0")
    with pytest.raises(ArgumentError, match="bias, jacobian_body takes no contacts"):
        bind_all(load("ur5"), ["bias", "jacobian_body"], contacts=[Contact("tool0")])


def test_each_quantity_takes_the_places_that_it_has_a_use_for() -> None:
    names = ["jacobian_body", "external_torque", "contact_force", "bias"]
    force, contact = Force("forearm_link"), Contact("wrist_2_link")
    places = {"frame": "forearm_link", "forces": [force], "contacts": [contact]}
    J, torque, held, bias = bind_all(load("ur5"), names, **places, parameters=["gravity"])
    assert (J.frame, torque.forces, held.contacts) == ("forearm_link", (force,), (contact,))
    assert (bias.frame, bias.forces, bias.contacts) == (None, (), ())
    assert all(instance.parameters == ("gravity",) for instance in (J, torque, held, bias))


@pytest.mark.parametrize("whole", ["contact_acceleration", "contact_force"])
def test_derivatives_in_contact_are_those_of_the_graph(whole: str) -> None:
    """Both solve twice with the inertia that the contact feels."""
    robot, given = load("scara"), states(4, "q", "v", "tau")
    condition = 1.0 / separation(robot, contacts_of(robot), vector(given["q"]))
    for name in given:
        (D,) = symkin.trace(robot, whole, derivative=name).evaluate(given).values()
        inputs = given if name != "tau" else {"q": given["q"]}
        closed = symkin.evaluate(robot, f"{whole}_d{name}", **inputs)
        assert np.allclose(
            D, closed, rtol=0.0, atol=100 * EPS * condition**2 * np.abs(closed).max()
        )


def test_options_are_the_same_everywhere() -> None:
    robot, given = load("ur5"), states(6, "q")
    where = {"frame": "forearm_link", "relative_to": "wrist_1_link", "formulation": "adjoint"}
    J = symkin.evaluate(robot, "jacobian_body", **where, **given)
    (traced,) = symkin.trace(robot, "jacobian_body", **where).evaluate(given).values()
    bound = evaluate_instance(bind(robot, "jacobian_body", **where), given)
    assert np.array_equal(J, bound)
    assert np.allclose(J, traced, rtol=0.0, atol=64 * EPS * np.abs(J).max())


@pytest.mark.parametrize("call", [bind, symkin.trace])
def test_misspelt_options_are_named(call: Callable[..., object]) -> None:
    message = "jacobian_body has no option 'fram'; did you mean frame?"
    with pytest.raises(ArgumentError, match=re.escape(message)):
        call(load("ur5"), "jacobian_body", fram="tool0")


def test_an_instance_is_prepared_as_it_says() -> None:
    bound, seen = bind(load("fr3"), "center_of_mass"), []

    def look(robot: Robot, q: Matrix) -> Matrix:
        seen.append(robot.digest)
        return q[:3]

    row = replace(bound.quantity, formulations={bound.formulation: look})
    bound = replace(bound, quantity=row)
    for instance in (bound, bound.prepared(), bound.prepared(["lump"])):
        trace_instance(instance)
    robot = bound.robot
    usual = prepare(robot, [step for step in USUAL if step not in bound.quantity.bars])
    assert seen == [made.digest for made in (robot, usual, prepare(robot, ["lump"]))]
    assert len(set(seen)) == 3
