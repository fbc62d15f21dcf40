"""Experiment 7: Modern Robotics, Pinocchio and Robotics Toolbox, each given the same numbers.

Pinocchio and Robotics Toolbox put linear rows first; what they return is reordered here. How the
Jacobians correspond:

  symkin      Modern Robotics   Pinocchio             Robotics Toolbox
  space       JacobianSpace     WORLD
  body        JacobianBody      LOCAL                 jacobe
  position                      LOCAL_WORLD_ALIGNED   jacob0, jacob0_dot
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from bench import Row, Section, at_most, installed

from kinematics.geometry import Ad, inverse
from kinematics.states import Array, States, draw, scaled

# Products of seven displacements, and of their rates: some tens of roundings of numbers about 1.
LIMIT = at_most(1e-14)
# The document's largest differences, of the UR5, over all three libraries.
DOCUMENT = {
    **dict.fromkeys(("space", "body", "position"), "≤ 1.3e-11"),
    **dict.fromkeys(("space_dot", "body_dot", "position_dot"), "≤ 1.6e-11"),
}
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]

Found = Iterator[tuple[str, str, Array]]
"""What the peer calls it, our quantity, and the peer's values."""


@dataclass(frozen=True)
class Chain:
    """A robot that is one chain of revolute joints: what every peer is built from.

    ``origins`` are the joints' displacements (n, 4, 4), each in the frame of the joint before,
    ``axes`` their unit axes (n, 3), ``tool`` the tip in the last joint's frame.
    """

    origins: Array
    axes: Array
    tool: Array

    @staticmethod
    def of(state: States) -> Chain:
        """The chain of a robot with a single tip."""
        robot = state.robot
        tip = robot.frame(robot.tips[0])
        links, index = [], tip.link
        while robot.links[index].joint is not None:
            links.append(robot.links[index])
            index = robot.links[index].parent
        origins, axes, pose = [], [], np.eye(4)
        for link in reversed(links):
            pose = pose @ np.array(link.joint.origin.matrix().rows)
            if link.joint.moves:
                origins.append(pose)
                axes.append(np.array(link.joint.axis.rows)[:, 0])
                pose = np.eye(4)
        return Chain(np.array(origins), np.array(axes), pose @ np.array(tip.pose.matrix().rows))


def modern_robotics(chain: Chain, state: States) -> Found:
    """Screws in the base and in the body, from the home pose."""
    import modern_robotics as mr

    home, screws = np.eye(4), []
    for origin, axis in zip(chain.origins, chain.axes, strict=True):
        home = home @ origin
        screws.append(Ad(home) @ np.concatenate([axis, np.zeros(3)]))
    home = home @ chain.tool
    space = np.array(screws).T
    body = Ad(inverse(home)) @ space
    T = each(lambda q: mr.FKinSpace(home, space, q), state.q)
    J_s = each(lambda q: mr.JacobianSpace(space, q), state.q)
    J_b = each(lambda q: mr.JacobianBody(body, q), state.q)
    yield "FKinSpace", "forward_kinematics", T
    yield "JacobianSpace", "jacobian_space", J_s
    yield "JacobianBody", "jacobian_body", J_b


