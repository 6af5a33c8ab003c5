"""One row for each optimizer step, written in blocks as `steps` records."""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Mapping, Sequence
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
AT_ONCE = 3
"""So many first rows are written each by itself: a run that ends early has few."""
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
        self._rows: list[tuple[Any, ...]] = []
        self._tensor = watcher.torch.Tensor
        # Re-entered where a signal handler of the script ends the process here.
        self._writing = threading.RLock()
        self._written = 0
        self._broken = False
        self._since = time.monotonic()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The row is complete but for what the device still computes."""
        watcher = self._watcher
        row, watcher.row = watcher.row, {}
        pending, watcher.pending = watcher.pending, []
        row["step"] = step
        row["model"] = model = watcher.models[id(optimizer)]
        row["optimizer"] = model.number
        row["skipped"] = watcher.skipped
        rate = optimizer.param_groups[0].get("lr")
        if isinstance(rate, self._tensor):
            pending.append(("learning_rate", rate))
        else:
            row["learning_rate"] = rate
        if self._readings.is_at_once(pending):
            self._finish(row, [(key, values_of(tensor)) for key, tensor in pending] if pending else ())
        else:
            self._readings.ask(pending, functools.partial(self._finish, row))
            self._readings.collect()

    def _finish(self, row: dict[str, Any], arrived: Sequence[tuple[str, list[float]]]) -> None:
        """What the row still lacked is there; let the parts look at it."""
        if arrived:
            _join(row, arrived)
        if "norms" in row:
            self._add_total(row)
        if "loss" in row:
            row["loss"] = sum(row["loss"])
        self._watcher.pass_on("read", row["step"], row)
        with self._writing:
            self._rows.append(tuple(map(row.get, COLUMNS)))
        if self._is_time(row.get("grad_norm", 0.0)):
            self._write()

    def _add_total(self, row: dict[str, Any]) -> None:
        """The norms without the factor of a GradScaler, and the norm of all."""
        scale = row["grad_scale"][0] if "grad_scale" in row else 1.0
        if scale not in (0.0, 1.0):
            row["norms"] = [one / scale for one in row["norms"]]
        row["grad_norm"] = _total(row["norms"])

    def _is_time(self, norm: float) -> bool:
        return (
            self._written < AT_ONCE
            or len(self._rows) >= ROWS
            or time.monotonic() - self._since >= SECONDS
            or self._has_broken(norm)
        )

    def _has_broken(self, norm: float) -> bool:
        """The first bad row is written at once: a script may end itself by force when it sees it."""
        bad = not math.isfinite(norm)
        first, self._broken = bad and not self._broken, bad
        return first

    def _write(self) -> None:
        """Write the block. A column in which nothing is known is left out."""
        with self._writing:
            rows, self._rows = self._rows, []
            self._written += len(rows)
            self._since = time.monotonic()
            columns = zip(COLUMNS, zip(*rows))
            if rows:
                self._journal.record(
                    "steps", **{name: one for name, one in columns if any(value is not None for value in one)}
                )

    def beat(self) -> None:
        """The loop may be killed before its next step comes."""
        if self._rows and time.monotonic() - self._since >= SECONDS:
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
