"""One row for each optimizer step, written in blocks as `steps` records."""

from __future__ import annotations

import contextlib
import functools
import math
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .part import Part
from .readings import Readings, values_of

if TYPE_CHECKING:
    import torch

    from .watcher import Watcher

COLUMNS = (
    "step", "optimizer", "loss", "grad_norm", "learning_rate", "loss_scale", "skipped", "seconds", "data_seconds",
    "forward_seconds", "backward_seconds", "optimizer_seconds", "update_ratio", "allocated", "reserved", "peak",
    "host", "workers",
)  # fmt: skip
SHORT = frozenset(name for name in COLUMNS if "seconds" in name or name in ("loss", "grad_norm"))
"""Columns that come from float32 or a clock."""
AT_ONCE = 3
"""So many first rows are written each by itself: a run that ends early has few."""
EACH = 100
"""So many first steps are passed on to the parts, whatever was measured in them."""
ROWS = 200
SECONDS = 1.0
"""A block is written when it has so many rows or is so old: a killed process loses two seconds at most."""


class Steps(Part):
    """Closes the row of each round, reads its numbers when they are there, passes them on, and writes them."""

    name = "steps"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._readings = Readings(watcher.torch)
        self._rows: deque[dict[str, Any]] = deque()
        self._tensor = watcher.torch.Tensor
        # Re-entered where a signal handler of the script ends the process here.
        self._writing = threading.RLock()
        self._written = 0
        self._broken = False
        self._since = time.monotonic()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The row is complete but for what the device still computes."""
        watcher = self._watcher
        row, pending = watcher.row, watcher.pending
        watcher.row = {}
        row["step"] = step
        row["model"] = watcher.models[id(optimizer)]
        row["skipped"] = watcher.skipped
        rate = optimizer.param_groups[0].get("lr")
        if isinstance(rate, self._tensor):
            pending.append(("learning_rate", rate))
        else:
            row["learning_rate"] = rate
        if not pending and self._readings.is_at_once(pending):
            self._finish(row, ())
            return
        watcher.pending = []
        if self._readings.is_at_once(pending):
            self._finish(row, [(key, values_of(tensor)) for key, tensor in pending])
        else:
            self._readings.ask(pending, functools.partial(self._finish, row))
            self._readings.collect()

    def _finish(self, row: dict[str, Any], arrived: Sequence[tuple[str, list[float]]]) -> None:
        """What the row still lacked is there; let the parts look at it, and keep what is written of it."""
        if arrived:
            _join(row, arrived)
        row["optimizer"] = row["model"].number
        bad = False
        if "loss" in row:
            row["loss"] = loss = sum(row["loss"])
            bad = not math.isfinite(loss)
        if arrived or bad or "parameters" in row or row["step"] <= EACH:
            if "norms" in row:
                self._add_total(row)
                bad = bad or not math.isfinite(row["grad_norm"])
            self._watcher.pass_on("read", row["step"], row)
            row = {name: row[name] for name in COLUMNS if name in row}
        else:
            del row["model"]  # it may go while the row waits to be written
        self._rows.append(row)
        first_bad, self._broken = bad and not self._broken, bad
        if first_bad or len(self._rows) >= ROWS or self._written < AT_ONCE or self._is_old():
            self._write()

    def _add_total(self, row: dict[str, Any]) -> None:
        """The norms without the factor of a GradScaler, and the norm of all."""
        scale = row["grad_scale"][0] if "grad_scale" in row else 1.0
        if scale not in (0.0, 1.0):
            row["norms"] = [one / scale for one in row["norms"]]
        row["grad_norm"] = _total(row["norms"])

    def _is_old(self) -> bool:
        return time.monotonic() - self._since >= SECONDS

    def _write(self) -> None:
        """Write the block. A column in which nothing is known is left out."""
        with self._writing:
            rows = list(_taken_from(self._rows))
            self._written += len(rows)
            self._since = time.monotonic()
            known = [name for name in COLUMNS if any(row.get(name) is not None for row in rows)]
            if rows:
                columns = {name: [row.get(name) for row in rows] for name in known}
                self._journal.table("steps", columns, SHORT)

    def beat(self) -> None:
        """The loop may be killed before its next step comes."""
        if self._rows and self._is_old():
            self._write()

    def flush(self) -> None:
        """So far as the device has come."""
        self._readings.collect()
        self._write()

    def failed(self, error: BaseException) -> None:
        """Nothing that was measured is lost."""
        self.ended()

    def ended(self) -> None:
        """Nothing that was measured is lost, unless the device has failed and gives nothing back."""
        try:
            self._readings.collect(wait=True)
        except RuntimeError as error:
            self._journal.trouble(self.name, error)
        self._write()


def _taken_from(rows: deque[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Until it is empty; the thread of the loop may go on to fill it."""
    with contextlib.suppress(IndexError):
        while True:
            yield rows.popleft()


def _join(row: dict[str, Any], arrived: Sequence[tuple[str, list[float]]]) -> None:
    """Put into the row what a device has computed."""
    for key, numbers in arrived:
        if key in row:
            row[key] += numbers
        else:
            row[key] = numbers
    for key in ("loss_scale", "learning_rate"):
        if isinstance(row.get(key), list):
            row[key] = row[key][0]
    if "found_inf" in row:
        row["skipped"] = row["skipped"] or any(row["found_inf"])
    if "updates" in row:
        row["update_ratio"] = _ratio(math.hypot(*row["updates"]), math.hypot(*row["weights"]))


def _total(norms: list[float]) -> float:
    """The norm of all gradients together. The sum keeps a NaN where hypot would prefer an infinity."""
    plain = sum(norms)
    return math.hypot(*norms) if math.isfinite(plain) else plain


def _ratio(update: float, weight: float) -> float | None:
    return update / weight if weight > 0.0 else None
