"""Which exceptions a run got over: libraries show what they tried at the start, and then the run trains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .collected import Collected
from .hits import Hits
from .log import Log

_TRAINED_ON = 8
"""Losses that are printed after it: fewer may be what another rank or a pasted piece still shows."""


def training_from(log: Log) -> int:
    """The line of the first loss, where training went on from there; 0 where it did not, or people wrote in between.

    What stands before it did not keep the run from training. In what a person pasted, pieces stand in any order.
    """
    if log.heard.said or not log.is_text:
        return 0
    losses = [one for one in log.store if one.marks and one.name.metric in ("loss", "loss_part")]
    if max((one.count for one in losses), default=0) < _TRAINED_ON:
        return 0
    return min(one.marks[0].number for one in losses)


def begun_again_from(log: Log, ended: Iterable[int]) -> int:
    """The line from which on a run that was begun anew in the same log came to its end; 0 where none did.

    `ended` are the lines in which a run says that it is complete. What failed before is the business of an earlier one.
    """
    loss = next(iter(log.store.of("loss")), None)
    last = max(ended, default=0)
    if loss is None or not last or log.heard.said:
        return 0
    begun, reached = 0, None
    for mark in loss.marks:
        step = log.positions.where(mark).step if mark.number < last else None
        if step is not None:
            begun = mark.number if reached is not None and step < reached else begun
            reached = step
    return begun


def forget_overcome(
    facts: Collected, hits: Hits, lines: Iterable[tuple[str, int]], before: Mapping[str, int]
) -> None:
    """Forget the failures that a run got over: those read from exceptions, by input and line, and what stands `before` a line of an input."""
    overcome = set(lines)
    for signature, hit in list(hits.found.items()):
        found = {one for one in hit.lines if one[1] >= before.get(one[0], 0)}
        if hit.rule.role != "failure" or hit.count > len(hit.lines) or not hit.lines or found - overcome:
            continue
        del hits.found[signature]
        for name in (hit.rule.fact, *hit.rule.facts, *hit.rule.captures.values()):
            fact = facts.get(name)
            if fact is not None and fact.place == hit.place:
                facts.drop(name)
