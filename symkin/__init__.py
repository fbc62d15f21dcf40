"""symkin: kinematics and dynamics of robots as fast, proven C."""

from symkin.emit import emit_c
from symkin.evaluate import evaluate
from symkin.library import Library, build
from symkin.model import load
from symkin.quantities import QUANTITIES
from symkin.trace import trace

__all__ = ["QUANTITIES", "Library", "build", "emit_c", "evaluate", "load", "trace"]
