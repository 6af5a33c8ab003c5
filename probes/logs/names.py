"""Which metric does a printed name mean?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from traindx.engine.kb.knowledge import Knowledge

from .named_losses import NamedLosses
from .printed_words import words_of

_PARTS = {"loss": "loss_part", "eval_loss": "eval_loss_part"}
POSITIONS = frozenset(("step", "env_step", "epoch", "total_steps", "total_epochs"))
"""Metrics that say where a run is; validation has no other."""
_OF_SPLIT = {
    ("eval_accuracy", False): "accuracy",
    ("bare_error_rate", False): "error_rate",
    ("bare_error_rate", True): "eval_error_rate",
}
"""What a score is that is mostly of validation, where a line says what it is of."""
_SCORES = frozenset(("accuracy", "eval_accuracy"))
_MARK = ":"
_NUMBER = "n"
"""Stands for the number in names that are units: `n it/s`."""
_LONGEST = 7
"""More words than this are a sentence, and its last words count."""


class Name(NamedTuple):
    """A metric, and the name it is printed under."""

    metric: str
    printed: str
    """In lower case, separators as spaces: two series of one metric are told apart by it."""
    trust: int
    """Lower is better, where several names give one metric."""


class _General(NamedTuple):
    """The names that all trainers share."""

    whole: dict[tuple[str, ...], tuple[str, int]]
    """A name's words -> its metric and trust."""
    starts: dict[str, str]
    """The first word of names that go on in any way -> their metric."""


def _general(knowledge: Knowledge) -> _General:
    general = _General({}, {})
    for metric in knowledge.metrics.values():
        for trust, name in enumerate(metric.names):
            if name.endswith(" *"):
                general.starts[name[:-2]] = metric.id
            else:
                general.whole.setdefault(words_of(name), (metric.id, trust))
    return general


class Names:
    """The names of all metrics, and what a trainer's own names override."""

    def __init__(self, knowledge: Knowledge) -> None:
        general = knowledge.once(_general)
        self._names, self._starts = dict(general.whole), general.starts
        self._metrics = knowledge.metrics
        self.losses = NamedLosses(knowledge)
        self._training = knowledge.words["of-training"]
        self._validation = knowledge.words["of-validation"]
        self._of_training = frozenset(map(str.encode, self._training))
        self._of_validation = frozenset(map(str.encode, self._validation))
        self._barred = knowledge.words["not-a-reading"]
        self._elsewhere = knowledge.words["not-a-position"]
        self._sizes = knowledge.words["also-a-size"]
        self._host = knowledge.words["of-host"]
        self._known: dict[tuple[str, bool | None, bool], Name | None] = {}
        self._needed: dict[str, tuple[tuple[bytes, ...], tuple[bytes, ...]]] = {}

    def prefer(self, fields: Mapping[str, str]) -> None:
        """Let a recognised trainer's own names count before the general ones."""
        for name, metric in fields.items():
            self._names[words_of(name)] = (metric, 0)
        self._known.clear()

    def tokens(self) -> Iterable[tuple[str, str]]:
        """The longest word of every name, and the name as a key. A short word must stand alone."""
        for words in (*self._names, *((start,) for start in self._starts)):
            bare = [word.strip("0123456789") for word in words if word != _NUMBER]
            word = max(bare, key=len)
            yield word if len(word) > 3 else f" {word} ", _MARK + " ".join(filter(None, bare))

    def are_of_both(self, words: Iterable[bytes]) -> bool:
        """Whether words of a line speak of training as well as of validation."""
        return not (self._of_training.isdisjoint(words) or self._of_validation.isdisjoint(words))

    def may_be_in(self, low: bytes, words: Collection[bytes], keys: Iterable[str]) -> bool:
        """Whether all words of one of these names stand in a line, given in lower case and as words."""
        for key in keys:
            if key[0] == _MARK:
                long, short = self._needed.get(key) or self._needs(key)
                if all(map(low.__contains__, long)) and all(map(words.__contains__, short)):
                    return True
        return False

    def _needs(self, key: str) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """The words that must be in a line for a name to be, anywhere and by themselves; a short one must stand alone."""
        words = key[1:].encode().split()
        long, short = (word for word in words if len(word) > 3), (word for word in words if len(word) <= 3)
        self._needed[key] = needed = tuple(long), tuple(short)
        return needed

    def may_be_size(self, printed: str) -> bool:
        """Whether a step, by the name it is printed under, is something else in a sentence."""
        return not self._sizes.isdisjoint(printed.split())

    def unit(self, metric: str) -> str:
        """The unit a metric is kept in; empty where it has none."""
        return self._metrics[metric].unit

    def find(self, phrase: str, validation: bool | None = None, *, leading: bool = True) -> Name | None:
        """The metric that a phrase ends in, or None.

        `validation` is what the line has said so far: True for validation, False for training;
        `leading` that it said so before its first number, so that it speaks of the whole line.
        """
        key = (phrase, validation, leading)
        if key not in self._known:
            if len(self._known) > 20_000:
                self._known.clear()
            self._known[key] = self._find(*key)
        return self._known[key]

    def _find(self, phrase: str, validation: bool | None, leading: bool) -> Name | None:
        words = words_of(phrase)[-_LONGEST:]
        split = [word for word in words if word in self._training or word in self._validation]
        bare = tuple(word for word in words if word not in split)
        found = self._direct(words) or self._longest(bare, phrase)
        if found is None or any(word in self._barred for word in found[2]):
            return None
        metric, trust, extra = found
        if metric in POSITIONS and not self._elsewhere.isdisjoint(words):
            return None
        if metric in _SCORES and any(word.endswith("loss") for word in words):
            metric, extra = "loss", words  # `loss_iou` is a part of the loss, and no score
        own = split[0] in self._validation if split else validation
        metric = self._of_split(self._of_memory(metric, words), own, strict=leading or bool(split))
        if extra:
            metric, trust = _PARTS.get(metric, metric), trust + 100
        return Name(metric, " ".join(words), trust) if metric in self._metrics else None

    def _of_memory(self, metric: str, words: Iterable[str]) -> str:
        """The memory of the host, where the words say so: without them it is that of the device."""
        return "host_memory_gib" if metric == "memory_gib" and not self._host.isdisjoint(words) else metric

    def _of_split(self, metric: str, validation: bool | None, *, strict: bool) -> str:
        """The same metric on validation or training data; a validation metric nobody keeps has no entry."""
        if validation is not None and (metric, validation) in _OF_SPLIT:
            return _OF_SPLIT[metric, validation]
        if not validation or metric.startswith("eval_") or metric in POSITIONS:
            return metric
        other = f"eval_{metric}"
        return other if strict or other in self._metrics else metric

    def _direct(self, words: tuple[str, ...]) -> tuple[str, int, tuple[str, ...]] | None:
        return (*self._names[words], ()) if words in self._names else None

    def _longest(self, words: tuple[str, ...], phrase: str) -> tuple[str, int, tuple[str, ...]] | None:
        for first in range(len(words)):
            if found := self._names.get(words[first:]):
                return (*found, words[:first])
        printed = words_of(phrase.rsplit(maxsplit=1)[-1]) if phrase.strip() else ()
        for start, metric in self._starts.items():
            if len(printed) > 1 and start in printed[:2]:
                return metric, 200, ()
        stem = tuple(filter(None, (*words[:-1], words[-1].rstrip("0123456789")))) if words else ()
        if stem and stem != words and (again := self._longest(stem, "")):
            return again[0], again[1], (*again[2], words[-1])
        return None
