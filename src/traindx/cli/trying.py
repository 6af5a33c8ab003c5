"""What the commands share that try something on the user's own script."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from . import options
from .errors import BadCall

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.probes.discover import Found
    from traindx.probes.live.experiments import Laboratory
    from traindx.probes.live.waiting import Watched

_CLEAR = "\r\x1b[2K"
_TAIL = 15
"""Lines of a failed run's output that are shown."""


STEPS = 50
"""Optimizer steps of one run."""
PATIENCE = 600.0
"""Seconds that one run may take."""


def trial_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that runs a script for some steps."""
    for option in (
        click.option("--steps", type=click.IntRange(min=2), default=STEPS, show_default=True, metavar="N",
                     help="Optimizer steps of each run; experiments that need more take more."),
        click.option("--seed", type=int, default=0, show_default=True,
                     help="Random numbers start from this in each run; what the script seeds itself counts after it."),
        click.option("--patience", type=click.FloatRange(min=1), default=PATIENCE, show_default=True, metavar="SECONDS",
                     help="A run is ended after so long, steps or not."),
        options.knowledge_folders,
        options.colour,
    ):  # fmt: skip
        command = option(command)
    return command


@contextmanager
def laboratory(
    command: Sequence[str], knowledge: Knowledge, *, steps: int, seed: int, patience: float
) -> Iterator[Laboratory]:
    """Somewhere to run experiments on this command. Raises BadCall where it cannot be started."""
    from traindx.probes.live.experiments import Laboratory
    from traindx.probes.live.launch import NotStarted, found

    if not command:
        raise BadCall("name the command to run after `--`: ... -- python train.py")
    made = None
    try:
        found(command)
        made = Laboratory(command, knowledge, steps=steps, seed=seed, patience=patience, tell=_tell)
        yield made
    except NotStarted as error:
        raise BadCall(str(error)) from None
    finally:
        if sys.stderr.isatty():
            sys.stderr.write(_CLEAR)
        if made is not None:
            made.close()


def show_failure(lab: Laboratory) -> None:
    """Print the end of what the run as it is printed, where it made no step."""
    run = lab.as_it_is()
    if run.steps:
        return
    with run.output.open("rb") as file:
        file.seek(max(0, run.output.stat().st_size - 20_000))
        lines = file.read().decode("utf-8", "replace").splitlines()[-_TAIL:]
    from traindx.engine.redact import safe

    click.echo("the run made no optimizer step; its last lines:", err=True)
    for line in lines:
        click.echo(f"  {safe(line)}", err=True)


class Observed(NamedTuple):
    """A run that has ended, and the folder with its records, there as long as the context is open."""

    folder: Path
    watched: Watched

    def records(self, kind: str) -> Iterator[Mapping[str, Any]]:
        """The records of a kind, of all processes."""
        from traindx.probes.live.records import read_run

        for records in read_run(self.folder).processes:
            yield from (record for record in records if record["kind"] == kind)


@contextmanager
def observed(command: Sequence[str], options: Mapping[str, Any]) -> Iterator[Observed]:
    """Run a command with the observer in it and its output on the terminal. Raises BadCall where it does not start."""
    from traindx.probes.live.launch import NotStarted, found
    from traindx.probes.live.waiting import run_watched

    with tempfile.TemporaryDirectory(prefix="traindx-", ignore_cleanup_errors=True) as name:
        try:
            found(command)
            watched = run_watched(command, Path(name), options)
        except NotStarted as error:
            raise BadCall(str(error)) from None
        yield Observed(Path(name), watched)


def inputs_of(command: Sequence[str]) -> Found:
    """The scripts and configurations that the command names."""
    from traindx.probes.discover import Found
    from traindx.probes.live.command import named_in

    return Found(inputs=named_in(command))


def _tell(name: str, done: int, wanted: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{_CLEAR}{name or 'as it is'}: step {done} of {wanted}")
        sys.stderr.flush()
