"""What is new in a log that grows: curves that turn, error texts, exceptions. Each is said once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from traindx.engine.facts import Facts, Place, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import NoticeRule
from traindx.engine.wording import fill

from .collected import shown
from .hits import Hits
from .log import Log
from .series_facts import tell_series

_SHARE = 20
"""Looking takes at most one part in so many of the time."""
_ROLES = ("failure", "consequence", "warning")


class Noticed(NamedTuple):
    """One thing worth a line."""

    role: str
    """`curve`, `failure`, `consequence` or `warning`."""
    what: str
    place: Place


class Noticing:
    """Looks at a log after each block, with the rules that a finished log is read by.

    `say` is called with what is new, in the order of its lines.
    """

    def __init__(self, knowledge: Knowledge, say: Callable[[Noticed], None]) -> None:
        self._knowledge, self._say = knowledge, say
        self._log: Log | None = None
        self._settle: Callable[[], None] = lambda: None
        self._said: dict[str, Value | None] = {}
        self._seen = self._raised = 0
        self._places: set[int | None] = set()
        self._fresh = False
        self._next = 0.0

    def begin(self, log: Log, hits: Hits, settle: Callable[[], None]) -> None:
        """From now on look at this log; `settle` ends what waits for its next line."""
        self._log, self._found, self._settle = log, hits, settle

    def grown(self) -> None:
        """Another block was read."""
        self._fresh = True
        if time.monotonic() >= self._next:
            self.look()

    def idle(self) -> None:
        """Nothing came for a while."""
        if self._fresh:
            self._settle()
            self.look()

    def look(self) -> None:
        """Say what is new."""
        if self._log is None:
            return
        start = time.monotonic()
        self._fresh = False
        news = [*self._curves(self._log), *self._texts(), *self._exceptions(self._log)]
        for one in sorted(news, key=lambda one: one.place.line or 0):
            self._say(one)
        end = time.monotonic()
        self._next = end + (end - start) * _SHARE

    def _curves(self, log: Log) -> Iterator[Noticed]:
        told = log.told(self._knowledge.limits, self._found)
        tell_series(told, log.store, log.positions, log.lines)
        facts = Facts()
        facts.extend(told.facts.values())
        for rule in self._knowledge.notices.values():
            if self._is_new(rule, facts):
                fact = facts.get(rule.fact)
                place = fact.place if fact is not None and fact.place is not None else Place(log.name)
                yield Noticed("curve", fill(rule.says, facts), place)

    def _is_new(self, rule: NoticeRule, facts: Facts) -> bool:
        if rule.rule.of(facts) is not True:
            return False
        occurrence = facts.value(rule.again) if rule.again else None
        new = rule.id not in self._said or self._said[rule.id] != occurrence
        self._said[rule.id] = occurrence
        return new

    def _texts(self) -> Iterator[Noticed]:
        found = list(self._found.found.values())
        for hit in found[self._seen :]:
            if hit.rule.role in _ROLES:
                self._places.add(hit.place.line)
                yield Noticed(hit.rule.role, f"{hit.rule.means} {hit.place.text}".rstrip(), hit.place)
        self._seen = len(found)

    def _exceptions(self, log: Log) -> Iterator[Noticed]:
        """Exceptions whose line no error text has told of."""
        raised = log.heard.raised
        for one in raised[self._raised :]:
            if one.number not in self._places and not one.ignored:
                place = Place(log.name, one.number, rank=one.rank)
                yield Noticed("failure", shown(one.title), place)
        self._raised = len(raised)
