"""What lines say besides numbers: signatures, tracebacks, notes of a person, settings, packages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

from .collected import Collected
from .heard import Heard
from .hits import Hits
from .packages import Packages
from .page import Page
from .printed import Settings
from .prose import NOTE, Writing
from .raising import Raising
from .ranks import Prefix, prefix_of
from .sightings import Sightings
from .signatures import Signatures

_RAISES = regex(rb"\s+(?:raise|warnings\.warn)\b")
"""A line of source in a traceback whose text is the message that follows, before it was filled in."""
_OWN = frozenset((b"i", b"my"))


class Listener:
    """Listens to the lines of one log that the scan thinks worth it."""

    def __init__(
        self, name: str, knowledge: Knowledge, machines: Signatures, hits: Hits, facts: Collected
    ) -> None:
        self.heard, self.page = Heard(), Page(name)
        self.machines = machines
        self.sightings = Sightings(machines, hits, self.page)
        self.raising = Raising(self.heard, self.page)
        self.settings = Settings(name, knowledge)
        self._packages = Packages(facts, self.page.place_at)
        self._writing = Writing(knowledge)

    @staticmethod
    def literals() -> Iterable[tuple[str, str]]:
        """The words of lines that want to be heard, besides those of the signatures."""
        yield "traceback", "!trace"
        for word in ("error", "exception", "keyboardinterrupt"):
            yield word, "!raise"
        yield " note ", "!note"
        yield from ((word, "!settings") for word in Settings.literals())
        yield from ((word, "!packages") for word in Packages.literals())

    @property
    def busy(self) -> bool:
        """Whether something is in progress that needs the next lines."""
        return bool(self.raising or self.sightings.windows or self.settings.open or self._packages.open)

    def hear(self, index: int, line: bytes, prefix: Prefix, keys: set[str]) -> bool:
        """A new kind of line, or one that needs care each time. True where it is no carrier of numbers."""
        if prefix.rank is not None:
            self.heard.ranks.add(prefix.rank)
        self.heard.machine = True
        if ("!packages" in keys or self._packages.may_be(line)) and self._packages.hear(
            self.page.number(index), line
        ):
            return True
        if ("!settings" in keys or self.settings.may_begin(line)) and self.settings.hear(
            self.page.number(index), line, prefix.end
        ):
            return True
        return bool(keys & {"!trace", "!raise"}) and self.raising.begin(index, line, prefix)

    def is_ordinary(self, line: bytes, keys: set[str], words: Sequence[bytes]) -> bool:
        """Whether nothing but signatures could be heard in a line, and in all that hold the same texts."""
        return (
            _OWN.isdisjoint(words)
            and not any(key[0] == "!" for key in keys)
            and not (self._packages.may_be(line) or self.settings.may_begin(line))
        )

    def is_written(self, index: int, line: bytes, keys: set[str], words: Sequence[bytes]) -> bool:
        """Whether a person wrote this line: a note, or someone speaking of himself. It is kept then."""
        if "!note" in keys and self._note(index, line):
            return True
        return not _OWN.isdisjoint(words) and self._spoken(index, line)

    def _spoken(self, index: int, line: bytes) -> bool:
        """A person speaks of himself in the middle of a log."""
        text = line.decode("utf-8", "replace").strip()
        if not self._writing.is_spoken(text):
            return False
        self.heard.say(text, self.page.place_at(self.page.number(index), line))
        return True

    def _note(self, index: int, line: bytes) -> bool:
        found = NOTE.match(line.decode("utf-8", "replace").rstrip())
        if found is None:
            return False
        if found["text"]:
            self.heard.say(found["text"], self.page.place_at(self.page.number(index), line))
        return True

    def attend(self, index: int, line: bytes) -> bool:
        """The next line while something is in progress. True where it belongs to that and holds no numbers."""
        self.sightings.windows.fill(line)
        number = self.page.number(index)
        if self._packages.open and self._packages.attend(number, line):
            return True
        if self.settings.open and self.settings.attend(number, line):
            return True
        if not self.raising.attend(number, line):
            return False
        if not _RAISES.match(line, prefix_of(line).end):
            self.sightings.again(index, line)
        return True

    def close(self) -> None:
        """The log is at its end: what is still open ends here."""
        self.sightings.windows.close()
        self.raising.close()
        self.settings.close()
