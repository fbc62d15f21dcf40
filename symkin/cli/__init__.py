"""The command line: a thin face whose commands each call one public function."""

from symkin.cli.commands import app

__all__ = ["app"]
