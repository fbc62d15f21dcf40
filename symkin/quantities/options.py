"""What can be said of a quantity beside its name: the one list of it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, cast

from symkin.algorithms.contact import Contact
from symkin.algorithms.external_forces import Force
from symkin.errors import ArgumentError


class Options(TypedDict, total=False):
    """Keyword arguments of everything that is asked for a quantity; `bind` alone reads them."""

    frame: str | None
    """Of a quantity of a frame: it may be left out when the robot has one tip only."""
    relative_to: str | None
    """What that frame is seen from: the root link unless given; it may move."""
    formulation: str | None
    """How the quantity is computed: the row's first way unless given."""
    forces: Sequence[Force] | None
    """Where wrenches from outside act: one at every tip, in the root's axes, unless given."""
    contacts: Sequence[Contact] | None
    """Frames that are held: the origin of every tip unless given."""
    parameters: Sequence[str]
    """Numbers of the robot that are inputs behind the quantity's own: `symkin.model.parameters`."""


Owner: TypeAlias = Literal["frame", "robot", "forces", "contacts"]
"""What a quantity can belong to."""

PLACES: Mapping[Owner, tuple[str, ...]] = {
    "frame": ("frame", "relative_to"),
    "robot": (),
    "forces": ("forces",),
    "contacts": ("contacts",),
}
"""The options that say of a quantity of each where it is meant."""

PLACE_OPTIONS = frozenset(name for names in PLACES.values() for name in names)


def parted(given: Mapping[str, Any]) -> tuple[Options, dict[str, Any]]:
    """The options among keyword arguments, and the others."""
    names = Options.__annotations__
    options = {name: value for name, value in given.items() if name in names}
    others = {name: value for name, value in given.items() if name not in names}
    return cast(Options, options), others


def check_options(quantity: str, options: Mapping[str, Any]) -> None:
    """ArgumentError for what is no option, as a misspelt one is none."""
    for name in parted(options)[1]:
        known = list(Options.__annotations__)
        near = difflib.get_close_matches(name, known, n=1) or known
        raise ArgumentError(f"{quantity} has no option {name!r}; did you mean {' or '.join(near)}?")
