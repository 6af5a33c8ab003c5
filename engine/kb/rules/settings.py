"""Canonical settings and the contradictions between them."""

from __future__ import annotations

from typing import NamedTuple

from .rule import Rule


class SettingRule(NamedTuple):
    """A canonical setting."""

    id: str
    type: str
    means: str
    values: tuple[str, ...]
    low: float | None
    high: float | None
    words: tuple[str, ...] = ()
    """Texts of our own that only a dialect with a word for them can write."""
    seen_as: str = ""
    """The fact that tells its value where no configuration does."""
    bookkeeping: bool = False
    """Whether it only says under which name, where and how often the run writes."""


class CheckRule(NamedTuple):
    """A contradiction between settings."""

    id: str
    rule: Rule
    says: str
