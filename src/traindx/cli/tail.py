"""`diagnose tail`: follow a log as it grows, and say what is worth a line the moment it is there."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from . import options
from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND

if TYPE_CHECKING:
    from traindx.probes.logs.noticing import Noticed

_COLOURS = {"failure": "red", "warning": "yellow", "curve": "red"}


@click.command(context_settings=options.SETTINGS)
@click.argument("path", type=click.Path(path_type=Path), metavar="LOG")
@click.option(
    "--stop-after",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop when nothing was written for so long; else Ctrl-C stops.",
)
@click.option("-s", "--symptom", "symptoms", multiple=True, metavar="ID", help="What you see, if you know.")
@options.report
@options.knowledge_folders
@options.colour
def tail(
    path: Path,
    stop_after: float | None,
    symptoms: tuple[str, ...],
    report: Path | None,
    kb_folders: tuple[Path, ...],
    colour: bool | None,
) -> int:
    """Follow LOG while it is written, and print a line when something is noticed.

    NaN, spikes, plateaus, error texts, a falling loss scale, a falling speed. The log may be rotated or
    begin anew; one that is not there yet is waited for. In the end comes the diagnosis of all that was read.
    """
    from traindx.engine.redact import safe
    from traindx.engine.report.short import short
    from traindx.probes.configs.probe import ConfigProbe
    from traindx.probes.discover import Found
    from traindx.probes.inputs import Kind
    from traindx.probes.kinds import kind_of
    from traindx.probes.logs.followed import FollowedLog

    from . import output, terminal
    from .knowledge import knowledge
    from .session import Session

    kind = kind_of(path) if os.path.isfile(path) else Kind.LOG
    if os.path.isdir(path) or kind not in (Kind.LOG, Kind.RECORDS):
        raise BadCall(f"{path}: not a log that grows; `diagnose {path}` reads it")
    known = knowledge(kb_folders)
    coloured = terminal.in_colour(colour)

    def say(one: Noticed) -> None:
        what = click.style(safe(one.what), fg=_COLOURS.get(one.role)) if coloured else safe(one.what)
        click.echo(f"{one.place}: {what}")

    with _interruptible() as stop:
        log = FollowedLog(
            path, kind, known, stop=stop, say=say, tell=lambda text: click.echo(text), patience=stop_after
        )
        configs = ConfigProbe([], known, lambda: log.printed_settings)
        reasoned = Session(known, Found(), probes=[log, configs]).run(symptoms, ())
    click.echo()
    terminal.show(short(reasoned.diagnosis, f"{path} was read", failed=False), colour=coloured)
    if report:
        output.write_report(report, reasoned.diagnosis, known)
    return FOUND if reasoned.diagnosis.found else NOTHING_FOUND


@contextmanager
def _interruptible() -> Iterator[Event]:
    """An event that Ctrl-C sets. A second Ctrl-C ends the command at once."""
    stop = Event()

    def interrupted(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
