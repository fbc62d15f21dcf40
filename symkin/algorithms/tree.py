"""The robot as whole-body algorithms walk it: the bodies that move, placed, with their degrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symkin.algebra import Matrix, Scalar, add, identity, mul, zeros
from symkin.model import Robot, motion, motion_subspace
from symkin.spatial import Inertia, Pose

ROOT = -1
"""The parent of a body that nothing else carries."""


@dataclass(frozen=True, slots=True, eq=False)
class Degree:
    """One column of a joint's motion subspace: v[index] moves the body by multiplier * S.

    S (6 x 1) is constant in the body's axes. A follower shares its leader's index. ``armature`` is
    the rotor's inertia as felt at v[index].
    """

    S: Matrix
    index: int
    multiplier: float
    armature: float


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A link that some joint moves: its parent among the bodies, its pose there, its inertia.

    ``parent`` is `ROOT` for those that hang on the root or on what is welded to it.
    """

    parent: int
    pose: Pose
    inertia: Inertia
    degrees: tuple[Degree, ...]

    def drive(self, v: Matrix) -> Matrix:
        """S v, the twist (6 x 1) that the joint gives the body."""
        twist = zeros(6)
        for degree in self.degrees:
            twist = twist + degree.S * mul(degree.multiplier, v[degree.index])
        return twist


def bodies(robot: Robot, q: Matrix) -> list[Body]:
    """The bodies at q, parents first."""
    found: list[Body] = []
    places: list[tuple[int, Pose]] = []  # of each link: the body or root that carries it, and where
    for i, link in enumerate(robot.links):
        c, joint = robot.coordinates.get(i), link.joint
        if joint is None:
            places.append((ROOT, Pose.identity()))
            continue
        carrier, place = places[link.parent]
        pose = place @ joint.origin
        if c is None and carrier == ROOT:
            places.append((ROOT, pose))
            continue
        freedom: tuple[Degree, ...] = ()
        if c is not None:
            pose = pose @ motion(joint, c.position(joint, q))
            armature = joint.armature * c.multiplier**2
            freedom = tuple(
                Degree(S, c.velocity + k, c.multiplier, armature)
                for k, S in enumerate(motion_subspace(joint))
            )
        places.append((len(found), Pose.identity()))
        found.append(Body(carrier, pose, link.inertia, freedom))
    return found


def in_root_axes(tree: Sequence[Body]) -> list[Body]:
    """The same bodies at the same q, the axes of all their frames turned into those of the root.

    Whoever asks nothing but inertias, poses and S of them gets the same numbers; wrenches and
    twists then pass from frame to frame without a rotation, and nothing in them is zero.
    """
    turned: list[Body] = []
    R: dict[int, Matrix] = {ROOT: identity(3)}
    for i, body in enumerate(tree):
        R[i] = R[body.parent] @ body.pose.R
        axes = Pose(R[i], zeros(3))
        pose = Pose(identity(3), R[body.parent] @ body.pose.p)
        degrees = tuple(replace(degree, S=axes.Ad(degree.S)) for degree in body.degrees)
        turned.append(Body(body.parent, pose, body.inertia.seen_from(axes), degrees))
    return turned


def gather(robot: Robot, entries: Sequence[tuple[int, Scalar]]) -> Matrix:
    """The column (nv x 1) of the sums of the entries (index, value)."""
    total: list[Scalar] = [0.0] * robot.nv
    for index, value in entries:
        total[index] = add(total[index], value)
    return Matrix([(x,) for x in total], columns=1)


class SquareSum:
    """An nv x nv matrix under construction: entries that fall on one place are summed."""

    def __init__(self, size: int) -> None:
        self.rows: list[list[Scalar]] = [[0.0] * size for _ in range(size)]

    def put(self, row: Degree, column: Degree, x: Scalar) -> None:
        """Add x, scaled as the two joints follow their coordinates."""
        scaled = mul(row.multiplier * column.multiplier, x)
        self.rows[row.index][column.index] = add(self.rows[row.index][column.index], scaled)

    def put_armatures(self, tree: Sequence[Body]) -> None:
        """Add the rotors' inertias to the diagonal."""
        for body in tree:
            for degree in body.degrees:
                cell = self.rows[degree.index]
                cell[degree.index] = add(cell[degree.index], degree.armature)

    def matrix(self) -> Matrix:
        """The matrix."""
        return Matrix(self.rows, columns=len(self.rows))


def along(S: Matrix, F: Matrix) -> Scalar:
    """S'F."""
    return (S.T @ F)[0, 0]
