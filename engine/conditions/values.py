"""What conditions ask of values: whether they are equal, which version comes first, what a text holds."""

from __future__ import annotations

from typing import Any, TypeGuard

from ..regex import regex

_VERSION_PART = regex(r"\d+|[a-z]+")


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(one: Any, other: Any) -> bool:
    """Whether two values are the same."""
    # True is no number here: a boolean setting never equals the count 1.
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def inside(one: Any, other: Any) -> bool | None:
    """Whether a value is one of several, or a text part of another; None where that is unknown."""
    if isinstance(other, list):
        if any(value is not None and equal(one, value) for value in other):
            return True
        return None if None in other else False
    if isinstance(other, tuple):
        return one in other
    return one in other if isinstance(one, str) and isinstance(other, str) else None


def contains(text: Any, part: Any) -> bool | None:
    """Whether a text, or one of several, holds another, in whatever case."""
    if not isinstance(part, str):
        return None
    if isinstance(text, tuple):
        return any(part.lower() in one.lower() for one in text)
    return part.lower() in text.lower() if isinstance(text, str) else None


def compare_versions(one: str, other: str) -> int:
    """Order two version texts: below 0, 0, above 0.

    Compared only as far as the shorter one goes, so that `2.2.2+cu121` equals `2.2`; what
    follows a plus sign (the build) does not count.
    """
    parts = [
        [_rank(part) for part in _VERSION_PART.findall(text.lower().split("+")[0].lstrip("v"))]
        for text in (one, other)
    ]
    for first, second in zip(*parts, strict=False):
        if first != second:
            return -1 if first < second else 1
    return 0


def _rank(part: str) -> tuple[int, int, str]:
    # 2.1rc1 comes before 2.1.0: a word sorts below every number.
    return (1, int(part), "") if part.isdigit() else (0, 0, part)
