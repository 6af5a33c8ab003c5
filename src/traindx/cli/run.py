"""`diagnose run`: start a training command, watch it from inside, and say what was seen."""

from __future__ import annotations

from pathlib import Path

import click

from . import options
from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND

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
    context_settings=options.COMMAND,
)
@options.the_command
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
@options.knowledge_folders
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the records of the run here.",
)
@options.colour
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
    from .watched import diagnosed, folder_for, inputs_of, refuse_unwritable, say, tell, watch_for

    try:
        found(command)
    except NotStarted as error:
        raise BadCall(str(error)) from None
    refuse_unwritable(reports)
    known = knowledge(kb_folders) if kb_folders or stop_on or monitor else None
    watching = {
        "hang_after": hang_after,
        "save_batch": str(save_batch.resolve()) if save_batch else None,
        "break": {"module": break_at, "when": when} if break_at else None,
    }
    with folder_for(keep) as folder:
        if folder is None:
            return shell_status(run_unwatched(command).status)
        seen = watch_for(stop_on, folder, known) if known is not None and stop_on else None
        if known is not None and monitor:
            from .monitor import monitored

            seen = monitored(folder, known, seen)
        watched = run_watched(command, folder, watching, tell=tell, seen=seen)
        code = shell_status(watched.status)
        try:
            known = known or knowledge(kb_folders)
            inputs = inputs_of(command, logs, configs)
            diagnosis = diagnosed(folder, known, inputs, watched)
            say(diagnosis, watched, reports, known, colour)
        except Exception as error:  # noqa: BLE001 - the exit code of a long run must not be lost to a fault of ours
            tell(f"the run is not diagnosed, a fault of traindx: {type(error).__name__}: {error}")
            return code
    return (FOUND if diagnosis.found else NOTHING_FOUND) if exit_code else code
