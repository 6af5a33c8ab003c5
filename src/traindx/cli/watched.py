"""What `diagnose run` does around the run: a folder for its records, symptoms to stop it on, its diagnosis."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .errors import BadCall

if TYPE_CHECKING:
    from traindx.engine.diagnosis import Diagnosis
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.probes.discover import Found
    from traindx.probes.live.waiting import Watched

# -- before the run


def refuse_unwritable(reports: tuple[Path, ...]) -> None:
    """Raises BadCall: nobody trains for three days to hear then that the report has nowhere to go."""
    for path in reports:
        if os.path.isdir(path) or not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise BadCall(f"{path}: a report cannot be written there")


@contextmanager
def folder_for(keep: Path | None) -> Iterator[Path | None]:
    """The folder for the records; None where there is none to be had, and the run goes on without us."""
    import shutil
    import tempfile

    if keep is not None:
        yield _kept(keep)
        return
    try:
        folder = Path(tempfile.mkdtemp(prefix="traindx-"))
    except OSError as error:
        tell(f"the run is not watched: no folder for its records ({error.strerror})")
        yield None
        return
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _kept(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadCall(f"{folder}: not empty; the records of one run need a folder of their own")
    except OSError as error:
        raise BadCall(f"{folder}: {error.strerror}") from None
    return folder


# -- while it runs


def tell(text: str) -> None:
    """A line of ours on standard error, between those of the command. Where nobody reads it any more, the run goes on."""
    from traindx.engine.redact import safe

    with suppress(OSError):
        click.echo(f"diagnose: {safe(text)}", err=True)


def watch_for(wanted: tuple[str, ...], folder: Path, knowledge: Knowledge) -> Callable[[], str | None]:
    """A look at the records so far: which of these symptoms they show. Raises BadCall for an unknown one."""
    from traindx.engine.symptoms import UnknownSymptom, find_symptom

    try:
        ids = [find_symptom(word, knowledge) for word in wanted]
    except UnknownSymptom as error:
        raise BadCall(str(error)) from None

    def seen() -> str | None:
        from traindx.engine.facts import Facts
        from traindx.engine.gather import gather
        from traindx.probes.live.probe import LiveProbe

        found = gather(knowledge, [LiveProbe(folder, knowledge)], (), Facts()).seen
        # A symptom that merely goes with a cause is no reason to end anybody's run.
        shown = (one for one in found if one.detected and one.evidence and one.symptom.id in ids)
        return next((one.symptom.title for one in shown), None)

    return seen


# -- after it


def inputs_of(command: tuple[str, ...], logs: tuple[Path, ...], configs: tuple[Path, ...]) -> Found:
    """The files that the options name, and the scripts and configurations on the command line."""
    from traindx.probes.discover import BadInput, Found, named
    from traindx.probes.inputs import Kind
    from traindx.probes.live.command import named_in

    found = Found(inputs=named_in(command))
    for kind, paths in ((Kind.LOG, logs), (Kind.CONFIG, configs)):
        for path in paths:
            try:
                found.inputs.append(named(path, kind))
            except BadInput as error:
                found.notes.append(str(error))
    return found


def diagnosed(folder: Path, knowledge: Knowledge, found: Found, watched: Watched) -> Diagnosis:
    """The diagnosis of the records and of the files beside them."""
    from traindx.probes.live.probe import LiveProbe

    from .patching import Patching
    from .session import Session

    probe = LiveProbe(folder, knowledge, status=watched.status)
    session = Session(knowledge, found, probes=[probe])
    reasoned = session.run((), ())
    return Patching(session, reasoned, chosen=(), all_of_them=False).attached()


def say(
    diagnosis: Diagnosis,
    watched: Watched,
    reports: tuple[Path, ...],
    knowledge: Knowledge,
    colour: bool | None,
) -> None:
    """Write the reports, and the summary last."""
    from traindx.engine.report.short import short

    from . import output, terminal

    for path in reports:
        try:
            output.write_report(path, diagnosis, knowledge)
        except BadCall as error:
            tell(error.message)
    failed = watched.status != 0 and not watched.interrupted
    lines = short(diagnosis, _ending(watched), failed=failed)
    # Reports are written by now, and the exit code is the command's, whether or not anybody reads on.
    with suppress(OSError):
        terminal.show(lines, colour=terminal.in_colour(colour, sys.stderr), stream=sys.stderr)


def _ending(watched: Watched) -> str:
    import signal

    if watched.stopped:
        how = f"stopped ({watched.stopped})"
    elif watched.status < 0:
        how = f"ended by {signal.Signals(-watched.status).name}"
    else:
        how = f"{'interrupted, ' if watched.interrupted else ''}exit code {watched.status}"
    return f"{how} after {_duration(watched.seconds)}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
