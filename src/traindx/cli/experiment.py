"""`diagnose experiment`: the engine chooses what to try on the script, and tries it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND
from .trying import PATIENCE, STEPS, trial_options

if TYPE_CHECKING:
    from traindx.engine.diagnose import Reasoned
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.engine.kb.rules import ExperimentRule
    from traindx.probes.live.experiments import Laboratory

BUDGET = 15.0
"""Minutes for all experiments."""
_OF_MAIN_COMMAND = {"paths", "symptoms", "answers", "experiments", "budget", "kb_folders", "report", "colour"}
"""The options of `diagnose` that an experiment heeds."""
_QUESTIONS = 60
"""Questions that are looked through for one that an experiment answers."""


@click.command(context_settings=options.COMMAND)
@options.the_command
@click.option(
    "-s", "--symptom", "symptoms", multiple=True, metavar="ID", help="What you see; detected where left out."
)
@click.option(
    "--budget", type=click.FloatRange(min=0), default=BUDGET, show_default=True, metavar="MINUTES",
    help="Time for all experiments. One that would take longer than what is left is not begun.",
)  # fmt: skip
@options.report
@trial_options
def experiment(
    command: tuple[str, ...], symptoms: tuple[str, ...], budget: float, report: Path | None, steps: int, seed: int,
    patience: float, kb_folders: tuple[Path, ...], colour: bool | None,
) -> int:  # fmt: skip
    """Find the cause by experiments on a training command, the most telling per minute first.

    What `diagnose` would ask a person to try, it tries itself: one change at a time, each against the run as it is.
    """
    return find_out(
        command, symptoms=symptoms, minutes=budget, report=report, steps=steps, seed=seed, patience=patience,
        kb_folders=kb_folders, colour=colour,
    )  # fmt: skip


def from_main_command(context: click.Context) -> int:
    """What `diagnose --experiment -- COMMAND` does. Raises BadCall for options that say nothing to an experiment."""
    default = click.core.ParameterSource.DEFAULT
    given = {name for name in context.params if context.get_parameter_source(name) is not default}
    for one in context.command.params:
        if one.name in given - _OF_MAIN_COMMAND:
            raise BadCall(f"--experiment runs a command; {one.opts[-1]} is not for that")
    values = context.params
    return find_out(
        [str(path) for path in values["paths"]],
        symptoms=values["symptoms"],
        answers=values["answers"],
        minutes=values["budget"] / 60 if "budget" in given else BUDGET,
        report=values["report"],
        kb_folders=values["kb_folders"],
        colour=values["colour"],
    )


def find_out(
    command: Sequence[str],
    *,
    symptoms: Sequence[str] = (),
    answers: Sequence[str] = (),
    minutes: float = BUDGET,
    report: Path | None = None,
    steps: int = STEPS,
    seed: int = 0,
    patience: float = PATIENCE,
    kb_folders: Sequence[Path] = (),
    colour: bool | None = None,
) -> int:
    """Watch a short run of a command, then experiment until the cause is confirmed or the time is up.

    Raises BadCall for a command that cannot be started, an unknown symptom, and an answer that does not fit.
    """
    from traindx.engine.report.short import short

    from . import output, terminal
    from .comparison import comparison
    from .knowledge import knowledge
    from .session import Session
    from .trying import inputs_of, laboratory, show_failure

    known = knowledge(kb_folders)
    in_colour = terminal.in_colour(colour)
    deadline = time.monotonic() + 60 * minutes
    with laboratory(command, known, steps=steps, seed=seed, patience=min(patience, 60 * minutes)) as lab:
        session = Session(known, inputs_of(command), probes=[lab.as_it_is().probe])
        reasoned = session.run(symptoms, answers)
        show_failure(lab)
        done: set[str] = set()
        while reasoned.diagnosis.found or symptoms:
            chosen = next_experiment(reasoned, known, lab, done, deadline - time.monotonic())
            if chosen is None:
                break
            done.add(chosen.id)
            outcome = lab.run(chosen)
            terminal.show(comparison(outcome, known), colour=in_colour)
            for fact in outcome.answers:
                reasoned = session.more(reasoned, fact)
    click.echo()
    terminal.show(short(reasoned.diagnosis, _tried(done), failed=False), colour=in_colour)
    if report:
        output.write_report(report, reasoned.diagnosis, known)
    return FOUND if reasoned.diagnosis.found else NOTHING_FOUND


def next_experiment(
    reasoned: Reasoned, known: Knowledge, lab: Laboratory, done: set[str], left: float
) -> ExperimentRule | None:
    """What to try next: the most bits per minute that fits into what is left; None where the cause is confirmed."""
    from traindx.engine.next_tests import next_tests

    facts = reasoned.gathered.facts
    if reasoned.ranked[0].verdict == "confirmed":
        return None
    bits = {one.fact.name: one.bits for one in next_tests(reasoned.ranked, facts, known, top=_QUESTIONS)}
    worth = []
    for one in known.experiments.values():
        gain = sum(bits.get(answer.fact, 0.0) for answer in one.answers)
        seconds = lab.seconds(one)
        if (
            gain
            and one.id not in done
            and seconds <= left
            and (one.when is None or one.when.of(facts) is not False)
        ):
            worth.append((gain / seconds, one))
    return max(worth, key=lambda pair: pair[0])[1] if worth else None


def _tried(done: set[str]) -> str:
    return f"after {len(done)} experiment{'' if len(done) == 1 else 's'}"
