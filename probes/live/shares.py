"""Where the time of a step goes: waiting for data, forward, backward, the optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from traindx.engine.facts import Place

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
_ODD = 0.06
"""The share of steps whose waits are left out, the longest: those in which an epoch begins and workers start."""


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


def _tell_waiting(facts: LiveFacts, rows: Iterable[Row], shortest: float, place: Place) -> None:
    """The share spent waiting for data. Waits too short to be worth a change do not count."""
    ordered = sorted(rows, key=lambda row: row["data_seconds"])
    kept = ordered[: max(1, round(len(ordered) * (1 - _ODD)))]
    wait = sum(row["data_seconds"] for row in kept) / len(kept)
    share = sum(row["data_seconds"] for row in kept) / sum(row["seconds"] for row in kept)
    facts.tell("log.speed.data_wait", wait, place)
    facts.tell("log.speed.data_share", min(1.0, share) if wait >= shortest else 0.0, place)
