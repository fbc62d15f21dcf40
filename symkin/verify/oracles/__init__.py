"""Other libraries that know the answer, each asked by an adapter that states its conventions."""

from collections.abc import Mapping

from symkin.verify.oracles.base import Oracle
from symkin.verify.oracles.modern_robotics import ModernRobotics
from symkin.verify.oracles.pinocchio import Pinocchio
from symkin.verify.oracles.robotics_toolbox import RoboticsToolbox

ORACLES: Mapping[str, type[Oracle]] = {
    oracle.name: oracle for oracle in (Pinocchio, ModernRobotics, RoboticsToolbox)
}

__all__ = ["ORACLES", "Oracle"]
