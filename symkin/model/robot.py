"""A robot: a tree of links in depth-first order, each hanging on the joint that moves it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from symkin.algebra import Matrix, add, constant, mul
from symkin.errors import ArgumentError, ModelError
from symkin.model.inertia import checked, tensor_of, welded
from symkin.model.joint import Friction, Joint, Mimic, motion
from symkin.model.notes import Note, summary
from symkin.model.tree import render_tree
from symkin.spatial import Inertia, Pose

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A rigid body: its inertia in its own frame, and the joint by which it hangs on ``parent``.

    The root has no joint and parent -1. A ``held`` link is described, by algorithms that walk all
    bodies, in axes that do not turn with its joint (`symkin.model.hold`).
    """

    name: str
    inertia: Inertia
    joint: Joint | None
    parent: int
    held: bool = False

    @property
    def moves(self) -> bool:
        """Whether the joint it hangs on has a coordinate."""
        return self.joint is not None and self.joint.moves


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A named place on a link: ``pose`` is that of the frame in the link's frame.

    ``tip`` says whether it ends a branch of the tree; None: it does if its link has no children.
    """

    name: str
    link: int
    pose: Pose
    tip: bool | None = None


@dataclass(frozen=True, slots=True)
class Coordinate:
    """How a joint follows the coordinates: its own is multiplier * q[index] + offset.

    A joint of several coordinates has those of q from ``index`` on, of v from ``velocity`` on.
    """

    index: int
    velocity: int
    multiplier: float = 1.0
    offset: float = 0.0

    def follower(self, mimic: Mimic) -> Coordinate:
        """How a joint moves that follows this one."""
        return Coordinate(
            self.index,
            self.velocity,
            mimic.multiplier * self.multiplier,
            mimic.multiplier * self.offset + mimic.offset,
        )

    def shifted(self, home: float) -> Coordinate:
        """The same, its zero moved."""
        return replace(self, offset=self.offset + home) if home else self

    def position(self, joint: Joint, q: Matrix) -> Matrix:
        """The joint's own coordinates (nq x 1), given all of q."""
        return q[self.index : self.index + joint.nq].map(
            lambda x: add(mul(self.multiplier, x), self.offset)
        )

    def home(self, joint: Joint) -> Matrix:
        """The joint's own coordinates when q is neutral: zero, or no rotation."""
        if joint.nq == 1:
            return constant([self.offset])
        return constant([0.0] * (joint.nq - 1) + [1.0])


