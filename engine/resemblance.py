"""Which causes does a text read like? A hint, for where the evidence confirms none of them.

What is known of each cause is a page of words, and pages are compared with the text as a search engine
would (Okapi BM25: Robertson and Zaragoza, 2009): rare words count more than common ones, and a long page gains
nothing by its length. Two words side by side are compared too: `batch size` tells more than `batch` and `size` do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from .regex import regex

NAMED = 5
"""How many of the shared words are named to a person."""
SATURATION = 2.0
"""k1 of BM25: how soon it stops to matter how often a word stands on a page."""
LENGTH = 0.75
"""b of BM25: how far the length of a page is allowed for."""
_UNIT = 10
"""Weights are given in tenths."""
_WORDS = regex(
    r"[a-z\u00df-\u1eff]{2,}|[A-Z](?:[A-Z]?[a-z][A-Z]{1,3}(?![a-z])|[A-Z]+(?=[sv]?(?![a-z]))|[a-z\u00df-\u1eff]+)"
    r"|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"
)
"""`LoRA` and `NaN` are one word each, `maxSeqLen` is three, and `GPUs` and `YOLOv8` hold `GPU` and `YOLO`. What is written without spaces is told by its characters,
and so by every two of them."""
_ENDINGS = ("ing", "ed", "es", "s", "ly")
_STEM = 4
"""Letters that are left at least where an ending is taken off."""


class Index(NamedTuple):
    """What is known of each page, in words."""

    pages: Sequence[str]
    lengths: Sequence[int]
    """Words and pairs on each page."""
    words: Mapping[str, Mapping[str, Sequence[int]]]
    """The stem of a word, then that of the word behind it or "" for the word alone: the numbers of the pages that
    hold them, each followed by how often."""
    nothing: Collection[str] = ()
    """Stems of words that tell nothing: a pair may hold one, and none is named as a reason."""

    def weights(self, held: Sequence[int]) -> Iterator[tuple[int, float]]:
        """What words that stand on these pages weigh for each, the pages by number."""
        usual = max(1, sum(self.lengths)) / max(1, len(self.lengths))
        pages = len(held) // 2
        rare = math.log(1 + (len(self.pages) - pages + 0.5) / (pages + 0.5))
        for number, count in zip(held[::2], held[1::2], strict=True):
            long = SATURATION * (1 - LENGTH + LENGTH * self.lengths[number] / usual)
            yield number, _UNIT * rare * count * (SATURATION + 1) / (count + long)


class Likeness(NamedTuple):
    """How much a text reads like a page."""

    share: float
    """From 0 to 1, where 1 is the page that is nearest."""
    words: tuple[str, ...]
    """The words that tell most, as the text writes them."""
    nearest: int = 0
    """What the words weigh that the text shares with the page that is nearest."""


def written_words(text: str) -> list[str]:
    """The words of a text. Names are taken apart at capitals and underscores; where files lie tells nothing."""
    if text.count("/") > 1 or text.count("\\") > 1:
        text = " ".join(one for one in text.split() if not _is_path(one))
    return _WORDS.findall(text)


def _is_path(word: str) -> bool:
    return word.count("/") > 1 or word.count("\\") > 1


def stem(word: str) -> str:
    """A word without its ending, so that `padding`, `padded` and `pads` are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word[: -len(ending)]
    return word


def pairs(words: Sequence[str]) -> list[str]:
    """Every two neighbours, as one text."""
    return [f"{one} {other}" for one, other in pairwise(words)]


def likenesses(texts: Iterable[str], index: Index, among: frozenset[str]) -> dict[str, Likeness]:
    """How much the texts together read like each page of those `among`. However often a word stands, it counts once."""
    written: dict[str, str] = {}
    for text in texts:
        words = written_words(text)
        stems = [stem(word.lower()) for word in words]
        written.update(zip(stems, words, strict=True))
        written.update(zip(pairs(stems), pairs(words), strict=True))
    behind: dict[str, dict[str, str]] = {}
    for term, as_written in written.items():
        first, _, second = term.partition(" ")
        behind.setdefault(first, {})[second] = as_written
    wanted = {number: page for number, page in enumerate(index.pages) if page in among}
    shared: dict[str, dict[str, float]] = {page: defaultdict(float) for page in wanted.values()}
    for first, others in behind.items():
        known = index.words.get(first) or {}
        for second, as_written in others.items():
            for number, weight in index.weights(known.get(second, ())):
                if number in wanted:
                    shared[wanted[number]][as_written] += weight
    totals = {page: sum(words.values()) for page, words in shared.items()}
    most = max(totals.values(), default=0)
    return {
        page: Likeness(total / most, tuple(_named(shared[page], index.nothing)), round(most))
        for page, total in sorted(totals.items())
        if total
    }


def _named(shared: Mapping[str, float], nothing: Collection[str]) -> list[str]:
    """What tells most. A word that stands in a pair is not named twice."""
    named: list[str] = []
    ordered = sorted(shared, key=shared.__getitem__, reverse=True)
    for term in ordered:
        words = term.split()
        if len(named) == NAMED:
            break
        if any(stem(word.lower()) in nothing for word in words):
            continue
        if not any(word in one.split() for one in named for word in words):
            named.append(term)
    return named or ordered[:1]
