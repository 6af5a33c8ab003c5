"""What the curve of one optimizer says, in the facts that the curve of a log gives."""

from __future__ import annotations

from collections.abc import Mapping

from traindx.engine.facts import Fact, Place

from ..logs.marks import Mark
from ..logs.positions import Where
from ..logs.series_facts import tell_series
from ..logs.told import Told
from .curves import Curve
from .processes import RUN

_SOME = 3
"""Losses from which on it can be told whether a run starts at 0."""
_LATE = 200
"""Losses at the end of a run that are looked at for zeros between others."""
_QUIRKS = frozenset(("negative-loss-is-normal", "zero-loss-is-normal"))
"""A loss as the script computes it may be anything; what trainers hide from their logs is not hidden here."""
_OF_A_SHAPE = (
    "loss.constant", "loss.trend", "loss.drop", "loss.plateau", "loss.flat_from_start", "loss.falling_then_flat",
    "loss.diverging", "loss.oscillating", "loss.still_falling", "loss.train_near_zero", "loss.near_random",
    "loss.below_random", "loss.turned_up", "loss.spike", "loss.spike_step", "loss.spike_ratio", "loss.spike_recovered", "loss.spike_at_epoch_start",
    "loss.negative", "loss.zero", "loss.zero_from_start", "loss.zero_at_times", "loss.gap", "loss.gap_from_start", "loss.jump_at_resume",
    "grad.norm.growing", "grad.norm.rising_before_trouble", "grad.norm.vanishing",
)  # fmt: skip
"""Facts of a curve that mean nothing where several models train against each other."""
_OF_TIMES = ("log.speed.slowdown", "log.speed.stalls")
"""Facts of the times of single steps, which tell of other work on the machine too: see shares.py."""


def facts_of(curve: Curve, limits: Mapping[str, float], *, alone: bool) -> list[Fact]:
    """What the series of one optimizer say. `alone` is false where another model is trained with another loss, or what the loss is measured against changes."""

    def place(mark: Mark) -> Place:
        return Place(RUN, step=int(mark.step) if mark.step is not None else None, rank=mark.rank)

    told = Told(limits, place, lambda mark: Where(mark.step), _QUIRKS, announced=curve.harder())
    tell_series(told, curve.store)
    _tell_zero_from_start(told, curve)
    told.tell("log.steps", curve.steps, Mark(curve.steps, b"", step=float(curve.steps)))
    hidden = _OF_TIMES if alone else (*_OF_TIMES, *_OF_A_SHAPE)
    return [fact for fact in told.facts.values() if fact.name not in hidden]


def _tell_zero_from_start(told: Told, curve: Curve) -> None:
    """A loss may reach 0, or fall below it, in its own right. One that starts there has nothing to learn from."""
    loss = curve.losses()
    if loss is not None and loss.count >= _SOME:
        nothing = not any(loss.values[:_SOME])
        told.tell("loss.zero_from_start", nothing, loss.marks[0])
        told.tell("loss.zero", True if nothing else None, loss.marks[0])
        last = loss.values[-_LATE:]
        begins = next((place for place, value in enumerate(last) if value == 0), len(last))
        above = sum(value > 0 for value in last[begins:])
        told.tell("loss.zero_at_times", above >= _SOME, loss.marks[-1])
