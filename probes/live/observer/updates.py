"""How far a step moves the weights, sampled: some numbers of some parameters, before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .lost_updates import LostUpdates
from .model import held
from .part import Part

if TYPE_CHECKING:
    import torch

    from .model import ModelSeen
    from .watcher import Watcher

FIRST = (1, 2, 3, 5, 10, 20)
EVERY = 50
"""Steps that are sampled: the first ones, then each so many."""
PARAMETERS = 16
NUMBERS = 1 << 14
"""Parameters of a sample, and numbers of each."""
NAMES = 20

ENOUGH, NUMEROUS, OWN_SIZE = 3, 64, 3.0
"""Matrices that the first step is judged by, the numbers of each, and how many times their usual size their weights may have:
what starts near zero, as an embedding or a last layer may, moves by many times its size in any run."""


class Updates(Part):
    """Puts the sampled update into the row; says whether weights change, and which do not."""

    name = "updates"
    asleep = ("after_step",)

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._sample: list[tuple[torch.Tensor, torch.Tensor]] = []
        self._moved: dict[int, tuple[str, bool]] = {}
        """By the parameter: in a second phase of a run another one may have the name."""
        self._ratios: list[float] = []
        self._samples = 0
        self._lost = LostUpdates()

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Copy the sample."""
        step = self._watcher.steps.get(id(optimizer), 0) + 1
        if step % EVERY and step not in FIRST:
            if step > FIRST[-1] and self._watcher.models_found == 1:
                self._watcher.rest_until(step - step % EVERY + EVERY - 1, self, "before_step")
            return
        self._watcher.wake(self, "after_step")
        trained = [one for one in held(optimizer) if one.grad is not None and not one.grad.is_sparse]
        chosen = trained[:: max(1, -(-len(trained) // PARAMETERS))]
        with self._watcher.torch.no_grad():
            self._sample = [(one, _some(one).clone()) for one in chosen]
        self._watcher.row["sampled"] = chosen

    def model_found(self, model: ModelSeen) -> None:
        """Another optimizer has steps of its own."""
        self._watcher.wake(self, "before_step")

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Compare it. What the difference is, is read with the row."""
        sample, self._sample = self._sample, []
        self._watcher.rest(self, "after_step")
        if not sample:  # a step without a gradient
            return
        torch, pending = self._watcher.torch, self._watcher.pending
        with torch.no_grad():
            before = [one.float() for _, one in sample]
            updates = torch._foreach_sub([_some(one).float() for one, _ in sample], before)
            pending.extend(("updates", one) for one in torch._foreach_norm(updates))
            pending.extend(("weights", one) for one in torch._foreach_norm(before))
            with_gradients = [
                (copy, _some(one), _some(one.grad)) for one, copy in sample if one.grad is not None
            ]
            lost = self._lost.measure(torch, optimizer, with_gradients)
            pending.extend(("lost_updates", one) for one in lost)

    def read(self, step: int, values: dict[str, Any]) -> None:
        """Keep what moved. A learning rate of 0 (the start of a warm-up) and a skipped step say nothing."""
        if not values.get("updates") or not values.get("learning_rate") or values["skipped"]:
            return
        self._samples += 1
        for one, update in zip(values["sampled"], values["updates"]):
            # NaN is a change, too.
            moved = update != 0.0 or self._moved.get(id(one), ("", False))[1]
            self._moved[id(one)] = (values["model"].name_of(one), moved)
        if values.get("update_ratio") is not None:
            self._ratios.append(values["update_ratio"])
        if "lost_updates" in values:
            self._lost.read(values["lost_updates"])
        if step == 1:
            self._judge_first(values)
        if step in (FIRST[2], FIRST[-1]):
            self._conclude()

    def _judge_first(self, values: dict[str, Any]) -> None:
        """By how many times their size the weights of layers move, the middle one of them. LBFGS makes many moves in a step."""
        if "LBFGS" in type(values["model"].optimizer).__name__:
            return
        ratios = sorted(
            update / weight
            for one, update, weight in zip(values["sampled"], values["updates"], values["weights"])
            if one.dim() > 1 and one.numel() >= NUMEROUS and _has_usual_size(one, weight)
        )
        if len(ratios) >= ENOUGH and math.isfinite(ratios[-1]):
            self._journal.fact("grad.first_update_ratio", ratios[len(ratios) // 2])

    def ended(self) -> None:
        """The whole run."""
        self._conclude()

    def _conclude(self) -> None:
        if not self._moved or self._samples < 2:
            return
        still = [name for name, moved in self._moved.values() if not moved]
        self._journal.fact("model.weights_change", len(still) < len(self._moved))
        if not still:
            self._journal.retract("model.unchanged_names")  # the rate was warming up
        elif self._samples >= len(FIRST) - 2:
            self._journal.fact("model.unchanged_names", still[:NAMES])
        ratios = sorted(self._ratios)
        if ratios:
            self._journal.fact("grad.update_ratio", ratios[len(ratios) // 2])
        lost = self._lost.share()
        if lost is not None:
            self._journal.fact("grad.lost_update_share", lost)


def _has_usual_size(parameter: torch.Tensor, norm: float) -> bool:
    """Whether its numbers are about as large as one over the root of what a unit adds up, as layers begin."""
    size = norm / math.sqrt(min(parameter.numel(), NUMBERS)) * math.sqrt(parameter[0].numel())
    return 1 / OWN_SIZE < size < OWN_SIZE


def _some(parameter: torch.Tensor) -> torch.Tensor:
    """The first numbers of what this process holds of a parameter, as a view of it."""
    local = getattr(parameter, "_local_tensor", parameter).detach()
    return local if local.numel() <= NUMBERS else local.reshape(-1)[:NUMBERS]
