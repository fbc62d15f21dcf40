"""What loading and preparing a robot did besides reading it: the load report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Note:
    """One remark: something ignored, cleaned, prepared, or odd but usable (a warning)."""

    kind: Literal["ignored", "cleaned", "prepared", "warning"]
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.message}"
