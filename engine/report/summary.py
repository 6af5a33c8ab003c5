"""What was read of a run in which nothing is wrong: how far it came, where its loss went, how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..diagnosis import CauseFound, Diagnosis, Evidence, FactFound
from ..facts import in_digits
from ..wording import show
from .lines import Line, Span, line_of, where

# An easy task is learnt at once. Whoever knows that theirs is not can ask for it.
_AT_ONCE = "; if the task is not as easy as that, ask with --symptom suspicious-metrics"
_MOSTLY = 10.0
"""Decibans: ten times as often with the cause as without it."""
_LOOKS = 5
_FROM_FILES = frozenset({"config", "script", "code", "log"})


def what_was_seen(diagnosis: Diagnosis) -> Iterator[Line]:
    """A few sentences, each with its place."""
    facts = {one.name: one for one in diagnosis.facts}
    for one in diagnosis.inputs:
        if one.kind == "live":
            yield line_of(f"  No symptom, and no cause above possible: {one.note}.", hang=4)
    for sentence, rests_on in _sentences(facts):
        yield line_of(f"  {sentence}", *where(rests_on.source[:1]), hang=4)


def worth_a_look(diagnosis: Diagnosis) -> list[tuple[CauseFound, Evidence]]:
    """What a script does, or settings ask for, that is mostly a mistake, where nothing is seen to go wrong: of each the likeliest cause."""
    if diagnosis.found:
        return []
    seen: dict[tuple[str, ...], tuple[CauseFound, Evidence]] = {}
    for cause in diagnosis.causes:
        for line in cause.evidence:
            of_script = cause.is_mistake and line.decibans >= _MOSTLY and all(map(_is_of_script, line.facts))
            if line.facts and (of_script or (line.is_mistake and line.decibans > 0)):
                seen.setdefault(line.facts, (cause, line))
    return list(seen.values())


def _is_of_script(fact: str) -> bool:
    return fact.startswith("code.")


def noticed(diagnosis: Diagnosis) -> Iterator[Line]:
    """The same as lines."""
    for cause, line in worth_a_look(diagnosis)[:_LOOKS]:
        yield line_of(f"  ? {line.statement}", Span(f"  {cause.id}", "dim"), *where(line.source[:1]), hang=6)


def _sentences(facts: Mapping[str, FactFound]) -> Iterator[tuple[str, FactFound]]:
    if (trainer := facts.get("log.trainer")) and trainer.source:
        yield f"The log reads as one of {show(trainer.value)}.", trainer._replace(source=())
    yield from _losses(facts, "loss.", "training loss")
    yield from _losses(facts, "loss.eval.", "validation loss")
    if score := facts.get("log.eval_accuracy.last"):
        early = _true(facts, "log.eval_accuracy.perfect_early")
        yield f"The last validation accuracy is {show(score.value)}{_AT_ONCE if early else ''}.", score
    first, last = facts.get("log.reward.first"), facts.get("log.reward.last")
    if first and last and _true(facts, "log.agent_trains"):
        yield f"What the agent earns goes from {show(first.value)} to {show(last.value)}.", last
    yield from _progress(facts)
    settings = [
        one for name, one in facts.items() if name.startswith("config.") and one.origin in _FROM_FILES
    ]
    if files := dict.fromkeys(one.source[0].input for one in settings if one.source):
        yield f"Settings were read in {' and '.join(list(files)[:2])}.", settings[0]._replace(source=())


def _losses(facts: Mapping[str, FactFound], prefix: str, name: str) -> Iterator[tuple[str, FactFound]]:
    first, last, count = (facts.get(prefix + key) for key in ("first", "last", "count"))
    if first is None or last is None:
        return
    times = f", read {show(count.value)} times" if count and count.value != 1 else ""
    measure = (
        "; it is no measure of progress here" if prefix == "loss." and _true(facts, "loss.no_measure") else ""
    )
    if count and count.value == 1:
        yield f"The {name} is {show(last.value)}, read once.", last
    else:
        yield f"The {name} goes from {show(first.value)} to {show(last.value)}{times}{measure}.", last


def _progress(facts: Mapping[str, FactFound]) -> Iterator[tuple[str, FactFound]]:
    """How far the run came, and how it ended as far as the log tells."""
    finished, midway = _true(facts, "log.finished"), _true(facts, "log.ends_midway")
    reached = facts.get("log.steps") or facts.get("log.epochs")
    if reached and isinstance(reached.value, int | float):
        unit, whole = (
            ("step", "log.total_steps") if reached.name == "log.steps" else ("epoch", "config.epochs")
        )
        total = facts.get(whole)
        of, short = "", False
        # Beyond the number there is another count, or the run went on: restarts, what an agent does between updates.
        if total and isinstance(total.value, int | float) and reached.value <= total.value:
            of, short = f" of {in_digits(total.value)}", reached.value < total.value
        end = " and says that it is complete" if short else ", its end"
        yield f"The run came to {unit} {in_digits(reached.value)}{of}{end if finished else ''}.", reached
    elif finished:
        yield "The run came to its end.", finished
    if midway:
        yield (
            "The log ends in the middle of training: the run goes on, or was stopped without a word.",
            midway,
        )


def _true(facts: Mapping[str, FactFound], name: str) -> FactFound | None:
    one = facts.get(name)
    return one if one and one.value is True else None
