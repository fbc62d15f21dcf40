"""symkin: kinematics and dynamics of robots as fast, proven C."""

from symkin.algorithms.contact import Contact
from symkin.algorithms.external_forces import Force
from symkin.analysis import Analysis, analyse
from symkin.emit import CModule, emit_c
from symkin.errors import SymkinError
from symkin.evaluate import evaluate
from symkin.graph import Graph
from symkin.library import Library, build
from symkin.model import Robot, load
from symkin.plan import Plan, bundle, plan
from symkin.quantities import QUANTITIES
from symkin.report import Report, report
from symkin.timing import seconds_per_call
from symkin.trace import trace
from symkin.verify import Verification, verify

__all__ = [
    "QUANTITIES",
    "Analysis",
    "CModule",
    "Contact",
    "Force",
    "Graph",
    "Library",
    "Plan",
    "Report",
    "Robot",
    "SymkinError",
    "Verification",
    "analyse",
    "build",
    "bundle",
    "emit_c",
    "evaluate",
    "load",
    "plan",
    "report",
    "seconds_per_call",
    "trace",
    "verify",
]
