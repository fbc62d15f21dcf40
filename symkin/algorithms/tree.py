"""The robot as whole-body algorithms walk it: the bodies that move, placed, with their degrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from symkin.algebra import Matrix, Scalar, add, identity, mul, sqrt, zeros
from symkin.algorithms.axes import Axes
from symkin.model import Coordinate, Joint, Robot, motion, motion_subspace
from symkin.spatial import Inertia, Pose

ROOT = -1
"""The parent of a body that nothing else carries."""


@dataclass(frozen=True, slots=True, eq=False)
class Degree:
    """One column of a joint's motion subspace: v[index] moves the body by multiplier * S.

    S (6 x 1) is constant in the body's axes. A follower shares its leader's index. ``armature`` is
    the rotor's inertia, and ``damping``, ``friction`` and its ``smoothing`` what the joint resists,
    all as felt at v[index].
    """

    S: Matrix
    index: int
    multiplier: float
    armature: Scalar
    damping: Scalar = 0.0
    friction: Scalar = 0.0
    smoothing: float = 1.0

    def resistance(self, v: Matrix) -> Scalar:
        """d v + f v / sqrt(v^2 + e^2), against v[index]."""
        speed = v[self.index]
        share = self._share(speed)
        return add(mul(self.damping, speed), mul(self.friction, mul(speed, share)))

    def resistance_dv(self, v: Matrix) -> Scalar:
        """Its derivative, d + f e^2 / (v^2 + e^2)^(3/2)."""
        share = mul(self.smoothing, self._share(v[self.index]))
        cube = mul(share, mul(share, share))
        return add(self.damping, mul(self.friction, mul(1.0 / self.smoothing, cube)))

    def resistance_dvv(self, v: Matrix) -> Scalar:
        """Its second derivative, -3 f e^2 v / (v^2 + e^2)^(5/2)."""
        speed = v[self.index]
        own = self._share(speed)
        share = mul(self.smoothing, own)
        cube = mul(share, mul(share, share))
        bend = mul(cube, mul(speed, mul(own, own)))
        return mul(self.friction, mul(-3.0 / self.smoothing, bend))

    def _share(self, speed: Scalar) -> Scalar:
        """1 / sqrt(v^2 + e^2), of no use and hence a constant where there is no friction."""
        if type(self.friction) is float and self.friction == 0.0:
            return 0.0
        return 1.0 / sqrt(add(mul(speed, speed), self.smoothing**2))


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A link that some joint moves: its parent among the bodies, its pose there, its inertia.

    ``parent`` is `ROOT` for those that hang on the root or on what is welded to it. ``axes`` turns
    the link's own axes into those that describe the body: the same, unless the link is held.
    """

    parent: int
    pose: Pose
    inertia: Inertia
    degrees: tuple[Degree, ...]
    axes: Axes

    def drive(self, v: Matrix) -> Matrix:
        """S v, the twist (6 x 1) that the joint gives the body."""
        twist = zeros(6)
        for degree in self.degrees:
            twist = twist + degree.S * mul(degree.multiplier, v[degree.index])
        return twist


def bodies(robot: Robot, q: Matrix) -> list[Body]:
    """The bodies at q, parents first."""
    found: list[Body] = []
    places = carriers(robot)
    axes: dict[int, Axes] = {ROOT: Axes()}
    for i, link in enumerate(robot.links):
        c, joint = robot.coordinates.get(i), link.joint
        if joint is None or places[i][0] == ROOT:
            continue
        carrier, place = places[link.parent]
        pose, own, inertia = place @ joint.origin, Axes(), link.inertia
        freedom: tuple[Degree, ...] = ()
        if c is not None:
            position = c.position(joint, q)
            X = motion(joint, position)
            if link.held:
                R, own = axes[carrier].followed_by(joint, pose, position[0])
                pose = Pose(R, axes[carrier].R @ pose.p + R @ X.p)
                inertia = inertia.seen_from(own.pose)
            else:
                pose = pose @ X
            freedom = degrees_of(robot, joint, c)
        if not link.held:
            pose = axes[carrier].pose @ pose
        axes[len(found)] = own
        found.append(Body(carrier, pose, inertia, freedom, own))
    return found


