"""`diagnose run`: start a training command, watch it from inside, and say what was seen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND

if TYPE_CHECKING:
    from traindx.engine.diagnosis import Diagnosis
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.probes.discover import Found
    from traindx.probes.live.waiting import Watched

_EPILOG = """\
The exit code is the command's; with --exit-code it is 0 where nothing wrong was found, else 1.

\b
Examples:
  diagnose run -- python train.py --config config.yaml
  diagnose run --report incident.md --stop-on nan-loss -- torchrun --nproc_per_node 2 train.py
  diagnose run -- accelerate launch train.py
"""


@click.command(
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "allow_interspersed_args": False},
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...", required=True)
@click.option(
    "-r",
    "--report",
    "reports",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a report: .md is the incident report, .json the data, else text. May be given several times.",
)
@click.option(
    "--stop-on",
    multiple=True,
    metavar="ID",
    help="Stop the run when this symptom is seen: nan-loss, hang ...",
)
@click.option(
    "--exit-code", is_flag=True, help="Leave with the exit code of the diagnosis, not the command's."
)
@click.option(
    "--hang-after",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="Without a step for so long, write down where every thread and rank stands.",
)
@click.option(
    "--save-batch",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Save the batch that gives NaN, tensors only.",
)
@click.option(
    "--monitor", type=click.Choice(["grad"]), help="Print the gradient norm now and then, and when it grows."
)
@click.option(
    "--break", "break_at", metavar="MODULE", help="Open pdb at a module, `encoder.*`, on the run's terminal."
)
@click.option(
    "--when",
    type=click.Choice(["always", "nonfinite"]),
    default="nonfinite",
    show_default=True,
    help="With --break: before each such module, or after the one whose output is the first with NaN or Inf.",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A log that the run writes; read at its end.",
)
@click.option(
    "--config", "configs", multiple=True, type=click.Path(path_type=Path), help="A configuration of the run."
)
@click.option(
    "--kb",
    "kb_folders",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="More knowledge.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the records of the run here.",
)
@click.option("--color/--no-color", "colour", default=None, help="Colour the summary.")
def run(
    command: tuple[str, ...],
    reports: tuple[Path, ...],
    stop_on: tuple[str, ...],
    exit_code: bool,
    hang_after: float,
    save_batch: Path | None,
    monitor: str | None,
    break_at: str | None,
    when: str,
    logs: tuple[Path, ...],
    configs: tuple[Path, ...],
    kb_folders: tuple[Path, ...],
    keep: Path | None,
    colour: bool | None,
) -> int:
    """Run a training command and watch every Python process that it starts.

    Its output, its input and its exit code stay its own. In the end a summary comes on standard error.
    """
    from traindx.probes.live.launch import NotStarted, found, shell_status
    from traindx.probes.live.waiting import run_unwatched, run_watched

    from .knowledge import knowledge

    try:
        found(command)
    except NotStarted as error:
        raise BadCall(str(error)) from None
    _refuse_unwritable(reports)
    known = knowledge(kb_folders) if kb_folders or stop_on or monitor else None
    options = {
        "hang_after": hang_after,
        "save_batch": str(save_batch.resolve()) if save_batch else None,
        "break": {"module": break_at, "when": when} if break_at else None,
    }
    with _folder(keep) as folder:
        if folder is None:
            return shell_status(run_unwatched(command).status)
        seen = _watch_for(stop_on, folder, known) if known is not None and stop_on else None
        if known is not None and monitor:
            from .monitor import monitored

            seen = monitored(folder, known, seen)
        watched = run_watched(command, folder, options, tell=_tell, seen=seen)
        code = shell_status(watched.status)
        try:
            known = known or knowledge(kb_folders)
            inputs = _inputs(command, logs, configs)
            diagnosis = _diagnose(folder, known, inputs, watched)
            _say(diagnosis, watched, reports, known, colour)
        except Exception as error:  # noqa: BLE001 - the exit code of a long run must not be lost to a fault of ours
            _tell(f"the run is not diagnosed, a fault of traindx: {type(error).__name__}: {error}")
            return code
    return (FOUND if diagnosis.found else NOTHING_FOUND) if exit_code else code


# -- before the run


def _refuse_unwritable(reports: tuple[Path, ...]) -> None:
    """Nobody trains for three days to hear then that the report has nowhere to go."""
    for path in reports:
        if path.is_dir() or not path.resolve().parent.is_dir():
            raise BadCall(f"{path}: a report cannot be written there")


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path | None]:
    """The folder for the records; None where there is none to be had, and the run goes on without us."""
    import shutil
    import tempfile

    if keep is not None:
        yield _kept(keep)
        return
    try:
        folder = Path(tempfile.mkdtemp(prefix="traindx-"))
    except OSError as error:
        _tell(f"the run is not watched: no folder for its records ({error.strerror})")
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


def _tell(text: str) -> None:
    from traindx.engine.redact import safe

    click.echo(f"diagnose: {safe(text)}", err=True)


def _watch_for(wanted: tuple[str, ...], folder: Path, knowledge: Knowledge) -> Callable[[], str | None]:
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


def _inputs(command: tuple[str, ...], logs: tuple[Path, ...], configs: tuple[Path, ...]) -> Found:
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


def _diagnose(folder: Path, knowledge: Knowledge, found: Found, watched: Watched) -> Diagnosis:
    from traindx.probes.live.probe import LiveProbe

    from .patching import Patching
    from .session import Session

    probe = LiveProbe(folder, knowledge, status=watched.status)
    session = Session(knowledge, found, probes=[probe])
    reasoned = session.run((), ())
    return Patching(session, reasoned, chosen=(), all_of_them=False).attached(to_first=False)


def _say(
    diagnosis: Diagnosis,
    watched: Watched,
    reports: tuple[Path, ...],
    knowledge: Knowledge,
    colour: bool | None,
) -> None:
    from traindx.engine.report.short import short

    from . import output, terminal

    for path in reports:
        try:
            output.write_report(path, diagnosis, knowledge)
        except BadCall as error:
            _tell(error.message)
    lines = short(diagnosis, _ending(watched), failed=watched.status != 0)
    terminal.show(lines, colour=terminal.in_colour(colour, sys.stderr), stream=sys.stderr)


def _ending(watched: Watched) -> str:
    import signal

    if watched.stopped:
        how = f"stopped ({watched.stopped})"
    elif watched.status < 0:
        how = f"ended by {signal.Signals(-watched.status).name}"
    else:
        how = f"exit code {watched.status}"
    return f"{how} after {_duration(watched.seconds)}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
