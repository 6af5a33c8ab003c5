"""The main command: inputs in, diagnosis out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from . import options
from .candidates import symptoms_starting
from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND
from .group import MainCommand

if TYPE_CHECKING:
    from traindx.engine.diagnose import Reasoned
    from traindx.probes.discover import Found

    from .session import Session

_FORMATS = ("text", "markdown", "json")
_EPILOG = """\
Exit codes: 0 nothing wrong found, 1 a cause or symptom was found, 2 the call or an input is wrong, 3 a fault of ours.

\b
Examples:
  diagnose train.log config.yaml                what is wrong with this run?
  diagnose --symptom nan-loss runs/exp42/       I know what I see; why?
  diagnose < train.log                          a pipe works
  diagnose --symptom cuda-oom                   nothing at hand: what to check, in which order
  diagnose runs/exp42/ --beside runs/exp41/     exp41 was fine: what is apart?
  diagnose --ask train.log                      ask me what would tell most
  diagnose runs/exp42/ --report incident.md     the incident report
  diagnose train.log config.yaml --write        patch config.yaml, keep a backup
"""


@click.command("diagnose", cls=MainCommand, epilog=_EPILOG, context_settings=options.SETTINGS)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option(
    "-s",
    "--symptom",
    "symptoms",
    multiple=True,
    metavar="ID",
    shell_complete=symptoms_starting,
    help="What you see: nan-loss, cuda-oom, hang ... (aliases work). Detected where left out.",
)
@click.option(
    "--log", "logs", multiple=True, type=click.Path(path_type=Path), help="A log, whatever its name."
)
@click.option("--config", "configs", multiple=True, type=click.Path(path_type=Path), help="A configuration.")
@click.option(
    "--code", "codes", multiple=True, type=click.Path(path_type=Path), help="A Python script. Never run."
)
@click.option(
    "--beside",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Another run, fine or not: where one setting is apart between the two, it answers what a test would.",
)
@options.answers
@click.option("--ask/--no-ask", default=False, help="Ask what would tell most, best question first.")
@click.option(
    "--experiment",
    "experiments",
    is_flag=True,
    help="Run what would be asked for: the arguments are a training command, as in `diagnose experiment`.",
)
@click.option(
    "--scan",
    type=click.Choice(["auto", "full", "triage"]),
    default="auto",
    show_default=True,
    help="Read logs line by line, or sample the metrics of huge ones.",
)
@options.machine
@click.option(
    "--budget",
    type=click.FloatRange(min=0),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for looking at anything you did not name; with --experiment, for all experiments.",
)
@options.knowledge_folders
@click.option(
    "-f",
    "--format",
    "output",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="What to print.",
)
@options.report
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="How many causes to list.",
)
@click.option(
    "--explain",
    nargs=2,
    metavar="how|why|why-not ID",
    default=None,
    help="How a cause was weighed, why a fact is asked, why a cause is not first.",
)
@click.option("--diff", "diff_only", is_flag=True, help="Print only the change to your files, as a patch.")
@click.option("--fix", "fixes", multiple=True, metavar="ID", help="The fix to apply instead of the first.")
@click.option("--all-fixes", is_flag=True, help="Apply all fixes that go together, not one at a time.")
@click.option(
    "--patched", type=click.Path(path_type=Path), metavar="FILE", help="Write the patched config here."
)
@click.option("--write", is_flag=True, help="Patch your config in place; a backup stays beside it.")
@options.colour
@click.version_option(package_name="traindx", prog_name="diagnose")
def diagnose(
    paths: tuple[Path, ...],
    symptoms: tuple[str, ...],
    logs: tuple[Path, ...],
    configs: tuple[Path, ...],
    codes: tuple[Path, ...],
    beside: tuple[Path, ...],
    answers: tuple[str, ...],
    ask: bool,
    experiments: bool,
    scan: Literal["auto", "full", "triage"],
    machine: bool,
    budget: float,
    kb_folders: tuple[Path, ...],
    output: str,
    report: Path | None,
    top: int,
    explain: tuple[str, str] | None,
    diff_only: bool,
    fixes: tuple[str, ...],
    all_fixes: bool,
    patched: Path | None,
    write: bool,
    colour: bool | None,
) -> int:
    """Find out why a training run fails, and what to change.

    PATH is a log, a configuration, a script or a whole run directory. Nothing is run, nothing is
    sent anywhere, and nothing is written unless you ask for it.
    """
    from . import output as out
    from .inputs import collect
    from .knowledge import knowledge
    from .patching import Patching
    from .session import Session
    from .side_by_side import diagnosed

    if experiments:
        from .experiment import from_main_command

        return from_main_command(click.get_current_context())
    if patched and write:
        raise BadCall("--patched writes a new file and --write changes yours: choose one")
    if diff_only and output != "text":
        raise BadCall("--diff prints a patch and --format says how to print a diagnosis: choose one")
    known = knowledge(kb_folders)
    found = collect(paths, logs=logs, configs=configs, codes=codes, nothing_else=not (symptoms or answers))
    if report:
        out.refuse_to_replace(report, found.inputs)

    def begin(inputs: Found) -> Session:
        return Session(known, inputs, scan=scan, machine=machine, budget=budget, top=top)

    session, reasoned = diagnosed(found, begin, symptoms, answers, beside)
    if ask:
        from .questions import ask_on

        reasoned = ask_on(reasoned, session)
    patching = Patching(session, reasoned, chosen=fixes, all_of_them=all_fixes)
    # The screen shows one diff; a report shows them all.
    diagnosis = patching.attached(to_taken=output == "text" and not report)
    if write or patched:
        patching.write(patched)
    if report:
        out.write_report(report, diagnosis, known)
    if explain:
        return out.explain(explain, reasoned, known)
    if diff_only:
        click.echo(patching.diff(), nl=False)
    else:
        out.show(output, diagnosis, known, colour=colour)
    return _exit_code(reasoned)


def _exit_code(reasoned: Reasoned) -> int:
    return FOUND if reasoned.diagnosis.found else NOTHING_FOUND
