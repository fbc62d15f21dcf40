"""Forward dynamics: by the articulated body algorithm, and by solving with the mass matrix.

Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7 and section 6.1.
"""

from __future__ import annotations
