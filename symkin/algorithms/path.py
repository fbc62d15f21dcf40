"""The way from one frame of a robot to another: constant displacements and joint motions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from symkin.algebra import Matrix, cos, hstack, identity, mul, sin, zeros
from symkin.algorithms.axes import Axes
from symkin.model import Coordinate, Joint, Robot, motion, motion_subspace
from symkin.spatial import Pose, exp_screw


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A constant displacement, then a joint's motion, from parent to child or backwards.

    ``screws`` are the columns that v drives. Those of a joint with one degree of freedom are
    constant before and after its motion; those of others only on the child's side of it. Behind a
    ``held`` joint stand axes that do not turn with it.
    """

    before: Pose
    joint: Joint
    coordinate: Coordinate
    backwards: bool = False
    held: bool = False

    @property
    def screws(self) -> tuple[Matrix, ...]:
        """The columns of the joint's motion subspace, in passing direction."""
        columns = motion_subspace(self.joint)
        return tuple(-S for S in columns) if self.backwards else columns

    @property
    def constant_before(self) -> bool:
        """Whether the screws are constant in the frame before the motion."""
        return self.joint.nv == 1 or self.backwards

    @property
    def constant_after(self) -> bool:
        """Whether the screws are constant in the frame after the motion."""
        return self.joint.nv == 1 or not self.backwards

    def displacement(self, q: Matrix) -> Pose:
        """The pose that the joint gives the next frame in the one before it."""
        X = motion(self.joint, self.coordinate.position(self.joint, q))
        return X.inverse() if self.backwards else X

    def drive(self, columns: Sequence[Matrix], v: Matrix) -> Matrix:
        """The twist that v gives through these columns."""
        twist = zeros(6)
        for k, column in enumerate(columns):
            speed = mul(self.coordinate.multiplier, v[self.coordinate.velocity + k])
            twist = twist + column * speed
        return twist


Columns = list[tuple[Matrix, ...]]
"""For each step of a path, the columns of its joint."""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """T(q) = before_1 motion_1(q) before_2 motion_2(q) ... after, from a base frame to a target.

    Any frame can be the base, moving ones too: twists are relative to it, in its axes.
    """

    steps: tuple[Step, ...]
    after: Pose
    nv: int

    @staticmethod
    def between(robot: Robot, base: str, target: str) -> Path:
        """The path from frame ``base`` to frame ``target``."""
        start, end = robot.frame(base), robot.frame(target)
        steps: list[Step] = []
        constant = start.pose.inverse()
        for i, upwards in _branches(robot, start.link, end.link):
            joint, coordinate = robot.links[i].joint, robot.coordinates.get(i)
            if joint is None:
                continue
            if not upwards:
                constant = constant @ joint.origin
            if coordinate is not None:
                held = robot.links[i].held and not upwards
                steps.append(_step(constant, joint, coordinate, upwards, held))
                constant = Pose.identity()
            if upwards:
                constant = constant @ joint.origin.inverse()
        return Path(tuple(steps), constant @ end.pose, robot.nv)

    def passages(self, q: Matrix) -> tuple[list[tuple[Pose, Pose]], Pose]:
        """Of each joint the displacement before its motion and its motion; the one after them all.

        T is their product. Screws are constant behind the former or the latter, as `Step` says.
        """
        found, axes = [], Axes()
        for step in self.steps:
            X = step.displacement(q)
            if step.held:
                position = step.coordinate.position(step.joint, q)[0]
                p = axes.R @ step.before.p
                R, axes = axes.followed_by(step.joint, step.before, position)
                found.append((Pose(R, p), Pose(identity(3), X.p)))
            else:
                found.append((axes.pose @ step.before, X))
                axes = Axes()
        return found, axes.pose @ self.after

    def poses(self, q: Matrix) -> tuple[list[Pose], Pose]:
        """For each joint, a frame in which its screws are constant, and the target's pose T."""
        carriers, P = [], Pose.identity()
        passages, after = self.passages(q)
        for step, (before, X) in zip(self.steps, passages, strict=True):
            start = P @ before
            P = start @ X
            carriers.append(start if step.constant_before else P)
        return carriers, P @ after

    def home(self) -> tuple[list[Pose], Pose]:
        """The joints' frames and the target's pose in the base frame, all coordinates zero."""
        frames, P = [], Pose.identity()
        for step in self.steps:
            P = P @ step.before
            frames.append(P)
            P = P @ motion(step.joint, step.coordinate.home(step.joint))
        return frames, P @ self.after

    def exponentials(self, q: Matrix) -> Iterator[Pose]:
        """exp([S_i] q_i) of the home screws. Modern Robotics, equation 4.14."""
        for step, P in zip(self.steps, self.home()[0], strict=True):
            c = step.coordinate
            if step.joint.nv == 1:
                angle = mul(c.multiplier, q[c.index])
                yield exp_screw(P.Ad(step.screws[0]), angle, sin(angle), cos(angle))
            else:
                yield P @ step.displacement(q) @ P.inverse()

    def fold(self, columns: Iterable[Sequence[Matrix]], rows: int = 6) -> Matrix:
        """Sum the joints' columns into those of v: a follower's go to its leader."""
        folded: dict[int, Matrix] = {}
        for step, own in zip(self.steps, columns, strict=True):
            for k, column in enumerate(own):
                index = step.coordinate.velocity + k
                scaled = column * step.coordinate.multiplier
                folded[index] = folded[index] + scaled if index in folded else scaled
        return hstack(zeros(rows, 0), *(folded.get(i, zeros(rows)) for i in range(self.nv)))


def _step(before: Pose, joint: Joint, coordinate: Coordinate, upwards: bool, held: bool) -> Step:
    """A joint of one degree of freedom that is passed backwards is one with its axis reversed."""
    if upwards and joint.nv == 1:
        return Step(before, replace(joint, axis=-joint.axis), coordinate)
    return Step(before, joint, coordinate, upwards, held)


def _branches(robot: Robot, start: int, end: int) -> list[tuple[int, bool]]:
    """The links whose joints lie between: left upwards from start, then entered down to end."""

    def line(i: int) -> list[int]:
        found = []
        while robot.links[i].parent >= 0:
            found.append(i)
            i = robot.links[i].parent
        return found

    up, down = line(start), line(end)
    while up and down and up[-1] == down[-1]:
        up.pop()
        down.pop()
    return [(i, True) for i in up] + [(i, False) for i in reversed(down)]
