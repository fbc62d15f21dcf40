"""What a robot is, and the files and tables it comes from."""

from symkin.model.joint import Joint, JointKind, Limits, Mimic, motion, screw
from symkin.model.notes import Note
from symkin.model.robot import Attachment, Coordinate, Frame, Link, Robot, assemble

__all__ = [
    "Attachment",
    "Coordinate",
    "Frame",
    "Joint",
    "JointKind",
    "Limits",
    "Link",
    "Mimic",
    "Note",
    "Robot",
    "assemble",
    "motion",
    "screw",
]
