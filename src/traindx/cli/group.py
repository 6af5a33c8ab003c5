"""`diagnose` with inputs is the main command; `diagnose kb`, `diagnose explain` ... are the others."""

from __future__ import annotations

import importlib
import os
import sys

import click

COMMANDS = {
    "checklist": (
        "traindx.cli.checklist:checklist",
        "Tick a checklist or a procedure by what a run directory tells.",
    ),
    "completion": ("traindx.cli.completion:completion", "Print the completion script for bash, zsh or fish."),
    "explain": ("traindx.cli.explain:explain", "The page of a cause, symptom, fix, fact, signature ..."),
    "kb": ("traindx.cli.kb:kb", "List, show, check and test the knowledge base."),
    "tail": ("traindx.cli.tail:tail", "Follow a log as it grows, and say what is noticed."),
    "run": ("traindx.cli.run:run", "Run a training command, watch it, and diagnose what was seen."),
    "test": (
        "traindx.cli.test:test",
        "Try something on a training command: one thing changed, all else equal.",
    ),
    "experiment": (
        "traindx.cli.experiment:experiment",
        "Find the cause by experiments on a training command.",
    ),
    "preflight": ("traindx.cli.preflight:preflight", "Check a training command by its first steps."),
    "profile": ("traindx.cli.profile:profile", "What ten steps of a training command spend their time on."),
    "memory": (
        "traindx.cli.memory:memory",
        "Which tensors hold the memory of a step, and which lines made them.",
    ),
    "new": ("traindx.cli.new:new", "Write the skeleton of a cause, fact, dialect ..."),
}
"""Every command besides the main one: where it lives and what it does. Loaded when it is called."""
MAIN = "traindx.cli.diagnose:diagnose"
COMPLETE = "_DIAGNOSE_COMPLETE"
"""The variable through which a shell asks for completions, as click names it."""


class MainCommand(click.Command):
    """The main command, whose help also lists the others."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the other commands and the exit codes."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])
        super().format_epilog(ctx, formatter)


def load(where: str) -> click.Command:
    """Import a command from `module:name`."""
    module, _, name = where.partition(":")
    command: click.Command = getattr(importlib.import_module(module), name)
    return command


def choose(args: list[str]) -> tuple[click.Command, str, list[str]]:
    """The command a call means, the name it goes by, and what is left for it."""
    if args and args[0] in COMMANDS:
        return load(COMMANDS[args[0]][0]), f"diagnose {args[0]}", args[1:]
    return load(MAIN), "diagnose", args


def run() -> int | None:
    """Run the command line of this process; the exit code, where the command gives one."""
    if instruction := os.environ.get(COMPLETE):
        from .completion import complete

        return complete(instruction)
    command, name, args = choose(sys.argv[1:])
    result = command.main(args=args, prog_name=name, standalone_mode=False)
    return result if isinstance(result, int) else None
