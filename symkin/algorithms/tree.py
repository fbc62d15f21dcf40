"""The robot as the dynamics algorithms walk it: bodies, and what each coordinate does to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symkin.algebra import Matrix, Scalar, add, mul, zeros
from symkin.model import Robot, motion, screws
from symkin.spatial import Pose


@dataclass(frozen=True, slots=True, eq=False)
class Degree:
    """One column of a joint's motion subspace: v[index] moves the body by multiplier * S."""

    S: Matrix
    index: int
    multiplier: float


def degrees(robot: Robot) -> list[tuple[Degree, ...]]:
    """For each link, the degrees of freedom of the joint it hangs on."""
    found = []
    for i, link in enumerate(robot.links):
        c = robot.coordinates.get(i)
        columns = screws(link.joint) if c is not None and link.joint is not None else ()
        found.append(
            tuple(Degree(S, c.velocity + k, c.multiplier) for k, S in enumerate(columns))
            if c is not None
            else ()
        )
    return found


def placements(robot: Robot, q: Matrix) -> list[Pose]:
    """The pose of each link in its parent."""
    poses = []
    for i, link in enumerate(robot.links):
        if link.joint is None:
            poses.append(Pose.identity())
            continue
        poses.append(link.joint.origin @ motion(link.joint, robot.position(i, q)))
    return poses


def drive(joint_degrees: Iterable[Degree], v: Matrix) -> Matrix:
    """S v, the twist that a joint gives its child (6 x 1)."""
    twist = zeros(6)
    for degree in joint_degrees:
        twist = twist + degree.S * mul(degree.multiplier, v[degree.index])
    return twist


def accumulate(total: dict[int, Scalar], index: int, x: Scalar) -> None:
    """total[index] += x."""
    total[index] = add(total.get(index, 0.0), x)
