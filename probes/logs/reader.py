"""What does one line say? Names with numbers, where the run is, and how far.

This is the careful reader: it sees each kind of line once or a few times. The lines that follow
in the same form are read by a template made from its reading.
"""

from __future__ import annotations

from collections.abc import Iterable

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.regex import regex

from .names import POSITIONS, Name, Names
from .reading import Reading
from .walk import Walk

LONGEST = 1 << 14
"""Bytes of a line that are searched for numbers."""
_OF_NO_DATA = frozenset(("learning_rate", "grad_norm", "loss_scale"))
"""Metrics of the optimizer: no two numbers of training and validation are these."""
_LETTERS = regex(rb"[a-z]+")
_WORDS = regex(rb"[A-Za-z][A-Za-z0-9]*")


class Reader:
    """Reads single lines, given the names of all metrics."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.names = Names(knowledge)
        self._breaking = _bytes(knowledge.words["breaking"])
        self._linking = _bytes(knowledge.words["linking"])
        self._wrapping = _bytes(knowledge.words["wrapping"])
        self._placing = _bytes(knowledge.words["placing"])
        self._training = _bytes(knowledge.words["of-training"])
        self._validation = _bytes(knowledge.words["of-validation"])
        self._other_work = _bytes(knowledge.words["other-work"])
        self._counted = _bytes(knowledge.words["counted"])
        self._glued = _bytes(knowledge.words["glued-position"])
        self._no_bare_loss = _bytes(knowledge.words["not-a-bare-loss"])
        self._around = _bytes(knowledge.words["around-a-run"])

    def read(self, line: bytes) -> Reading:
        """Everything that reads as `name: number` and has a known name."""
        return Walk(self, line[:LONGEST]).run()

    def split(self, word: bytes) -> bool | None:
        """True for a word that says validation, False for training."""
        low = word.lower()
        return True if low in self._validation else False if low in self._training else None

    def kind(self, word: bytes) -> str:
        """Whether a word breaks a name, links it to its number, or wraps the number."""
        low = word.lower()
        if low in self._breaking:
            return "breaks"
        if low in self._linking:
            return "links"
        return "wraps" if low in self._wrapping else ""

    def places(self, word: bytes) -> bool:
        """Whether a name may go on behind this word with where it was measured: `loss at iteration 40: 0.3`."""
        return word.lower() in self._placing

    def is_counted(self, word: bytes) -> bool:
        """Whether a pair that stands before this word counts things, and says nothing of how far the run is."""
        return word.lower() in self._counted

    def glued(self, word: bytes) -> Name | None:
        """What a number is that stands right behind this word: a step or an epoch, or nothing that is known."""
        if word.lower() not in self._glued:
            return None
        return self.names.find(word.decode("latin-1")) or self.names.find("epoch")

    def has_bare_losses(self, line: bytes, measured: Iterable[str]) -> bool:
        """Whether numbers that only say `train` and `val` are losses here: nothing else is named whose number they could be.

        `measured` are the metrics that have numbers of their own.
        """
        words = _WORDS.findall(line)
        if any(word.lower() in self._no_bare_loss for word in words):
            return False
        found = (self.names.find(word.decode("latin-1")) for word in words if self.split(word) is None)
        others = (
            {name.metric.removeprefix("eval_") for name in found if name is not None}
            - POSITIONS
            - _OF_NO_DATA
        )
        return others <= {metric.removeprefix("eval_") for metric in measured}

    def is_around_a_run(self, words: bytes) -> bool:
        """Whether a pair behind these words counts stages or folds, of which each is a run: `Stage 2/2`."""
        return not self._around.isdisjoint(_LETTERS.findall(words.lower())[-1:])

    def is_other_work(self, label: bytes) -> bool:
        """Whether a progress bar with this label shows something else than training, such as loading."""
        return not self._other_work.isdisjoint(_LETTERS.findall(label.lower()))


def _bytes(words: Iterable[str]) -> frozenset[bytes]:
    return frozenset(word.encode() for word in words)
