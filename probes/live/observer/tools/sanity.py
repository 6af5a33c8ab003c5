"""The first step looked at closely, for the check before training: the batch, every gradient, the numbers' format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..model import held
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

NAMED = 8
"""Parameters that are named of each kind."""


class Sanity(Part):
    """Writes a `batch` and a `gradients` record of the first step. Waits for the device: it is there for a check only."""

    name = "sanity"

    def __init__(self, journal: Journal, watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._batch: Any = None
        self._arguments: Any = None
        self._seen: set[int] = set()

    def batch_loaded(self, batch: Any, seconds: float) -> None:
        """Keep the first batch until it is known what of it the model is given."""
        if self._batch is None and self._arguments is None:
            self._batch = batch

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The model is called for the first time: describe what it is given."""
        if self._arguments is not None:
            return
        from ..batch import describe, entries, write_facts, write_labels

        torch = self._watcher.torch
        self._arguments = (args, kwargs)
        known = entries(torch, self._batch, self._arguments)
        described = [describe(torch, one) for one in known]
        self._journal.record("batch", entries=described, autocast=_autocast(torch))
        write_facts(torch, self._journal, known, 1)
        write_labels(self._journal, described, 1)
        self._batch = None

    def before_backward(self, loss: torch.Tensor) -> None:
        """The loss, before anything is learnt."""
        if not self._seen:
            self._journal.record("first_loss", shape=list(loss.shape), dtype=str(loss.dtype))

    def before_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Every parameter that the optimizer holds: is there a gradient, finite, more than zero?"""
        if id(optimizer) in self._seen:
            return
        self._seen.add(id(optimizer))
        model = self._watcher.models.get(id(optimizer))
        kinds: dict[str, list[str]] = {"good": [], "missing": [], "zero": [], "nonfinite": []}
        for one in held(optimizer):
            if one.requires_grad:
                kinds[self._kind(one.grad)].append(model.name_of(one) if model else "?")
        self._journal.record(
            "gradients", counts={kind: len(found) for kind, found in kinds.items()},
            **{kind: found[:NAMED] for kind, found in kinds.items() if kind != "good"},
        )  # fmt: skip

    def _kind(self, gradient: Any) -> str:
        if gradient is None:
            return "missing"
        values = gradient.detach()
        values = values.coalesce().values() if values.is_sparse else values
        if not bool(self._watcher.torch.isfinite(values).all()):
            return "nonfinite"
        return "good" if bool((values != 0).any()) else "zero"


def _autocast(torch: Any) -> str:
    if torch.is_autocast_enabled():
        return str(torch.get_autocast_gpu_dtype())
    if torch.is_autocast_cpu_enabled():
        return str(torch.get_autocast_cpu_dtype())
    return ""
