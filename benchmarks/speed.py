"""Time of one call of the generated functions beside Pinocchio's, warm and cold.

    python benchmarks/speed.py [--quick] [--check] [--json PATH]

Pinocchio comes from the wheel ``pin``: its headers are compiled for this processor, which takes
minutes and some 5 GB the first time, or, with ``--quick``, its own library is called.
"""

from __future__ import annotations

import sys
from functools import partial

from bench import main
from timing.ratios import of_robot

QUICK = ("ur5", "scara")
ROBOTS = ("ur5", "panda", "tree12", "solo12", "g1")
CHAINS = ("chain6", "chain12", "chain24", "chain48", "chain96")

if __name__ == "__main__":
    robots = QUICK if "--quick" in sys.argv else (*ROBOTS, *CHAINS)
    sys.exit(
        main(
            "Speed: Pinocchio's time over ours",
            [partial(of_robot, name) for name in robots],
            reference="Pinocchio, ns",
            packages=("symkin", "casadi", "pin", "example-robot-data"),
        )
    )
