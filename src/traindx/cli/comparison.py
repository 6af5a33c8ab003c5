"""Two runs of an experiment beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from traindx.engine.report.lines import Line, Span, line_of

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.probes.live.experiments import Outcome
    from traindx.probes.live.short_run import ShortRun

_ROWS = 8
_WIDTH = 48
_BARS = "▁▂▃▄▅▆▇█"
_BAD = "×"
_WIDE = 50
"""A curve that spans more than this is drawn by its logarithm."""

Losses = Sequence[float | None]


def comparison(outcome: Outcome, knowledge: Knowledge) -> Iterator[Line]:
    """The losses of both runs at some steps and as a plot each, and what the experiment answers."""
    experiment, before, after = outcome.experiment, outcome.before, outcome.after
    yield Line()
    yield line_of(Span(experiment.title, "title"), Span(f"  ({experiment.id})", "dim"))
    runs = [("as it is", before)] if experiment.alone else [("as it is", before), ("changed", after)]
    if any(run.losses for _, run in runs):
        yield line_of(" " * 12, *(Span(f"{name:>12}", "dim") for name, _ in runs))
        for step in _chosen(max(len(run.losses) for _, run in runs)):
            yield line_of(f"  step {step + 1:<5}", *(_cell(run.losses, step) for _, run in runs))
        high, low = _bounds([one for _, run in runs for one in run.losses])
        for name, run in runs:
            yield line_of(f"  {name:<10}", plot(run.losses, low, high), *_ended(run))
    else:
        for name, run in runs:
            yield line_of(f"  {name:<10}", "no loss was seen", *_ended(run))
    yield from _answers(outcome, knowledge)


def _answers(outcome: Outcome, knowledge: Knowledge) -> Iterator[Line]:
    for fact in outcome.answers:
        role = "good" if fact.value else "doubt"
        means = knowledge.facts[fact.name].means
        yield line_of(
            "  ",
            Span("yes" if fact.value else "no", role),
            f": {means}",
            Span(f"  {fact.name}", "dim"),
            hang=4,
        )
    if outcome.reason:
        yield line_of(Span(f"  answers nothing: {outcome.reason}", "doubt"), hang=4)


def plot(losses: Losses, low: float, high: float) -> str:
    """A curve in one line: a bar for each part of the run, a cross where it was not finite."""
    parts = [
        losses[start : start + size]
        for size in [max(1, -(-len(losses) // _WIDTH))]
        for start in range(0, len(losses), size)
    ]
    return "".join(_bar(part, low, high) for part in parts)


def _bar(part: Losses, low: float, high: float) -> str:
    known = [one for one in part if one is not None]
    if not known:
        return " "
    if not all(map(math.isfinite, known)):
        return _BAD
    value = sum(known) / len(known)
    if low > 0 and high / low > _WIDE:
        value, low, high = math.log(value), math.log(low), math.log(high)
    share = (value - low) / (high - low) if high > low else 0.0
    return _BARS[min(len(_BARS) - 1, max(0, int(share * len(_BARS))))]


def _bounds(losses: Losses) -> tuple[float, float]:
    finite = [one for one in losses if one is not None and math.isfinite(one)]
    return max(finite, default=0.0), min(finite, default=0.0)


def _chosen(count: int) -> list[int]:
    """Some steps from the first to the last, closer together at the start."""
    wanted = (
        {round((count - 1) * (index / (_ROWS - 1)) ** 1.7) for index in range(_ROWS)} if count > 1 else {0}
    )
    return sorted(wanted)


def _cell(losses: Losses, step: int) -> Span:
    value = losses[step] if step < len(losses) else None
    if value is None:
        return Span(f"{'-':>12}", "dim")
    return Span(f"{value:>12.5g}", "" if math.isfinite(value) else "bad")


def _ended(run: ShortRun) -> Iterator[Span]:
    if run.per_second:
        yield Span(f"  {1000 / run.per_second:.3g} ms a step", "dim")
    if run.failure:
        yield Span(f"  {run.failure}", "bad")
    elif not run.in_time:
        yield Span(f"  ended after {run.seconds:.0f} s, at step {run.steps}", "doubt")
