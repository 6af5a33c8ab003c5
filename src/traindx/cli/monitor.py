"""A line about the gradients now and then while a run goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

_EVERY = 5.0
"""Seconds between two lines; what is out of the ordinary is said at once."""


class GradientMonitor:
    """Prints step, gradient norm, loss, learning rate and update size; called as the run goes on.

    `warn` is the norm above which a line is a warning, `explodes` the one above which it is an alarm.
    """

    def __init__(self, folder: Path, *, warn: float, explodes: float) -> None:
        from traindx.probes.live.records import Tail

        self._tail = Tail(folder)
        self._warn, self._explodes = warn, explodes
        self._next = 0.0
        self._level = 0

    def __call__(self) -> None:
        """Read what is new, and say it where it is time."""
        for _, record in self._tail.new():
            if record["kind"] == "steps":
                self._take(record)

    def _take(self, record: Mapping[str, Any]) -> None:
        columns = {name: one for name, one in record.items() if isinstance(one, list)}
        for row in range(len(columns.get("step", ()))):
            values = {name: _number(one[row]) for name, one in columns.items() if row < len(one)}
            norm = values.get("grad_norm")
            level = 0 if norm is None else 2 if not norm <= self._explodes else 1 if norm > self._warn else 0
            if level > self._level or time.monotonic() >= self._next:
                self._next = time.monotonic() + _EVERY
                _say(values, level)
            self._level = level


def both(one: Callable[[], None], other: Callable[[], str | None] | None) -> Callable[[], str | None]:
    """A look that does both."""

    def look() -> str | None:
        one()
        return other() if other is not None else None

    return look


def _say(values: Mapping[str, float | None], level: int) -> None:
    named = (("gradient norm", "grad_norm"), ("loss", "loss"), ("learning rate", "learning_rate"), ("update over weight", "update_ratio"))
    parts = [f"{name} {value:.4g}" for name, key in named if (value := values.get(key)) is not None]
    mark = ("", "  <- large", "  <- EXPLODING")[level]
    norm = values.get("grad_norm")
    if norm is not None and not math.isfinite(norm):
        mark = "  <- NOT FINITE"
    click.echo(f"diagnose: step {values.get('step') or 0:g}  {'  '.join(parts)}{mark}", err=True)


def _number(value: Any) -> float | None:
    from traindx.probes.live.processes import number

    return number(value)
