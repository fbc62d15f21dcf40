"""The scalar types of generated C: their literals and the functions of <math.h> for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

Real: TypeAlias = Literal["double", "float"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A C type, its NumPy counterpart, the suffix of its literals and its <math.h>."""

    name: Real
    dtype: type[np.floating]
    suffix: str
    functions: Mapping[str, str]

    def literal(self, value: float) -> str | None:
        """The shortest decimal that reads back as ``value`` rounded to the type.

        None when no literal can: NaN, infinity, and what lies beyond the type's range.
        """
        with np.errstate(over="ignore", under="ignore"):
            rounded = self.dtype(value)
        if not math.isfinite(rounded):
            return None
        text = str(rounded)
        return text + self.suffix


SCALARS: Mapping[str, Scalar] = {
    "double": Scalar(
        "double",
        np.float64,
        "",
        {"sqrt": "sqrt", "sin": "sin", "cos": "cos", "atan2": "atan2"},
    ),
    "float": Scalar(
        "float",
        np.float32,
        "f",
        {"sqrt": "sqrtf", "sin": "sinf", "cos": "cosf", "atan2": "atan2f"},
    ),
}
