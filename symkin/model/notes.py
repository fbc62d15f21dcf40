"""What loading and preparing a robot did besides reading it: the load report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

NoteKind = Literal["warning", "cleaned", "prepared", "ignored"]

_PLACES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Note:
    """One remark: something odd but usable (a warning), cleaned, prepared, or ignored.

    ``where`` names file, line and element; ``message`` is the same for the same kind of remark.
    """

    kind: NoteKind
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.message}"


def summary(notes: Iterable[Note]) -> str:
    """The notes as text, warnings first: one line for each message, with the places it is about."""
    groups: dict[tuple[NoteKind, str], list[str]] = {}
    for note in notes:
        groups.setdefault((note.kind, note.message), []).append(note.where)
    order: tuple[NoteKind, ...] = ("warning", "cleaned", "prepared", "ignored")
    lines = []
    for kind in order:
        for (group, message), places in groups.items():
            if group == kind:
                lines.append(f"{kind}: {message} ({_places(places)})")
    return "\n".join(lines)


def _places(places: list[str]) -> str:
    shown = "; ".join(places[:_PLACES_SHOWN])
    hidden = len(places) - _PLACES_SHOWN
    return f"{shown}; and {hidden} more" if hidden > 0 else shown
