"""What an experiment changes in the run. Only here does the observer touch the run, and only when it is asked to.

Each change says, in a `changed` record, that it took effect: an experiment whose change found nothing to change
(no autocast, no data loader) answers nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ..journal import Journal
from .applied import Applied

CHANGES = {
    "attention": "software.use_attention",
    "autocast": "precision.set_autocast",
    "backends": "software.set_backends",
    "clip": "optimisation.clip_gradients",
    "dropout": "model.switch_dropout",
    "group": "optimisation.scale_group",
    "loader": "data.set_loader",
    "passed_by": "data.pass_by",
    "repeat": "data.repeat_first_batch",
    "scaler": "precision.set_scaler",
    "schedule": "optimisation.hold_schedule",
    "seed": "seeds.shift_seeds",
    "warmup": "optimisation.warm_up",
    "weights": "precision.set_weights",
}
"""Name of a change -> `module.function`, called as `function(torch, value, applied)` when torch has been imported."""


def apply_changes(torch: ModuleType, change: Mapping[str, Any], journal: Journal) -> None:
    """Make every change. One that cannot be made becomes a trouble record."""
    for name, value in change.items():
        try:
            module, _, function = CHANGES[name].partition(".")
            made = importlib.import_module(f".{module}", __package__)
            getattr(made, function)(torch, value, Applied(journal, name))
        except Exception as error:  # noqa: BLE001, PERF203 - each change for itself, and none ends the run
            journal.trouble(f"change {name}", error)
