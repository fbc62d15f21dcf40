"""The robots that come with symkin, by name."""

from __future__ import annotations

from pathlib import Path

from symkin.errors import ModelError

# In a wheel they lie in the package, in a checkout among the examples.
_PACKAGE = Path(__file__).resolve().parents[1]
_PLACES = (_PACKAGE / "_robots", _PACKAGE.parent / "examples" / "robots")
_SUFFIXES = (".urdf", ".json")


def bundled_names() -> tuple[str, ...]:
    """Names that `load` finds without a path, in alphabetical order."""
    return tuple(sorted(_files()))


def bundled_path(name: str) -> Path:
    """The file of a bundled robot; ModelError, which lists them, for another name."""
    files = _files()
    if name not in files:
        raise ModelError(f"no bundled robot {name!r}; there are {', '.join(sorted(files))}")
    return files[name]


def _files() -> dict[str, Path]:
    for place in _PLACES:
        if place.is_dir():
            return {p.stem: p for p in place.iterdir() if p.suffix in _SUFFIXES}
    return {}
