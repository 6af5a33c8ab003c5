"""The first line of its shape: read with care, to decide what to do with those that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from traindx.engine.kb.telling import telling

from .actions import BAR, HEADER, NEW, Action, Careful
from .familiar import AFTER, MAX_KNOWN, Familiar
from .lines import Lines
from .listening import Listener
from .metrics import Metrics, kept
from .names import Names
from .numbers import is_row
from .positions import Positions
from .ranks import Prefix, is_of_launcher, prefix_of
from .reading import Reading
from .settings_row import is_settings
from .template import Template
from .vocabulary import Vocabulary, letters
from .watch import Watch

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.engine.kb.rules import SignatureRule

MAX_TEMPLATES = 4
"""Templates of one shape; a line that fits none is read with care each time."""
_SPEEDS = frozenset(("steps_per_second", "seconds_per_step"))


def _formats(keys: set[str]) -> list[str]:
    """The log formats among the keys of a line's words."""
    return [key[1:] for key in keys if key.startswith("=")]


def _is_plain_bar(reading: Reading, line: bytes) -> bool:
    """Whether a line says only how far the run is and how fast: its speed is read from a sample at the end.

    A bar of other work, such as loading, does not even say how far the run is.
    """
    return (reading.pair is not None or b"%|" in line) and all(
        value.name.metric in _SPEEDS and value.name.printed.startswith("n ") for value in reading.values
    )


def _watch(rules: tuple[SignatureRule, ...]) -> Watch | None:
    """What to do with lines in which nothing but these may be found."""
    return Watch(rules) if rules else None


def _careful(action: Action) -> Careful:
    """To read the next line of the shape with care, as this one was."""
    return action if isinstance(action, Careful) else Careful()


def _looked_for(knowledge: Knowledge) -> tuple[list[tuple[str, str]], Vocabulary[str]]:
    """The literals of lines that say something, each with what it tells of, and the same by their words."""
    literals = list(Names(knowledge).tokens())
    literals += [(word, f"={one.id}") for one in knowledge.log_formats.values() for word in one.words]
    literals += Listener.literals()
    return literals, Vocabulary(telling(literals))


class FirstSight:
    """Reads lines of new shapes."""

    def __init__(
        self, knowledge: Knowledge, lines: Lines, positions: Positions, metrics: Metrics, listener: Listener
    ) -> None:
        self._lines, self._positions, self._metrics = lines, positions, metrics
        self._listener = listener
        self._literals, self._vocabulary = knowledge.once(_looked_for)
        self._familiar: Familiar | None = None
        self._forms: dict[bytes, tuple[SignatureRule, ...]] = {}
        """The signatures that lines of a form may hold, and nothing else is in them."""
        self._seen = 0

    def read(self, action: Action, index: int, line: bytes) -> Action:
        """Take in a line, and say what to do with the next of its shape."""
        if not line.strip():
            return None
        form = self._form(line) if action is NEW else None
        if form is not None and (rules := self._forms.get(form)) is not None:
            if rules:
                self._listener.sightings.watch(rules, index, line)
            return _watch(rules)
        words = letters(line)
        keys = self._vocabulary.hits(words)
        if self._listener.is_written(index, line, keys, words):
            return _careful(action)
        prefix = prefix_of(line)
        rules = self._listener.sightings.first(index, line, words)
        if self._listener.hear(index, line, prefix, keys):
            if self._listener.settings.open:
                self.learn_totals(line)
            if b"%|" in line:
                self._note_bar(index, line)
            return _careful(action)
        reading = self._reading(line, words, keys)
        if reading is not None:
            return self._numbered(reading, index, line, prefix, rules, action)
        if form is not None and prefix.rank is None and self._listener.is_ordinary(line, keys, words):
            self._forms[form] = rules
        return _watch(rules)

    def _form(self, line: bytes) -> bytes | None:
        """What this line has in common with others that say as little; None while that is not worth knowing."""
        self._seen += 1
        if self._seen < AFTER or self._lines.table is not None:
            return None
        if self._familiar is None:
            names = (key[1:] for word, key in self._lines.names.tokens())
            texts = (*self._listener.machines.literals(), *(word for word, _ in self._literals))
            self._familiar = Familiar(texts, names)
        if len(self._forms) >= MAX_KNOWN:
            self._forms.clear()
        return self._familiar.form(line)

    def _note_bar(self, index: int, line: bytes) -> None:
        """A bar ends without a new line, so that an exception begins behind it: how far the run was stands there alone."""
        reading = self._lines.read(line)
        if reading.pair is not None:
            self._positions.learn(reading)
            self._positions.bar(index)

    def relearn(self, template: Template, index: int, line: bytes) -> None:
        """Read a line that no template of its shape fits, and learn one more."""
        prefix = prefix_of(line)
        values = kept(self._lines.read(line))
        self._metrics.add(index, line, values, prefix.rank)
        other = self._metrics.learn(line, values, prefix) if len(template.others) < MAX_TEMPLATES else None
        if other is not None:
            template.others.append(other)

    def learn_totals(self, line: bytes) -> None:
        """Settings hold no curves, but they may say how long the run is meant to be."""
        keys = self._vocabulary.hits(letters(line))
        self._positions.learn(self._lines.read(line, _formats(keys)))

    def _reading(self, line: bytes, words: list[bytes], keys: set[str]) -> Reading | None:
        """What a line measures, where anything in it may be a measurement."""
        low, names = line.lower(), self._lines.names
        formats = [name for name in _formats(keys) if self._lines.formats.may_be(low, name)]
        if (
            formats
            or self._lines.table is not None
            or b"%|" in line
            or names.may_be_in(low, words, keys)
            or names.are_of_both(words)
            or is_row(line)
        ):
            return self._numbers(line, formats)
        return None

    def _numbers(self, line: bytes, formats: list[str]) -> Reading | None:
        if is_of_launcher(line) or is_settings(line):
            return None
        reading = self._lines.read(line, formats)
        if not reading.values and not reading.places and self._lines.header(line):
            return None
        self._positions.learn(reading)
        return reading if reading.values or reading.places else None

    def _numbered(
        self,
        reading: Reading,
        index: int,
        line: bytes,
        prefix: Prefix,
        rules: tuple[SignatureRule, ...],
        action: Action,
    ) -> Action:
        plain = not rules and _is_plain_bar(reading, line)
        if plain and not reading.places:
            return None
        values = [] if plain else kept(reading)
        step = reading.step is not None or reading.pair is not None
        if step:
            self._positions.bar(index)
        if values:
            self._metrics.add(index, line, values, prefix.rank)
            template = self._metrics.learn(line, values, prefix)
            if template is None:
                return _careful(action)
            template.places, template.watch = step, _watch(rules)
            return template
        if not step:
            self._positions.header(index)
        if rules:
            return Careful()
        return BAR if step else HEADER
