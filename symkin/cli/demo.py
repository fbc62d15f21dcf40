"""The demonstration: a UR5 from its file to C whose numbers are checked."""

from __future__ import annotations

from pathlib import Path

import symkin
from symkin.cli.console import progress, working
from symkin.cli.planning import Wish
from symkin.report import Cell, Report, summary_table

ROBOT = "ur5"
QUANTITIES = (
    "forward_kinematics",
    "pose_zyx",
    "jacobian_space",
    "jacobian_body",
    "jacobian_position",
    "jacobian_zyx",
    "jacobian_position_dot",
    "twist_body",
    "acceleration_classical_position",
    "center_of_mass",
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
)


def demonstrate(directory: Path) -> tuple[Report, bool]:
    """Load, trace, generate, build and verify, then write the C files into ``directory``.

    Nothing is written unless all of it worked. Returns the report, and whether all checks passed.
    """
    robot = symkin.load(ROBOT)
    plans = Wish(list(QUANTITIES)).plans(robot)
    module = symkin.emit_c([plan.graph for plan in plans], name=ROBOT)
    with working("Compiling"):
        library = symkin.build(module)
    with progress("Verifying") as advance:
        verification = symkin.verify(robot, QUANTITIES, library=library, progress=advance)
    files = module.write(directory)
    facts: dict[str, Cell] = {
        "robot": ROBOT,
        "files": tuple(str(path) for path in files),
        "library": str(library.path),
        "checked": str(verification),
        "not_carried_out": tuple(dict.fromkeys(c.note for c in verification.skipped)) or None,
        "passed": verification.passed,
    }
    tables = (summary_table(verification), *symkin.report(plans).tables)
    title = "symkin demo: a UR5 as C, compiled, loaded and checked"
    return Report(title, facts, "", tables), verification.passed
