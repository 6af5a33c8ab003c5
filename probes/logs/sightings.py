"""Where signatures stand in the lines of one log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from traindx.engine.kb.rules import SignatureRule

from .hits import Hits
from .page import Page
from .ranks import prefix_of
from .signatures import LONGEST, Signatures
from .vocabulary import letters
from .windows import Windows

_MANY = 8
"""Lines from which on it pays to look at all of them at once."""
_RAISED = (b"traceback", b"error", b"exception", b"interrupt")


class Sightings:
    """Looks for signatures in lines, and notes them."""

    def __init__(self, machines: Signatures, hits: Hits, page: Page) -> None:
        self.machines, self._hits, self._page = machines, hits, page
        self.windows = Windows(machines, hits, page.place_at)
        self._rules: dict[bytes, tuple[SignatureRule, ...]] = {}

    def first(self, index: int, line: bytes, words: Sequence[bytes]) -> tuple[SignatureRule, ...]:
        """The signatures that lines of this shape may hold; they are looked for in this one at once."""
        rules = self.machines.candidates(line, self.machines.vocabulary.hits(words))
        if rules:
            self.watch(rules, index, line)
        return rules

    def decided_by_digits(self, rules: Iterable[SignatureRule], line: bytes) -> tuple[SignatureRule, ...]:
        """Those that are not in this line and may be in another of its shape."""
        texts = set(_texts(line, prefix_of(line).end))
        return tuple(
            rule
            for rule in rules
            if self.machines.is_decided_by_digits(rule)
            and (rule.lines > 1 or any(self.machines.may_be_in_like(rule, text) for text in texts))
        )

    def watch(
        self, rules: Iterable[SignatureRule], index: int, line: bytes, matched: dict[str, int] | None = None
    ) -> bool:
        """Look for signatures in a line, and say whether one may be there. `matched` counts those that are."""
        low = line.lower()
        rules = [rule for rule in rules if self.machines.holds(rule, low)]
        if not rules:
            return False
        found = False
        prefix = prefix_of(line)
        raw, text = _texts(line, prefix.end)
        for rule in rules:
            match = (
                self.machines.search(rule, text) or (prefix.end and self.machines.search(rule, raw)) or None
            )
            if match is not None:
                found = True
                if matched is not None:
                    matched[rule.id] = matched.get(rule.id, 0) + 1
                if not self._hits.again(rule, match, self._page.name, self._page.number(index)):
                    self._hits.note(rule, match, self._page.place(index, line, prefix.rank))
            elif rule.lines > 1:
                self.windows.open(rule, self._page.context(index, rule.lines), self._page.number(index))
                found = True
        return found

    def sure_in(self, rules: Iterable[SignatureRule]) -> tuple[SignatureRule, ...]:
        """Those of which, once they were in many lines of a shape, nothing is asked but how often they are."""
        return tuple(
            rule
            for rule in rules
            if rule.lines == 1 and not rule.captures and not self.machines.is_decided_by_digits(rule)
        )

    def count(self, rules: Iterable[SignatureRule], lines: int) -> None:
        """Count signatures that are in each of some lines."""
        for rule in rules:
            self._hits.more(rule, lines)

    def in_none_of(self, rules: Sequence[SignatureRule], lines: Sequence[bytes]) -> bool:
        """Whether it is sure, without a look at each, that none of these signatures is in any of these lines."""
        if len(lines) < _MANY or any(rule.lines > 1 for rule in rules) or max(map(len, lines)) > LONGEST:
            return False
        data = b"".join(lines)
        if not data.isascii() or any(map(data.__contains__, (b"\r", b" \n", b"\t\n"))):
            return False
        text = data.decode("ascii")
        return not any(self.machines.may_be_in(rule, text) for rule in rules)

    def is_news(self, rules: Iterable[SignatureRule], line: bytes) -> bool:
        """Whether one of these signatures, not found before, may stand in a line. Those found before are counted."""
        low = line.lower()
        return any(self.machines.holds(rule, low) and not self._counted(rule, line) for rule in rules)

    def is_new(self, line: bytes) -> bool:
        """The same for a line of a shape not seen before; what may be an exception counts as well."""
        if any(map(line.lower().__contains__, _RAISED)):
            return True
        return self.is_news(
            self.machines.candidates(line, self.machines.vocabulary.hits(letters(line))), line
        )

    def _counted(self, rule: SignatureRule, line: bytes) -> bool:
        """Whether a signature is known or not there."""
        _, text = _texts(line, prefix_of(line).end)
        match = self.machines.search(rule, text)
        if match is None:
            return rule.lines == 1 or self._hits.has(rule)
        return self._hits.count(rule, match)

    def again(self, index: int, line: bytes) -> None:
        """Look for signatures in a line of something long, such as a traceback, which may come many times."""
        key = line.strip()[:400]
        rules = self._rules.get(key)
        if rules is None:
            if len(self._rules) > 5000:
                self._rules.clear()
            rules = self._rules[key] = self.machines.candidates(
                line, self.machines.vocabulary.hits(letters(line))
            )
        if rules:
            self.watch(rules, index, line)


def _texts(line: bytes, prefix: int) -> tuple[str, str]:
    """A line as it stands, and without its prefix, which ends there."""
    raw = line.decode("utf-8", "replace").rstrip()
    return raw, line[prefix:].decode("utf-8", "replace").rstrip() if prefix else raw
