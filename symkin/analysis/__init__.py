"""How large a robot's functions are, why, and how that would change."""

from symkin.analysis.analysis import USUAL, Analysis, Function, Way, analyse, analyse_plans, usual
from symkin.analysis.attribution import Share
from symkin.analysis.growth import Growth
from symkin.analysis.savings import Saving

__all__ = [
    "USUAL",
    "Analysis",
    "Function",
    "Growth",
    "Saving",
    "Share",
    "Way",
    "analyse",
    "analyse_plans",
    "usual",
]
