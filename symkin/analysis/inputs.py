"""Points at which no two values of a graph are equal by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from symkin.quantities import Port


def generic_inputs(ports: Sequence[Port], seed: int = 0) -> dict[str, list[float]]:
    """Numbers for every entry, quaternions of length 1; the same for the same seed."""
    random = Random(seed)
    inputs = {port.name: [random.uniform(0.2, 0.9) for _ in range(port.size)] for port in ports}
    for port in ports:
        for start in port.quaternions:
            part = inputs[port.name][start : start + 4]
            length = math.hypot(*part)
            inputs[port.name][start : start + 4] = [x / length for x in part]
    return inputs
