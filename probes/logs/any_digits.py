"""Could other numbers in the same line make a signature match?"""

from __future__ import annotations

import re

from traindx.engine.regex import compiled, regex

_COUNT = r"(?:\{\d*,?\d*\}|[+*?])?[+?]?"
_TOKENS = regex(
    rf"\(\?P<\w+>|(?P<digits>(?:(?:\\d|\d|\[[\d-]+\]){_COUNT})+)"
    rf"|(?P<none>\[\^\]?(?:\\.|[^\]\\])*\])|\[(?P<some>\]?(?:\\.|[^\]\\])*)\](?P<count>{_COUNT})|\{{\d*,?\d*\}}|\\."
)
_OPEN = ("(?!", "(?<!", "(?P=")
"""What must not stand somewhere, and what must stand there again."""
_ALL_DIGITS = regex(r"\\d|0-9")
_DIGIT = regex(r"(?<!\\x)(?<!\\u)(?<!\\)\d")


def of_any_digits(pattern: str) -> re.Pattern[str] | None:
    """A pattern that finds all the given one finds, and the same with other digits in place of a text's.

    None where a pattern is said in a way that leaves this open.
    """
    if any(part in pattern for part in _OPEN):
        return None
    try:
        return compiled(_TOKENS.sub(_loosened, pattern), re.MULTILINE)
    except (re.error, ValueError):
        return None


def _loosened(found: re.Match[str]) -> str:
    if found["digits"]:
        return r"\d*"
    if found["none"] and _DIGIT.search(_ALL_DIGITS.sub("", found["none"])):
        raise ValueError("some digits must not stand there")
    if found["some"] and _DIGIT.search(_ALL_DIGITS.sub("", found["some"])):
        return rf"[{found['some']}\d]{found['count']}"
    return found[0]
