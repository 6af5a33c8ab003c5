"""One log, read: its series, what was heard in it, and the facts that only the whole of it tells."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from traindx.engine.facts import Place

from .bare import drop_doubtful
from .collected import shown
from .heard import Heard
from .hits import Hits
from .lines import Lines
from .marks import Mark
from .numbers import settle_numbers
from .positions import Positions, Where
from .series import Series
from .store import Store
from .told import Told

_SAMPLE = 256
_OFTEN = 3
"""A run that is resumed goes back a step or two; what goes back more often is counted in each epoch."""
_ALONE = frozenset((
    "learning_rate", "loss_scale", "grad_norm", "memory_gib", "host_memory_gib", "mfu", "gpu_utilization", "data_time",
    "seconds_per_step", "samples_per_second", "tokens_per_second",
))  # fmt: skip
"""Metrics that also stand in settings and reports: a single number alone in its line is no curve."""


class Log:
    """One input after reading."""

    def __init__(
        self,
        name: str,
        store: Store,
        positions: Positions,
        lines: Lines,
        heard: Heard,
        *,
        is_text: bool = True,
    ) -> None:
        self.name, self.store, self.positions = name, store, positions
        self.lines, self.heard = lines, heard
        self.is_text = is_text
        """A log, not records."""
        self._places: dict[Mark, Where] = {}
        """Where the run was at marks that were asked for. A number would not do: what returns redraw is all one line."""

    def where(self, mark: Mark) -> Where:
        """The step and the epoch at a mark."""
        if mark.step is not None or mark.epoch is not None:
            return self.positions.where(mark)
        if (known := self._places.get(mark)) is None:
            known = self._places[mark] = self.positions.where(mark)
        return known

    def told(self, limits: Mapping[str, float], hits: Hits) -> Told:
        """A teller whose places are in this log; of the `hits` it takes where stages begin."""
        return Told(
            limits,
            self.place,
            self.where,
            self.lines.formats.quirks,
            announced=hits.lines_of("stage-announced", self.name),
            resumed=bool(hits.lines_of("training-resumed", self.name)),
        )

    def place(self, mark: Mark) -> Place:
        """A mark as a report shows it."""
        where = self.where(mark)
        return Place(
            self.name,
            mark.number or None,
            step=_whole(where.step),
            rank=mark.rank,
            text=shown(mark.line),
            epoch=_whole(where.epoch) if where.step is None else None,
        )

    def ranks(self) -> set[int]:
        """The processes that wrote to it."""
        return self.heard.ranks | {one.rank for one in self.store if one.rank is not None}

    def has_curves(self) -> bool:
        """Whether it holds anything to judge training by."""
        return any(one.name.metric.endswith(("loss", "loss_part")) for one in self.store)

    def drop_strays(self) -> None:
        """Forget numbers that look like metrics and stand where no training is."""
        drop_doubtful(self.store)
        settle_numbers(self.store)
        training = self.has_curves() or self.positions.sample
        for one in list(self.store):
            scores = (
                one.name.metric in ("accuracy", "eval_accuracy") and not training and not self._placed(one)
            )
            if scores or (one.name.metric in _ALONE and one.count == 1 and self._is_alone(one)):
                self.store.drop(one)

    def _placed(self, series: Series) -> bool:
        return self.lines.placed(series.marks[0].line).places

    def _is_alone(self, series: Series) -> bool:
        mark = series.marks[0]
        reading = self.lines.placed(mark.line)
        return len(reading.values) == 1 and not reading.places and mark.bar is None and mark.header is None


def tell_progress(told: Told, log: Log) -> None:
    """How far the run came, and whether it came to its end."""
    marks = [one.marks[-1] for one in log.store if one.marks]
    marks += [one for one in (*log.positions.sample[-1:], log.positions.last) if one is not None]
    marks.sort(key=lambda mark: mark.number)
    where = [(log.where(mark), mark) for mark in marks]
    steps = [(at.step, mark) for at, mark in where if at.step is not None]
    epochs = [(at.epoch, mark) for at, mark in where if at.epoch is not None]
    if steps and not _begin_anew(log):
        told.tell("log.steps", int(steps[-1][0]), steps[-1][1])
    if epochs:
        told.tell("log.epochs", float(epochs[-1][0]), epochs[-1][1])
    total = _total(log)
    if total is not None:
        told.tell("log.total_steps", total, marks[-1] if marks else None)


def _begin_anew(log: Log) -> bool:
    """Whether the steps are those of an epoch, and begin anew with each: they do not say how far the run came."""
    for one in log.store.of("loss")[:1] or log.store.of("loss_part")[:1]:
        marks = one.marks[:: max(1, len(one.marks) // _SAMPLE)]
        steps = [step for mark in marks if (step := log.where(mark).step) is not None]
        return sum(after < before for before, after in itertools.pairwise(steps)) >= _OFTEN
    return False


def interval(log: Log) -> float:
    """How many steps there are between the last two losses that are printed; 0 where that is not known."""
    gaps = [0.0]
    for one in log.store.of("loss")[:1] or log.store.of("loss_part")[:1]:
        steps = [log.where(mark).step for mark in one.marks[-2:]]
        if len(steps) > 1 and steps[0] is not None and steps[1] is not None:
            gaps.append((steps[1] - steps[0]) / one.stride)
    return max(gaps)


def _total(log: Log) -> int | None:
    """The number of steps the run was meant to take: as announced, else as its bars count."""
    if log.positions.total_steps is not None:
        return log.positions.total_steps
    counts = log.positions.is_of_training
    last = next((mark for mark in reversed(log.positions.sample) if counts(mark.line)), None)
    reading = None if last is None else log.lines.placed(last.line)
    if last is None or reading is None or reading.pair is None:
        return None
    none = reading.epoch is None and log.where(last).epoch is None
    if none or log.positions.goes_on(reading.pair[1]):
        # Steps beyond their number are those of something else, as an agent makes many for each update.
        step = log.where(last).step
        return reading.pair[1] if step is None or step <= reading.pair[1] else None
    epochs = log.positions.total_epochs
    return reading.pair[1] * epochs if epochs and reading.whole_epoch else None


def _whole(count: float | None) -> int | float | None:
    return int(count) if count is not None and count.is_integer() else count
