"""`diagnose test`: named experiments on the user's own script, one thing changed at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND
from .trying import trial_options

if TYPE_CHECKING:
    from traindx.engine.facts import Fact

_EPILOG = """\
Each experiment is two short runs of the same script: as it is, and with one thing changed from outside.
Seeds, data order and number of steps are equal. The script runs for real: what it writes, it writes.

\b
Examples:
  diagnose test fp32 -- python train.py              does the NaN go away in FP32?
  diagnose test overfit-one-batch -- python train.py
  diagnose test lr-tenth one-worker --steps 100 -- python train.py --config config.yaml
"""


@click.command(epilog=_EPILOG, context_settings=options.SETTINGS)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="NAME... -- COMMAND...")
@click.option("--list", "listed", is_flag=True, help="List the experiments.")
@trial_options
def test(
    words: tuple[str, ...], listed: bool, steps: int, seed: int, patience: float, kb_folders: tuple[Path, ...],
    colour: bool | None,
) -> int:  # fmt: skip
    """Try something on a training command: run it for some steps as it is, and again with one thing changed."""
    from traindx.engine.report.short import short

    from . import terminal
    from .comparison import comparison
    from .knowledge import knowledge
    from .session import Session
    from .trying import inputs_of, laboratory, show_failure

    known = knowledge(kb_folders)
    if listed:
        for experiment in known.experiments.values():
            click.echo(f"{experiment.id:<22}{experiment.title}")
        return NOTHING_FOUND
    names = _leading(words, known.experiments)
    command = words[len(names) :]
    in_colour = terminal.in_colour(colour)
    answers: list[Fact] = []
    with laboratory(command, known, steps=steps, seed=seed, patience=patience) as lab:
        for name in names:
            outcome = lab.run(known.experiments[name])
            terminal.show(comparison(outcome, known), colour=in_colour)
            answers += outcome.answers
        show_failure(lab)
        session = Session(known, inputs_of(command), probes=[lab.as_it_is().probe])
        reasoned = session.run((), ())
        for fact in answers:
            reasoned = session.more(reasoned, fact)
    click.echo()
    terminal.show(short(reasoned.diagnosis, "with these answers", failed=False), colour=in_colour)
    return FOUND if reasoned.diagnosis.found else NOTHING_FOUND


def _leading(words: tuple[str, ...], known: Mapping[str, object]) -> list[str]:
    """The names of experiments before the command. Raises BadCall where there are none, naming the nearest."""
    names = []
    for word in words:
        if word not in known:
            break
        names.append(word)
    if names:
        return list(dict.fromkeys(names))
    import difflib

    close = difflib.get_close_matches(words[0], known, n=3, cutoff=0.4) if words else []
    nearest = f"; nearest: {', '.join(close)}" if close else ""
    raise BadCall(f"name an experiment before the command{nearest}; `diagnose test --list` shows all")
