"""Operations of the generated functions, beside published figures and those of prototypes.

    python benchmarks/operations.py [NAME=FILE ...] [--quick] [--check] [--json PATH]

Robots from files are counted too: ``iiwa7=iiwa7.urdf`` puts the figures of iiwa7 beside them.
There are figures of ur5, panda, iiwa7, gen3, yumi and atlas.
"""

from __future__ import annotations

import sys
from functools import partial

from bench import main
from counting.counts import of_file, of_robot, others

WITH_TARGETS = ("ur5", "panda", "tree12", "solo12", "g1", "chain24")
MORE = ("planar_2r", "scara", "fr3", "chain12", "random_tree12", "random_tree24")

if __name__ == "__main__":
    quick = "--quick" in sys.argv
    robots = WITH_TARGETS if quick else (*WITH_TARGETS, *MORE)
    sys.exit(
        main(
            "Operations: additions, subtractions, products, divisions and roots",
            [*(partial(of_robot, name) for name in robots), *(() if quick else (others,))],
            of_file=of_file,
            reference="prototype",
            packages=("symkin", "casadi", "example-robot-data"),
        )
    )
