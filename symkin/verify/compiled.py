"""The libraries of the compiled lanes, made while other lanes are at work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import TypeAlias

from symkin.emit import CModule, emit_c
from symkin.errors import BuildError
from symkin.library import Library, build
from symkin.verify.traced import LARGE, Traced

Compile: TypeAlias = Callable[[CModule, str | None], Library]

BUILDS: Mapping[str, Compile] = {
    "compiled": lambda module, flags: build(module, flags=flags),
    # Complex arithmetic takes long to optimise, and is run a few times only.
    "compiled complex step": lambda module, _: build(module, arithmetic="complex", flags="-O0"),
}
"""How the library of each lane is made, and with which flags, None for the usual ones."""

MOST_COMPLEX = 60_000
"""Nodes beyond which one function in complex numbers takes a compiler more than a gigabyte."""


class Compiled:
    """What lanes call: libraries that are begun with `start`, and waited for when asked for."""

    def __init__(
        self, robot: str, lanes: Collection[str], pool: Executor, given: Library | None
    ) -> None:
        """The lane "compiled" calls ``given``, if it is."""
        self._robot = robot
        self._lanes = [lane for lane in BUILDS if lane in lanes]
        self._pool = pool
        self._given = given
        self._begun: dict[tuple[str, str], Future[Library]] = {}

    def start(self, subjects: Iterable[Traced]) -> None:
        """Begin to make what the lanes of quantities need: a library of the small ones together,
        and one of each that is large."""
        small: list[Traced] = []
        for traced in subjects:
            if len(traced.graph.nodes) > LARGE:
                self._begin((traced,), "-O0")
            else:
                small.append(traced)
        self._begin(small, None)

    def _begin(self, subjects: Sequence[Traced], flags: str | None) -> None:
        lanes = [lane for lane in self._lanes if self._given is None or lane != "compiled"]
        if any(one.reduced or len(one.graph.nodes) > MOST_COMPLEX for one in subjects):
            lanes = [lane for lane in lanes if lane != "compiled complex step"]
        if not lanes or not subjects:
            return
        module = emit_c([traced.graph for traced in subjects], name=self._robot)
        for lane in lanes:
            future = self._pool.submit(BUILDS[lane], module, flags)
            self._begun |= {(lane, traced.instance.name): future for traced in subjects}

    def __call__(self, lane: str, traced: Traced) -> Library:
        """The library in which a lane finds the quantity; BuildError says why there is none."""
        name = traced.instance.name
        if lane == "compiled" and self._given is not None:
            if name not in self._given:
                raise BuildError(f"the library has no {name}")
            return self._given
        if (lane, name) in self._begun:
            return self._begun[lane, name].result()
        if len(traced.graph.nodes) > MOST_COMPLEX:
            raise BuildError(
                f"a function of more than {MOST_COMPLEX:,} operations takes compilers gigabytes in "
                "complex numbers"
            )
        raise BuildError(f"{name} is not among what is verified")
