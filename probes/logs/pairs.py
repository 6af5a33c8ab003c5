"""Pairs such as `40/782` in a line: which of them says how far the run is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from traindx.engine.regex import regex

from .names import Name
from .quantities import whole
from .reading import Reading
from .tokens import ANY_NUMBER

if TYPE_CHECKING:
    from .reader import Reader

_BAR = regex(rb"(?P<label>[^\r]{0,200}?)\b\d{1,3}%\s?\|")
"""A progress bar as tqdm draws it, after its label."""
_NOUN = regex(rb"\s+([A-Za-z]+)\b(?!\s*[:=])")
"""The word after a pair, if it names no number of its own."""
_NEXT_PAIR = regex(rb"\]\s*\[\s*")
"""What stands between the two pairs of `[3/25][40/782]`."""
_AT = regex(rb"(?i)\b(?:at|after)\b")
"""Says that a validation stands at a step of training: `validation at step 20/100`."""


class Pairs:
    """The pairs of one line, which may stand in progress bars."""

    def __init__(self, reader: Reader, line: bytes, reading: Reading) -> None:
        self.reader, self.line, self.reading = reader, line, reading
        self._end = -1
        """Where the pair ends that says how far the run is."""
        self.counts_steps = False
        """That pair counts nothing else than steps, whatever else the line holds."""
        self.aside = False
        """The bar is of other work than training: its speed is not that of the run."""

    def take(self, token: re.Match[bytes], name: Name | None, words: bytes, *, validation: bool) -> None:
        """Take in a pair. `name` is what it is called, `words` stand before it, and the line may be of a `validation`."""
        reading, start = self.reading, token.start()
        done, total = (part.strip() for part in token[0].decode().split("/"))
        bar = _BAR.match(self.line, 0, start)
        if bar is None and (noun := _NOUN.match(self.line, token.end())) and self.reader.is_counted(noun[1]):
            return
        if reading.pair is not None and bar is not None and self._end <= bar.end("label"):
            # The one before stands in the label of the bar: `Episode [1/1]:  76%| 120/157`.
            reading.forget_pair()
        if reading.pair is not None:
            if reading.epoch is not None or not _NEXT_PAIR.fullmatch(self.line, self._end, start):
                return
            reading.pair_is_epoch()
        if bar is not None and self._is_aside(bar["label"], done, total, start):
            self.aside = True
        elif not (validation and self._is_of_validation(start, name)):
            reading.place("done", done, start)
            reading.place("total", total, token.end() - len(total))
            self._end = token.end()
            reading.named = reading.named or (name is not None and name.metric == "step")
            self.counts_steps = bar is not None or name is not None or not self._is_of_a_noun(words)

    def _is_aside(self, label: bytes, done: str, total: str, start: int) -> bool:
        """Whether a bar is of other work than the steps of training; where it counts epochs, that is taken in."""
        if self.reader.is_other_work(label):
            return True
        if not self._counts_epochs(label):
            return False
        self.reading.place("epoch", done, start)
        self.reading.total_epochs, self.reading.finished = whole(total), True
        return True

    def _counts_epochs(self, label: bytes) -> bool:
        """Whether a bar counts epochs: all that its label says is `epoch`, without a number."""
        found = self.reader.names.find(label.decode("latin-1")) if label.strip() else None
        return found is not None and found.metric == "epoch" and ANY_NUMBER.search(label) is None

    def _is_of_validation(self, start: int, name: Name | None) -> bool:
        """Whether a pair counts the batches of a validation: it stands before all numbers of a line that begins so."""
        return not self.reading.values and (name is None or _AT.search(self.line, 0, start) is None)

    def _is_of_a_noun(self, words: bytes) -> bool:
        """Whether a pair follows a word that names what is counted, and no position: `Transferred 469/475 items`."""
        return bool(words) and all(self.reader.split(word) is None for word in words.split())
