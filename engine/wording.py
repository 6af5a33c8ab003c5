"""Texts of rules with the facts filled in, and values as a person reads them."""

from __future__ import annotations

import math

from .facts import Facts, Value
from .regex import regex

PLACEHOLDER = regex(r"\{([a-z_]+(?:\.[a-z0-9_]+)+)(?::([^{}]*))?\}")
"""`{grad.norm.max:.3g}`: a fact's value, with an optional number format."""
_ASIDE = regex(
    r" \([^(){}]*\{([a-z_]+(?:\.[a-z0-9_]+)+)(?::[^{}]*)?\}[^(){}]*\)"
    r"|(?::|,? (?:at line|at|in|by|out of)) \{([a-z_]+(?:\.[a-z0-9_]+)+)(?::[^{}]*)?\}(?=[;,]|$)"
)
"""What a sentence can do without: ` ({log.shape.given})`, `: {checkpoint.file}` and `, at {grad.cut_where}` at its end."""
_SHOWN = 3
"""How many of a list's texts are shown."""
_PLAIN = 1e6
"""Numbers below this are written without an exponent."""
_ONE = regex(
    r"(?<![\w.,-])1 (sample|epoch|step|class(?=es)|process(?=es)|token|worker|layer|channel|picture|image|core"
    r"|device|machine|second|minute|evaluation|weight|tensor|parameter|unit|pixel|feature|shard|row|rank)(?:es|s)\b"
)
"""One of what is counted."""


def percent(confidence: float) -> str:
    """A confidence from 0 to 1 as a person reads it; at most 99%, since no evidence makes certain."""
    return f"{min(confidence, 0.99):.0%}"


def fill(text: str, facts: Facts) -> str:
    """Put the values of facts into a text. What is unknown is left out where the sentence can do without it, else vague."""
    known = _ASIDE.sub(lambda match: "" if facts.value(match[1] or match[2]) is None else match[0], text)
    filled = PLACEHOLDER.sub(lambda match: _value(facts.value(match[1]), match[2]), known)
    return filled if filled == text else _ONE.sub(r"1 \1", filled)


def _value(value: Value | None, how: str | None) -> str:
    if value is None:
        return "some" if how else "something"
    if how and isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        try:
            return plainly(value, how)
        except ValueError:
            return show(value)
    return show(value)


def plainly(value: float, how: str) -> str:
    """A number in a format, without an exponent where it is of a usual size: `162`, not `1.6e+02`."""
    text = format(value, how)
    return f"{value:.0f}" if "e+" in text and abs(value) < _PLAIN else text


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters, cut between words."""
    if len(text) <= most:
        return text
    cut = text.rfind(" ", most // 2, most)
    return text[: cut if cut > 0 else most - 1].rstrip(" ,;:") + "…"


def show(value: Value) -> str:
    """A value in the fewest characters that tell it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return plainly(value, ".4g")
    if isinstance(value, tuple):
        rest = len(value) - _SHOWN
        return ", ".join(value[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
    return str(value)
