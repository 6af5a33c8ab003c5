"""What the learning rate says: its course, its peak, and where it was when trouble began."""

from __future__ import annotations

from collections.abc import Sequence

from .decimals import hidden_below, says_one_digit
from .lines import Lines
from .marks import Mark
from .series import Curve, Extreme, Series, curve_of
from .spikes import tell_restart
from .told import Told

_SOME = 3
_RATE = "learning_rate"
_BANNER = 8
"""Rates that a banner may print before the first of the schedule."""
_LOW = 0.2
"""A rate below this share of its peak is low."""
_PEAK = 0.999
"""A rate from this share of its peak on is the peak, whatever the decimals hide."""


def tell_rate(
    told: Told,
    rate: Series,
    trouble: Mark | None,
    total: int | None,
    lines: Lines | None = None,
    train: Curve | None = None,
) -> None:
    """All facts of the learning rate. `total` is the number of steps the run was meant to take, `train` the loss."""
    line, end = _without_banner(curve_of(rate), lines), rate.marks[-1]
    if not line.values or rate.high is None:
        return
    high = rate.high if rate.high.mark.number >= line.marks[0].number else _highest(line)
    values, peak = line.values, high.value
    hidden = _hidden(rate, line, lines)
    if hidden and peak == 0:
        told.tell("log.lr.hidden_below", hidden, end)
        return
    unseen = hidden > told.limits["lr_collapse"] * peak
    _tell_ends(told, line, high, unseen=unseen)
    if len(values) >= _SOME:
        constant = max(values) == min(values)
        told.tell("log.lr.constant", constant, end)
        if constant:
            told.tell("log.lr.one_digit", says_one_digit(lines, end, rate.name), end)
    if not unseen:
        told.tell("log.lr.collapsed_early", _collapsed_early(told, line, peak, total), end)
    if len(values) > _SOME and hidden <= _LOW * peak:
        _tell_drops(told, line, peak, train)
    if trouble is not None:
        _tell_at_failure(told, line, trouble, unseen=unseen)


def _tell_ends(told: Told, line: Curve, high: Extreme, *, unseen: bool) -> None:
    """Where the rate begins, how high it comes and where it ends. An `unseen` zero may be any rate that is small."""
    values, peak = line.values, high.value
    told.tell("log.lr.first", values[0] or (None if unseen else 0.0), line.marks[0])
    told.tell("log.lr.last", values[-1] or (None if unseen else 0.0), line.marks[-1])
    told.tell("log.lr.max", peak, high.mark)
    if not unseen and len(values) >= told.limits["points_few"] and 0 <= values[0] < peak:
        told.tell("log.lr.climb_share", _climb_share(values, peak), high.mark)
    if len(values) > 1:
        told.tell("log.lr.zero", None if unseen and values[-1] == 0 else _zero(values), line.marks[-1])


def _tell_drops(told: Told, line: Curve, peak: float, train: Curve | None) -> None:
    """Whether the rate falls from its peak and comes back, and what the loss does then."""
    # The rate of a stage may be printed just before its first epoch.
    begun = {line.marks.before(number) - ahead for number in told.stages for ahead in (0, 1)}
    drops = [place for place in _drops(line.values, peak) if place not in begun]
    back = len(drops) > 1 or (bool(drops) and max(line.values[drops[0] :]) > 0.5 * peak)
    told.tell("log.lr.falls_back", back, line.marks[drops[0] if back else -1])
    if back and train is not None:
        tell_restart(told, train, line.marks[drops[0]])


def _tell_at_failure(told: Told, line: Curve, trouble: Mark, *, unseen: bool) -> None:
    """The rate when trouble began, and whether it was still rising."""
    values, place = line.values, _last_before(line, trouble)
    if place is None or (unseen and values[place] == 0):
        return
    told.tell("log.lr.at_failure", values[place], line.marks[place])
    if place >= 1:
        warming = values[place] > values[place - 1] and values[place] >= max(values[: place + 1])
        told.tell("log.lr.still_warming", warming, line.marks[place])


def _without_banner(line: Curve, lines: Lines | None) -> Curve:
    """The curve without rates that stand before it in a banner: `Learning rate (0.002) calculated from ...`.

    They stand alone in their lines, where those of the schedule stand beside a loss or a step.
    """
    if lines is None or len(line) <= _SOME or _is_alone(lines, line.marks[-1]):
        return line
    places = range(min(_BANNER, len(line) - 1))
    start = next((place for place in places if not _is_alone(lines, line.marks[place])), 0)
    return Curve(line.values[start:], line.marks[start:], line.peaks[start:]) if start else line


def _is_alone(lines: Lines, mark: Mark) -> bool:
    """Whether a rate is all that its line measures, and the line does not say where the run is."""
    reading = lines.placed(mark.line)
    rates = [value for value in reading.values if value.name.metric == _RATE]
    return len(rates) == len(reading.values) > 0 and not reading.places


def _highest(line: Curve) -> Extreme:
    """The highest of the values that a curve keeps."""
    place = max(range(len(line)), key=line.values.__getitem__)
    return Extreme(line.values[place], place, line.marks[place])


def _hidden(rate: Series, line: Curve, lines: Lines | None) -> float:
    """Below which rate the zeros of the curve may be anything, as they have few decimals."""
    place = next((index for index, value in enumerate(line.values) if value == 0), None)
    return 0.0 if place is None else hidden_below(lines, line.marks[place], rate.name)


def _zero(values: Sequence[float]) -> bool | None:
    """Whether the rate ends at zero. The last one alone is as often the end of a schedule that falls to it."""
    if values[-1] != 0:
        return False
    return values[-2] == 0 or None


def _climb_share(values: Sequence[float], peak: float) -> float | None:
    """The share of the printed rates before the first that is as good as the peak, where the curve still has such a one."""
    place = next((place for place, value in enumerate(values) if value >= _PEAK * peak), None)
    return None if place is None else place / (len(values) - 1)


def _drops(values: Sequence[float], peak: float) -> list[int]:
    """Where the rate drops at once from near its peak to a small part of it. Twice, or once and back up, is no schedule."""
    high, low = 0.5 * peak, _LOW * peak
    return [place for place in range(1, len(values)) if values[place - 1] > high and values[place] < low]


def _last_before(line: Curve, mark: Mark) -> int | None:
    count = line.marks.before(mark.number + 1)
    return count - 1 if count else None


def _collapsed_early(told: Told, line: Curve, peak: float, total: int | None) -> bool | None:
    if len(line) < told.limits["points_few"] or peak <= 0:
        return None
    low = told.limits["lr_collapse"] * peak
    fallen = len(line)
    while fallen and line.values[fallen - 1] < low:
        fallen -= 1
    if fallen == len(line):
        return False
    step, end = told.where(line.marks[fallen]).step, told.where(line.marks[-1]).step
    whole = total or end
    return step < whole / 2 if step is not None and whole else fallen < len(line) / 2
