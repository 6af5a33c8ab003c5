"""Ends a run cleanly after so many steps: for a check before training, an experiment, a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..journal import Journal
from ..part import Part

if TYPE_CHECKING:
    import torch


class Stopping(Part):
    """Leaves the script through SystemExit, so that it closes what it opened, as after Ctrl-C.

    A script that catches it is asked again after each further step. It is the last part that is told, since the
    others would not hear of that step.
    """

    name = "stopping"

    def __init__(self, journal: Journal, after: int) -> None:
        self._journal = journal
        self._after = after
        self._said = False

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Enough steps: leave."""
        if step < self._after:
            return
        if not self._said:
            self._said = True
            self._journal.record("event", what=f"ended by us after {step} steps, as asked", step=step)
        raise SystemExit(0)
