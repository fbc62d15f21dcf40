"""The robot files of others, in the package example-robot-data; skips what imports it without."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

try:
    INSTALLED = importlib.metadata.files("example-robot-data") or []
except importlib.metadata.PackageNotFoundError:
    pytest.skip('needs the extra "robots"', allow_module_level=True)

FILES = sorted(Path(file.locate()) for file in INSTALLED if file.suffix == ".urdf")
UNREADABLE = {
    "alex_psyonic_hands.urdf": "a joint follows one that does not exist",
    "ur3.urdf": "there is not one link in it",
}
READABLE = [path for path in FILES if path.name not in UNREADABLE]


def title(path: Path) -> str:
    """The name of a file in the tests' titles."""
    return "/".join(path.parts[-3:])
