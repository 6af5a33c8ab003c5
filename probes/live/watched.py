"""What of a run was watched, in one line: a clean bill of health says what it covers."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.engine.facts import Place

from .curves import Curve
from .processes import RUN, Process
from .told import LiveFacts


def what_was_watched(
    facts: LiveFacts, curves: Sequence[Curve], trainers: Sequence[Process], *, over: bool
) -> str:
    """Steps, optimizers, parameters and ranks, as a person reads them. `over` says that the command has ended."""
    ranks = {one.rank for one in trainers}
    lead = [one for one in curves if one.process is curves[0].process]
    steps = max((one.count for one in lead), default=0)
    facts.tell("log.watched_steps", steps, Place(RUN))
    if not steps:
        return "no optimizer step was seen"
    facts.tell("log.watched_optimizers", len(lead), Place(RUN))
    # A process that was killed had steps which it had not written yet.
    least = "at least " if over and curves[0].process.last("end") is None else ""
    parts = [least + _counted(steps, "step"), _counted(len(lead), "optimizer")]
    size = facts.value("model.parameters")
    if isinstance(size, float):
        parts.append(_counted(int(size), "parameter"))
    if len(ranks) > 1:
        parts.append(_counted(len(ranks), "rank"))
    return "watched " + ", ".join(parts)


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")
