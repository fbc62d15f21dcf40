"""A module's own source in complex numbers, so that generated C itself can be complex-stepped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from symkin.emit.module import CModule
from symkin.emit.templates import render
from symkin.errors import ArgumentError


def complex_sources(module: CModule) -> Mapping[str, str]:
    """For each source of a module, a file that includes it with every double made complex.

    Compile these instead of the sources. Raises ArgumentError for a module that is not in double.
    Source: Martins, Sturdza & Alonso, The complex-step derivative approximation (2003), section 4.
    """
    if module.options.real != "double":
        raise ArgumentError(
            f"{module.name}: only a module in double can be built in complex numbers; "
            f"this one is in {module.options.real}"
        )
    wrappers = {}
    for source in module.sources:
        path = PurePosixPath(source)
        wrapper = path.with_name(f"complex_{path.name}")
        wrappers[str(wrapper)] = render("host/complex.c.j2", source=path.name)
    return wrappers