@dataclass(frozen=True, eq=False)
class Robot:
    """A frozen kinematic tree. ``links[0]`` is the root; a parent comes before its children.

    ``gravity`` is the acceleration of free fall in the root's axes, m/s^2; ``friction`` says what
    resistance of the joints dynamics count. ``at_root`` lets algorithms over pairs of joints work
    them out in the root's frame instead of carrying one to the other (`symkin.model.hold`).
    """

    name: str
    links: tuple[Link, ...]
    frames: tuple[Frame, ...] = ()
    gravity: tuple[float, float, float] = GRAVITY
    notes: tuple[Note, ...] = field(default=(), repr=False)
    friction: Friction = Friction()
    at_root: bool = False

    @cached_property
    def coordinates(self) -> Mapping[int, Coordinate]:
        """For each link that a joint moves, how that joint follows q."""
        moving = {i: link.joint for i, link in enumerate(self.links) if link.joint and link.moves}
        mimics = {joint.name: joint.mimic for joint in moving.values() if joint.mimic}
        q = accumulate((joint.nq for joint in self.joints), initial=0)
        v = accumulate((joint.nv for joint in self.joints), initial=0)
        starts = zip(self.joints, q, v, strict=False)
        found = {joint.name: Coordinate(k, m) for joint, k, m in starts}
        for joint in moving.values():
            chain: list[str] = []
            name = joint.name
            while name not in found:
                chain.append(name)
                name = mimics[name].leader
            for name in reversed(chain):
                found[name] = found[mimics[name].leader].follower(mimics[name])
        return {i: found[joint.name].shifted(joint.home) for i, joint in moving.items()}

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that have a coordinate of their own, in the order of q."""
        return tuple(
            link.joint
            for link in self.links
            if link.joint is not None and link.joint.moves and link.joint.mimic is None
        )

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have coordinates of their own, in the order of q."""
        return tuple(joint.name for joint in self.joints)

    @property
    def position_names(self) -> tuple[str, ...]:
        """A name for each entry of q: see `Joint.position_names`."""
        return tuple(name for joint in self.joints for name in joint.position_names)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each entry of v, a and tau: see `Joint.velocity_names`."""
        return tuple(name for joint in self.joints for name in joint.velocity_names)

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Where in q the unit quaternions (x, y, z, w) begin."""
        starts = accumulate((joint.nq for joint in self.joints), initial=0)
        pairs = zip(self.joints, starts, strict=False)
        return tuple(start + j.quaternion for j, start in pairs if j.quaternion is not None)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return sum(joint.nq for joint in self.joints)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return sum(joint.nv for joint in self.joints)

    def children(self, index: int) -> tuple[int, ...]:
        """Indices of the links that hang on link ``index``."""
        return self._children[index]

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        below: list[list[int]] = [[] for _ in self.links]
        for i, link in enumerate(self.links):
            if link.parent >= 0:
                below[link.parent].append(i)
        return tuple(tuple(indices) for indices in below)

    def on_root(self, index: int) -> bool:
        """Whether only fixed joints lie between the joint of link ``index`` and the root."""
        index = self.links[index].parent
        while index > 0 and not self.links[index].moves:
            index = self.links[index].parent
        return index <= 0

    def link_index(self, name: str) -> int:
        """Index of the link called ``name``; ModelError when there is none."""
        if name not in self._link_indices:
            raise ModelError(f"{self.name}: no link {name!r}; links: {listing(self.link_names)}")
        return self._link_indices[name]

    @cached_property
    def _link_indices(self) -> Mapping[str, int]:
        return {link.name: i for i, link in enumerate(self.links)}

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """Names of all links, depth first."""
        return tuple(link.name for link in self.links)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Everything that `frame` finds: links, then added frames."""
        return self.link_names + tuple(frame.name for frame in self.frames)

    def frame(self, name: str) -> Frame:
        """The added frame or link called ``name``; ModelError when there is none."""
        if name in self._frames:
            return self._frames[name]
        if name in self._link_indices:
            return Frame(name, self._link_indices[name], Pose.identity())
        raise ModelError(f"{self.name}: no frame {name!r}; frames: {listing(self.frame_names)}")

    @cached_property
    def _frames(self) -> Mapping[str, Frame]:
        return {frame.name: frame for frame in self.frames}

    def with_frame(self, name: str, link: str, pose: Pose) -> Robot:
        """A copy with one more frame, a tool say, fixed to a link."""
        return self.with_frames([Frame(name, self.link_index(link), pose)])

    def with_frames(self, frames: Sequence[Frame]) -> Robot:
        """A copy with more frames; ModelError unless their names are new."""
        taken = set(self.frame_names)
        for frame in frames:
            if frame.name in taken:
                raise ModelError(f"{self.name}: {frame.name!r} already names a link or frame")
            taken.add(frame.name)
        return replace(self, frames=(*self.frames, *frames))

    def with_notes(self, notes: Iterable[Note]) -> Robot:
        """A copy with more notes in its report."""
        return replace(self, notes=(*self.notes, *notes))

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        """A copy with another acceleration of free fall (3, m/s^2, in the root's axes)."""
        if len(gravity) != 3 or not all(math.isfinite(g) for g in gravity):
            raise ArgumentError(f"gravity must be three finite numbers, not {gravity!r}")
        x, y, z = (float(g) for g in gravity)
        return replace(self, gravity=(x, y, z))

    def with_friction(self, *, damping: bool = True, smoothing: float | None = None) -> Robot:
        """A copy whose dynamics, and all their derivatives, count what its joints resist.

        ``damping`` counts the joints' viscous damping, ``smoothing`` (rad/s or m/s) their Coulomb
        friction, smoothed: see `Friction`. Raises ArgumentError for one that is not positive.
        """
        if smoothing is not None and not (math.isfinite(smoothing) and smoothing > 0.0):
            raise ArgumentError(
                f"smoothing must be a speed above zero, not {smoothing!r}: friction that jumps at "
                "rest has no derivative"
            )
        speed = None if smoothing is None else float(smoothing)
        return replace(self, friction=Friction(bool(damping), speed))

    def with_armature(self, armature: Mapping[str, float]) -> Robot:
        """A copy with other rotor inertias (kg m^2 or kg), as felt at the joints named.

        A rotor of inertia I behind a gear of ratio r is felt as r^2 I: see `with_rotors`. Raises
        ArgumentError for unknown or fixed joints and for numbers that are negative or not finite.
        """
        moving = [link.joint.name for link in self.links if link.joint is not None and link.moves]
        for name, value in armature.items():
            if name not in moving:
                raise ArgumentError(
                    f"{self.name}: no joint {name!r} moves; those that do: {listing(moving)}"
                )
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"armature of joint {name!r} cannot be {value!r}")
        links = [
            replace(link, joint=replace(link.joint, armature=float(armature[link.joint.name])))
            if link.joint is not None and link.joint.name in armature
            else link
            for link in self.links
        ]
        return replace(self, links=tuple(links))

    def with_rotors(self, rotors: Mapping[str, tuple[float, float]]) -> Robot:
        """A copy with rotors, for each joint named its inertia (kg m^2) and gear ratio.

        The ratio is that of the rotor's speed to the joint's, in 1 or, for a joint that slides, in
        rad/m. Only the rotor's spin is counted, as an armature: Featherstone (2008), section 9.6.
        Raises ArgumentError as `with_armature` does.
        """
        return self.with_armature({name: r * r * inertia for name, (inertia, r) in rotors.items()})

    def with_payload(
        self,
        mass: float,
        com: Sequence[float] = (0.0, 0.0, 0.0),
        frame: str | None = None,
        moments: Sequence[float] = (0.0,) * 6,
    ) -> Robot:
        """A copy that carries one more body at a frame, welded to what is there.

        ``mass`` in kg, ``com`` its centre (3, m) in the frame, ``moments`` its inertia about the
        centre in the frame's axes: Ixx, Iyy, Izz, Ixy, Iyz, Ixz (kg m^2). Without ``frame`` the
        robot must have a single tip. Raises ModelError for a body that cannot be.
        """
        if frame is None:
            if len(self.tips) != 1:
                raise ModelError(
                    f"{self.name} has {len(self.tips)} tips; say at which frame the payload is: "
                    f"{listing(self.tips)}"
                )
            frame = self.tips[0]
        place = self.frame(frame)
        notes = list(self.notes)
        payload = Inertia.of_body(float(mass), constant(com), tensor_of(moments))
        body = checked(payload, f"payload at {frame!r}", notes)
        links = list(self.links)
        carrier = links[place.link]
        both = welded([carrier.inertia, body.seen_from(place.pose)])
        links[place.link] = replace(carrier, inertia=both)
        return replace(self, links=tuple(links), notes=tuple(notes))

    @cached_property
    def tips(self) -> tuple[str, ...]:
        """Frames at the ends of the tree: added ones, and leaf links that carry none."""
        carriers = {frame.link for frame in self.frames if frame.tip is not False}
        leaves = [
            link.name
            for i, link in enumerate(self.links)
            if not self.children(i) and i not in carriers
        ]
        ends = [
            frame.name
            for frame in self.frames
            if frame.tip or (frame.tip is None and not self.children(frame.link))
        ]
        return (*leaves, *ends)

    @cached_property
    def home(self) -> tuple[Pose, ...]:
        """The pose of each link in the root when all of q is zero."""
        poses: list[Pose] = []
        for i, link in enumerate(self.links):
            if link.joint is None:
                poses.append(Pose.identity())
                continue
            pose = poses[link.parent] @ link.joint.origin
            if link.moves:
                pose = pose @ motion(link.joint, self.coordinates[i].home(link.joint))
            poses.append(pose)
        return tuple(poses)

    @cached_property
    def moving_mass(self) -> float:
        """Mass in kg that joints move: of all links but the root and what is welded to it."""
        moved: set[int] = set()
        for i, link in enumerate(self.links):
            if link.moves or link.parent in moved:
                moved.add(i)
        return math.fsum(float(self.links[i].inertia.mass) for i in moved)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that numbers depend on (not over notes)."""
        content = (self.name, self.links, self.frames, self.gravity, self.friction, self.at_root)
        return hashlib.sha256(repr(content).encode()).hexdigest()

    def report(self) -> str:
        """The load report: what was odd, cleaned, prepared or ignored, and where."""
        return summary(self.notes) or f"{self.name}: read as it is written, nothing left out"

    def __str__(self) -> str:
        return render_tree(self)


def listing(names: Iterable[str]) -> str:
    """Names in quotes for a message, at most a dozen of them."""
    quoted = [repr(name) for name in names]
    if len(quoted) > 12:
        quoted = [*quoted[:12], f"and {len(quoted) - 12} more"]
    return ", ".join(quoted) or "none"
