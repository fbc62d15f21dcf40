"""Laws: what geometry and calculus demand of every quantity, whatever formula computes it.

A law is an equation of two arrays that both know how far rounding can have moved them, and it holds
when they differ by no more. Its sides are made of other quantities, of derivatives by one lane, or
of the robot's tree itself; so a wrong formula contradicts what it is a formula of.
"""

from collections.abc import Mapping

from symkin.verify.laws import contacts, dynamics, forces, jacobians, motion, pose, steps
from symkin.verify.laws.law import Law

LAWS: Mapping[str, tuple[Law, ...]] = {
    **pose.LAWS,
    **jacobians.LAWS,
    **motion.LAWS,
    **dynamics.LAWS,
    **forces.LAWS,
    **contacts.LAWS,
    **steps.LAWS,
}

__all__ = ["LAWS", "Law"]
