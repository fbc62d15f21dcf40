"""Experiment 5: Pinocchio, CasADi, MuJoCo and Drake, each given the same numbers.

Drake and MuJoCo read the robot's file themselves. MuJoCo has its derivatives by finite differences,
and those of inverse dynamics transposed: row i is the derivative along input i.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from bench import Interval, Row, Section, at_most, installed
from kinematics.geometry import from_matrix, to_column
from kinematics.peers import each
from kinematics.states import EPS, Array

from dynamics.states import BLOCKS, Motions, draw, worst
from dynamics.traces import Traced, acceleration, torque
from symkin.algorithms.mujoco_convention import inverse_dynamics_jacobians, transition_matrices
from symkin.model import bundled_path
from symkin.verify.oracles.pinocchio import model_of

# About a hundred roundings of a block's largest entry.
EXACT = at_most(2e-14)
# A thousand where moments are taken about the world's origin, far away, and cancel again.
FROM_AFAR = at_most(2e-13)
# Forward differences of step 1e-6 of Jacobians that change by 10 per radian.
DIFFERENCES = at_most(1e-5)
STEP = 1e-6


class Found(NamedTuple):
    """What the peer calls it, which block it is, the peer's values, and ours if not the block's."""

    theirs: str
    block: str
    values: Array
    target: Interval
    document: Any
    ours: Array | None = None


def pinocchio(motions: Motions) -> Iterator[Found]:
    """Analytic derivatives."""
    import pinocchio as pin

    robot = motions.robot
    model = model_of(robot)
    data = model.createData()
    order = [model.joints[model.getJointId(joint)].idx_v for joint in robot.joint_names]
    ours = np.ix_(order, order)

    def inverse(q: Array, v: Array, a: Array) -> Array:
        pin.computeRNEADerivatives(model, data, *placed(order, q, v, a))
        M = np.triu(data.M)
        return np.array([data.dtau_dq[ours], data.dtau_dv[ours], (M + np.triu(M, 1).T)[ours]])

    def forward(q: Array, v: Array, tau: Array) -> Array:
        pin.computeABADerivatives(model, data, *placed(order, q, v, tau))
        M = np.triu(data.Minv)
        return np.array([data.ddq_dq[ours], data.ddq_dv[ours], (M + np.triu(M, 1).T)[ours]])

    found = [
        *np.moveaxis(each(inverse, motions.q, motions.v, motions.a), 1, 0),
        *np.moveaxis(each(forward, motions.q, motions.v, motions.tau), 1, 0),
    ]
    calls = [("computeRNEADerivatives", FROM_AFAR)] * 3
    calls += [("computeABADerivatives", _solved(motions))] * 3
    for (call, target), block, values in zip(calls, BLOCKS, found, strict=True):
        yield Found(call, block, values, target, "≤ 1.6e-13")


def _solved(motions: Motions) -> Interval:
    """What solving with M in another way than ours may cost: its condition."""
    return at_most(EPS * float(np.linalg.cond(motions.of("mass_matrix")).max()))


def casadi(motions: Motions) -> Iterator[Found]:
    """Jacobians of our recursions by CasADi, of the robot in other frames than ours here."""
    for compute, last, blocks, target in (
        (torque, motions.a, ("dtau/dq", "dtau/dv"), EXACT),
        (acceleration, motions.tau, ("da/dq", "da/dv"), _solved(motions)),
    ):
        jacobian = Traced.of(motions.robot, compute).jacobian()

        def full(*state: Array, f: Any = jacobian) -> Array:
            return np.array([part.full() for part in f(*state)])

        found = np.moveaxis(each(full, motions.q, motions.v, last), 1, 0)
        for block, values in zip(blocks, found, strict=True):
            yield Found("jacobian", block, values, target, "≤ 1.7e-14")


def mujoco(motions: Motions) -> Iterator[Found]:
    """Finite differences: forward ones of inverse dynamics, central ones of a step."""
    import mujoco as mj

    robot, n = motions.robot, motions.robot.nv
    spec = mj.MjSpec.from_file(str(bundled_path(robot.name)))
    for joint in robot.joint_names:
        spec.add_actuator(
            name=joint, target=joint, trntype=mj.mjtTrn.mjTRN_JOINT, gear=[1.0, 0, 0, 0, 0, 0]
        )
    model = spec.compile()
    model.opt.timestep = float(motions.h.flat[0])
    model.opt.integrator = mj.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT
    numbers = [mj.mj_name2id(model, mj.mjtObj.mjOBJ_JOINT, joint) for joint in robot.joint_names]
    order = [int(model.jnt_dofadr[number]) for number in numbers]
    data = mj.MjData(model)

    def inverse(q: Array, v: Array, a: Array) -> Array:
        data.qpos[order], data.qvel[order], data.qacc[order] = q, v, a
        found = [np.zeros((n, n)) for _ in range(3)]
        mj.mj_inverse(model, data)
        mj.mjd_inverseFD(model, data, STEP, False, *found, None, None, None, None)
        return np.array([J[np.ix_(order, order)] for J in found])

    def step(q: Array, v: Array, tau: Array) -> Array:
        data.qpos[order], data.qvel[order], data.ctrl[:] = q, v, tau
        A, B = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, n))
        mj.mj_forward(model, data)
        mj.mjd_transitionFD(model, data, STEP, True, A, B, None, None)
        both = np.r_[order, n + np.array(order)]
        return np.concatenate([A[np.ix_(both, both)], B[both]], axis=1)

    q, v, a, tau, h = map(to_column, (motions.q, motions.v, motions.a, motions.tau, motions.h))
    count = len(motions)
    jacobians = [from_matrix(J, count) for J in inverse_dynamics_jacobians(robot, q, v, a)]
    A, B = (from_matrix(J, count) for J in transition_matrices(robot, q, v, tau, h[0]))
    found = np.moveaxis(each(inverse, motions.q, motions.v, motions.a), 1, 0)
    both = each(step, motions.q, motions.v, motions.tau)
    by_q, by_v, by_a = jacobians
    for block, values, ours, document in (
        ("dtau/dq", found[0], by_q, "≤ 8.2e-6"),
        ("dtau/dv", found[1], by_v, "≤ 8.2e-6"),
        ("dtau/da", found[2], by_a, 4e-9),
    ):
        yield Found("mjd_inverseFD", block, values, DIFFERENCES, document, ours)
    # Far from symmetric: whoever misses the transpose sees it.
    yield Found(
        "mjd_inverseFD, not transposed",
        "dtau/dq",
        found[0],
        Interval(low=0.01),
        (1.0, 2.0),
        motions.of("inverse_dynamics_dq"),
    )
    yield Found("mjd_transitionFD", "A", both[..., : 2 * n], DIFFERENCES, 1.5e-8, A)
    yield Found("mjd_transitionFD", "B", both[..., 2 * n :], DIFFERENCES, None, B)


def drake(motions: Motions) -> Iterator[Found]:
    """Inverse dynamics in numbers that carry gradients."""
    from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, InitializeAutoDiff
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces_

    robot, n = motions.robot, motions.robot.nv
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(bundled_path(robot.name)))
    root = plant.GetFrameByName(robot.link_names[0])
    plant.WeldFrames(plant.world_frame(), root)
    plant.Finalize()
    order = [plant.GetJointByName(joint).velocity_start() for joint in robot.joint_names]
    differentiable = plant.ToAutoDiffXd()
    context = differentiable.CreateDefaultContext()

    def gradient(*state: Array) -> Array:
        x = InitializeAutoDiff(np.concatenate(state)).ravel()
        q, v, a = placed(order, x[:n], x[n : 2 * n], x[2 * n :])
        differentiable.SetPositions(context, q)
        differentiable.SetVelocities(context, v)
        forces = MultibodyForces_[AutoDiffXd](differentiable)
        differentiable.CalcForceElementsContribution(context, forces)
        tau = differentiable.CalcInverseDynamics(context, a, forces)
        return ExtractGradient(tau)[order].reshape((n, 3, n))

    found = np.moveaxis(each(gradient, motions.q, motions.v, motions.a), 2, 0)
    for block, values in zip(BLOCKS, found, strict=False):
        yield Found("ToAutoDiffXd", block, values, EXACT, "≤ 1.1e-15")


def placed(order: list[int], *vectors: Array) -> list[Array]:
    """Vectors over our joints as the peer orders them."""
    found = [np.empty_like(vector) for vector in vectors]
    for theirs, ours in zip(found, vectors, strict=True):
        theirs[order] = ours
    return found


PEERS: Mapping[str, tuple[str, Callable[[Motions], Iterator[Found]]]] = {
    "Pinocchio": ("pin", pinocchio),
    "CasADi": ("casadi", casadi),
    "MuJoCo": ("mujoco", mujoco),
    "Drake": ("drake", drake),
}
UNASKED = ("drake",)
"""No extra of symkin brings it: without it there is nothing to miss."""


def peers(name: str, quick: bool) -> Section:
    """Derivatives as each peer has them."""
    motions = draw(name, 10 if quick else 40)
    rows: list[Row] = []
    for peer, (package, compute) in PEERS.items():
        if not installed(package):
            missing = "" if package in UNASKED else package
            rows.append(Row(peer, "not installed", None, missing=missing))
            continue
        for found in compute(motions):
            ours = motions.of(BLOCKS[found.block][2]) if found.ours is None else found.ours
            difference = worst(ours, found.values)
            what = f"{found.block}: {peer} {found.theirs}"
            rows.append(Row(what, difference, found.target, found.document))
    return Section(
        f"5. {name.upper()}: agreement with other libraries",
        f"{len(motions)} motions; differences are parts of a block's largest entry",
        tuple(rows),
    )
