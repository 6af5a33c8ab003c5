"""Which of several losses stands for a run."""

from __future__ import annotations

from collections.abc import Sequence

from .lines import Lines
from .series import Series


def standing(losses: Sequence[Series], lines: Lines | None) -> Series | None:
    """Of several losses the one that stands for the run: the most trusted, but no discriminator's.

    That one is meant to stay where it is; beside it the largest term is what the model learns by.
    """
    if not losses or lines is None:
        return next(iter(losses), None)
    names, first = lines.names, losses[0]
    gan = any(names.losses.is_of_gan(one.name.printed) for one in losses)
    if not names.losses.is_of_discriminator(first.name.printed, gan=gan):
        return first
    others = [
        one
        for one in losses
        if one.count * 2 >= first.count
        and one.first is not None
        and not names.losses.is_of_discriminator(one.name.printed, gan=gan)
        and not names.losses.is_of_generator(one.name.printed)
    ]
    return max(others, key=lambda one: one.first.value if one.first else 0.0, default=first)


def is_a_share(loss: Series) -> bool:
    """Whether a loss lies where minus a probability does, which is none of a density whatever its name."""
    return loss.low is not None and loss.high is not None and loss.low.value >= -1 and loss.high.value <= 0
