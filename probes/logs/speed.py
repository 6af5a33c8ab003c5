"""How fast the run was: from printed speeds, from progress bars, from the times of lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from . import curve
from .lines import Lines
from .marks import Mark
from .positions import Positions
from .ranks import prefix_of, seconds_of
from .series import Series, curve_of
from .store import Store
from .told import Told

_SPEEDS = frozenset(("steps_per_second", "seconds_per_step"))
_FIRST_BATCH = re.compile(rb"\[ *[01]/\d+\]")
"""How lines without a step of their own count the first batch of an epoch: `[0][ 0/500]`."""
_DAY = 86400.0
_PARTS = 8
"""Parts of a run of which each is held against the others."""
_MAX_TIMED = 200


class Rates(NamedTuple):
    """Steps a second over the run, each with where it was read."""

    values: list[float]
    marks: Sequence[Mark]


def tell_speed(told: Told, store: Store, positions: Positions | None, lines: Lines | None) -> None:
    """All facts of the speed."""
    printed = _printed(store)
    found = [one for one in (printed, _from_bars(positions, lines)) if one is not None]
    timed = _from_times(told, store.of("loss")[:1])
    rates = max(found, key=lambda one: len(one.values)) if found else timed
    if rates is not None and rates.values:
        told.tell("log.speed.steps_per_second", curve.median(rates.values), rates.marks[-1])
    for one in (rates, timed):
        _tell_slowdown(told, one)
    _tell_first_epoch(told, store, positions, lines)
    _tell_stalls(told, store, timed)
    _tell_data_share(told, store)
    for metric, name in (("mfu", "log.speed.mfu"), ("gpu_utilization", "log.speed.gpu_utilization")):
        for series in store.of(metric)[:1]:
            # nanoGPT prints -100 % until it has measured.
            values = [value for value in curve_of(series).values if value >= 0]
            if values:
                told.tell(name, curve.median(values), series.marks[-1])


def _printed(store: Store) -> Rates | None:
    kinds = [*store.of("seconds_per_step")[:1], *store.of("steps_per_second")[:1]]
    if not kinds:
        return None
    rates = [_rates(series) for series in kinds]
    values = sorted((one for one in zip(rates, kinds, strict=True)), key=lambda one: -len(one[0].values))
    if len(kinds) == 2 and all(map(_is_of_bar, kinds)):
        # A bar that changes between `it/s` and `s/it` is one curve.
        both = sorted(
            zip(rates[0].values + rates[1].values, [*rates[0].marks, *rates[1].marks], strict=True), key=_line
        )
        return Rates([value for value, _ in both], [mark for _, mark in both])
    return values[0][0]


def _is_of_bar(series: Series) -> bool:
    """Whether a speed is a number with its unit, as bars print it, and has no name."""
    return series.name.printed.startswith("n ")


def _line(one: tuple[float, Mark]) -> int:
    return one[1].number


def _rates(series: Series) -> Rates:
    line = curve_of(series)
    kept = [index for index, value in enumerate(line.values) if value > 0]
    turned = series.name.metric in ("seconds_per_step", "epoch_seconds")
    values = [1 / line.values[index] if turned else line.values[index] for index in kept]
    return Rates(values, line.marks.some(kept))


def _from_bars(positions: Positions | None, lines: Lines | None, ended: bool = False) -> Rates | None:
    """The rates of the bars that count the most: the training loop's, if there is one.

    With `ended`, of bars at their end alone: one for each epoch.
    """
    if positions is None or lines is None:
        return None
    by_total: dict[int, list[tuple[float, Mark]]] = {}
    for mark in positions.sample:
        reading = lines.placed(mark.line, wanted=_SPEEDS)
        for value in reading.values:
            if (
                value.name.metric in _SPEEDS
                and reading.pair
                and (reading.pair[1] - reading.pair[0] <= 1 or not ended)
            ):
                number = float(mark.line[value.start : value.end]) * value.scale
                rates = by_total.setdefault(reading.pair[1], [])
                if number > 0:
                    rates.append((1 / number if value.name.metric == "seconds_per_step" else number, mark))
    most = max(by_total.values(), key=len, default=None)
    return None if most is None else Rates([value for value, _ in most], [mark for _, mark in most])


def _from_times(told: Told, series: Sequence[Series]) -> Rates | None:
    """Steps a second between lines, from the times they begin with."""
    if not series:
        return None
    marks = series[0].marks[:: max(1, len(series[0].marks) // _MAX_TIMED)]
    values, found, before = list[float](), list[Mark](), None
    for mark in marks:
        time = seconds_of(mark.line, prefix_of(mark.line).end)
        if time is None or (step := told.where(mark).step) is None:
            continue
        if before is not None:
            taken, done = (time - before[0]) % _DAY, step - before[1]
            if taken > 0 and done > 0:
                values.append(done / taken)
                found.append(mark)
            if done == 0:
                # Steps that are printed short stand still for some lines, while time goes on.
                continue
        before = (time, step)
    return Rates(values, found) if len(values) >= 2 else None


def _tell_slowdown(told: Told, rates: Rates | None) -> None:
    if rates is None or len(rates.values) < 1.2 * told.limits["points_few"]:
        return
    # The first steps are slow for reasons of their own: compilation, caches, warm-up.
    values = rates.values[len(rates.values) // 10 :]
    part = max(3, len(values) // 4)
    start, end = curve.median(values[:part]), curve.median(values[-part:])
    if end > 0 and start / end < told.limits["slowdown_absurd"]:
        told.tell("log.speed.slowdown", start / end, rates.marks[-1])
        steadily = -curve.climbs(curve.parts(values, _PARTS)) > told.limits["steadily"]
        told.tell("log.speed.slows_steadily", steadily, rates.marks[-1])


def _tell_first_epoch(told: Told, store: Store, positions: Positions | None, lines: Lines | None) -> None:
    """How the first epoch compares with later ones, for which the system holds the files in memory."""
    timed = store.of("epoch_seconds")[:1]
    rates = _rates(timed[0]) if timed else _from_bars(positions, lines, ended=True)
    if rates is not None and len(rates.values) >= 2 and rates.values[0] > 0:
        told.tell(
            "log.speed.first_epoch_slower", curve.median(rates.values[1:]) / rates.values[0], rates.marks[-1]
        )


def _tell_stalls(told: Told, store: Store, timed: Rates | None) -> None:
    printed = next((one for one in store.of("seconds_per_step") if not _is_of_bar(one)), None)
    if printed is not None:
        line = curve_of(printed)
        rates = Rates([value for value in line.values if value > 0], line.marks)
        durations = rates.values
    elif timed is not None:
        rates, durations = timed, [1 / value for value in timed.values]
    else:
        return
    if len(durations) < 2 * told.limits["points_few"]:
        return
    limit = told.limits["stall_factor"] * curve.median(durations)
    long = sum(duration > limit for duration in durations[len(durations) // 10 :])
    told.tell("log.speed.stalls", long >= told.limits["stall_count"], rates.marks[-1])


def _tell_data_share(told: Told, store: Store) -> None:
    data, step = (
        store.of("data_time")[:1],
        [one for one in store.of("seconds_per_step") if not _is_of_bar(one)],
    )
    beside = store.of("compute_time")[:1]
    if not data or not (step or beside):
        return
    waiting, taken = _after_first_step(told, data[0]), _after_first_step(told, [*beside, *step][0])
    if waiting and taken:
        # Some print the whole step, and some what is left of it beside the wait.
        whole = curve.median(taken) + (curve.median(waiting) if beside else 0.0)
        told.tell("log.speed.data_share", min(1.0, curve.median(waiting) / (whole or 1.0)), data[0].marks[-1])


def _after_first_step(told: Told, series: Series) -> list[float]:
    """The values of a series without that of the first step, which waits for the data workers to start."""
    line = curve_of(series)
    if not line.values:
        return []
    first = line.marks[0]
    return line.values[1:] if told.step(first) in (0, 1) or _FIRST_BATCH.search(first.line) else line.values
