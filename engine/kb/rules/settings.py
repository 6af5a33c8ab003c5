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


class CheckRule(NamedTuple):
    """A contradiction between settings."""

    id: str
    rule: Rule
    says: str
