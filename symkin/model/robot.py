"""A robot: a tree of links in depth-first order, each hanging on the joint that moves it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from symkin.algebra import Matrix
from symkin.errors import ModelError
from symkin.model.joint import Joint, Mimic
from symkin.model.notes import Note
from symkin.spatial import Inertia, Pose

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A rigid body: its inertia in its own frame, and the joint by which it hangs on ``parent``.

    The root has no joint and parent -1.
    """

    name: str
    inertia: Inertia
    joint: Joint | None
    parent: int


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A named place on a link: ``pose`` is that of the frame in the link's frame."""

    name: str
    link: int
    pose: Pose


@dataclass(frozen=True, slots=True)
class Coordinate:
    """How a joint follows the coordinates: its own is multiplier * q[index] + offset."""

    index: int
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A joint on its way into a robot: between which links, and where the file says so."""

    joint: Joint
    parent: str
    child: str
    where: str = ""


@dataclass(frozen=True, eq=False)
class Robot:
    """A frozen kinematic tree. ``links[0]`` is the root; a parent comes before its children.

    ``gravity`` is the acceleration of free fall in the root's axes, m/s^2.
    """

    name: str
    links: tuple[Link, ...]
    frames: tuple[Frame, ...] = ()
    gravity: tuple[float, float, float] = GRAVITY
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @cached_property
    def coordinates(self) -> Mapping[int, Coordinate]:
        """For each link that a joint moves, how that joint follows q."""
        by_name = {link.joint.name: i for i, link in enumerate(self.links) if link.joint}
        independent = [i for i, link in enumerate(self.links) if _moves(link) and not _mimic(link)]
        found = {i: Coordinate(k) for k, i in enumerate(independent)}

        def resolve(i: int) -> Coordinate:
            if i not in found:
                mimic = _mimic(self.links[i]) or Mimic("")
                leader = resolve(by_name[mimic.leader])
                found[i] = Coordinate(
                    leader.index,
                    mimic.multiplier * leader.multiplier,
                    mimic.multiplier * leader.offset + mimic.offset,
                )
            return found[i]

        return {i: resolve(i) for i, link in enumerate(self.links) if _moves(link)}

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
        """Names of the coordinates, in the order of q, v, a and tau."""
        return tuple(joint.name for joint in self.joints)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return len(self.joints)

    @property
    def nv(self) -> int:
        """Number of velocity coordinates."""
        return len(self.joints)

    def children(self, index: int) -> Iterator[int]:
        """Indices of the links that hang on link ``index``."""
        return (i for i, link in enumerate(self.links) if link.parent == index)

    def link_index(self, name: str) -> int:
        """Index of the link called ``name``; ModelError when there is none."""
        for i, link in enumerate(self.links):
            if link.name == name:
                return i
        raise ModelError(f"{self.name}: no link {name!r}; links: {_listing(self.link_names)}")

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of all links, depth first."""
        return tuple(link.name for link in self.links)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Everything that `frame` finds: links, then added frames."""
        return self.link_names + tuple(frame.name for frame in self.frames)

    def frame(self, name: str) -> Frame:
        """The added frame or link called ``name``; ModelError when there is none."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        for i, link in enumerate(self.links):
            if link.name == name:
                return Frame(name, i, Pose.identity())
        raise ModelError(f"{self.name}: no frame {name!r}; frames: {_listing(self.frame_names)}")

    def with_frame(self, name: str, link: str, pose: Pose) -> Robot:
        """A copy with one more frame, a tool say, fixed to a link."""
        if name in self.frame_names:
            raise ModelError(f"{self.name}: there is a frame {name!r} already")
        added = Frame(name, self.link_index(link), pose)
        return replace(self, frames=(*self.frames, added))

    @cached_property
    def tips(self) -> tuple[str, ...]:
        """Frames at the ends of the tree: added ones, and leaf links that carry none."""
        parents = {link.parent for link in self.links}
        carriers = {frame.link for frame in self.frames}
        leaves = [
            link.name for i, link in enumerate(self.links) if i not in parents and i not in carriers
        ]
        ends = [f.name for f in self.frames if f.link not in parents]
        return (*leaves, *ends)

    @cached_property
    def moving_mass(self) -> float:
        """Mass in kg of the links that some joint moves: all but the root and what is welded to it."""
        moved: set[int] = set()
        for i, link in enumerate(self.links):
            if _moves(link) or link.parent in moved:
                moved.add(i)
        return sum(float(self.links[i].inertia.mass) for i in sorted(moved))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that numbers depend on (not over notes)."""
        content = (self.name, self.links, self.frames, self.gravity)
        return hashlib.sha256(repr(content).encode()).hexdigest()

    def __str__(self) -> str:
        return render_tree(self)


def assemble(
    name: str,
    inertias: Mapping[str, Inertia],
    attachments: Iterable[Attachment],
    frames: Mapping[str, tuple[str, Pose]] | None = None,
    gravity: tuple[float, float, float] = GRAVITY,
    notes: Iterable[Note] = (),
) -> Robot:
    """Order links and joints depth first, siblings as given, and check that they form a tree.

    Raises ModelError that names the joints and links at fault: unknown links, two joints of one
    name, a link with two parents, loops, several roots, and mimics of nothing or of one another.
    """
    attachments = tuple(attachments)
    _check_attachments(inertias, attachments)
    _check_mimics(attachments)
    hanging: dict[str, list[Attachment]] = {link: [] for link in inertias}
    for attachment in attachments:
        hanging[attachment.parent].append(attachment)
    root = _root(inertias, attachments)

    links: list[Link] = []
    stack: list[tuple[str, Joint | None, int]] = [(root, None, -1)]
    while stack:
        link, joint, parent = stack.pop()
        index = len(links)
        links.append(Link(link, inertias[link], joint, parent))
        stack.extend((a.child, a.joint, index) for a in reversed(hanging[link]))
    if len(links) < len(inertias):
        lost = sorted(set(inertias) - {link.name for link in links})
        raise ModelError(f"{name}: links {_listing(lost)} form a loop that the root does not reach")
    robot = Robot(name, tuple(links), gravity=gravity, notes=tuple(notes))
    for frame, (link, pose) in (frames or {}).items():
        robot = robot.with_frame(frame, link, pose)
    return robot


def _check_attachments(inertias: Mapping[str, Inertia], attachments: Iterable[Attachment]) -> None:
    joints: dict[str, Attachment] = {}
    parents: dict[str, Attachment] = {}
    for a in attachments:
        for role, link in (("parent", a.parent), ("child", a.child)):
            if link not in inertias:
                raise ModelError(
                    f"{a.where}joint {a.joint.name!r}: {role} link {link!r} is not defined"
                )
        if a.parent == a.child:
            raise ModelError(
                f"{a.where}joint {a.joint.name!r} joins link {a.parent!r} to itself; "
                "parent and child must differ"
            )
        if a.joint.name in joints:
            raise ModelError(f"{a.where}there are two joints called {a.joint.name!r}; rename one")
        if a.child in parents:
            raise ModelError(
                f"{a.where}link {a.child!r} is the child of two joints, "
                f"{parents[a.child].joint.name!r} and {a.joint.name!r}; "
                "closed loops are not a tree: cut one of them"
            )
        joints[a.joint.name] = a
        parents[a.child] = a


def _root(inertias: Mapping[str, Inertia], attachments: Iterable[Attachment]) -> str:
    children = {a.child: a for a in attachments}
    roots = [link for link in inertias if link not in children]
    if not roots:
        names = _listing(a.joint.name for a in children.values())
        raise ModelError(f"no root link: joints {names} form a loop (cycle); cut one of them")
    if len(roots) > 1:
        raise ModelError(
            f"several root links: {_listing(roots)}; join them by joints so that one remains"
        )
    return roots[0]


def _check_mimics(attachments: Iterable[Attachment]) -> None:
    by_name = {a.joint.name: a for a in attachments}
    for a in by_name.values():
        chain = [a.joint.name]
        mimic = a.joint.mimic
        while mimic is not None:
            problem = ""
            leader = by_name.get(mimic.leader)
            if leader is None:
                problem = "which does not exist"
            elif not leader.joint.moves:
                problem = "which is fixed"
            elif mimic.leader in chain:
                problem = f"and follows itself: {' -> '.join((*chain, mimic.leader))}"
            if problem or leader is None:
                raise ModelError(
                    f"{a.where}joint {a.joint.name!r}: mimic of joint {mimic.leader!r}, {problem}"
                )
            chain.append(mimic.leader)
            mimic = leader.joint.mimic


def render_tree(robot: Robot) -> str:
    """The tree as indented text: joints, their kind and coordinate, links and their mass."""
    lines = [
        f"{robot.name}: {len(robot.links)} links, {robot.nq} coordinates, "
        f"{robot.moving_mass:.6g} kg moving"
    ]

    def describe(index: int) -> str:
        link = robot.links[index]
        mass = float(link.inertia.mass)
        text = link.name + (f"  {mass:.6g} kg" if mass else "")
        if link.joint is None:
            return text
        detail = link.joint.kind
        if link.joint.moves:
            detail += f" about {_direction(link.joint.axis)}"
            if link.joint.kind == "prismatic":
                detail = detail.replace("about", "along")
            detail += f", {_coordinate_text(robot.coordinates[index])}"
        return f"{link.joint.name} ({detail}) -> {text}"

    def walk(index: int, indent: str) -> None:
        below = [("link", i) for i in robot.children(index)]
        below += [("frame", i) for i, f in enumerate(robot.frames) if f.link == index]
        for k, (kind, i) in enumerate(below):
            last = k == len(below) - 1
            text = describe(i) if kind == "link" else f"[frame {robot.frames[i].name}]"
            lines.append(f"{indent}{'└─ ' if last else '├─ '}{text}")
            if kind == "link":
                walk(i, indent + ("   " if last else "│  "))

    lines.append(describe(0))
    walk(0, "")
    return "\n".join(lines)


def _direction(axis: Matrix) -> str:
    names = {(1.0, 0.0, 0.0): "x", (0.0, 1.0, 0.0): "y", (0.0, 0.0, 1.0): "z"}
    entries = tuple(float(c) for c in axis)
    opposite = tuple(-c + 0.0 for c in entries)
    if entries in names:
        return names[entries]
    if opposite in names:
        return "-" + names[opposite]
    return "(" + " ".join(f"{c:.4g}" for c in entries) + ")"


def _coordinate_text(coordinate: Coordinate) -> str:
    text = f"q[{coordinate.index}]"
    if coordinate.multiplier != 1.0:
        text = f"{coordinate.multiplier:.6g} {text}"
    if coordinate.offset:
        text += f" {'+' if coordinate.offset > 0 else '-'} {abs(coordinate.offset):.6g}"
    return text


def _moves(link: Link) -> bool:
    return link.joint is not None and link.joint.moves


def _mimic(link: Link) -> Mimic | None:
    return link.joint.mimic if link.joint is not None else None


def _listing(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"
