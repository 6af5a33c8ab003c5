"""Where the time of a step goes: waiting for data, forward, backward, the optimizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from traindx.engine.facts import Place

from ..logs import curve
from .told import LiveFacts

Row = Mapping[str, float]
"""One step: column of the `steps` record -> seconds."""
_SHARES = {
    "forward_seconds": "log.speed.forward_share",
    "backward_seconds": "log.speed.backward_share",
    "optimizer_seconds": "log.speed.optimizer_share",
}
COLUMNS = ("seconds", "data_seconds", *_SHARES)
_FIRST = 3
"""Steps at the start that are slow for reasons of their own."""
_FEWEST = 10
_WINDOW = 8
"""Steps that are looked at together: with several workers one batch is waited for, and the next few are there."""
_LONG = 60.0
"""Seconds of a quarter of a run from which on it is the run that slows down, and no moment of the machine."""
_PARTS, _STEADY = 8, 0.85
"""Into how many parts a shorter run is cut, and how steadily they must climb (Kendall's tau)."""
_CALM = 0.3
"""A share that is exceeded in all but this part of the windows is the loop's own, not that of the start of an
epoch, nor of other work on the machine."""


def tell_shares(facts: LiveFacts, rows: Sequence[Row], limits: Mapping[str, float], place: Place) -> None:
    """Say what share of the time each part takes, from as many steps as were measured."""
    rows = [row for row in rows[_FIRST:] if row.get("seconds", 0.0) > 0]
    if len(rows) < _FEWEST:
        return
    total = sum(row["seconds"] for row in rows)
    for column, name in _SHARES.items():
        spent = [row[column] for row in rows if column in row]
        if len(spent) == len(rows):
            facts.tell(name, min(1.0, sum(spent) / total), place)
    waits = [row for row in rows if "data_seconds" in row]
    if len(waits) >= _FEWEST:
        _tell_waiting(facts, waits, limits["data_wait"], place)
    _tell_slowdown(facts, [row["seconds"] for row in rows], limits["points_few"], place)


def _tell_waiting(facts: LiveFacts, rows: Sequence[Row], shortest: float, place: Place) -> None:
    """The share spent waiting for data. Waits too short to be worth a change do not count."""
    windows = [rows[start : start + _WINDOW] for start in range(0, len(rows) - _WINDOW + 1, _WINDOW)] or [
        rows
    ]
    waited = [
        (_sum(one, "data_seconds") / _sum(one, "seconds"), _sum(one, "data_seconds") / len(one))
        for one in windows
    ]
    share, wait = sorted(waited)[int(len(waited) * _CALM)]
    facts.tell("log.speed.data_wait", wait, place)
    facts.tell("log.speed.data_share", min(1.0, share) if wait >= shortest else 0.0, place)


def _tell_slowdown(facts: LiveFacts, seconds: Sequence[float], fewest: float, place: Place) -> None:
    """How much slower the end is than the start, by the steps that nothing else held up.

    Seconds are soon lost to other work on the machine. So the quarters of a short run must also climb steadily.
    """
    part = len(seconds) // 4
    if part < fewest:
        return
    start, end = (sorted(some)[part // 5] for some in (seconds[:part], seconds[-part:]))
    if sum(seconds[-part:]) > _LONG or curve.climbs(curve.parts(seconds, _PARTS)) > _STEADY:
        facts.tell("log.speed.slowdown", end / start, place)


def _sum(rows: Sequence[Row], column: str) -> float:
    return sum(row[column] for row in rows)
