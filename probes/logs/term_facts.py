"""What the terms of a loss say of each other, where each is printed."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.engine.regex import regex

from .series import Series, curve_of
from .told import Told

_HELD_DOWN = regex(
    r"\b(?:kld?|reg\w*|penalty|l1|l2|aux\w*|commit\w*|entropy|vq|tv|smooth\w*|gp|decay|kd|distill\w*)\b"
)
"""The names of terms that need not fall: what they stand for is kept where it is, and not learnt."""


def tell_terms(told: Told, parts: Sequence[Series]) -> None:
    """Whether a small term has not moved while one of another size, which it is added to, was learnt."""
    curves = [(one, line.values) for one in parts if len((line := curve_of(one)).values) >= 2]
    if len(curves) < 2:
        return
    largest, values = max(curves, key=lambda pair: pair[1][-1])
    if not values[0] - values[-1] > told.limits["clear_change"] * values[0]:
        return
    for one, small in curves:
        if one is largest or min(small) <= 0 or _HELD_DOWN.search(one.name.printed):
            continue
        apart = told.limits["terms_apart"]
        still = max(small) - min(small) < told.limits["flat_drop"] * max(small)
        if still and values[0] > apart * small[0] and values[-1] > apart * small[-1]:
            told.tell("loss.part_left_behind", True, one.marks[-1], one.name.printed)
            return
