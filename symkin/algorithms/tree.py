"""The robot as whole-body algorithms walk it: placements of links, degrees of freedom, folding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, mul, zeros
from symkin.model import Robot, motion, motion_subspace
from symkin.spatial import Pose


@dataclass(frozen=True, slots=True, eq=False)
class Degree:
    """One column of a joint's motion subspace: v[index] moves the body by multiplier * S.

    S (6 x 1) is constant in the body's axes. A follower shares its leader's index.
    """

    S: Matrix
    index: int
    multiplier: float


def degrees(robot: Robot) -> list[tuple[Degree, ...]]:
    """For each link, the degrees of freedom of the joint that it hangs on."""
    found: list[tuple[Degree, ...]] = []
    for i, link in enumerate(robot.links):
        c = robot.coordinates.get(i)
        if c is None or link.joint is None:
            found.append(())
            continue
        columns = enumerate(motion_subspace(link.joint))
        found.append(tuple(Degree(S, c.velocity + k, c.multiplier) for k, S in columns))
    return found


def placements(robot: Robot, q: Matrix) -> list[Pose]:
    """The pose of each link in its parent's frame; the root's is the identity."""
    poses = []
    for i, link in enumerate(robot.links):
        if link.joint is None:
            poses.append(Pose.identity())
            continue
        c = robot.coordinates.get(i)
        own = zeros(0) if c is None else c.position(link.joint, q)
        poses.append(link.joint.origin @ motion(link.joint, own))
    return poses


def moving_links(robot: Robot) -> list[int]:
    """Indices, parents first, of the links that some joint moves."""
    moved: set[int] = set()
    for i, link in enumerate(robot.links):
        if i in robot.coordinates or link.parent in moved:
            moved.add(i)
    return sorted(moved)


def drive(freedom: Sequence[Degree], v: Matrix) -> Matrix:
    """S v, the twist (6 x 1) that a joint gives its child."""
    twist = zeros(6)
    for degree in freedom:
        twist = twist + degree.S * mul(degree.multiplier, v[degree.index])
    return twist


def gather(robot: Robot, entries: Sequence[tuple[int, Scalar]]) -> Matrix:
    """The column (nv x 1) of the sums of the entries (index, value)."""
    total: list[Scalar] = [0.0] * robot.nv
    for index, value in entries:
        total[index] = add(total[index], value)
    return Matrix([(x,) for x in total], columns=1)
