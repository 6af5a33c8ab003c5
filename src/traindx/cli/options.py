"""The options that several commands have, alike in each."""

from __future__ import annotations

from pathlib import Path

import click

from .candidates import facts_starting

SETTINGS = {"help_option_names": ["-h", "--help"]}
"""How every command reads its line."""
COMMAND = {**SETTINGS, "allow_interspersed_args": False}
"""The same for those that take another command: what follows it belongs to it."""

the_command = click.argument(
    "command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...", required=True
)
knowledge_folders = click.option(
    "--kb",
    "kb_folders",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="More knowledge: a folder laid out like our own kb/.",
)
colour = click.option(
    "--color/--no-color", "colour", default=None, help="Colour the text; by itself on a terminal only."
)
report = click.option(
    "-r",
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a report too: .md is the incident report, .json the data, else text.",
)
answers = click.option(
    "-a",
    "--answer",
    "answers",
    multiple=True,
    metavar="FACT=VALUE",
    shell_complete=facts_starting,
    help="Something you know: test.fp32_clears_nan=yes.",
)
machine = click.option(
    "--machine/--no-machine", default=True, help="Look at this machine and its devices where that helps."
)
