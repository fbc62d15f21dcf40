"""Small changes of a robot that make its graphs smaller: numbers that are nearly exact made so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

from symkin.algebra import Matrix
from symkin.model import Robot
from symkin.model.snap import Snap
from symkin.spatial import Inertia, Pose


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of change, the tolerances to try, smallest first, and how it is told.

    ``change`` gives the robot with all numbers within a tolerance made exact, and how many.
    """

    change: Callable[[Robot, float], tuple[Robot, int]]
    tolerances: tuple[float, ...]
    one: str
    many: str
    told: str

    def words(self, number: int, tolerance: float) -> str:
        """What is done, for a sentence."""
        return self.told.format(f"{number} {self.one if number == 1 else self.many}", tolerance)


def angles(robot: Robot, tolerance: float) -> tuple[Robot, int]:
    """Frames and axes of joints turned to right angles."""
    snap, number, links = Snap(tolerance), 0, []
    for link in robot.links:
        changed = link
        if link.joint is not None:
            origin, axis = link.joint.origin, link.joint.axis
            R = snap.rotation(origin.R, link.name)
            if any(0.0 < abs(x) <= tolerance for x in axis):
                axis = snap.direction(axis, link.name)
            number += (R is not origin.R) + (axis is not link.joint.axis)
            joint = replace(link.joint, origin=Pose(R, origin.p), axis=axis)
            changed = replace(link, joint=joint)
        links.append(changed)
    return replace(robot, links=tuple(links)), number


def offsets(robot: Robot, tolerance: float) -> tuple[Robot, int]:
    """Places of joints: coordinates below the tolerance, in m, are zero."""
    number, links = 0, []
    for link in robot.links:
        changed = link
        if link.joint is not None:
            p, made = _zeroed(link.joint.origin.p, tolerance)
            joint = replace(link.joint, origin=Pose(link.joint.origin.R, p))
            changed, number = replace(link, joint=joint), number + made
        links.append(changed)
    return replace(robot, links=tuple(links)), number


def centres(robot: Robot, tolerance: float) -> tuple[Robot, int]:
    """Centres of mass: coordinates below the tolerance, in m, are zero."""

    def change(body: Inertia) -> tuple[Inertia, int]:
        com, made = _zeroed(body.com, tolerance)
        return Inertia.of_body(body.mass, com, body.tensor), made

    return _of_bodies(robot, change)


def products(robot: Robot, tolerance: float) -> tuple[Robot, int]:
    """Products of inertia about the centre of mass: those small beside the moments are zero."""

    def change(body: Inertia) -> tuple[Inertia, int]:
        limit = tolerance * max(abs(body.tensor[i, i]) for i in range(3))
        rows = [list(row) for row in body.tensor.rows]
        made = 0
        for i, j in combinations(range(3), 2):
            if 0.0 < abs(rows[i][j]) <= limit:
                rows[i][j] = rows[j][i] = 0.0
                made += 1
        return Inertia.of_body(body.mass, body.com, Matrix(rows)), made

    return _of_bodies(robot, change)


def moments(robot: Robot, tolerance: float) -> tuple[Robot, int]:
    """Moments of inertia about the centre of mass: two of a body that are nearly equal are."""

    def change(body: Inertia) -> tuple[Inertia, int]:
        rows = [list(row) for row in body.tensor.rows]
        limit, made = tolerance * max(rows[i][i] for i in range(3)), 0
        for i, j in combinations(range(3), 2):
            if not made and 0.0 < abs(rows[i][i] - rows[j][j]) <= limit:
                rows[i][i] = rows[j][j] = (rows[i][i] + rows[j][j]) / 2.0
                made = 1
        return Inertia.of_body(body.mass, body.com, Matrix(rows)), made

    return _of_bodies(robot, change)


def bodies(robot: Robot, tolerance: float) -> tuple[Robot, int]:
    """Bodies that are light beside all that moves are none."""
    limit = tolerance * robot.moving_mass

    def change(body: Inertia) -> tuple[Inertia, int]:
        return (Inertia.zero(), 1) if body.mass <= limit else (body, 0)

    return _of_bodies(robot, change)


def _of_bodies(robot: Robot, change: Callable[[Inertia], tuple[Inertia, int]]) -> tuple[Robot, int]:
    """Bodies with mass changed; those in which nothing is made exact stay as they are."""
    number, links = 0, []
    for link in robot.links:
        changed, made = change(link.inertia) if link.inertia.mass else (link.inertia, 0)
        links.append(replace(link, inertia=changed) if made else link)
        number += made
    return replace(robot, links=tuple(links)), number


def _zeroed(p: Matrix, tolerance: float) -> tuple[Matrix, int]:
    small = [0.0 < abs(x) <= tolerance for x in p]
    return Matrix([(0.0 if is_small else x,) for x, is_small in zip(p, small, strict=True)]), sum(
        small
    )


_LENGTHS = (1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2)
_PARTS = (1e-4, 1e-3, 1e-2, 3e-2, 1e-1)

KINDS = (
    Kind(
        angles,
        (1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2),
        "frame or axis",
        "frames and axes",
        "snapping {} within {:.0e} rad of right angles",
    ),
    Kind(
        offsets,
        _LENGTHS,
        "coordinate",
        "coordinates",
        "taking {} of joints below {:g} m for zero",
    ),
    Kind(
        centres,
        _LENGTHS,
        "coordinate",
        "coordinates",
        "taking {} of centres of mass below {:g} m for zero",
    ),
    Kind(
        products,
        _PARTS,
        "product of inertia",
        "products of inertia",
        "taking {} below {:.2%} of the body's largest moment for zero",
    ),
    Kind(
        moments,
        _PARTS,
        "pair of moments",
        "pairs of moments",
        "taking {} of inertia that differ by less than {:.2%} for equal",
    ),
    Kind(bodies, _PARTS, "body", "bodies", "leaving out {} of less than {:.2%} of the mass"),
)
"""All changes that are tried."""
