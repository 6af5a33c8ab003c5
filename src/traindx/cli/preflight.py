"""`diagnose preflight`: the first steps of a run looked at closely, then the run is ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from traindx.engine.conditions.values import is_number
from traindx.engine.report.lines import Line, Span, line_of, title

from . import options
from .exit_codes import FOUND, NOTHING_FOUND

if TYPE_CHECKING:
    from traindx.engine.checklists import Ticked

LIST = "preflight"
"""The checklist that is ticked."""


@click.command(context_settings=options.COMMAND)
@options.the_command
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="Optimizer steps before the end.",
)
@options.report
@options.knowledge_folders
@options.colour
def preflight(
    command: tuple[str, ...],
    steps: int,
    report: Path | None,
    kb_folders: tuple[Path, ...],
    colour: bool | None,
) -> int:
    """Check a training command before it runs for days: a step or two, then the end.

    Devices, trainable share, one batch, forward, backward, every gradient, the first loss against what guessing
    would give, learning rate and precision. Exit code 1 where something is wrong.
    """
    from traindx.engine.checklists import tick
    from traindx.engine.report.short import short
    from traindx.probes.live.probe import LiveProbe

    from . import output, terminal
    from .knowledge import knowledge
    from .session import Session
    from .trying import inputs_of, observed

    known = knowledge(kb_folders)
    in_colour = terminal.in_colour(colour)
    with observed(command, {"stop_after": steps, "preflight": True}) as run:
        watched = run.watched
        session = Session(
            known, inputs_of(command), probes=[LiveProbe(run.folder, known, status=watched.status)]
        )
        reasoned = session.run((), ())
        first = next(run.records("batch"), {})
        batch = [one for one in first.get("entries") or () if isinstance(one, dict)]
    ticked = tick(known.checklists[LIST], "checklist", reasoned.gathered.facts, known)
    terminal.show(_table(batch), colour=in_colour)
    terminal.show(_shown(ticked), colour=in_colour)
    ended = f"ended after {watched.seconds:.0f} s"
    terminal.show(short(reasoned.diagnosis, ended, failed=bool(watched.status)), colour=in_colour)
    if report:
        output.write_report(report, reasoned.diagnosis, known)
    return FOUND if ticked.failed or watched.status or reasoned.diagnosis.found else NOTHING_FOUND


def _shown(ticked: Ticked) -> Iterator[Line]:
    """The checklist with what was seen, and in one line what was not."""
    from traindx.engine.checklists import OPEN
    from traindx.engine.report.checklist import seen

    yield from title(ticked.title)
    yield from seen(ticked)
    rest = [one.text.rstrip(".") for one in ticked.items if one.state == OPEN]
    if rest:
        yield line_of(Span(f"  ?  not seen here: {'; '.join(rest)}", "dim"), hang=7)


def _table(batch: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """One line a tensor of the first batch."""
    if not batch:
        return
    yield Line()
    yield line_of(Span("The first batch", "title"))
    for one in batch:
        shape = "x".join(map(str, one.get("shape") or ())) or "a number"
        parts = [f"{one.get('role')} {one.get('key')}: {shape} {one.get('dtype')} on {one.get('device')}"]
        parts += [
            f"{name} {one[name]:.4g}" for name in ("min", "max", "mean", "std") if is_number(one.get(name))
        ]
        share = one.get("nonfinite_share")
        bad = isinstance(share, float) and share > 0
        if bad:
            parts.append(f"NaN or Inf {share:.2%}")
        if isinstance(labels := one.get("distribution"), dict):
            parts.append(
                "labels " + ", ".join(f"{label}: {count}" for label, count in list(labels.items())[:10])
            )
        yield line_of("  ", Span(", ".join(parts), "bad" if bad else ""), hang=4)
