"""The way from one frame of a robot to another: constant displacements and joint motions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from symkin.algebra import Matrix, Scalar, add, cos, hstack, mul, sin, zeros
from symkin.model import Coordinate, Joint, Robot, motion, screw
from symkin.spatial import Pose, exp_screw


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A constant displacement, then a joint's motion."""

    before: Pose
    joint: Joint
    coordinate: Coordinate

    def position(self, q: Matrix) -> Scalar:
        """The joint's own coordinate: a follower's is multiplier * q + offset."""
        c = self.coordinate
        return add(mul(c.multiplier, q[c.index]), c.offset)

    def speed(self, v: Matrix) -> Scalar:
        """The joint's own speed."""
        return mul(self.coordinate.multiplier, v[self.coordinate.index])


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """T(q) = before_1 motion_1(q) before_2 motion_2(q) ... after, from a base frame to a target.

    A joint that is passed from child to parent stands in reverse: its axis turned round. So any
    frame can be the base, moving ones too, and twists are relative to it, in its axes.
    """

    steps: tuple[Step, ...]
    after: Pose
    nv: int

    @staticmethod
    def between(robot: Robot, base: str, target: str) -> Path:
        """The path from frame ``base`` to frame ``target``."""
        start, end = robot.frame(base), robot.frame(target)
        up, down = _branches(robot, start.link, end.link)
        steps: list[Step] = []
        constant = start.pose.inverse()
        for i in up:
            joint = robot.links[i].joint
            if joint is None:
                raise AssertionError("the root is nobody's child")
            if joint.moves:
                steps.append(Step(constant, _reversed(joint), robot.coordinates[i]))
                constant = joint.origin.inverse()
            else:
                constant = constant @ joint.origin.inverse()
        for i in down:
            joint = robot.links[i].joint
            if joint is None:
                raise AssertionError("the root is nobody's child")
            constant = constant @ joint.origin
            if joint.moves:
                steps.append(Step(constant, joint, robot.coordinates[i]))
                constant = Pose.identity()
        return Path(tuple(steps), constant @ end.pose, robot.nv)

    def poses(self, q: Matrix) -> tuple[list[Pose], Pose]:
        """Each joint's frame before its motion, and the target's, all in the base frame."""
        joints, P = [], Pose.identity()
        for step in self.steps:
            P = P @ step.before
            joints.append(P)
            P = P @ motion(step.joint, step.position(q))
        return joints, P @ self.after

    def home_screws(self) -> tuple[list[Matrix], Pose]:
        """The joints' screws in the base frame and the target's pose, all coordinates zero."""
        screws, P = [], Pose.identity()
        for step in self.steps:
            P = P @ step.before
            screws.append(P.Ad(screw(step.joint)))
            P = P @ motion(step.joint, step.coordinate.offset)
        return screws, P @ self.after

    def exponentials(self, q: Matrix) -> Iterator[Pose]:
        """exp([S_i] q_i) of the home screws. Modern Robotics, equation 4.14."""
        screws, _ = self.home_screws()
        for step, S in zip(self.steps, screws, strict=True):
            angle = mul(step.coordinate.multiplier, q[step.coordinate.index])
            yield exp_screw(S, angle, sin(angle), cos(angle))

    def fold(self, columns: Iterable[Matrix]) -> Matrix:
        """Sum the joints' columns into those of the independent coordinates (followers' too)."""
        folded: list[Matrix | None] = [None] * self.nv
        rows = 6
        for step, column in zip(self.steps, columns, strict=True):
            rows = len(column)
            scaled = column * step.coordinate.multiplier
            present = folded[step.coordinate.index]
            folded[step.coordinate.index] = scaled if present is None else present + scaled
        filled = [zeros(rows) if column is None else column for column in folded]
        return hstack(*filled) if filled else zeros(rows, 0)


def _branches(robot: Robot, start: int, end: int) -> tuple[list[int], list[int]]:
    """Links left upwards from start and entered downwards to end; common ancestors left out."""

    def ancestors(i: int) -> list[int]:
        line = []
        while robot.links[i].parent >= 0:
            line.append(i)
            i = robot.links[i].parent
        return line

    up, down = ancestors(start), ancestors(end)
    while up and down and up[-1] == down[-1]:
        up.pop()
        down.pop()
    return up, down[::-1]


def _reversed(joint: Joint) -> Joint:
    return replace(joint, axis=-joint.axis)
