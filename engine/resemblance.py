"""Which causes does a text read like? A hint, for where the evidence confirms none of them.

What is known of each cause is a page of words, and pages are compared with the text as a search engine
would (Okapi BM25: Robertson and Zaragoza, 2009): rare words count more than common ones, and a long page gains
nothing by its length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .regex import regex

NAMED = 5
"""How many of the shared words are named to a person."""
_WORDS = regex(r"[A-Z]{1,2}[a-z][A-Z]{1,3}(?![a-z])|[A-Z]{2,}(?![a-z])|[A-Z][a-z]+|[a-z]{2,}")
"""`LoRA` and `NaN` are one word each, `maxSeqLen` is three."""
_ENDINGS = ("ing", "ed", "es", "s", "ly")
_STEM = 4
"""Letters that are left at least where an ending is taken off."""


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
    return _WORDS.findall(" ".join(one for one in text.split() if not _is_path(one)))


def _is_path(word: str) -> bool:
    return word.count("/") > 1 or word.count("\\") > 1


def stem(word: str) -> str:
    """A word without its ending, so that `padding`, `padded` and `pads` are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word[: -len(ending)]
    return word


def likenesses(
    texts: Iterable[str], pages: Mapping[str, Mapping[str, int]], among: frozenset[str]
) -> dict[str, Likeness]:
    """How much the texts together read like each page of those `among`. `pages` holds word -> page -> weight."""
    written = {stem(word.lower()): word for text in texts for word in written_words(text)}
    shared: dict[str, Counter[str]] = {page: Counter() for page in among}
    for word, as_written in written.items():
        for page, weight in pages.get(word, {}).items():
            if page in among:
                shared[page][as_written] += weight
    totals = {page: sum(words.values()) for page, words in shared.items()}
    most = max(totals.values(), default=0)
    return {
        page: Likeness(total / most, tuple(word for word, _ in shared[page].most_common(NAMED)), most)
        for page, total in sorted(totals.items())
        if total
    }
