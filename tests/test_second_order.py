"""Second derivatives of dynamics against CasADi's, against differentiated first ones, and laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeAlias

import casadi
import numpy as np
import pytest
from arms import gripper, oblique
from peer import Peer
from scalars import EPS, Symbolic, array, vector

from symkin.algebra import Dual, Matrix, constant, symbols, to_sx, vstack
from symkin.algebra.bounded import Bounded
from symkin.algorithms import configuration, rnea, second_order
from symkin.algorithms.aba import forward_dynamics
from symkin.algorithms.crba import mass_matrix
from symkin.algorithms.rnea_derivatives import inverse_dynamics_derivatives
from symkin.graph import count
from symkin.graph.casadi_import import graph_from_casadi
from symkin.model import Attachment, Joint, Mimic, Robot, assemble, load, motion_subspace
from symkin.model.prepare import prepare
from symkin.quantities import Port
from symkin.spatial import Inertia, Pose, ad
from symkin.spatial.rotations import rotation_zyx


def place(*xyz: float, turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Pose:
    return Pose(rotation_zyx(constant(turn)), constant(xyz))


def lump(mass: float, *com: float) -> Inertia:
    tensor = [[0.02, 0.003, -0.002], [0.003, 0.03, 0.004], [-0.002, 0.004, 0.04]]
    return Inertia.of_body(mass, constant(com), constant(np.array(tensor) * mass))


def quadruped() -> Robot:
    """A floating trunk on four legs of three hinges each."""
    links, joints = {"world": Inertia.zero(), "trunk": lump(8.0, 0.02, 0.0, 0.01)}, []
    joints.append(Attachment(Joint("free", "floating"), "world", "trunk"))
    for name, x, y in (("fl", 1, 1), ("fr", 1, -1), ("hl", -1, 1), ("hr", -1, -1)):
        chain = (
            ("hip", (0.25 * x, 0.1 * y, 0.0), (1, 0, 0), lump(0.7, 0.0, 0.03 * y, 0.0)),
            ("thigh", (0.0, 0.09 * y, 0.0), (0, 1, 0), lump(1.1, 0.0, -0.02 * y, -0.05)),
            ("shank", (0.0, 0.0, -0.22), (0, 1, 0), lump(0.2, 0.005, 0.0, -0.1)),
        )
        carrier = "trunk"
        for part, at, axis, body in chain:
            joint = Joint(f"{name}_{part}", "revolute", place(*at), constant(axis), armature=0.01)
            joints.append(Attachment(joint, carrier, joint.name + "_link"))
            carrier = joint.name + "_link"
            links[carrier] = body
    return assemble("quadruped", links, joints)


def resisting() -> Robot:
    """The acrobat with damping and Coulomb friction in its joints."""
    links = [
        replace(x, joint=replace(x.joint, damping=0.3, friction=0.7)) if x.joint else x
        for x in acrobat().links
    ]
    robot = replace(acrobat(), name="resisting", links=tuple(links))
    return robot.with_friction(damping=True, smoothing=0.4)


def acrobat() -> Robot:
    """Every kind of joint below every other, oblique, and followers on their leaders' own paths."""
    names = ("trunk", "upper", "fore", "ball", "palm", "screw", "finger")
    links = {name: lump(1.5 - 0.15 * k, 0.1, 0.03 * k, -0.05) for k, name in enumerate(names)}
    joints = (
        Joint("free", "floating", place(0.1, 0.2, 0.3, turn=(0.3, 0.2, 0.1))),
        Joint("bend", "revolute", place(0.2, 0, 0.1, turn=(1, 0, 0.4)), constant([0, 0.6, 0.8])),
        Joint(
            "bend_more",
            "revolute",
            place(0, 0.3, 0, turn=(0, 0.5, 0)),
            constant([0.6, 0, 0.8]),
            armature=0.02,
            mimic=Mimic("bend", -0.7, 0.2),
        ),
        Joint("ball", "spherical", place(0.1, 0.0, 0.25, turn=(0.2, 0, 1))),
        Joint("slide", "prismatic", place(0, 0.1, 0.1), constant([0.48, 0.6, 0.64]), armature=0.1),
        Joint("screw", "helical", place(0.05, 0, 0.1), constant([0.8, 0, -0.6]), 0.04),
        Joint("open", "revolute", place(0.02, 0.05, 0), mimic=Mimic("slide", 2.0, 0.1)),
    )
    carriers = ("world", *names)
    return assemble(
        "acrobat",
        {"world": Inertia.zero(), **links},
        [Attachment(j, c, n) for j, c, n in zip(joints, carriers, names, strict=False)],
    )


