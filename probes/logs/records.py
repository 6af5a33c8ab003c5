"""Metrics in rows, into series."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from .formats import Formats
from .marks import Each, Mark
from .names import POSITIONS, Name, Names
from .quantities import memory_gib
from .rows import MAX_COLUMNS, Row, numeric
from .store import Store

_BATCH = 2000
_TELLING = 5
"""Rows that are looked at to tell whose they are: their names for metrics count from then on."""
_DEEPEST = 5
"""Levels of a record that are read: RLlib keeps a loss below `info/learner/default_policy/learner_stats`."""


class Records:
    """Takes rows into series."""

    def __init__(self, names: Names, store: Store, formats: Formats | None = None) -> None:
        self._names, self._store, self._formats = names, store, formats
        self._known: dict[str, Name | None] = {}
        self._batches: dict[Name, list[tuple[float, Mark]]] = {}
        self.rows = 0
        self.total_steps: int | None = None

    def take(self, row: Row) -> None:
        """Take in one row."""
        line, values = row
        text = json.dumps({key: values[key] for key in list(values)[:40]}, default=str)[:400].encode()
        if self._formats is not None and self.rows < _TELLING:
            self._formats.recognise(text, self._formats.ids)
            self._known.clear()
        numbers = {name: value for name, value in _flat(values) if value is not None}
        named = [(self._name(name), value) for name, value in list(numbers.items())[:MAX_COLUMNS]]
        at = {
            name.metric: value
            for name, value in reversed(named)
            if name is not None and name.metric in POSITIONS and math.isfinite(value)
        }
        if at.get("total_steps", 0) > 0:
            self.total_steps = int(at["total_steps"])
        step = at.get("step", at.get("env_step"))
        mark = Mark(line, text, step=step, epoch=at.get("epoch"))
        for name, value in named:
            if name is not None and name.metric not in POSITIONS:
                kept = memory_gib(value) if name.metric == "memory_gib" else value
                self._batches.setdefault(name, []).append((kept, mark))
        self.rows += 1
        if self.rows % _BATCH == 0:
            self.flush()

    def flush(self) -> None:
        """Hand what was read to the series."""
        for name, batch in self._batches.items():
            series = self._store.get(name)
            if series is not None:
                marks = [mark for _, mark in batch]
                series.extend([value for value, _ in batch], Each(marks.__getitem__))
        self._batches = {}

    def _name(self, printed: str) -> Name | None:
        if printed not in self._known:
            self._known[printed] = self._names.find(printed)
        return self._known[printed]


def _flat(values: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, float | None]]:
    for name, value in values.items():
        if isinstance(value, Mapping) and depth < _DEEPEST:
            yield from _flat(value, f"{prefix}{name}/", depth + 1)
        else:
            yield f"{prefix}{name}", numeric(value)
