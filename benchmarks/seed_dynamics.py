"""The experiments of the first seed document, our figures beside its.

The motions are our own, from fixed seeds. Sections 1 to 5 have the document's numbers; what it
counts and times along with its fifth experiment are 6 and 7.
"""

from __future__ import annotations

import sys
from functools import partial

from bench import main
from dynamics.accuracy import accuracy
from dynamics.costs import multiplications, nodes
from dynamics.peers import peers
from dynamics.speed import speed
from dynamics.states import ARM, TREE
from dynamics.step_size import step_size
from dynamics.traces import FUNCTIONS
from dynamics.transitions import transitions

EXPERIMENTS = (
    accuracy,
    step_size,
    multiplications,
    transitions,
    partial(peers, ARM),
    partial(peers, TREE),
    nodes,
    *(partial(speed, what) for what in FUNCTIONS),
)

if __name__ == "__main__":
    sys.exit(
        main(
            "Dynamics and its derivatives of the seed document",
            EXPERIMENTS,
            packages=("symkin", "numpy", "casadi", "pin", "mujoco", "drake"),
        )
    )
