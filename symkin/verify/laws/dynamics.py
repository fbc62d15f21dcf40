"""Laws of the dynamics: Lagrange's equations, energy and momentum, and inverse pairs.

Featherstone, Rigid Body Dynamics Algorithms (2008); Spong, Hutchinson & Vidyasagar, Robot Modeling
and Control (2020), chapter 7.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symkin.algebra import Matrix
from symkin.algebra.bounded import Bounded, stack
from symkin.algorithms.regressor import (
    drive_parameters,
    drive_regressor,
    inertial_parameters,
)
from symkin.verify.arrays import (
    along,
    arranged,
    bounded_matrix,
    exactly,
    joined,
    skew_of,
    transposed,
)
from symkin.verify.doubt import doubtful
from symkin.verify.laws.law import Law, Sides, columns_of, hessian_of, times_v
from symkin.verify.scene import Scene


def _lagrange(scene: Scene, lane: str) -> Sides:
    """M a + dM/dt v - dT/dq + dU/dq, for coordinates whose rates are v."""
    nv = scene.robot.nv
    if nv != scene.robot.nq:
        return np.zeros((scene.count, nv)), np.zeros((scene.count, nv))
    dM = scene.derivative("mass_matrix", lane)
    M_dot = along(dM, scene.v)
    v = exactly(scene.v[:, :, None])
    # dT/dq_k = v' dM/dq_k v / 2
    turned = arranged(dM, lambda x: np.moveaxis(x, -1, 1))
    dT = (transposed(v)[:, None] @ turned @ v[:, None])[:, :, 0, 0] * 0.5
    dU = scene.derivative("potential_energy", lane)[:, 0]
    forces = along(scene.value("mass_matrix"), scene.a) + along(M_dot, scene.v) - dT + dU
    return scene.value("inverse_dynamics"), forces


def _power(scene: Scene, lane: str) -> Sides:
    """v' tau = dT/dt + dU/dt."""
    power = _dot(scene.value("inverse_dynamics"), scene.v)
    motion = np.concatenate([scene.v, scene.a], axis=-1)
    kinetic = along(scene.derivative("kinetic_energy", lane), motion)[:, 0]
    potential = along(scene.derivative("potential_energy", lane), scene.v)[:, 0]
    return power, kinetic + potential


def _sum_over_links(scene: Scene) -> Sides:
    """(m |dc/dt|^2 + omega' I omega) / 2 of every link, from its twist; and the rotors'."""
    total = exactly(np.zeros(scene.count))
    robot, root = doubtful(scene.robot), scene.robot.links[0].name
    for link, exact in zip(robot.links[1:], scene.robot.links[1:], strict=True):
        V = scene.of(link.name, root).value("twist_body")
        w, v = V[:, :3, None], V[:, 3:, None]
        I, h = bounded_matrix(link.inertia.about_origin), bounded_matrix(link.inertia.moment)  # noqa: E741
        turning = (transposed(w) @ (I @ w))[:, 0, 0]
        mixed = (transposed(v) @ (skew_of(w[..., 0]) @ h))[:, 0, 0]
        total = (
            total + turning + mixed * 2.0 + (transposed(v) @ v)[:, 0, 0] * float(exact.inertia.mass)
        )
    for i, c in scene.robot.coordinates.items():
        joint = scene.robot.links[i].joint
        if joint is not None and joint.armature:
            speed = exactly(c.multiplier * scene.v[:, c.velocity])
            total = total + speed * speed * joint.armature
    return scene.value("kinetic_energy")[:, 0], total * 0.5


def _quadratic(scene: Scene) -> Sides:
    energy = _dot(along(scene.value("mass_matrix"), scene.v), scene.v) * 0.5
    return scene.value("kinetic_energy")[:, 0], energy


def _symmetric(scene: Scene) -> Sides:
    M = scene.value("mass_matrix")
    return M, transposed(M)


def _positive(scene: Scene) -> Sides:
    """No eigenvalue of M is negative by more than what moves it."""
    M = scene.value("mass_matrix")
    smallest = np.min(np.linalg.eigvalsh(M.value), axis=-1, initial=np.inf)
    bound = np.linalg.norm(M.bound, axis=(-2, -1))
    return Bounded(np.minimum(smallest, 0.0), bound), 0.0


def _held(scene: Scene) -> Sides:
    """Bias = inverse dynamics at a = 0."""
    still = scene.at({**scene.states, "a": np.zeros_like(scene.a)})
    return scene.value("bias"), still.value("inverse_dynamics")


