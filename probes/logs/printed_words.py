"""A printed name as words."""

from __future__ import annotations

from traindx.engine.regex import regex

_CAMEL = regex(r"(?<=[a-z]{2})(?=[A-Z][a-z])")
_TIMES = regex(r"\*\s?\d+k?\b")
_SPLIT = regex(r"[^a-z0-9]+")


def words_of(text: str) -> tuple[str, ...]:
    """A printed name as lower-case words: `valLoss`, `val_loss` and `Val loss` are one."""
    return tuple(filter(None, _SPLIT.split(_CAMEL.sub(" ", _TIMES.sub("", text)).lower())))
