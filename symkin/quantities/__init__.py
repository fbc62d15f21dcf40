"""THE TABLE: one row per quantity, and how a row is bound to a robot and its frames.

From a row come evaluation, tracing, the C signature and its comment, the checks of ctypes
arguments, the choices of the command line, the reference page and the tests' parameters.
"""

from symkin.quantities.binding import QUANTITIES, Instance, bind, bind_all, identifier
from symkin.quantities.bundles import BUNDLES, Bundle
from symkin.quantities.options import Options, parted
from symkin.quantities.quaternions import normalised, normalised_tangent
from symkin.quantities.table import STACKED, Port, Quantity, Slot

__all__ = [
    "BUNDLES",
    "QUANTITIES",
    "STACKED",
    "Bundle",
    "Instance",
    "Options",
    "Port",
    "Quantity",
    "Slot",
    "bind",
    "bind_all",
    "identifier",
    "normalised",
    "normalised_tangent",
    "parted",
]
