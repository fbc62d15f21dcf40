"""Graphs to C, as text: nothing here touches a disk except `CModule.write`."""

from symkin.emit.host import emit_c
from symkin.emit.module import CArray, CFunction, CModule

__all__ = ["CArray", "CFunction", "CModule", "emit_c"]
