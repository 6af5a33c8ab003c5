"""What every format is read into: entries with their exact places, and what is wrong with the text."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from traindx.engine.facts import Origin, Place
from traindx.engine.redact import excerpt

from .exact import File, line_starts

Path: TypeAlias = tuple[str | int, ...]
Span: TypeAlias = tuple[int, int]
SHOWN = 200
"""Characters of a line that are shown."""
MAX_ENTRIES = 20_000
"""More values than this in one text is a table or a vocabulary, and no configuration."""


class Entry(NamedTuple):
    """One value under one key."""

    path: Path
    value: Any
    """As the trainer's loader sees it: bool, int, float, str, None, or an empty list or mapping."""
    at: int
    """Where the value starts in the document's text."""
    span: Span | None = None
    """The value as it is written, quotes included; None where it cannot be replaced."""
    whole: Span | None = None
    """Key and value together."""
    style: str = ""
    """How it is written: a quote, `flag` for an option without a value, `name`, `call`, `expr`, `computed`."""
    kind: str = ""
    """What holds it: empty for a file's key, `option`, `launch`, `argument`, `variable`, `environment`, `default`."""
    scope: str = ""
    """The callable or program it is an argument of: `TrainingArguments`, `torchrun`."""
    target: str = ""
    """The variable that what the callable gives is kept in: `val_loader`."""

    @property
    def key(self) -> str:
        """The dotted path."""
        return ".".join(map(str, self.path))


class Problem(NamedTuple):
    """Something wrong with a text."""

    message: str
    at: int
    kind: str = "syntax"
    """`syntax`, `duplicate`, `loose` (JSON with comments or trailing commas) or `note`."""


class Part(NamedTuple):
    """A text inside another in a format of its own: a heredoc, a JSON option, the code of a notebook."""

    name: str
    format: str
    text: str
    offsets: Sequence[int]
    """For each character, and for the end, its offset in the text around it; -1 for one that has none."""
    escape: str = ""
    """How a new text must be escaped there: `json` or nothing."""


class Reading(NamedTuple):
    """What a format made of a text."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()
    parts: tuple[Part, ...] = ()
    sections: Mapping[Path, Span] = MappingProxyType({})
    """Every mapping with a key of its own -> key and value together."""
    calls: frozenset[str] = frozenset()
    """The callables and programs that are used; `name**` where one also takes settings from elsewhere."""


class Document:
    """A text in one format, where it lies, and what it says.

    `part` is set where the document lies inside the file's text.
    """

    def __init__(
        self,
        file: File,
        format: str,
        origin: Origin,
        text: str,
        reading: Reading,
        part: Part | None = None,
        *,
        named: bool = True,
    ) -> None:
        self.file, self.format, self.origin, self.text = file, format, origin, text
        self.reading, self.part, self.named = reading, part, named
        self.copied = False
        """The run wrote it of itself: nothing reads it again."""
        self._starts: list[int] | None = None

    @property
    def name(self) -> str:
        """As shown to the person."""
        return f"{self.file.name} ({self.part.name})" if self.part and self.part.name else self.file.name

    def to_file(self, span: Span) -> Span | None:
        """The same stretch in the file's text; None where it does not stand there in one piece."""
        if self.part is None:
            return span
        start, end = span
        offsets = self.part.offsets
        first = offsets[start]
        if first < 0 or any(offsets[index] < 0 for index in range(start, end + 1)):
            return None
        if not self.part.escape and offsets[end] - first != end - start:
            return None
        return first, offsets[end]

    def place(self, at: int) -> Place:
        """Where an offset of this document is, for a person. Secrets in the line are masked."""
        offset = at
        if self.part is not None:
            offset = max(0, self.part.offsets[min(at, len(self.part.offsets) - 1)])
        if self._starts is None:
            self._starts = line_starts(self.file.text)
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.file.text)
        text = excerpt(self.file.text[start:end].strip(), SHOWN)
        return Place(self.file.name, line + self.file.first_line - 1, offset - start + 1, text=text)
