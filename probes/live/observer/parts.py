"""The parts of the observer, in the order in which they are told. A new part is one line here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .part import Part

if TYPE_CHECKING:
    from .watcher import Watcher

PARTS = (
    "rank.Rank",
    "clock.Clock",
    "losses.Losses",
    "gradients.Gradients",
    "models.Models",
    "initial.Initial",
    "first_output.FirstOutput",
    "loading.Loading",
    "restoring.Restoring",
    "printed.Printed",
    "precision.Precision",
    "holding.Holding",
    "parameters.Parameters",
    "updates.Updates",
    "memory.Memory",
    "steps.Steps",
    "batches.Batches",
    "growing.Growing",
    "spreading.Spreading",
    "nonfinite.Nonfinite",
    "checks.order.Order",
    "checks.by_hand.ByHand",
    "checks.cleared.Cleared",
    "checks.opposed.Opposed",
    "checks.accumulation.Accumulation",
    "checks.modes.Modes",
    "checks.predicting.Predicting",
    "checks.graph_kept.GraphKept",
    "checks.chained.Chained",
    "checks.recurring.Recurring",
    "checks.scaling.Scaling",
    "checks.turns.Turns",
    "checks.schedule.Schedule",
    "checks.sampling.Sampling",
    "checks.compiled_outputs.CompiledOutputs",
    "checks.saving.Saving",
    "checks.taken_up.TakenUp",
    "checks.scales.Scales",
    "checks.copies.Copies",
    "checks.windows.Windows",
    "checks.class_orders.ClassOrders",
    "checks.channels.Channels",
    "checks.drawn.Drawn",
    "checks.told_epochs.ToldEpochs",
    "checks.stored.Stored",
    "checks.collated.Collated",
    "checks.restarted.Restarted",
    "checks.few_samples.FewSamples",
    "checks.reseeded.Reseeded",
    "checks.doubled.Doubled",
    "checks.worker_copies.WorkerCopies",
    "checks.shared_handles.SharedHandles",
    "checks.groups.Groups",
    "checks.hooks.Hooks",
    "checks.feeding.Feeding",
)
"""`module.Class` below this package; each is made as `Class(journal, options, watcher)`."""


def parts(journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> list[Part]:
    """Every part that could be made. One that could not becomes a trouble record.

    None where a profile is taken: it is to show the run, and not what watches it.
    """
    made: list[Part] = []
    if options.get("bare"):
        return made
    for path in PARTS:
        module, _, name = path.rpartition(".")
        try:
            kind = getattr(importlib.import_module(f".{module}", __package__), name)
            made.append(kind(journal, options, watcher))
        except Exception as error:  # noqa: BLE001 - no fault of ours may end the run
            journal.trouble(path, error)
    return made