ROBOTS: dict[str, Callable[[], Robot]] = {
    **{name: lambda name=name: load(name) for name in ("scara", "ur5", "fr3", "tree12")},
    **{robot.__name__: robot for robot in (gripper, oblique, quadruped, acrobat, resisting)},
}
AXES = {"link_axes": False, "root_axes": True}


@cache
def robot_named(name: str) -> Robot:
    return ROBOTS[name]()


every_robot = pytest.mark.parametrize("name", ROBOTS)
either_axes = pytest.mark.parametrize("root_axes", AXES.values(), ids=AXES)


class State:
    """A robot somewhere: q, v, a and lambda as arrays."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.robot = robot_named(name)
        rng = np.random.default_rng(seed)
        self.n = self.robot.nv
        d, self.v, self.a, self.lam = rng.uniform(-1.2, 1.2, (4, self.n))
        home = [[0.0] * (j.nq - 1) + [float(j.nq > 1)] for j in self.robot.joints]
        q = configuration.integrate(self.robot, vector(np.concatenate(home)), vector(d))
        self.q = array(q).ravel()

    @property
    def x(self) -> list[Matrix]:
        return [vector(x) for x in (self.q, self.v, self.a)]

    @property
    def condition(self) -> float:
        """Of M."""
        return float(np.linalg.cond(array(mass_matrix(self.robot, vector(self.q)))))

    def hessian(self, f: Callable[..., Matrix], lam: np.ndarray | None = None, **how: Any) -> Any:
        return array(f(self.robot, *self.x, vector(self.lam if lam is None else lam), **how))

    def bound(self, f: Callable[..., Matrix], **how: Any) -> float:
        """The largest rounding error that the Hessian may have, by running error analysis."""
        x = [Matrix([[Bounded(e)] for e in part]) for part in (self.q, self.v, self.a, self.lam)]
        entries = f(self.robot, *x, **how)
        return max(float(e.bound) for e in entries if isinstance(e, Bounded))

    def by_casadi(self, f: Callable[..., Matrix]) -> np.ndarray:
        """The Hessian of lambda'f(integrate(q, d), v, a) over (d, v, a) at d = 0, by CasADi."""
        q = Matrix([[casadi.SX(float(x))] for x in self.q])

        def moved(x: Matrix) -> Matrix:
            d, v, a = (x[k * self.n : (k + 1) * self.n] for k in range(3))
            return f(self.robot, configuration.integrate(self.robot, q, d), v, a)

        at = np.concatenate([np.zeros(self.n), self.v, self.a])
        return Symbolic(moved, 3 * self.n).hessian(at, self.lam)


@every_robot
@either_axes
def test_of_inverse_dynamics_is_the_hessian_along_integrate(name: str, root_axes: bool) -> None:
    state = State(name)
    H = state.hessian(second_order.inverse_dynamics_hessian, root_axes=root_axes)
    bound = state.bound(second_order.inverse_dynamics_hessian, root_axes=root_axes)
    expected = state.by_casadi(rnea.inverse_dynamics)
    # CasADi's own derivatives round like these.
    assert np.abs(H - expected).max() <= 2.0 * bound


@every_robot
@either_axes
def test_of_forward_dynamics_is_the_hessian_along_integrate(name: str, root_axes: bool) -> None:
    state = State(name)
    H = state.hessian(second_order.forward_dynamics_hessian, root_axes=root_axes)
    expected = state.by_casadi(forward_dynamics)
    # M^-1 is applied thrice: to the forces, to lambda, and to the change of M mu.
    assert np.abs(H - expected).max() <= 3 * EPS * state.condition * np.abs(expected).max()


