"""Links and joints in any order to a tree, or an error that names those that form none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symkin.errors import ModelError
from symkin.model.inertia import is_massless
from symkin.model.joint import Joint
from symkin.model.notes import Note
from symkin.model.robot import GRAVITY, Link, Robot, listing
from symkin.spatial import Inertia, Pose


@dataclass(frozen=True, slots=True)
class Attachment:
    """A joint on its way into a robot: between which links, and where the file says so."""

    joint: Joint
    parent: str
    child: str
    where: str = ""

    def __str__(self) -> str:
        joint = f"joint {self.joint.name!r}"
        return f"{self.where}: {joint}" if self.where else joint


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
    A joint below which nothing has mass is noted.
    """
    attachments = tuple(attachments)
    _check_attachments(inertias, attachments)
    _check_mimics(attachments)
    root = _root(name, inertias, attachments)
    hanging: dict[str, list[Attachment]] = {link: [] for link in inertias}
    for attachment in attachments:
        hanging[attachment.parent].append(attachment)

    links: list[Link] = []
    stack: list[tuple[str, Joint | None, int]] = [(root, None, -1)]
    while stack:
        link, joint, parent = stack.pop()
        index = len(links)
        links.append(Link(link, inertias[link], joint, parent))
        stack.extend((a.child, a.joint, index) for a in reversed(hanging[link]))
    if len(links) < len(inertias):
        reached = {link.name for link in links}
        lost = [a.joint.name for a in attachments if a.child not in reached]
        raise ModelError(
            f"{name}: joints {listing(lost)} form a loop (cycle) that the root {root!r} does not "
            "reach; cut one of them and hang the rest on the tree"
        )
    robot = Robot(name, tuple(links), gravity=gravity, notes=(*notes, *_massless(name, links)))
    for frame, (link, pose) in (frames or {}).items():
        robot = robot.with_frame(frame, link, pose)
    return robot


def _check_attachments(inertias: Mapping[str, Inertia], attachments: Iterable[Attachment]) -> None:
    joints: set[str] = set()
    parents: dict[str, str] = {}
    for a in attachments:
        for role, link in (("parent", a.parent), ("child", a.child)):
            if link not in inertias:
                raise ModelError(
                    f"{a}: {role} link {link!r} is not defined; links: {listing(inertias)}"
                )
        if a.parent == a.child:
            raise ModelError(f"{a} joins link {a.parent!r} to itself; parent and child must differ")
        if a.joint.name in joints:
            raise ModelError(f"{a}: there is another joint of this name; rename one")
        if a.child in parents:
            raise ModelError(
                f"{a}: link {a.child!r} is already the child of joint {parents[a.child]!r}; "
                "closed loops are not a tree: cut one of the two joints"
            )
        joints.add(a.joint.name)
        parents[a.child] = a.joint.name


def _root(name: str, inertias: Mapping[str, Inertia], attachments: Iterable[Attachment]) -> str:
    children = {a.child: a.joint.name for a in attachments}
    roots = [link for link in inertias if link not in children]
    if not inertias:
        raise ModelError(f"{name}: a robot needs at least one link")
    if not roots:
        raise ModelError(
            f"{name}: no root link: joints {listing(children.values())} form a loop (cycle); "
            "cut one of them"
        )
    if len(roots) > 1:
        raise ModelError(
            f"{name}: several root links: {listing(roots)}; join them by joints so that one remains"
        )
    return roots[0]


def _check_mimics(attachments: Iterable[Attachment]) -> None:
    by_name = {a.joint.name: a for a in attachments}
    sound: set[str] = set()
    for a in by_name.values():
        chain: dict[str, None] = {}
        name, mimic = a.joint.name, a.joint.mimic
        while mimic is not None and name not in sound:
            chain[name] = None
            problem = ""
            leader = by_name.get(mimic.leader)
            if leader is None:
                problem = f"which does not exist; joints: {listing(by_name)}"
            elif not leader.joint.moves:
                problem = "which is fixed; follow a joint that moves"
            elif leader.joint.nq != 1 or by_name[name].joint.nq != 1:
                problem = "but only joints of one coordinate can follow one another"
            elif mimic.leader in chain:
                problem = f"and so itself ({' -> '.join((*chain, mimic.leader))}); free one of them"
            if problem or leader is None:
                raise ModelError(
                    f"{by_name[name]}: mimic follows joint {mimic.leader!r}, {problem}"
                )
            name, mimic = mimic.leader, leader.joint.mimic
        sound.update(chain)


def _massless(name: str, links: list[Link]) -> list[Note]:
    """Warnings for joints that move no mass: the mass matrix is singular along them."""
    heavy = [not is_massless(link.inertia) for link in links]
    if not any(heavy):
        return [Note("warning", name, "no link has mass: kinematics only")]
    for i in range(len(links) - 1, 0, -1):
        heavy[links[i].parent] = heavy[links[i].parent] or heavy[i]
    return [
        Note(
            "warning", f"joint {link.joint.name!r}", "moves no mass: forward dynamics is undefined"
        )
        for i, link in enumerate(links)
        if link.joint is not None and link.joint.moves and not heavy[i]
    ]
