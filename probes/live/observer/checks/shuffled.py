"""Whether labels that samples have anew are those of other samples, as after a shuffle, or were made anew."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

NEARLY = 0.75
"""The part of the changes that chance alone would make."""

PAIRS = 20
"""Pairs of samples of one class before anything is said of what became of their labels."""

BEYOND_COUNTS, BEYOND_PAIRS = 4.0, 2.0
"""Standard deviations that the counts of the classes, and of pairs that kept to one label, may lie beyond chance."""


def are_shuffled(again: Iterable[tuple[int, int]]) -> bool:
    """Whether the new labels are those of other samples: as many of each class, and nothing to do with the old ones.

    `again`: the old and the new label of each sample. The counts are compared as two samples of one distribution
    (chi-squared); of samples that had one label in common, as many have one again as two samples have by chance.
    """
    pairs = list(again)
    old, new = Counter(one for one, _ in pairs), Counter(one for _, one in pairs)
    other = 1 - sum(old[label] * new[label] for label in old) / len(pairs) ** 2
    changed = sum(one != another for one, another in pairs) / len(pairs)
    distance = sum((old[label] - new[label]) ** 2 / (old[label] + new[label]) for label in old | new)
    free = len(old | new) - 1
    before, still = _equal_pairs(old), _equal_pairs(Counter(pairs))
    chance = before * sum((one / len(pairs)) ** 2 for one in new.values())
    return (
        changed >= NEARLY * other
        and distance <= free + BEYOND_COUNTS * math.sqrt(2 * free)
        and before >= PAIRS
        and still <= chance + BEYOND_PAIRS * math.sqrt(chance)
    )


def _equal_pairs(counts: Counter[Any]) -> float:
    """How many pairs have the same."""
    return sum(one * (one - 1) for one in counts.values()) / 2