def carriers(robot: Robot) -> list[tuple[int, Pose]]:
    """For each link its number among the bodies, or the root that carries it, and where in it."""
    places: list[tuple[int, Pose]] = []
    count = 0
    for i, link in enumerate(robot.links):
        if link.joint is None:
            places.append((ROOT, Pose.identity()))
        elif i not in robot.coordinates and places[link.parent][0] == ROOT:
            places.append((ROOT, places[link.parent][1] @ link.joint.origin))
        else:
            places.append((count, Pose.identity()))
            count += 1
    return places


def degrees_of(robot: Robot, joint: Joint, c: Coordinate) -> tuple[Degree, ...]:
    """The degrees of freedom of a joint that moves with these coordinates."""
    size = abs(c.multiplier)
    damping, friction, smoothing = 0.0, 0.0, 1.0
    if robot.friction.damping:
        damping = mul(size**2, joint.damping)
    if robot.friction.smoothing is not None and size:
        friction, smoothing = mul(size, joint.friction), robot.friction.smoothing / size
    armature = mul(size**2, joint.armature)
    return tuple(
        Degree(S, c.velocity + k, c.multiplier, armature, damping, friction, smoothing)
        for k, S in enumerate(motion_subspace(joint))
    )


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
        turned.append(
            replace(body, pose=pose, inertia=body.inertia.seen_from(axes), degrees=degrees)
        )
    return turned


@dataclass(frozen=True, slots=True, eq=False)
class Station:
    """Where what a body needs or takes meets the joints that carry it.

    ``entry`` is the body's pose there, ``drift`` the velocity of its origin there; ``pose`` and
    ``away`` are the station's own in the next one down, ``axes`` the columns of S as it sees them.
    """

    entry: Pose
    drift: Matrix
    pose: Pose
    away: Matrix
    axes: tuple[Matrix, ...]


def stations(robot: Robot, tree: Sequence[Body], away: Sequence[Matrix] = ()) -> list[Station]:
    """The stations of the bodies, whose origins move away from their parents' at ``away``.

    Each body is its own, and everything is carried from one to the next; or, of a robot that is
    ``at_root``, all are the root, where pairs of distant joints meet for nothing.
    """
    away = away or [zeros(3)] * len(tree)
    here = Pose.identity()
    if not robot.at_root:
        return [
            Station(here, zeros(3), body.pose, departure, tuple(d.S for d in body.degrees))
            for body, departure in zip(tree, away, strict=True)
        ]
    found: list[Station] = []
    for body, departure in zip(tree, away, strict=True):
        base, drift = here, zeros(3)
        if body.parent != ROOT:
            base, drift = found[body.parent].entry, found[body.parent].drift
        T = base @ body.pose
        axes = tuple(T.Ad(degree.S) for degree in body.degrees)
        found.append(Station(T, drift + base.R @ departure, here, zeros(3), axes))
    return found


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
        self._put_diagonal(tree, lambda degree: degree.armature)

    def put_resistances_dv(self, tree: Sequence[Body], v: Matrix) -> None:
        """Add the derivatives of what the joints resist to the diagonal."""
        self._put_diagonal(tree, lambda degree: degree.resistance_dv(v))

    def _put_diagonal(self, tree: Sequence[Body], entry: Callable[[Degree], Scalar]) -> None:
        """Add what is felt at each coordinate."""
        for body in tree:
            for degree in body.degrees:
                cell = self.rows[degree.index]
                cell[degree.index] = add(cell[degree.index], entry(degree))

    def matrix(self) -> Matrix:
        """The matrix."""
        return Matrix(self.rows, columns=len(self.rows))


def along(S: Matrix, F: Matrix) -> Scalar:
    """S'F."""
    return (S.T @ F)[0, 0]