def _moving_minus_holding(scene: Scene) -> Sides:
    return scene.value("coriolis_torque"), scene.value("bias") - scene.value("gravity_torque")


def _skew(scene: Scene, lane: str) -> Sides:
    """dM/dt = C + C'."""
    M_dot = along(scene.derivative("mass_matrix", lane), scene.v)
    C = scene.value("coriolis_matrix")
    return M_dot, C + transposed(C)


def _inverse(scene: Scene) -> Sides:
    product = scene.value("mass_matrix") @ scene.value("inverse_mass_matrix")
    return product, np.eye(scene.robot.nv)


def _there_and_back(scene: Scene) -> Sides:
    """inverse_dynamics(q, v, forward_dynamics(q, v, tau)) = tau."""
    a = scene.value("forward_dynamics")
    back = scene.at({**scene.states, "a": a.value}).value("inverse_dynamics")
    off = np.abs(scene.value("mass_matrix").value) @ a.bound[:, :, None]
    return Bounded(back.value, back.bound + off[..., 0]), scene.states["tau"]


def _contracted(function: str) -> Law:
    def sides(scene: Scene) -> Sides:
        T = scene.value(f"{function}_hessian_tensor")
        total = exactly(np.zeros((scene.count, 1, 1)))
        for k in range(scene.robot.nv):
            total = total + T[:, k] * scene.states["lam"][:, k, None, None]
        return scene.value(f"{function}_hessian"), total

    return Law("lam contracts the tensor", sides)


def _linear_in_parameters(scene: Scene) -> Sides:
    """tau = Y pi, and what rotors and friction take."""
    robot = scene.robot
    pi = bounded_matrix(inertial_parameters(doubtful(robot)))
    v, a = (Matrix([(x[:, k],) for k in range(robot.nv)], columns=1) for x in (scene.v, scene.a))
    drives = drive_regressor(robot, v, a) @ drive_parameters(robot)
    taken = stack(drives, (robot.nv,), (scene.count,))
    product = (scene.value("inverse_dynamics_regressor") @ pi)[..., 0]
    return scene.value("inverse_dynamics"), product + taken


def _slope(scene: Scene, lane: str) -> Sides:
    """g = dU/dq."""
    return scene.value("gravity_torque"), scene.derivative("potential_energy", lane)[:, 0]


def _weight(scene: Scene) -> Sides:
    """U = -m g'c."""
    if not scene.robot.moving_mass:
        return scene.value("potential_energy"), 0.0
    gravity = exactly(np.array(scene.robot.gravity))
    height = (scene.value("center_of_mass")[:, None, :] @ gravity[:, None])[:, 0, 0]
    return scene.value("potential_energy")[:, 0], -(height * scene.robot.moving_mass)


def _linear(scene: Scene) -> Sides:
    """The linear momentum is m dc/dt."""
    rows = scene.value("centroidal_momentum_matrix")[:, 3:]
    return rows, scene.value("jacobian_center_of_mass") * scene.robot.moving_mass


def _momenta(scene: Scene) -> Sides:
    """The links' momenta about the centre of mass, from their twists and poses."""
    robot, root = doubtful(scene.robot), scene.robot.links[0].name
    center = scene.value("center_of_mass")
    total = exactly(np.zeros((scene.count, 6)))
    moving = {f for i in scene.robot.coordinates for f in _carried(scene, i)}
    for i in sorted(moving):
        link = robot.links[i]
        here = scene.of(link.name, root)
        V, T = here.value("twist_body"), here.value("forward_kinematics")
        h, I = bounded_matrix(link.inertia.moment), bounded_matrix(link.inertia.about_origin)  # noqa: E741
        mass = float(scene.robot.links[i].inertia.mass)
        w, v, R = V[:, :3, None], V[:, 3:, None], T[:, :3, :3]
        H = skew_of(arranged(h, lambda x: np.swapaxes(x, 0, 1)))[0]
        linear = R @ (v * mass - H @ w)
        angular = R @ (I @ w + H @ v)
        arm = skew_of(T[:, :3, 3] - center)
        total = total + joined([(angular + arm @ linear)[..., 0], linear[..., 0]])
    return scene.value("centroidal_momentum"), total


def _carried(scene: Scene, link: int) -> set[int]:
    found = {link}
    for i, other in enumerate(scene.robot.links):
        if other.parent in found:
            found.add(i)
    return found


def _momentum_rate(scene: Scene, lane: str) -> Sides:
    change = scene.derivative("centroidal_momentum_matrix", lane)
    return scene.value("centroidal_momentum_matrix_dot"), along(change, scene.v)


