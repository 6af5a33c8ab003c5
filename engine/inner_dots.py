"""Sentences as they are searched by patterns for which a full stop ends what belongs together.

`resumed from last.pt and the loss got bad` is one statement: the dot stands in the name of a file, as it does in
`torch.no_grad` and in `0.93`. Patterns say `[^.;]` for "within the statement", so a sentence is searched once as it stands,
for patterns that name files and figures, and once with the dots of words and the numbers around them made letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .regex import regex

_WITHIN = regex(r"(?<![\w.])\d+\.\d+(?!\.?\w)|(?<=\w)\.(?=[^\W\d_])")
"""A number with decimals, or a dot before a letter of the same word. Where a number goes on after a second dot it is a version."""
_KEPT = 512
"""Sentences that are kept as they were read: each is asked for by every pattern."""


def matches(pattern: re.Pattern[str], sentence: str) -> Iterator[re.Match[str]]:
    """Where a pattern is in a sentence as it stands, then where it is only because a dot within a word ends nothing.

    Such a match goes on beyond the word: what looks ahead for more of a number must not be led astray.
    """
    yield from pattern.finditer(sentence)
    joined, made = _joined(sentence)
    for match in pattern.finditer(joined) if made else ():
        met = [(start, end) for start, end in made if start < match.end() and match.start() < end]
        if met and match.start() < met[0][0] and met[-1][1] < match.end():
            yield match


@lru_cache(maxsize=_KEPT)
def _joined(sentence: str) -> tuple[str, list[tuple[int, int]]]:
    """A sentence without such dots, character by character, and what was made letters."""
    made = [match.span() for match in _WITHIN.finditer(sentence)] if "." in sentence else []
    return _WITHIN.sub(_letters, sentence) if made else sentence, made


def _letters(match: re.Match[str]) -> str:
    return "_" * len(match[0])


__all__ = ["matches"]
