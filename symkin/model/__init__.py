"""What a robot is, and the files and tables it comes from."""

from symkin.model.assemble import Attachment, assemble
from symkin.model.joint import Joint, JointKind, Limits, Mimic, motion, screws
from symkin.model.notes import Note
from symkin.model.prepare import prepare
from symkin.model.robot import Coordinate, Frame, Link, Robot

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
    "prepare",
    "screws",
]