def pinocchio(chain: Chain, state: States) -> Found:
    """A model of unaligned revolute joints and one frame, the tip."""
    import pinocchio as pin

    model = pin.Model()
    joint = 0
    for i, (origin, axis) in enumerate(zip(chain.origins, chain.axes, strict=True)):
        kind = pin.JointModelRevoluteUnaligned(axis)
        joint = model.addJoint(joint, kind, pin.SE3(origin), f"joint{i}")
    tip = model.addFrame(pin.Frame("tip", joint, 0, pin.SE3(chain.tool), pin.FrameType.OP_FRAME))
    data = model.createData()
    frames = {
        "space": pin.ReferenceFrame.WORLD,
        "body": pin.ReferenceFrame.LOCAL,
        "position": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    }

    def pose(q: Array) -> Array:
        pin.framesForwardKinematics(model, data, q)
        return np.array(data.oMf[tip])

    def jacobian(q: Array, frame: pin.ReferenceFrame) -> Array:
        return pin.computeFrameJacobian(model, data, q, tip, frame)[ANGULAR_FIRST]

    def rate(q: Array, v: Array, frame: pin.ReferenceFrame) -> Array:
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        return pin.getFrameJacobianTimeVariation(model, data, tip, frame)[ANGULAR_FIRST]

    yield "frame placement", "forward_kinematics", each(pose, state.q)
    for kind, frame in frames.items():
        J = each(lambda q, f=frame: jacobian(q, f), state.q)
        yield frame.name, f"jacobian_{kind}", J
    for kind, frame in frames.items():
        J_dot = each(lambda q, v, f=frame: rate(q, v, f), state.q, state.v)
        yield f"{frame.name}, time variation", f"jacobian_{kind}_dot", J_dot


def robotics_toolbox(chain: Chain, state: States) -> Found:
    """A sequence of elementary transforms."""
    import roboticstoolbox as rtb
    from spatialmath import SE3

    transforms = []
    for origin, axis in zip(chain.origins, chain.axes, strict=True):
        # It turns about z only: the axis is turned there, and back.
        turn = np.eye(4)
        turn[:3, :3] = onto(axis)
        transforms += [
            rtb.ET.SE3(SE3(origin @ turn, check=False)),
            rtb.ET.Rz(),
            rtb.ET.SE3(SE3(turn.T, check=False)),
        ]
    robot = rtb.Robot(rtb.ETS([*transforms, rtb.ET.SE3(SE3(chain.tool, check=False))]))
    T = each(lambda q: robot.fkine(q).A, state.q)
    J_p = each(lambda q: robot.jacob0(q)[ANGULAR_FIRST], state.q)
    J_b = each(lambda q: robot.jacobe(q)[ANGULAR_FIRST], state.q)
    J_p_dot = each(lambda q, v: robot.jacob0_dot(q, v)[ANGULAR_FIRST], state.q, state.v)
    yield "fkine", "forward_kinematics", T
    yield "jacob0", "jacobian_position", J_p
    yield "jacobe", "jacobian_body", J_b
    yield "jacob0_dot", "jacobian_position_dot", J_p_dot


def onto(axis: Array) -> Array:
    """A rotation whose third column is the axis; none at all for z itself."""
    if axis[2] == 1.0:
        return np.eye(3)
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=-1)


def each(function: Callable[..., Array], *inputs: Array) -> Array:
    """The function's values state by state."""
    return np.array([function(*state) for state in zip(*inputs, strict=True)])


PEERS: Mapping[str, tuple[str, Callable[[Chain, States], Found]]] = {
    "Modern Robotics": ("modern_robotics", modern_robotics),
    "Pinocchio": ("pin", pinocchio),
    "Robotics Toolbox": ("roboticstoolbox-python", robotics_toolbox),
}


def peers(name: str, quick: bool) -> Section:
    """Poses, Jacobians and their rates as each peer computes them."""
    state = draw(name, 40 if quick else 200)
    chain = Chain.of(state)
    rows = []
    for peer, (package, compute) in PEERS.items():
        if not installed(package):
            rows.append(Row(peer, None, LIMIT, missing=package))
            continue
        for theirs, quantity, values in compute(chain, state):
            document = DOCUMENT.get(quantity.removeprefix("jacobian_")) if name == "ur5" else None
            difference = scaled(state.of(quantity), values)
            rows.append(Row(f"{quantity}: {peer} {theirs}", difference, LIMIT, document))
    return Section(
        f"7. {name.upper()}: agreement with other libraries",
        f"{len(state)} pairs; differences are parts of a state's largest entry above 1",
        tuple(rows),
    )
