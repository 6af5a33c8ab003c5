"""A sentence as it is read by patterns for which a full stop ends what belongs together.

`resumed from last.pt and the loss got bad` is one statement: the dot stands in the name of a file, as it does in
`torch.no_grad` and in `0.93`. Patterns say `[^.;]` for "within the statement", so a sentence is read once as it stands,
for patterns that name files and figures, and once with the dots within its words made letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .regex import regex

_WITHIN = regex(r"(?<!\d\.\d)(?<!\d\.\d\d)(?<=\w)\.\d+(?!\.?\w)|(?<=\w)\.(?=[^\W\d_])")
"""The decimals of a number, or a dot before a letter of the same word. Where a number goes on after a second dot it is a version."""
_KEPT = 512
"""Sentences that are kept as they were read: each is asked for by every pattern."""


def readings(sentence: str) -> Iterator[str]:
    """The sentence, and where a dot stands within one of its words, it without such dots, character by character."""
    yield sentence
    if (joined := _joined(sentence)) != sentence:
        yield joined


@lru_cache(maxsize=_KEPT)
def _joined(sentence: str) -> str:
    return _WITHIN.sub(_letters, sentence) if "." in sentence else sentence


def _letters(match: re.Match[str]) -> str:
    return "_" * len(match[0])


__all__ = ["readings"]
