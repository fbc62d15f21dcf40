"""What a robot is, and the files and tables it comes from."""

from symkin.model.assemble import Attachment, assemble
from symkin.model.base import BaseKind, with_base
from symkin.model.bundled import bundled_names, bundled_path
from symkin.model.dh import load_dh
from symkin.model.joint import Friction, Joint, JointKind, Limits, Mimic, motion, motion_subspace
from symkin.model.load import load
from symkin.model.notes import Note
from symkin.model.prepare import prepare
from symkin.model.robot import Coordinate, Frame, Link, Robot
from symkin.model.screws import body_screws, load_screws, space_screws

__all__ = [
    "Attachment",
    "BaseKind",
    "Coordinate",
    "Frame",
    "Friction",
    "Joint",
    "JointKind",
    "Limits",
    "Link",
    "Mimic",
    "Note",
    "Robot",
    "assemble",
    "body_screws",
    "bundled_names",
    "bundled_path",
    "load",
    "load_dh",
    "load_screws",
    "motion",
    "motion_subspace",
    "prepare",
    "space_screws",
    "with_base",
]
