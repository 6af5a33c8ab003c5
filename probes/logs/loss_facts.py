"""What the training loss says."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import curve
from .loss_shape import tell_shape
from .marks import Mark
from .series import Curve, Extreme, Series, curve_of
from .stages import beginnings, last_stage
from .told import Told

HIDDEN = "hidden by the trainer"
"""The note of a NaN that follows from other numbers and was not printed."""
_SOME = 3
"""Fewer values than this make no curve."""


def tell_loss(told: Told, loss: Series, others: Sequence[Series], *, masked: bool | None) -> Curve:
    """All facts of the loss. `others` are its parts and other names; a NaN in one of them counts too.

    `masked` says that the trainer hides a NaN behind the values.
    """
    line = curve_of(loss)
    told.tell("loss.count", loss.count, loss.marks[0])
    shown = loss.marks[-1]
    if masked:
        shown = _tell_hidden(told, loss, line)
        # What follows the first hidden NaN is no curve.
        line = _before_zeros(line)
    told.stages = beginnings(told, line, loss.first_bad.mark.number if loss.first_bad else None)
    _tell_ends(told, loss, hidden=bool(masked))
    _tell_nonfinite(told, loss, others, line)
    _tell_zero(told, loss)
    told.tell("loss.masked_nan", masked, shown)
    if not has_no_level(told, loss):
        stage = last_stage(told, line)
        tell_shape(told, loss, stage, later=bool(stage.marks) and stage.marks[0] != line.marks[0])
    return line


def has_no_level(told: Told, loss: Series) -> bool:
    """Whether the loss says nothing by its height: that of a policy is made of advantages, whose mean is zero, and of the
    way that it has gone from the model it began as, which begins at nothing; that of an agent follows what it
    experiences. One that runs away does."""
    return "loss-has-no-level" in told.quirks and not (
        loss.high is not None and loss.high.value >= told.limits["policy_loss_high"]
    )


def _tell_hidden(told: Told, loss: Series, line: Curve) -> Mark:
    """A NaN that the trainer shows as zero, or not at all: where it does so first."""
    place = next((index for index, value in enumerate(line.values) if value == 0), None)
    mark = line.marks[place] if place is not None else loss.marks[-1]
    told.tell("loss.nonfinite", True, mark, HIDDEN)
    if place is not None:
        _tell_first_bad(told, Extreme(math.nan, place * loss.stride, mark))
    return mark


def _tell_ends(told: Told, loss: Series, *, hidden: bool) -> None:
    low = None if hidden else loss.low
    for name, extreme in (("first", loss.first), ("min", low), ("max", loss.high)):
        if extreme is not None:
            told.tell(f"loss.{name}", extreme.value, extreme.mark)
    if not hidden and loss.last is not None and loss.last.point == loss.count - 1:
        told.tell("loss.last", loss.last.value, loss.last.mark)


def _tell_nonfinite(told: Told, loss: Series, others: Sequence[Series], line: Curve) -> None:
    bad = loss.first_bad
    if bad is None:
        other = next((one for one in others if one.first_bad is not None), None)
        if other is not None and other.first_bad is not None:
            told.tell("loss.nonfinite", True, other.first_bad.mark, f"of {other.name.printed}")
            _tell_first_bad(told, other.first_bad, alone=other.count == 1)
        elif loss.first is not None:
            told.tell("loss.nonfinite", False, loss.marks[-1])
            told.tell("loss.nonfinite_from_start", False, loss.marks[-1])
            told.tell("loss.nonfinite_share", 0.0, loss.marks[-1])
        return
    told.tell("loss.nonfinite", True, bad.mark)
    told.tell("loss.nonfinite_share", loss.bad / loss.count, bad.mark)
    told.tell("loss.infinite_first", math.isinf(bad.value), bad.mark)
    _tell_first_bad(told, bad, alone=loss.count == 1)
    _tell_recovery(told, loss, bad, line)
    before = line.values[: -(-bad.point // loss.stride)]
    told.tell("loss.rising_before_nonfinite", _climbed(told, before), bad.mark)


def _tell_first_bad(told: Told, bad: Extreme, *, alone: bool = False) -> None:
    step = told.step(bad.mark)
    told.tell("loss.first_nonfinite_step", step, bad.mark)
    told.tell("loss.first_nonfinite_point", bad.point + 1, bad.mark)
    told.tell("loss.first_nonfinite_epoch", told.where(bad.mark).epoch, bad.mark)
    early = step is None or step <= told.limits["early_step"]
    if bad.point == 0:
        # The only loss that is printed, at no step or epoch, is how a trainer says that it gives up.
        placed = not alone or step is not None or told.where(bad.mark).epoch is not None
        from_start = True if early and placed else None
    elif bad.point == 1:
        # A second row that only says its epoch comes after all steps of the first.
        from_start = step <= 2 if step is not None else told.where(bad.mark).epoch is None
    else:
        from_start = False
    told.tell("loss.nonfinite_from_start", from_start, bad.mark)


def _tell_recovery(told: Told, loss: Series, bad: Extreme, line: Curve) -> None:
    if loss.last_finite > bad.point:
        after = line.marks.before(bad.mark.number)
        anew = after < len(line) and any(
            bad.mark.number < number <= line.marks[after].number for number in told.stages
        )
        # What was begun anew after the NaN tells nothing of the run that broke.
        told.tell("loss.recovers", None if anew else True, bad.mark)
    elif loss.bad > 1 and "nan-sticks" not in told.quirks:
        told.tell("loss.recovers", False, bad.mark)


def _climbed(told: Told, before: Sequence[float]) -> bool | None:
    """Whether a loss was on its way up when it broke; None where too little was seen."""
    if len(before) == 2 and before[1] > told.limits["loss_ruined"] * abs(before[0]) > 0:
        # Two values make no curve, unless the second is of another size altogether.
        return True
    if len(before) < _SOME:
        return None
    end, usual = before[-_SOME:], before[-int(told.limits["window"]) : -_SOME]
    rising = (
        all(step > 0 for step in curve.steps_between(end))
        and end[-1] > end[0] + abs(end[0]) * told.limits["clear_change"]
    )
    if not usual:
        return rising
    level = curve.median(usual)
    return rising or (level > 0 and end[-1] > level * told.limits["climb"])


def _tell_zero(told: Told, loss: Series) -> None:
    line = curve_of(loss)
    values = line.values
    if not values:
        return
    if "zero-loss-is-normal" not in told.quirks:
        start, zeros = _longest_zeros(values)
        # One that falls and falls is zero in the end because no more digits are printed.
        fell = start > 0 and 0 < values[start - 1] < told.limits["rounds_to_zero"] * max(values[:start])
        stays = (zeros >= _SOME or zeros == len(values) >= 2) and not fell
        told.tell("loss.zero", stays or (None if zeros else False), line.marks[start if stays else -1])
        if len(values) >= 2:
            told.tell("loss.zero_from_start", not any(values[:2]), loss.marks[0])
    if "negative-loss-is-normal" not in told.quirks and loss.low is not None:
        told.tell("loss.negative", loss.low.value < 0, loss.low.mark)


def _longest_zeros(values: Sequence[float]) -> tuple[int, int]:
    """Where the longest run of zeros begins, and how long it is."""
    start = longest = run = 0
    for place, value in enumerate(values):
        run = run + 1 if value == 0 else 0
        if run > longest:
            start, longest = place - run + 1, run
    return start, longest


def _before_zeros(line: Curve) -> Curve:
    end = next((index for index, value in enumerate(line.values) if value == 0), len(line))
    return Curve(line.values[:end], line.marks[:end], line.peaks[:end])
