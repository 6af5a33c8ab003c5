"""Which signatures were found in the logs, where first, how often and on which ranks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from traindx.engine.facts import Origin, Place
from traindx.engine.kb.rules import SignatureRule
from traindx.engine.regex import regex

from .collected import Collected

RANK = "dist.rank"
_COLLECTIVE = ("dist.sequence", "dist.collective")
_GROUP = regex(r"\bPG (?:ID )?(\d+)")
_BEFORE = 120
MAX_RANKS = 1 << 16
"""Ranks that are remembered of one signature: a log may name any numbers."""
MAX_LINES = 256
"""Lines that are kept of one signature."""
_DIGITS = 9


class Hit:
    """A signature that was found, and where first."""

    __slots__ = ("count", "lines", "origin", "place", "ranks", "rule", "waits")

    def __init__(self, rule: SignatureRule, place: Place, origin: Origin) -> None:
        self.rule, self.place, self.origin = rule, place, origin
        self.count = 1
        self.lines: list[tuple[str, int]] = [(place.input, place.line)] if place.line is not None else []
        """The inputs and the numbers of the first lines that hold it."""
        self.ranks: set[int] = set()
        """The ranks that its occurrences name."""
        self.waits: dict[tuple[str, int], tuple[str, str]] = {}
        """Process group and rank -> the number and the kind of the first collective in which it waited in vain."""

    def again(self, match: re.Match[str]) -> None:
        """One occurrence more, which may be another rank's."""
        self.count += 1
        self.note_rank(match)

    def note_rank(self, match: re.Match[str]) -> None:
        """The rank that an occurrence names, if its rule knows where."""
        for group, name in self.rule.captures.items():
            rank = match[group] if name == RANK else None
            if rank is not None and rank.isdecimal() and len(rank) <= _DIGITS and len(self.ranks) < MAX_RANKS:
                self.ranks.add(int(rank))
                self._note_wait(match, int(rank))

    def _note_wait(self, match: re.Match[str], rank: int) -> None:
        said = {name: match[group] or "" for group, name in self.rule.captures.items() if name in _COLLECTIVE}
        if len(said) == len(_COLLECTIVE) and all(said.values()):
            # Each group of processes counts its collectives by itself.
            before = match.string[max(0, match.start() - _BEFORE) : match.end()]
            group = _GROUP.search(before)
            self.waits.setdefault(
                (group[1] if group else "", rank), (said[_COLLECTIVE[0]], said[_COLLECTIVE[1]])
            )


class Hits:
    """What was found, and the facts it gave."""

    def __init__(self, facts: Collected) -> None:
        self._facts = facts
        self.found: dict[str, Hit] = {}

    def note(
        self, rule: SignatureRule, match: re.Match[str], place: Place, origin: Origin = Origin.LOG
    ) -> None:
        """Note one occurrence. The first one of the more trusted origin gives the facts."""
        hit = self.found.get(rule.id)
        if hit is not None and hit.origin.rank <= origin.rank:
            hit.again(match)
            if rule.captures and (place.line, place.input) == (hit.place.line, hit.place.input):
                self._redraw(hit, match, place)
            return
        self.found[rule.id] = hit = Hit(rule, place, origin)
        hit.note_rank(match)
        self._facts.add(rule.fact, True, place, origin)
        for name, value in rule.facts.items():
            self._facts.add(name, tuple(value) if isinstance(value, list) else value, place, origin)
        for group, name in rule.captures.items():
            if match[group] is not None:
                self._facts.captured(name, match[group], place, origin)

    def _redraw(self, hit: Hit, match: re.Match[str], place: Place) -> None:
        """The same line, drawn again by a progress bar: what it counts now is what counts."""
        for group, name in hit.rule.captures.items():
            before = self._facts.get(name)
            if match[group] is not None and before is not None and before.place == hit.place:
                self._facts.drop(name)
                self._facts.captured(name, match[group], place, hit.origin)
                if name not in self._facts:
                    self._facts.put(before)
        hit.place = place

    def has(self, rule: SignatureRule) -> bool:
        """Whether a signature was found in machine output."""
        hit = self.found.get(rule.id)
        return hit is not None and hit.origin is Origin.LOG

    def lines_of(self, signature: str, source: str) -> list[int]:
        """The numbers of the lines of an input in which a signature was found."""
        hit = self.found.get(signature)
        return [line for name, line in hit.lines if name == source] if hit is not None else []

    def count(self, rule: SignatureRule, match: re.Match[str]) -> bool:
        """Count one more occurrence of a signature that was found before; False where it was not."""
        known = self.has(rule)
        if known:
            self.found[rule.id].again(match)
        return known

    def again(self, rule: SignatureRule, match: re.Match[str], source: str, line: int) -> bool:
        """Count one more occurrence in machine output, where nothing asks for its place; False elsewhere.

        Of a signature that is in every line of a log, working out the places would take the most time of all.
        """
        hit = self.found.get(rule.id)
        if hit is None or hit.origin.rank > Origin.LOG.rank:
            return False
        if rule.captures and (line, source) == (hit.place.line, hit.place.input):
            return False
        hit.again(match)
        if len(hit.lines) < MAX_LINES:
            hit.lines.append((source, line))
        return True

    def more(self, rule: SignatureRule, count: int) -> None:
        """Count occurrences of a signature that was found before, and of which nothing else is asked."""
        if (hit := self.found.get(rule.id)) is not None:
            hit.count += count

    def absent(self, facts: Mapping[str, str], place: Place) -> None:
        """Say of every signature that was looked for and not found that it is not there: `facts` holds the fact of each."""
        self._facts.deny((fact for signature, fact in facts.items() if signature not in self.found), place)
