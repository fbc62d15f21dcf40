"""symkin: kinematics and dynamics of robots as fast, proven C."""

from symkin.evaluate import evaluate
from symkin.quantities import QUANTITIES
from symkin.trace import trace

__all__ = ["QUANTITIES", "evaluate", "trace"]
