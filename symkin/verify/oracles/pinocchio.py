"""Pinocchio. Its reference frames, in its order (v, omega): WORLD is our space, LOCAL our body,
LOCAL_WORLD_ALIGNED our position. Its plain accelerations are spatial, the classical ones apart.

Carpentier et al., The Pinocchio C++ library (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from symkin.errors import VerifyError
from symkin.model import Robot
from symkin.model.joint import Joint
from symkin.quantities import Instance
from symkin.spatial import Pose
from symkin.verify.oracles.base import ANGULAR_FIRST, Oracle, fold_hessian, homogeneous
from symkin.verify.oracles.pinocchio_contact import (
    CONTACT_CONVENTIONS,
    contact_dynamics,
    refused_contacts,
)

Array = npt.NDArray[np.float64]

_FRAMES = {"space": "WORLD", "body": "LOCAL", "position": "LOCAL_WORLD_ALIGNED"}

_DYNAMICS = {
    "inverse_dynamics": "rnea",
    "bias": "nonLinearEffects",
    "gravity_torque": "computeGeneralizedGravity",
    "coriolis_torque": "nonLinearEffects - computeGeneralizedGravity",
    "mass_matrix": "crba",
    "inverse_mass_matrix": "crba, inverted",
    "forward_dynamics": "nonLinearEffects and crba",
    "kinetic_energy": "computeKineticEnergy",
    "potential_energy": "computePotentialEnergy",
    "centroidal_momentum": "computeCentroidalMomentum",
    "centroidal_momentum_matrix": "ccrba",
    "centroidal_momentum_matrix_dot": "dccrba",
    "inverse_dynamics_dq": "computeRNEADerivatives",
    "inverse_dynamics_dv": "computeRNEADerivatives",
    "forward_dynamics_dq": "computeRNEADerivatives and crba",
    "forward_dynamics_dv": "computeRNEADerivatives and crba",
}

_CONVENTIONS = {
    "forward_kinematics": "oMf",
    "pose_zyx": "rpy.matrixToRpy of oMf",
    "pose_rotvec": "log3 of oMf",
    "hessian_position": "getFrameKinematicHessian, LOCAL_WORLD_ALIGNED",
    "center_of_mass": "centerOfMass",
    "jacobian_center_of_mass": "jacobianCenterOfMass",
    "jacobian_zyx": "rpy.computeRpyJacobianInverse times LOCAL_WORLD_ALIGNED",
    "jacobian_rotvec": "Jlog3 times LOCAL",
    **{f"jacobian_{kind}": f"getFrameJacobian, {frame}" for kind, frame in _FRAMES.items()},
    **{
        f"jacobian_{kind}_dot": f"getFrameJacobianTimeVariation, {frame}"
        for kind, frame in _FRAMES.items()
    },
    **{f"twist_{kind}": f"getFrameVelocity, {frame}" for kind, frame in _FRAMES.items()},
    **{
        f"acceleration_spatial_{kind}": f"getFrameAcceleration, {frame}"
        for kind, frame in _FRAMES.items()
    },
    "acceleration_classical_position": "getFrameClassicalAcceleration, LOCAL_WORLD_ALIGNED",
    "acceleration_classical_body": "getFrameClassicalAcceleration, LOCAL",
    **_DYNAMICS,
    **CONTACT_CONVENTIONS,
}


class Pinocchio(Oracle):
    """Pinocchio's model, made from a `Robot` or from anything else with the same joints' names."""

    name = "Pinocchio"
    package = "pin"
    module = "pinocchio"
    conventions = _CONVENTIONS
    several_degrees = True

    def __init__(self, robot: Robot, frame: str | None, model: Any = None) -> None:
        """``model`` is used instead of one made from the robot: read from the same file, say.

        A joint that it represents by cosine and sine is given those of its angle. Quaternions are
        (x, y, z, w) there too, and move with the child's omega.
        """
        self.pin = self.library()
        self.model = model_of(robot) if model is None else model
        self.data = self.model.createData()
        self.coordinates = {
            joint.name: robot.coordinates[i]
            for i, link in enumerate(robot.links)
            if (joint := link.joint) is not None and joint.moves
        }
        self.G = np.zeros((self.model.nv, robot.nv))
        for j in range(1, self.model.njoints):
            joint, c = self.model.joints[j], self.coordinates[self.model.names[j]]
            # Pinocchio's free flyer has (v, omega), ours (omega, v).
            own = ANGULAR_FIRST if joint.nv == 6 else range(joint.nv)
            for row, column in enumerate(own):
                self.G[joint.idx_v + row, c.velocity + column] = c.multiplier
        self.frame = -1 if frame is None else self.frame_id(frame)

    def frame_id(self, name: str) -> int:
        """Pinocchio's number of a link or added frame; VerifyError when it has none."""
        number = int(self.model.getFrameId(name, self.pin.FrameType.BODY))
        if number >= self.model.nframes:  # reading it would crash Pinocchio
            raise VerifyError(f"Pinocchio's model of {self.model.name!r} has no frame {name!r}")
        return number

    @classmethod
    def refusal(cls, instance: Instance) -> str:
        """Contacts are held there as here if they are hard points, and no joint follows another."""
        return super().refusal(instance) or refused_contacts(instance)

    def measure(self, instance: Instance, state: Mapping[str, Array]) -> Array:
        """The quantity at one state, in our component order."""
        quantity = instance.quantity.name
        if quantity in CONTACT_CONVENTIONS:
            return contact_dynamics(self, quantity, instance.contacts, state)
        if quantity in _DYNAMICS:
            return self.dynamics(quantity, state)
        self.move_to(state["q"], state["v"], state["a"])
        return self.read(quantity, self.frame)

    def move_to(self, q: Array, v: Array, a: Array) -> None:
        """Compute everything that `read` looks up."""
        full, v_full, a_full = self.positions(q), self.G @ v, self.G @ a
        self.pin.computeJointJacobiansTimeVariation(self.model, self.data, full, v_full)
        self.pin.forwardKinematics(self.model, self.data, full, v_full, a_full)
        self.pin.updateFramePlacements(self.model, self.data)
        self._full = full

    def read(self, quantity: str, frame: int) -> Array:
        """The quantity of a frame at the state that `move_to` was given."""
        kind = next((k for k in _FRAMES if k in quantity.split("_")), "")
        if quantity.startswith("twist_"):
            return self._motion(self.pin.getFrameVelocity, frame, kind)
        if quantity.startswith("acceleration_spatial_"):
            return self._motion(self.pin.getFrameAcceleration, frame, kind)
        if quantity.startswith("acceleration_classical_"):
            return self._motion(self.pin.getFrameClassicalAcceleration, frame, kind)
        if quantity.startswith("jacobian_") and kind:
            rate = quantity.endswith("_dot")
            call = self.pin.getFrameJacobianTimeVariation if rate else self.pin.getFrameJacobian
            return self._jacobian(call, frame, kind)
        special: dict[str, Callable[[int], Array]] = {
            "forward_kinematics": self._pose,
            "pose_zyx": lambda f: np.r_[
                self.pin.rpy.matrixToRpy(self._pose(f)[:3, :3]), self._p(f)
            ],
            "pose_rotvec": lambda f: np.r_[self.pin.log3(self._pose(f)[:3, :3]), self._p(f)],
            "jacobian_zyx": self._jacobian_zyx,
            "jacobian_rotvec": self._jacobian_rotvec,
            "hessian_position": self._hessian,
            "center_of_mass": lambda _: self.pin.centerOfMass(self.model, self.data, self._full),
            "jacobian_center_of_mass": self._jacobian_center_of_mass,
        }
        return np.array(special[quantity](frame))

    def dynamics(self, quantity: str, state: Mapping[str, Array]) -> Array:
        """A quantity of the whole robot: tau is folded as G' tau, M as G' M G."""
        pin, model, data, G = self.pin, self.model, self.data, self.G
        q = self.positions(state["q"])
        v, a = G @ state["v"], G @ state["a"]
        M = G.T @ self._mass(q) @ G
        if quantity.startswith("forward_dynamics"):
            bias = G.T @ pin.nonLinearEffects(model, data, q, v)
            acceleration = np.linalg.solve(M, state["tau"] - bias)
            if quantity == "forward_dynamics":
                return np.array(acceleration)
            pin.computeRNEADerivatives(model, data, q, v, G @ acceleration)
            by = data.dtau_dq if quantity.endswith("dq") else data.dtau_dv
            return np.array(-np.linalg.solve(M, G.T @ by @ G))
        if quantity.startswith("inverse_dynamics_d"):
            pin.computeRNEADerivatives(model, data, q, v, a)
            return np.array(G.T @ (data.dtau_dq if quantity.endswith("dq") else data.dtau_dv) @ G)
        if quantity.startswith("centroidal_momentum"):
            pin.dccrba(model, data, q, v)
            pin.computeCentroidalMomentum(model, data, q, v)
        answers: dict[str, Callable[[], Any]] = {
            "inverse_dynamics": lambda: G.T @ pin.rnea(model, data, q, v, a),
            "bias": lambda: G.T @ pin.nonLinearEffects(model, data, q, v),
            "gravity_torque": lambda: G.T @ pin.computeGeneralizedGravity(model, data, q),
            "coriolis_torque": lambda: (
                G.T
                @ (
                    pin.nonLinearEffects(model, data, q, v)
                    - pin.computeGeneralizedGravity(model, data, q)
                )
            ),
            "mass_matrix": lambda: M,
            "inverse_mass_matrix": lambda: np.linalg.inv(M),
            "kinetic_energy": lambda: [pin.computeKineticEnergy(model, data, q, v)],
            "potential_energy": lambda: [pin.computePotentialEnergy(model, data, q)],
            "centroidal_momentum": lambda: np.array(data.hg)[ANGULAR_FIRST],
            "centroidal_momentum_matrix": lambda: data.Ag[ANGULAR_FIRST] @ G,
            "centroidal_momentum_matrix_dot": lambda: data.dAg[ANGULAR_FIRST] @ G,
        }
        return np.array(answers[quantity]())

    def _mass(self, q: Array) -> Array:
        upper = np.triu(self.pin.crba(self.model, self.data, q))
        return np.array(upper + np.triu(upper, 1).T)

    def positions(self, q: Array) -> Array:
        """All joints' coordinates."""
        full = np.zeros(self.model.nq)
        for j in range(1, self.model.njoints):
            joint, c = self.model.joints[j], self.coordinates[self.model.names[j]]
            own = c.multiplier * q[c.index : c.index + max(1, joint.nq)] + c.offset
            if joint.nq == 2:
                own = np.r_[np.cos(own[0]), np.sin(own[0])]
            full[joint.idx_q : joint.idx_q + joint.nq] = own
        return full

    def _reference(self, kind: str) -> Any:
        return getattr(self.pin.ReferenceFrame, _FRAMES[kind])

    def _motion(self, call: Callable[..., Any], frame: int, kind: str) -> Array:
        motion = call(self.model, self.data, frame, self._reference(kind))
        return np.array(motion.vector)[ANGULAR_FIRST]

    def _jacobian(self, call: Callable[..., Array], frame: int, kind: str) -> Array:
        if not self.model.nv:  # Pinocchio would crash
            return np.zeros((6, 0))
        columns = np.array(call(self.model, self.data, frame, self._reference(kind)))
        folded: Array = columns.reshape((6, -1))[ANGULAR_FIRST] @ self.G  # one column comes flat
        return folded

    def _pose(self, frame: int) -> Array:
        return np.array(self.data.oMf[frame].homogeneous)

    def _p(self, frame: int) -> Array:
        return self._pose(frame)[:3, 3]

    def _jacobian_center_of_mass(self, _: int) -> Array:
        columns = np.array(self.pin.jacobianCenterOfMass(self.model, self.data, self._full))
        folded: Array = columns.reshape((3, -1)) @ self.G
        return folded

    def _jacobian_zyx(self, frame: int) -> Array:
        J = self._jacobian(self.pin.getFrameJacobian, frame, "position")
        angles = self.pin.rpy.matrixToRpy(self._pose(frame)[:3, :3])
        E_inverse = self.pin.rpy.computeRpyJacobianInverse(
            angles, self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        return np.vstack([E_inverse @ J[:3], J[3:]])

    def _jacobian_rotvec(self, frame: int) -> Array:
        body = self._jacobian(self.pin.getFrameJacobian, frame, "body")
        R = self._pose(frame)[:3, :3]
        return np.vstack([self.pin.Jlog3(R) @ body[:3], R @ body[3:]])

    def _hessian(self, frame: int) -> Array:
        if not self.model.nv:
            return np.zeros((6, 0, 0))
        pin = self.pin
        pin.computeJointJacobians(self.model, self.data, self._full)
        pin.computeJointKinematicHessians(self.model, self.data)
        H = pin.getFrameKinematicHessian(self.model, self.data, frame, self._reference("position"))
        # The binding hands the tensor's memory over as it lies, first index fastest.
        H = np.ravel(H, order="K").reshape(H.shape, order="F")
        return fold_hessian(H[ANGULAR_FIRST], self.G)


def model_of(robot: Robot) -> Any:
    """Pinocchio's model of the same tree: one joint per joint that moves, one frame per frame.

    What is welded to the root stays out of the centre of mass, as with us.
    """
    pin = Pinocchio.library()
    model = pin.Model()
    model.gravity.linear = np.array([float(g) for g in robot.gravity])
    places: list[tuple[int, Any]] = []  # of each link: Pinocchio's joint, and its pose there
    for i, link in enumerate(robot.links):
        carrier, pose = places[link.parent] if link.parent >= 0 else (0, pin.SE3.Identity())
        if link.joint is not None:
            pose = pose * _se3(pin, link.joint.origin)
            if i in robot.coordinates:
                carrier = model.addJoint(carrier, _joint(pin, link.joint), pose, link.joint.name)
                joint = model.joints[carrier]
                rotor = np.full(joint.nv, float(link.joint.armature))
                model.armature[joint.idx_v : joint.idx_v + joint.nv] = rotor
                pose = pin.SE3.Identity()
        places.append((carrier, pose))
        if carrier and float(link.inertia.mass):
            com = np.array([float(c) for c in link.inertia.com])
            tensor = np.array(link.inertia.tensor.rows, dtype=np.float64)
            body = pin.Inertia(float(link.inertia.mass), com, tensor)
            model.appendBodyToJoint(carrier, body, pose)
        model.addFrame(pin.Frame(link.name, carrier, pose, pin.FrameType.BODY))
    for frame in robot.frames:
        carrier, pose = places[frame.link]
        place = pose * _se3(pin, frame.pose)
        model.addFrame(pin.Frame(frame.name, carrier, place, pin.FrameType.BODY))
    return model


def _se3(pin: Any, pose: Pose) -> Any:
    matrix = homogeneous(pose)
    return pin.SE3(matrix[:3, :3], matrix[:3, 3])


def _joint(pin: Any, joint: Joint) -> Any:
    axis = np.array([float(c) for c in joint.axis])
    if joint.kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(axis)
    if joint.kind == "spherical":
        return pin.JointModelSpherical()
    if joint.kind == "floating":
        return pin.JointModelFreeFlyer()
    if joint.kind == "helical":
        return pin.JointModelHelicalUnaligned(axis, joint.pitch)
    return pin.JointModelRevoluteUnaligned(axis)
