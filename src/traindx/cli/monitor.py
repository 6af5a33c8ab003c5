"""A line about the gradients now and then while a run goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge

_EVERY = 5.0
"""Seconds between two lines; a first warning and a first alarm do not wait."""


class GradientMonitor:
    """Prints step, gradient norm, loss, learning rate and update size; called as the run goes on.

    `warn` is the norm above which a line is a warning, `explodes` the one above which it is an alarm.
    """

    def __init__(self, folder: Path, *, warn: float, explodes: float) -> None:
        from traindx.probes.live.records import Tail

        self._tail = Tail(folder)
        self._warn, self._explodes = warn, explodes
        self._next = 0.0
        self._highest = 0

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
            if level > self._highest or time.monotonic() >= self._next:
                self._next = time.monotonic() + _EVERY
                _say(values, level)
                self._highest = max(self._highest, level)


def monitored(
    folder: Path, knowledge: Knowledge, seen: Callable[[], str | None] | None
) -> Callable[[], str | None]:
    """A look at a run that prints such lines, and then looks as `seen` does."""
    limits = knowledge.limits
    monitor = GradientMonitor(
        folder, warn=limits["grad_norm_warning"], explodes=limits["grad_norm_exploding"]
    )

    def look() -> str | None:
        monitor()
        return seen() if seen is not None else None

    return look


def _say(values: Mapping[str, float | None], level: int) -> None:
    named = (
        ("gradient norm", "grad_norm"),
        ("loss", "loss"),
        ("learning rate", "learning_rate"),
        ("update over weight", "update_ratio"),
    )
    parts = [f"{name} {value:.4g}" for name, key in named if (value := values.get(key)) is not None]
    mark = ("", "  <- large", "  <- EXPLODING")[level]
    norm = values.get("grad_norm")
    if norm is not None and not math.isfinite(norm):
        mark = "  <- NOT FINITE"
    click.echo(f"diagnose: step {values.get('step') or 0:.0f}  {'  '.join(parts)}{mark}", err=True)


def _number(value: Any) -> float | None:
    from traindx.probes.live.processes import number

    return number(value)
