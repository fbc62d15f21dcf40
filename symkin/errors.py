"""Everything symkin raises on purpose. Each message names the culprit and the way out."""

from __future__ import annotations


class SymkinError(Exception):
    """Base of every error that symkin raises on purpose."""


class ModelError(SymkinError):
    """A robot description is missing, malformed or physically impossible."""


class ArgumentError(SymkinError, ValueError):
    """An argument has the wrong name, shape, type or value."""


class TraceError(SymkinError):
    """A quantity cannot be traced to an expression graph."""


class EmitError(SymkinError):
    """A graph cannot be written as C."""


class BuildError(SymkinError):
    """No compiler was found, or it refused the source."""


class ReportError(SymkinError):
    """A report cannot be given the form that was asked for."""


class VerifyError(SymkinError):
    """A check could not be carried out (a failed check is a result, not an error)."""
