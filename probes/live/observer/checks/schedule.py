"""A learning-rate schedule that is made and never moved, or begins anew under an optimizer that goes on."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..part import Part
from .restored_rates import RestoredRates

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

LONG = 50
"""Steps after which even a schedule by epochs should have moved, once the run is over."""

BEHIND = 10
"""Moves that a new schedule must lack of those that the steps of an optimizer from an earlier run call for."""

LAG = 0.2
"""A schedule that went less than this share of its length, or of its warm-up, in a run that has as many steps, lags."""

ALMOST = 0.8
"""The share of its length in steps after which a run counts as one that was to go through it."""

WRAPS = 3
"""Times its length that a cosine is moved when it swings."""

FEWEST = 3
"""Moves by which it is known how many steps lie between two."""


@dataclass
class Followed:
    """A scheduler, and how far it and its optimizer came."""

    scheduler: weakref.ref[Any]
    optimizer: int
    first: int
    """Where it stood at the first step."""
    before: float
    """The steps that its optimizer had made in another run."""
    moves: int = 0
    steps: int = 0
    length: int = 0
    """The moves it was made for; 0 where it has no length."""
    swings: bool = False
    """Whether it goes up again past its length."""
    thrown_back: bool = False
    """Whether it left another rate than the one that was restored with its optimizer."""
    share: float = 0.0
    """What it leaves now of the rate that was set, in the group of which it leaves most."""
    least: float = 1.0
    peak: float = 0.0

    def look(self) -> None:
        """Where it stands now, if it is there."""
        one = self.scheduler()
        if one is not None:
            self.moves = _place(one) - self.first
            self.share = max(_shares(one.optimizer), default=1.0)
            self.least, self.peak = min(self.least, self.share), max(self.peak, self.share)

    def lags(self) -> bool:
        """Whether it was to go with the steps, and went with something rarer."""
        if self.length:
            long_enough = self.length >= LONG and self.steps >= ALMOST * self.length
            return long_enough and 0 < self.moves < LAG * self.length
        return self.moves >= FEWEST and self.steps >= LONG and self._still_warms_up()

    def _still_warms_up(self) -> bool:
        """Whether it has climbed to the end, and would have arrived long ago, had it moved in every step.

        A function of the script has no length; a warm-up climbs evenly, so that its length follows from how far it came.
        """
        return self.least < self.share == self.peak < LAG and self.moves <= self.share * self.steps

    def wraps(self) -> bool:
        """Whether it was to go with something rarer, and went with the steps."""
        return self.swings and self.length > 1 and self.moves > max(WRAPS * self.length, LAG * self.steps)

    def began_anew(self) -> bool:
        """Whether the rate, or the steps, that the optimizer brought along are those after many moves, and the scheduler knows of none.

        Not every optimizer counts its steps.
        """
        behind = self.moves >= FEWEST and self.before * self.moves >= BEHIND * self.steps
        return self.first <= 1 and (self.thrown_back or behind)


class Schedule(Part):
    """Finds the schedulers of an optimizer, once, and counts at the end how often they were stepped.

    Where there is one, it has left `initial_lr` in the optimizer's groups.
    """

    name = "schedule"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._torch = watcher.torch
        self._watcher = watcher
        self._followed: list[Followed] = []
        self._restored = RestoredRates(watcher)

    def model_found(self, model: ModelSeen) -> None:
        """The first step of an optimizer: its schedulers are there."""
        optimizer = model.optimizer
        if not any("initial_lr" in group for group in optimizer.param_groups):
            return
        scheduler = self._torch.optim.lr_scheduler
        base: Any = getattr(scheduler, "LRScheduler", None) or scheduler._LRScheduler
        objects = gc.get_objects()
        kinds = {
            kind for kind in set(map(type, objects)) if issubclass(kind, (base, scheduler.ReduceLROnPlateau))
        }
        before = _steps_before(optimizer)
        self._followed += [
            Followed(
                weakref.ref(one), id(optimizer), _place(one), before, length=_length(one), swings=_swings(one)
            )
            for one in objects
            if type(one) in kinds and getattr(one, "optimizer", None) is optimizer
        ]
        if self._followed and all(one.first <= 1 for one in self._followed):
            self._say_start(optimizer)
        self._watcher.wake(self, "after_step")

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Where each scheduler stands. The last look counts, for they may be gone when the process ends."""
        if not self._followed:
            self._watcher.rest(self, "after_step")
        elif step % 10 == 0 or step < 10:
            for one in self._followed:
                if one.optimizer == id(optimizer):
                    one.steps = step
                    at_start = not one.first + one.moves or step == 1
                    one.thrown_back |= at_start and self._restored.thrown_back(optimizer)
                one.look()

    def ended(self) -> None:
        """Has any of them moved, and does any lag behind its optimizer?"""
        for one in self._followed:
            one.look()
        if any(one.moves for one in self._followed):
            self._journal.fact("log.lr.schedule_never_moves", False)
        elif self._followed and self._watcher.step >= LONG:
            self._journal.fact("log.lr.schedule_never_moves", True)
        if any(one.lags() for one in self._followed):
            self._journal.fact("log.lr.schedule_lags", True)
        if any(one.wraps() for one in self._followed):
            self._journal.fact("log.lr.schedule_wraps", True)
        resumed = [one for one in self._followed if one.before or one.thrown_back]
        if resumed:
            self._journal.fact("log.lr.schedule_began_anew", all(one.began_anew() for one in resumed))

    def _say_start(self, optimizer: torch.optim.Optimizer) -> None:
        """What the schedule leaves of the rate that was set."""
        if shares := _shares(optimizer):
            self._journal.fact("log.lr.schedule_start", max(shares))


def _shares(optimizer: torch.optim.Optimizer) -> list[float]:
    """What is left of the rate that was set in each group. A rate that stands on a device is not waited for."""
    return [
        float(group["lr"]) / float(group["initial_lr"])
        for group in optimizer.param_groups
        if getattr(group["lr"], "is_cpu", True) and float(group.get("initial_lr") or 0.0) > 0.0
    ]


def _place(scheduler: Any) -> int:
    return int(getattr(scheduler, "last_epoch", 0) or 0)


def _length(scheduler: Any) -> int:
    """The moves that it was made for, as OneCycleLR, CosineAnnealingLR, LinearLR and PolynomialLR name them."""
    lengths = (getattr(scheduler, name, None) for name in ("total_steps", "T_max", "total_iters"))
    return next((int(one) for one in lengths if isinstance(one, (int, float))), 0)


def _swings(scheduler: Any) -> bool:
    """Whether the rate goes up again past its length."""
    return type(scheduler).__name__ == "CosineAnnealingLR"


def _steps_before(optimizer: torch.optim.Optimizer) -> float:
    """The steps that the state of an optimizer tells of; 0 where it has none, or does not count.

    A fused optimizer counts on the device, which is not waited for.
    """
    counts = (state.get("step", 0) for state in optimizer.state.values() if isinstance(state, dict))
    return max((float(one) for one in counts if getattr(one, "is_cpu", True)), default=0.0)
