"""Other libraries' coordinates of spherical and floating joints, and the way there and back.

Ours: quaternions x, y, z, w; a floating joint's position before its quaternion; velocities
(omega, v), both in the moving link's own axes. A `Convention` says what another library has
instead. It is exact and acts joint by joint, in our order of joints: where the other orders them
differently, permute by name. With its velocity X(q) v,

    acceleration X a + (dX/dt) v    force X^-T tau    mass matrix X^-T M X^-1    Jacobian J X^-1

Featherstone, Rigid Body Dynamics Algorithms (2008), section 2.11, on what a floating base's
acceleration is in either frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from symkin.algebra import Matrix, block, block_diagonal, identity, vstack, zeros
from symkin.model.joint import Joint, motion
from symkin.model.robot import Robot
from symkin.spatial import skew

Axes = Literal["own", "parent"]
"""Of the moving link, or of the frame in which the joint moves it: for a base, the world."""


@dataclass(frozen=True, slots=True)
class Convention:
    """Coordinates as another library has them.

    ``real_first``: quaternions are w, x, y, z. ``quaternion_first``: a floating joint's comes
    before its position. ``linear_first``: its velocity is (v, omega). ``linear`` and ``angular``
    say in which axes these are; v is the velocity of the link's origin in any case.
    """

    name: str
    real_first: bool
    quaternion_first: bool
    linear_first: bool
    linear: Axes
    angular: Axes

    def q_of(self, robot: Robot, q: Matrix) -> Matrix:
        """Our q as theirs, nq x 1."""
        return _rearranged(robot, q, self._positions)

    def q_from(self, robot: Robot, q: Matrix) -> Matrix:
        """Their q as ours, nq x 1."""
        return _rearranged(robot, q, lambda joint: _inverse(self._positions(joint)))

    def v_of(self, robot: Robot, q: Matrix, v: Matrix) -> Matrix:
        """Our v at our q as theirs, nv x 1."""
        return self.velocity_map(robot, q) @ v

    def v_from(self, robot: Robot, q: Matrix, v: Matrix) -> Matrix:
        """Their v at our q as ours, nv x 1."""
        return self.velocity_map(robot, q).T @ v

    def a_of(self, robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
        """Our a at our q, v as theirs, nv x 1: the rate of `v_of`."""
        return self.velocity_map(robot, q) @ a + self.velocity_map_rate(robot, q, v) @ v

    def a_from(self, robot: Robot, q: Matrix, v: Matrix, a: Matrix) -> Matrix:
        """Their a at our q, v as ours, nv x 1."""
        return self.velocity_map(robot, q).T @ (a - self.velocity_map_rate(robot, q, v) @ v)

    def tau_of(self, robot: Robot, q: Matrix, tau: Matrix) -> Matrix:
        """Our tau at our q as theirs, nv x 1: of the same power."""
        return self.velocity_map(robot, q) @ tau

    def tau_from(self, robot: Robot, q: Matrix, tau: Matrix) -> Matrix:
        """Their tau at our q as ours, nv x 1."""
        return self.velocity_map(robot, q).T @ tau

    def velocity_map(self, robot: Robot, q: Matrix) -> Matrix:
        """X, nv x nv: a rotation or permutation of each joint's own entries, so X^-1 = X'."""
        return block_diagonal(
            self._turned(joint, motion(joint, own).R, identity(3))
            for joint, own, _ in _joints(robot, q, zeros(robot.nv))
        )

    def velocity_map_rate(self, robot: Robot, q: Matrix, v: Matrix) -> Matrix:
        """dX/dt, nv x nv, for a q that moves at v."""
        return block_diagonal(
            self._turned(joint, motion(joint, own).R @ skew(speed[:3]), zeros(3, 3))
            if joint.quaternion is not None
            else zeros(1, 1)
            for joint, own, speed in _joints(robot, q, v)
        )

    def _turned(self, joint: Joint, parent: Matrix, own: Matrix) -> Matrix:
        """The block of one joint, from what turns into the parent's axes and into our own."""
        if joint.quaternion is None:
            return identity(1)
        angular = parent if self.angular == "parent" else own
        if joint.nv == 3:
            return angular
        linear = parent if self.linear == "parent" else own
        if self.linear_first:
            return block([[zeros(3, 3), linear], [angular, zeros(3, 3)]])
        return block([[angular, zeros(3, 3)], [zeros(3, 3), linear]])

    def _positions(self, joint: Joint) -> list[int]:
        """Which of our positions of the joint comes at each of their places."""
        if joint.quaternion is None:
            return list(range(joint.nq))
        x, y, z, w = range(joint.quaternion, joint.quaternion + 4)
        quaternion = [w, x, y, z] if self.real_first else [x, y, z, w]
        place = list(range(joint.quaternion))
        return quaternion + place if self.quaternion_first else place + quaternion


PINOCCHIO = Convention("Pinocchio", False, False, True, "own", "own")
"""q = (p, x y z w), v = (v, omega) in the link's own axes. It splits continuous joints into cosine
and sine, which is not converted here. Carpentier et al., The Pinocchio C++ library (2019)."""

MUJOCO = Convention("MuJoCo", True, False, True, "parent", "own")
"""q = (p, w x y z), v = (dp/dt in the world's axes, omega in the link's own).
Todorov, Erez & Tassa, MuJoCo (2012), and its documentation, "Computation"."""

DRAKE = Convention("Drake", True, True, False, "parent", "parent")
"""q = (w x y z, p), v = (omega, dp/dt), both in the axes of the frame in which the joint moves.
Drake's documentation, ``QuaternionFloatingJoint``."""


def _rearranged(robot: Robot, q: Matrix, places: Callable[[Joint], list[int]]) -> Matrix:
    parts = [zeros(0)]
    for joint, own, _ in _joints(robot, q, zeros(robot.nv)):
        parts.append(Matrix([(own[k],) for k in places(joint)], columns=1))
    return vstack(*parts)


def _inverse(places: list[int]) -> list[int]:
    return [places.index(k) for k in range(len(places))]


def _joints(robot: Robot, q: Matrix, v: Matrix) -> Iterator[tuple[Joint, Matrix, Matrix]]:
    """Each joint with its own part of q and of v."""
    i = k = 0
    for joint in robot.joints:
        yield joint, q[i : i + joint.nq], v[k : k + joint.nv]
        i, k = i + joint.nq, k + joint.nv
