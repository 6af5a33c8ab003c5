"""Losses of which nothing is said: lines of a count and a number, `12300  0.0213`, as `print(step, loss.item())` prints them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from traindx.engine.regex import regex

from . import curve
from .names import Name
from .reading import Reading, Value
from .series import Series, curve_of
from .store import Store

NUMBER = "number"
"""What such a number is until the log is read to its end."""
TRUST = 2000
"""The trust in a loss that has no name."""
_ROW = regex(
    rb"\s{0,12}(?P<count>\d{1,9})(?::\s|,\s|\s)\s{0,12}(?P<number>-?\d{1,12}\.\d{1,20}(?:[eE][-+]?\d{1,3})?|nan|inf)\s{0,12}"
)
_MANY = 10
_DENSE = 3
"""At least every third line is such a row."""
_EARLY = 2
"""A loss that never rises falls so many times as far in its first half as in its second; the rate of a schedule does not."""
_TURNS = 4
"""A loss goes up and down; a rate that is warmed up and decays turns once."""
_SMALLEST = 0.01
"""What begins below is a rate sooner than a loss."""
_FALLEN = 0.8
"""By less than a fifth, anything falls by chance."""
_OTHERS = (
    "loss",
    "loss_part",
    "eval_loss",
    "eval_loss_part",
    "reward",
    "episode_return",
    "accuracy",
    "eval_accuracy",
)


def is_row(line: bytes) -> bool:
    """Whether a line is a count and a number, and nothing else."""
    return _ROW.fullmatch(line) is not None


def read_row(line: bytes) -> Reading:
    """The number of such a line. It says nothing of where the run is: tables of other things look like this."""
    reading = Reading()
    if (row := _ROW.fullmatch(line)) is not None:
        start, end = row.span("number")
        reading.values.append(Value(Name(NUMBER, NUMBER, TRUST), start, end, words=(start, start)))
    return reading


def settle_numbers(store: Store) -> None:
    """Take such numbers for the loss where they can be nothing else, and forget them elsewhere."""
    for series in [one for one in store if one.name.metric == NUMBER]:
        store.drop(series)
        if not any(map(store.of, _OTHERS)) and _is_loss(series):
            store.put(series, Name("loss", NUMBER, TRUST))


def prefer_named(stores: Sequence[Store]) -> None:
    """Forget what was taken for a loss without a name where another log of the run names its own."""
    found = [(store, one) for store in stores for name in _OTHERS for one in store.of(name)]
    if any(one.name.printed != NUMBER for _, one in found):
        for store, one in found:
            if one.name.printed == NUMBER:
                store.drop(one)


def _is_loss(series: Series) -> bool:
    """Whether the counts go on evenly, line after line, and the numbers fall, though not as a sorted list or a rate does.

    What goes below zero may be anything.
    """
    marks, values = series.marks, curve_of(series).values
    if series.count < _MANY or len(values) < _MANY // 2:
        return False
    if marks[-1].number - marks[0].number >= _DENSE * series.count:
        return False
    rows = [_ROW.fullmatch(mark.line) for mark in marks]
    counts = [int(row["count"]) for row in rows if row is not None]
    # The first or the last may stand apart: `1, 100, 200, ...`.
    steps = [after - before for before, after in itertools.pairwise(counts)]
    if len(set(steps[1:-1])) != 1 or min(steps) <= 0:
        return False
    if len(set(values)) * 2 < len(values) or min(values) < 0:
        return False
    falls = [after < before for before, after in itertools.pairwise(values)]
    if all(falls):
        middle = values[len(values) // 2]
        if steps[1] == 1 or values[0] - middle < _EARLY * (middle - values[-1]):
            return False
    elif sum(before != after for before, after in itertools.pairwise(falls)) < _TURNS:
        return False
    part = max(1, len(values) // 4)
    first, last = curve.median(values[:part]), curve.median(values[-part:])
    return first >= _SMALLEST and last < _FALLEN * first