def _returns(scene: Scene) -> Sides:
    """difference(q, integrate(q, d)) = d."""
    end = scene.value("integrate")
    back = scene.at({**scene.states, "q_end": end.value}).value("difference")
    # difference is an isometry up to the turn that d makes.
    off = 4.0 * np.max(end.bound, axis=-1, keepdims=True, initial=0.0)
    return Bounded(back.value, back.bound + off), scene.states["d"]


def _reaches(scene: Scene) -> Sides:
    """integrate(q, difference(q, q_end)) is q_end, or the same rotation's other quaternion."""
    d = scene.value("difference")
    reached = scene.at({**scene.states, "d": d.value}).value("integrate")
    off = 4.0 * np.max(d.bound, axis=-1, keepdims=True, initial=0.0)
    end = _same_signs(scene, scene.states["q_end"], reached.value)
    return Bounded(reached.value, reached.bound + off), end


def _same_signs(scene: Scene, q: np.ndarray, like: np.ndarray) -> np.ndarray:
    result = q.copy()
    for i, c in scene.robot.coordinates.items():
        joint = scene.robot.links[i].joint
        if joint is not None and joint.nq > joint.nv:
            part = slice(c.index + joint.nq - 4, c.index + joint.nq)
            sign = np.sign(np.sum(q[:, part] * like[:, part], axis=-1, keepdims=True))
            result[:, part] = q[:, part] * sign
    return result


def _dot(x: Bounded, y: np.ndarray) -> Bounded:
    return (x[:, None, :] @ exactly(y[:, :, None]))[:, 0, 0]


LAWS: Mapping[str, tuple[Law, ...]] = {
    "inverse_dynamics": (
        Law(
            "Lagrange: M a + dM/dt v - dT/dq + dU/dq",
            _lagrange,
            ("mass_matrix", "potential_energy"),
        ),
        Law("power: v' tau = d(T + U)/dt", _power, ("kinetic_energy", "potential_energy")),
    ),
    "inverse_dynamics_regressor": (Law("Y pi = inverse_dynamics", _linear_in_parameters),),
    "bias": (Law("inverse_dynamics at a = 0", _held),),
    "gravity_torque": (Law("d/dq potential_energy", _slope, ("potential_energy",)),),
    "coriolis_torque": (Law("bias - gravity_torque", _moving_minus_holding),),
    "coriolis_matrix": (
        times_v("coriolis_torque", "coriolis_matrix"),
        Law("dM/dt = C + C'", _skew, ("mass_matrix",)),
    ),
    "mass_matrix": (
        Law("M = M'", _symmetric),
        Law("no negative eigenvalue", _positive),
        columns_of("mass_matrix", "inverse_dynamics", 2),
    ),
    "inverse_mass_matrix": (
        Law("M M^-1 = 1", _inverse),
        columns_of("inverse_mass_matrix", "forward_dynamics", 2),
    ),
    "forward_dynamics": (Law("inverse_dynamics gives tau back", _there_and_back),),
    "kinetic_energy": (
        Law("sum over links from twists", _sum_over_links),
        Law("v'M v / 2", _quadratic),
    ),
    "potential_energy": (Law("-m g'c", _weight),),
    "centroidal_momentum": (
        Law("sum over links from twists", _momenta),
        times_v("centroidal_momentum", "centroidal_momentum_matrix"),
    ),
    "centroidal_momentum_matrix": (Law("linear part m dc/dq", _linear),),
    "centroidal_momentum_matrix_dot": (
        Law("d/dq A_G v", _momentum_rate, ("centroidal_momentum_matrix",)),
    ),
    "inverse_dynamics_dq": (columns_of("inverse_dynamics_dq", "inverse_dynamics", 0),),
    "inverse_dynamics_dv": (columns_of("inverse_dynamics_dv", "inverse_dynamics", 1),),
    "forward_dynamics_dq": (columns_of("forward_dynamics_dq", "forward_dynamics", 0),),
    "forward_dynamics_dv": (columns_of("forward_dynamics_dv", "forward_dynamics", 1),),
    **{
        f"{function}_hessian": (
            hessian_of(f"{function}_hessian", f"{function}_dq", f"{function}_dv"),
        )
        for function in ("inverse_dynamics", "forward_dynamics")
    },
    **{
        f"{function}_hessian_tensor": (_contracted(function),)
        for function in ("inverse_dynamics", "forward_dynamics")
    },
    "integrate": (Law("difference gives d back", _returns),),
    "difference": (Law("integrate gives q_end back", _reaches),),
}
