"""Sums about a curve: level, noise, parts, spikes. Plain lists, no judgement."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

_MAD = 1.4826
"""Turns a median absolute deviation into a standard deviation."""


def median(values: Sequence[float]) -> float:
    """The middle value. Raises IndexError for none."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def mean(values: Sequence[float]) -> float:
    """The average."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """The standard deviation."""
    level = mean(values)
    return math.sqrt(math.fsum((value - level) ** 2 for value in values) / len(values))


def steps_between(values: Sequence[float]) -> list[float]:
    """The difference of each value to the one before it."""
    return [after - before for before, after in itertools.pairwise(values)]


def noise(values: Sequence[float]) -> float:
    """The standard deviation of a curve around its own trend, from its steps: outliers and slopes do not count."""
    steps = steps_between(values)
    if not steps:
        return 0.0
    level = median(steps)
    return _MAD * median([abs(step - level) for step in steps]) / math.sqrt(2)


def logs(values: Sequence[float]) -> list[float] | None:
    """The logarithms, or None where some value is not above zero."""
    return [math.log(value) for value in values] if values and min(values) > 0 else None


def parts(
    values: Sequence[float], count: int, of: Callable[[Sequence[float]], float] = median
) -> list[float]:
    """The medians, or what else is asked, of `count` parts of about equal length (of as many as there are values, if fewer)."""
    count = min(count, len(values))
    edges = [round(index * len(values) / count) for index in range(count + 1)]
    return [of(values[start:end]) for start, end in itertools.pairwise(edges)]


def jumpiness(values: Sequence[float]) -> float:
    """The mean size of a step as a share of the level."""
    level = mean([abs(value) for value in values])
    return mean([abs(step) for step in steps_between(values)]) / level if level else 0.0


def turns(values: Sequence[float]) -> float:
    """The share of steps that go the other way than the step before."""
    steps = [step for step in steps_between(values) if step]
    changed = sum(1 for before, after in itertools.pairwise(steps) if (before > 0) != (after > 0))
    return changed / (len(steps) - 1) if len(steps) > 1 else 0.0


def climbs(values: Sequence[float]) -> float:
    """Kendall's tau against time: 1 for a curve that only rises, -1 for one that only falls."""
    count = len(values)
    pairs = count * (count - 1) // 2
    up = sum(
        (values[later] > values[earlier]) - (values[later] < values[earlier])
        for earlier in range(count)
        for later in range(earlier + 1, count)
    )
    return up / pairs if pairs else 0.0
