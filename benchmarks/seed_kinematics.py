"""The experiments of the second and third seed document, our figures beside theirs.

The states are our own, from fixed seeds. The numbers of the sections are the second document's;
the last ones repeat the third document's list of ways to a Jacobian.
"""

from __future__ import annotations

import sys
from functools import partial

from bench import main
from kinematics.formulas import complex_steps, differences, identities
from kinematics.lanes import integral_consistency, lanes
from kinematics.peers import peers
from kinematics.representations import closed_forms, gimbal, one_motion
from kinematics.singular_values import singular_values
from kinematics.step_size import step_size

EXPERIMENTS = (
    closed_forms,
    one_motion,
    *(
        partial(check, name)
        for name in ("ur5", "fr3")
        for check in (differences, complex_steps, identities)
    ),
    partial(singular_values, "ur5"),
    partial(singular_values, "fr3"),
    step_size,
    gimbal,
    partial(peers, "ur5"),
    partial(peers, "fr3"),
    lanes,
    integral_consistency,
)

if __name__ == "__main__":
    sys.exit(
        main(
            "Kinematics of the seed documents",
            EXPERIMENTS,
            packages=(
                "symkin",
                "numpy",
                "casadi",
                "modern_robotics",
                "pin",
                "roboticstoolbox-python",
            ),
        )
    )
