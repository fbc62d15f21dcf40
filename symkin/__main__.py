"""``python -m symkin``: the command line."""

from symkin.cli import app

app(prog_name="symkin")
