"""Texts of rules with the facts filled in, and values as a person reads them."""

from __future__ import annotations

import math

from .facts import Facts, Value
from .regex import regex

PLACEHOLDER = regex(r"\{([a-z_]+(?:\.[a-z0-9_]+)+)(?::([^{}]*))?\}")
"""`{grad.norm.max:.3g}`: a fact's value, with an optional number format."""
_SHOWN = 3
"""How many of a list's texts are shown."""


def fill(text: str, facts: Facts) -> str:
    """Put the values of facts into a text; `?` stands where one is unknown."""
    return PLACEHOLDER.sub(lambda match: _value(facts.value(match[1]), match[2]), text)


def _value(value: Value | None, how: str | None) -> str:
    if value is None:
        return "?"
    if how and isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        try:
            return format(value, how)
        except ValueError:
            return show(value)
    return show(value)


def show(value: Value) -> str:
    """A value in the fewest characters that tell it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        rest = len(value) - _SHOWN
        return ", ".join(value[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
    return str(value)
