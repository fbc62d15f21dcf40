"""Proof of every quantity: lanes, laws and outside oracles, each with a derived tolerance."""

from symkin.verify.checks import Check, Verification
from symkin.verify.lanes import DERIVATIVE_LANES, differentiate, value
from symkin.verify.run import verify

__all__ = ["DERIVATIVE_LANES", "Check", "Verification", "differentiate", "value", "verify"]
