"""What was measured in each step, as the series that logs are read into, so that the same facts follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import median
from typing import Any

from ..logs.marks import Each, Mark
from ..logs.names import Name
from ..logs.series import Series
from ..logs.store import Store
from .processes import Process, number, whole
from .shares import COLUMNS

GIB = float(1 << 30)
_NEAR, _HIGHER = 20, 1.1
"""Losses before and after a stage that are compared, and how many times as high they are after it."""
_COLUMNS: Mapping[str, tuple[str, float]] = {
    "loss": ("loss", 1.0),
    "grad_norm": ("grad_norm", 1.0),
    "learning_rate": ("learning_rate", 1.0),
    "loss_scale": ("loss_scale", 1.0),
    "skipped": ("skipped_steps", 1.0),
    "seconds": ("seconds_per_step", 1.0),
    "allocated": ("memory_gib", 1 / GIB),
    "host": ("host_memory_gib", 1 / GIB),
    "workers": ("worker_memory_gib", 1 / GIB),
}
"""Column of a `steps` record -> the metric, and what makes its unit of the column's."""


class Curve:
    """The steps of one optimizer in one process."""

    def __init__(self, process: Process, optimizer: int) -> None:
        self.process, self.optimizer = process, optimizer
        self.store = Store()
        self.steps = 0
        """The last step."""
        self.count = 0
        """Steps that were measured."""
        self.first = self.last = 0
        """Where among all steps of the process its own begin and end."""
        self.copied = False
        """Whether it trains a copy of a model."""
        self.times: list[dict[str, float]] = []
        """The seconds that the parts of each step took."""
        self.stages: list[int] = []
        """The steps from which on samples are larger than ever before."""
        self.spreads: list[int] = []
        """The steps from which on samples are spread otherwise than ever before."""

    def extend(self, columns: Mapping[str, Sequence[Any]], rows: Sequence[int]) -> None:
        """Take in these rows of one `steps` record."""
        steps = [whole(columns["step"][row]) or 0 for row in rows]
        self.steps, self.count = max(self.steps, *steps), self.count + len(rows)
        timed = [(name, columns[name]) for name in COLUMNS if name in columns]
        self.times += [
            {name: float(values[row]) for name, values in timed if values[row] is not None} for row in rows
        ]
        for column, (metric, unit) in _COLUMNS.items():
            values = columns.get(column)
            if values is None:
                continue
            given = [(step, values[row]) for step, row in zip(steps, rows, strict=True)]
            self.add(
                metric, [(step, value * unit) for step, one in given if (value := _measured(one)) is not None]
            )

    def add(self, metric: str, points: Sequence[tuple[int, float]]) -> None:
        """Take in values of a metric, each with its step."""
        series = self.store.get(Name(metric, metric.replace("_", " "), 0)) if points else None
        if series is not None:
            rank = self.process.rank if self.process.world_size > 1 else None
            marks = [Mark(step, b"", step=float(step), rank=rank) for step, _ in points]
            series.extend([value for _, value in points], Each(marks.__getitem__))

    def overlaps(self, other: Curve) -> bool:
        """Whether the two step in turn, and not one after the other as in two phases of a run."""
        return other.first < self.last and self.first < other.last

    @property
    def broken(self) -> bool:
        """Whether its loss or its gradients were NaN or infinite."""
        return any(one.bad for one in self.store if one.name.metric in ("loss", "grad_norm"))

    def explodes(self, factor: float) -> bool:
        """Whether its loss ends so many times above its beginning, quarter against quarter."""
        loss = self.losses()
        values = list(loss.values) if loss is not None else []
        part = max(1, len(values) // 4)
        return bool(values) and max(values[-part:]) > factor * max(map(abs, values[:part]))

    def harder(self) -> list[int]:
        """The steps at which stages begin: with larger samples, and with samples spread otherwise whose loss is higher."""
        loss = self.losses()
        return [*self.stages, *(step for step in self.spreads if loss is not None and _rises(loss, step))]

    def losses(self) -> Series | None:
        """Its loss in each step."""
        return next(iter(self.store.of("loss")), None)


def curves_of(processes: Iterable[Process]) -> list[Curve]:
    """The curves of all optimizers of all processes: those that broke at the front, then by rank, the last phase first."""
    found = list(chain.from_iterable(map(_of_process, processes)))
    return sorted(found, key=lambda one: (not one.broken, one.process.rank or 0, -one.last, one.optimizer))


def _of_process(process: Process) -> Iterator[Curve]:
    curves: dict[int, Curve] = {}
    seen = 0
    for record in process.of("steps"):
        length = len(record.get("step") or ())
        columns = {name: one for name, one in record.items() if isinstance(one, list) and len(one) == length}
        for key, rows in _rows_by_optimizer(columns, length).items():
            if key not in curves:
                curves[key] = Curve(process, key)
                curves[key].first = seen + rows[0]
            curves[key].extend(columns, rows)
            curves[key].last = seen + rows[-1]
        seen += length
    _note_models(process, curves)
    if curves:
        _evaluate(process, curves[min(curves)])
    yield from curves.values()


def _rows_by_optimizer(columns: Mapping[str, Sequence[Any]], length: int) -> dict[int, list[int]]:
    rows: dict[int, list[int]] = {}
    for row, optimizer in enumerate(columns.get("optimizer") or [0] * length):
        rows.setdefault(whole(optimizer) or 0, []).append(row)
    return rows


def _note_models(process: Process, curves: Mapping[int, Curve]) -> None:
    """Which curves are of copies, and at which steps samples become larger or are spread otherwise."""
    for record in process.of("model"):
        if record.get("copied") is True and (curve := curves.get(whole(record.get("model")) or 0)):
            curve.copied = True
    for record in process.of("stage"):
        if (curve := curves.get(whole(record.get("optimizer")) or 0)) and (step := whole(record.get("step"))):
            (curve.spreads if record.get("by") == "spread" else curve.stages).append(step)


def _evaluate(process: Process, curve: Curve) -> None:
    """The losses seen in evaluation, those after one training step as one value."""
    rounds: dict[int, list[float]] = {}
    for record in process.of("eval"):
        value = number(record.get("loss"))
        if value is not None:
            rounds.setdefault(whole(record.get("step")) or 0, []).append(value)
    curve.add("eval_loss", [(step, sum(values) / len(values)) for step, values in rounds.items()])


def _rises(loss: Series, step: int) -> bool:
    """Whether from about a step on the loss is higher than it was before."""
    place = loss.marks.before(step)
    before, after = loss.values[max(0, place - _NEAR) : place], loss.values[place : place + _NEAR]
    return bool(before and after) and median(after) > _HIGHER * median(before) > 0


def _measured(value: Any) -> float | None:
    return float(value) if isinstance(value, bool) else number(value)