def gradient(robot: Robot, lam: np.ndarray, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
    """lambda' d tau/d(q, v, a) as a column."""
    blocks = inverse_dynamics_derivatives(robot, q, v, a)
    return vstack(*(block.T @ vector(lam) for block in blocks))


Seed: TypeAlias = Callable[[float, np.ndarray], Any]
Tangent: TypeAlias = Callable[[Any], Any]
H_STEP = 1e-40
LANES: dict[str, tuple[Seed, Tangent]] = {
    "complex_step": (lambda x, dx: x + 1j * H_STEP * dx, lambda y: np.imag(y) / H_STEP),
    "dual": (lambda x, dx: Dual(np.float64(x), dx), lambda y: y.d if isinstance(y, Dual) else 0.0),
}


def differentiated(state: State, lane: str) -> np.ndarray:
    """Row j: the gradient's derivative along entry j of (q, v, a), q in the tangent space."""
    seed, tangent = LANES[lane]
    rates = array(configuration.position_rate(state.robot, vector(state.q)))
    directions = np.eye(3 * state.n)
    along_q = directions[:, : state.n] @ rates.T
    along_v, along_a = directions[:, state.n : 2 * state.n], directions[:, 2 * state.n :]
    pairs = ((state.q, along_q), (state.v, along_v), (state.a, along_a))
    columns = [Matrix([[seed(x, d)] for x, d in zip(v, D.T, strict=True)]) for v, D in pairs]
    slopes = gradient(state.robot, state.lam, *columns)
    return np.stack([np.broadcast_to(tangent(y), 3 * state.n) for y in slopes], axis=1)


def brackets(robot: Robot, slopes: np.ndarray) -> np.ndarray:
    """Entry (j, k): the product of the gradient along q with the bracket of degrees j and k."""
    found, start = np.zeros((robot.nv, robot.nv)), 0
    for joint in robot.joints:
        S = motion_subspace(joint)
        for j in range(joint.nv):
            for k in range(joint.nv):
                turned = array(ad(S[j], S[k])).ravel() if joint.nv > 1 else np.zeros(1)
                found[start + j, start + k] = turned[: joint.nv] @ slopes[start:][: joint.nv]
        start += joint.nv
    return found


@every_robot
@pytest.mark.parametrize("lane", LANES)
def test_is_the_derivative_of_the_first_ones(name: str, lane: str) -> None:
    state = State(name, seed=1)
    n = state.n
    expected = state.hessian(second_order.inverse_dynamics_hessian)
    slopes = array(gradient(state.robot, state.lam, *state.x)).ravel()
    expected[:n, :n] += 0.5 * brackets(state.robot, slopes)
    bound = state.bound(second_order.inverse_dynamics_hessian)
    assert np.abs(differentiated(state, lane) - expected).max() <= 2.0 * bound


class Pinocchio(Peer):
    """Pinocchio's first derivatives in our coordinates, (q, v, a or tau) side by side."""

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        self.pin.computeRNEADerivatives(self.model, self.data, q, v, a)
        return self._side_by_side(self.data.dtau_dq, self.data.dtau_dv, self.data.M)

    def forward(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        self.pin.computeABADerivatives(self.model, self.data, q, v, tau)
        return self._side_by_side(self.data.ddq_dq, self.data.ddq_dv, self.data.Minv)

    def _side_by_side(self, by_q: np.ndarray, by_v: np.ndarray, upper: np.ndarray) -> np.ndarray:
        whole = np.triu(upper) + np.triu(upper, 1).T
        return np.hstack([self.ours(x) for x in (by_q, by_v, whole)])

    def difference(self, state: State, kind: str, step: np.ndarray, h: float) -> np.ndarray:
        """Central difference of lambda' times the derivatives, along a step of (q, v, a)."""
        at, (d, v, a) = self.q(state.q), step.reshape(3, -1)

        def ahead(h: float) -> np.ndarray:
            q = self.pin.integrate(self.model, at, self.theirs(h * d))
            moved = (q, self.theirs(state.v + h * v), self.theirs(state.a + h * a))
            slopes: np.ndarray = state.lam @ getattr(self, kind)(*moved)
            return slopes

        return (ahead(h) - ahead(-h)) / (2.0 * h)


@pytest.mark.parametrize("name", ["scara", "ur5", "fr3", "tree12", "oblique", "quadruped"])
@pytest.mark.parametrize("kind", ["inverse", "forward"])
def test_against_differences_of_pinocchio(name: str, kind: str) -> None:
    state = State(name, seed=3)
    peer = Pinocchio(state.robot)
    units, h = np.eye(3 * state.n), 1e-3
    fine, coarse = (
        np.array([peer.difference(state, kind, unit, step) for unit in units])
        for step in (h, 2.0 * h)
    )
    # Without the part of the error that goes as h^2 (Richardson).
    expected = (4.0 * fine - coarse) / 3.0
    expected = 0.5 * (expected + expected.T)  # both orders of derivatives, as along integrate
    slopes = getattr(peer, kind)(peer.q(state.q), *map(peer.theirs, (state.v, state.a)))
    condition = state.condition if kind == "forward" else 1.0
    rounding = EPS * condition * np.abs(state.lam @ slopes).max() / h
    error = np.abs(state.hessian(getattr(second_order, f"{kind}_dynamics_hessian")) - expected)
    assert error.max() <= np.abs(fine - coarse).max() * h + rounding


@every_robot
def test_is_symmetric_and_linear_in_lambda(name: str) -> None:
    state, other = State(name), State(name, seed=2)
    for f in (second_order.inverse_dynamics_hessian, second_order.forward_dynamics_hessian):
        one, two = state.hessian(f), state.hessian(f, other.lam)
        assert (one == one.T).all()
        both = state.hessian(f, 2.0 * state.lam - 0.5 * other.lam)
        size = 2.0 * np.abs(one).max() + 0.5 * np.abs(two).max()
        rounding = 3 * EPS * state.condition * size
        assert np.abs(both - (2.0 * one - 0.5 * two)).max() <= rounding


@either_axes
@pytest.mark.parametrize("name", ["ur5", "gripper", "acrobat"])
def test_the_tensor_has_the_hessian_of_every_entry(name: str, root_axes: bool) -> None:
    state = State(name)
    n = state.n
    pairs = (
        (second_order.inverse_dynamics_hessian_tensor, second_order.inverse_dynamics_hessian),
        (second_order.forward_dynamics_hessian_tensor, second_order.forward_dynamics_hessian),
    )
    for tensor, contracted in pairs:
        T = array(tensor(state.robot, *state.x, root_axes=root_axes)).reshape(n, 3 * n, 3 * n)
        H = state.hessian(contracted)
        size = np.einsum("i,ijk->jk", np.abs(state.lam), np.abs(T)).max()
        error = np.abs(np.einsum("i,ijk->jk", state.lam, T) - H).max()
        assert error <= 3 * EPS * state.condition * size


@pytest.mark.parametrize("robot", [gripper, acrobat])
def test_followers_are_those_of_the_robot_let_loose(robot: Callable[[], Robot]) -> None:
    """With joints of their own, x = P x_independent + constant: H = P' H_loose P."""
    tied = robot()
    loose = replace(
        tied,
        links=tuple(
            replace(x, joint=replace(x.joint, mimic=None)) if x.joint else x for x in tied.links
        ),
    )
    positions, rates = np.zeros((loose.nq, tied.nq)), np.zeros((loose.nv, tied.nv))
    offsets = np.zeros(loose.nq)
    for i, own in loose.coordinates.items():
        joint, tie = loose.links[i].joint, tied.coordinates[i]
        assert joint is not None
        for k in range(joint.nq):
            positions[own.index + k, tie.index + k] = tie.multiplier
        for k in range(joint.nv):
            rates[own.velocity + k, tie.velocity + k] = tie.multiplier
        offsets[own.index] += tie.offset
    rng = np.random.default_rng(4)
    d, v, a, lam = rng.uniform(-1.0, 1.0, (4, tied.nv))
    home = np.concatenate([[0.0] * (j.nq - 1) + [float(j.nq > 1)] for j in tied.joints])
    q = array(configuration.integrate(tied, vector(home), vector(d))).ravel()
    H = array(
        second_order.inverse_dynamics_hessian(tied, vector(q), vector(v), vector(a), vector(lam))
    )
    apart = (positions @ q + offsets, rates @ v, rates @ a, rates @ lam)
    H_loose = array(second_order.inverse_dynamics_hessian(loose, *map(vector, apart)))
    P = np.kron(np.eye(3), rates)
    error = np.abs(P.T @ H_loose @ P - H).max()
    # Sums over at most three places, of numbers that round as those of the tied robot.
    assert error <= 100 * EPS * np.abs(H_loose).max()


def operations(robot: Robot, f: Callable[..., Matrix], inputs: int = 4) -> int:
    """Of the graph of f(robot, q, v, a, lambda)."""
    n = robot.nv
    columns = [symbols(f"x{k}", n) for k in range(inputs)]
    entries = [casadi.SX(x) for x in f(robot, *columns)]
    function = casadi.Function(
        "f", [casadi.vertcat(*x) for x in columns], [casadi.vertcat(*entries)]
    )
    ports = [Port(f"x{k}", (n,), "", "") for k in range(inputs)]
    output = Port("y", (len(entries),), "", "")
    return count(graph_from_casadi(function, ports, [output], [range(len(entries))])).operations


def by_graph(algorithm: Callable[..., Matrix]) -> Callable[..., Matrix]:
    """The lower half of CasADi's Hessian of lambda'f, as a function to count."""

    def entries(robot: Robot, q: Matrix, v: Matrix, a: Matrix, lam: Matrix) -> Matrix:
        x = casadi.vertcat(*q, *v, *a)
        cost = casadi.dot(to_sx(lam), to_sx(algorithm(robot, q, v, a)))
        H = casadi.tril(casadi.hessian(cost, x)[0])
        return Matrix([[x] for x in casadi.SX(H).nonzeros()])

    return entries


def test_costs_no_more_than_it_did() -> None:
    """A UR5: CasADi's Hessian of the traced ABA has 30 thousand operations, others' traces 10."""
    ur5 = prepare(load("ur5"))
    assert operations(ur5, second_order.inverse_dynamics_hessian) <= 3_240
    assert operations(ur5, second_order.forward_dynamics_hessian) <= 5_240
    assert operations(ur5, second_order.inverse_dynamics_hessian_tensor, inputs=3) <= 8_130
    assert operations(ur5, second_order.forward_dynamics_hessian_tensor, inputs=3) <= 19_100


@pytest.mark.parametrize("name", ["scara", "ur5", "fr3", "tree12"])
def test_costs_less_than_differentiating_a_graph(name: str) -> None:
    robot = prepare(load(name))
    ours = operations(robot, second_order.inverse_dynamics_hessian)
    assert ours < operations(robot, by_graph(rnea.inverse_dynamics))


def test_entries_that_vanish_for_every_robot_are_left_out_of_graphs() -> None:
    robot = prepare(load("ur5"))
    n = robot.nv
    x = [symbols(name, n) for name in ("q", "v", "a", "lam")]
    for f in (second_order.inverse_dynamics_hessian, second_order.forward_dynamics_hessian):
        H = f(robot, *x)
        assert not any(H[n:, 2 * n :])
        assert not any(H[2 * n :, n:])
        assert not any(H[:1, :]), "q_1 turns the robot about gravity"


def test_root_axes_cost_less_on_a_long_oblique_chain() -> None:
    links = {"base": Inertia.zero(), **{f"l{i}": lump(1.0, 0.1, 0.2, 0.3) for i in range(10)}}
    turn = (0.3, -0.5, 0.7)
    joints = [
        Attachment(Joint(f"j{i}", "continuous", place(0.1, 0.2, 0.3, turn=turn)), *pair)
        for i, pair in enumerate(pairwise(links))
    ]
    chain = assemble("chain", links, joints)
    f = second_order.inverse_dynamics_hessian
    assert operations(chain, partial(f, root_axes=True)) < operations(chain, f)
