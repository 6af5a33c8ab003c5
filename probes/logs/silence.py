"""How long a log was silent before what ended the run: a run that stands still is ended by something else, hours later."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from traindx.engine.facts import Origin
from traindx.engine.regex import regex

from . import curve
from .collected import Collected
from .hits import Hit, Hits
from .log import Log

_DATE = regex(rb"\b(20\d\d)[-/.](\d\d)[-/.](\d\d)[T _,](\d\d):(\d\d):(\d\d)\b")
_MARKS = 32
"""Lines of training from which their usual distance is taken."""
_FEW = 4


def tell_silence(facts: Collected, hits: Hits, log: Log) -> None:
    """`log.silent_minutes` and `log.silent_ratio`: from the last dated line of training to the dated end, alone and over what is usual."""
    end = max(_ends(hits, log), key=lambda one: one[0], default=None)
    stamps = list(_stamps(log)) if end is not None else []
    if end is None or len(stamps) < _FEW:
        return
    ended, hit = end
    silent = (ended - max(stamps)).total_seconds()
    usual = curve.median([(after - before).total_seconds() for before, after in pairwise(stamps)])
    if silent > 0:
        facts.add("log.silent_minutes", silent / 60, hit.place)
        facts.add("log.silent_ratio", silent / max(usual, 1.0), hit.place)


def _ends(hits: Hits, log: Log) -> Iterator[tuple[datetime, Hit]]:
    """What ended the run and says when: all that stands behind the last line of training."""
    for hit in hits.found.values():
        behind = hit.place.input == log.name and (hit.place.line or 0) > log.heard.last_progress
        if behind and hit.origin is Origin.LOG and hit.rule.role in ("failure", "consequence"):
            stamp = _date(hit.place.text.encode())
            if stamp is not None:
                yield stamp, hit


def _stamps(log: Log) -> Iterator[datetime]:
    """When the last lines of training were printed, in their order."""
    for series in log.store.of("loss")[:1]:
        marks = [*series.marks[-_MARKS:], *((series.last.mark,) if series.last is not None else ())]
        for mark in marks:
            stamp = _date(mark.line)
            if stamp is not None:
                yield stamp


def _date(line: bytes) -> datetime | None:
    found = _DATE.search(line)
    try:
        return datetime(*map(int, found.groups())) if found is not None else None  # type: ignore[arg-type]
    except ValueError:  # such as the 31st of February
        return None
