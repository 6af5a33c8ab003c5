"""The norm of every gradient at every step: one foreach kernel, read later."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable

from .journal import Journal
from .model import held
from .part import Part

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

FIRST = 20
EARLY, MOST_LEFT_EARLY = 50, 4
SHARE = 0.005
SECONDS = 5e-6
MOST_LEFT = 20
NAMES = 20
"""Parameters named in one fact."""


class Gradients(Part):
    """Puts the norms into the row, and says which parameters have NaN or Inf in their gradient."""

    name = "gradients"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._norms = _norm_function(watcher.torch)
        self._paces: dict[int, _Pace] = {}
        self._named = False

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Measure what the optimizer is about to step with."""
        watcher = self._watcher
        pace = self._paces.get(id(optimizer)) or self._paces.setdefault(id(optimizer), _Pace())
        if pace.left > 0 and not watcher.alarmed:
            pace.left -= 1
            pace.left_out = True
        else:
            if watcher.alarmed and pace.left_out and not self._named and not watcher.skipped:
                self._name_weights(optimizer)
            start = time.perf_counter()
            self._measure(held(optimizer))
            if optimizer.param_groups[0]["params"][0].is_cpu:
                step = watcher.steps.get(id(optimizer), 0) + 1
                pace.measured(step, time.perf_counter() - start, watcher.seconds)
        scale = getattr(optimizer, "grad_scale", None) if watcher.scaler is not None else None
        if scale is not None:
            # A fused optimizer unscales, and skips the step, itself: these are set while it steps.
            watcher.pending.append(("grad_scale", scale))
            watcher.pending.append(("found_inf", optimizer.found_inf))  # type: ignore[attr-defined]

    def _measure(self, parameters: list[Any]) -> None:
        having = [one for one in parameters if one.grad is not None]
        row = self._watcher.row
        row["parameters"] = having
        row["held"] = len(parameters)
        if not having:
            return
        gradients = [one.grad for one in having]
        if any(one.requires_grad for one in gradients):  # backward with create_graph
            gradients = [one.detach() for one in gradients]
        norms = self._norms(gradients)
        devices = list({one.device for one in norms if not one.is_cpu})
        if not devices:
            row["norms"] = [one.item() for one in norms]  # cheaper than to stack them
        else:
            if len(devices) > 1 or any(one.is_cpu for one in norms):
                norms = [one.to(devices[0], non_blocking=True) for one in norms]
            self._watcher.pending.append(("norms", self._watcher.torch.stack(norms)))

    def read(self, step: int, values: dict[str, Any]) -> None:
        """Name the parameters in the step in which their gradient stops being a number."""
        total = values.get("grad_norm")
        if total is not None:
            self._watcher.alarmed = not math.isfinite(total)
        if total is None or math.isfinite(total) or values["skipped"] or self._named:
            return
        norms = zip(values["parameters"], values["norms"])
        self._name(
            [one for one, norm in norms if not math.isfinite(norm)], values["held"], values["model"], step
        )

    def _name_weights(self, optimizer: torch.optim.Optimizer) -> None:
        """The last step was not measured: what was not finite in its gradients is not finite in the weights now."""
        isfinite, model = self._watcher.torch.isfinite, self._watcher.models.get(id(optimizer))
        bad = [one for one in held(optimizer) if not bool(isfinite(plain(one)).all())]
        if bad and model is not None:
            self._name(bad, len(held(optimizer)), model, self._watcher.step)

    def _name(self, bad: list[torch.Tensor], of: int, model: ModelSeen, step: int) -> None:
        self._named = True
        names = [model.name_of(one) for one in bad[:NAMES]]
        self._journal.fact("grad.nonfinite_names", names, step=step, note=f"{len(bad)} of {of} parameters")


class _Pace:
    """How often the norms are measured on the CPU, where they are computed by the loop's own thread.

    In each of the FIRST steps, and in all where they take no more than SHARE of the round, or SECONDS; else so
    seldom that they do not on average, but that no more than MOST_LEFT are left out (MOST_LEFT_EARLY up to step EARLY),
    and at once where a part has set `watcher.alarmed`. A GPU takes them by the way.
    """

    def __init__(self) -> None:
        self.left = 0
        """Steps that are left out before the next one is measured."""
        self.left_out = False
        """Whether the last step was not measured."""
        self._cost = self._round = math.inf

    def measured(self, step: int, cost: float, seconds: float) -> None:
        """It took so long, and the last round. The lowest of late count: the thread may have been interrupted."""
        self.left_out = False
        self._cost = min(1.1 * self._cost, cost)
        self._round = min(1.1 * self._round, seconds)
        if step >= FIRST:
            most = MOST_LEFT_EARLY if step < EARLY else MOST_LEFT
            left = min(most, int(self._cost / max(SECONDS, SHARE * self._round)))
            self.left = _out_of_step(left + 1, most + 1) - 1


def _out_of_step(period: int, most: int) -> int:
    """A period near this one, of no more than `most` steps, that falls on every turn of a loop that trains parts in turns of 2, 3 or 4."""
    periods: list[int] = [*range(period, most + 1), *range(period, 0, -1)]
    return next(one for one in periods if one % 2 and one % 3)


def plain(gradient: Any) -> torch.Tensor:
    """The numbers of a gradient that this process holds: of a sparse one its values, of a sharded one its shard."""
    if gradient.is_sparse:
        return gradient._values()  # type: ignore[no-any-return]
    local = getattr(gradient, "_local_tensor", None)
    return gradient if local is None else local  # type: ignore[no-any-return]


def _norm_function(torch: ModuleType) -> Callable[[list[torch.Tensor]], list[torch.Tensor]]:
    """The 2-norm of each, as a tensor. Halves are summed in float32, for their own range ends at 65504."""
    plain_kind = torch.Tensor
    halves = {torch.float16, torch.bfloat16}
    foreach, single = torch._foreach_norm, torch.linalg.vector_norm
    try:
        foreach([torch.zeros(1, dtype=torch.bfloat16)], 2, dtype=torch.float32)
        wide = functools.partial(foreach, ord=2, dtype=torch.float32)
    except (TypeError, RuntimeError):  # torch before 2.4
        wide = None

    def norms(gradients: Any) -> Any:
        gradients = [
            one if type(one) is plain_kind and not one.is_sparse else plain(one) for one in gradients
        ]
        kinds = {one.dtype for one in gradients}
        if not kinds & halves:
            found = foreach(gradients, 2)
        elif wide is not None and kinds <= {*halves, torch.float32}:
            found = wide(gradients)
        else:
            found = [single(one, dtype=torch.float32 if one.dtype in halves else None) for one in gradients]
        return found

    return norms
