"""What the terms of a loss say of each other, and of a latent code, where each is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .series import Series, curve_of
from .told import Told


def tell_terms(told: Told, parts: Sequence[Series], is_held_down: Callable[[str], bool]) -> None:
    """Whether a small term has not moved while one of another size, which it is added to, was learnt.

    Those whose name says that they are held down (`is_held_down`) need not move.
    """
    curves = [(one, line.values) for one in parts if len((line := curve_of(one)).values) >= 2]
    if len(curves) < 2:
        return
    largest, values = max(curves, key=lambda pair: pair[1][-1])
    if not values[0] - values[-1] > told.limits["clear_change"] * values[0]:
        return
    for one, small in curves:
        if one is largest or min(small) <= 0 or is_held_down(one.name.printed):
            continue
        apart = told.limits["terms_apart"]
        still = max(small) - min(small) < told.limits["flat_drop"] * max(small)
        if still and values[0] > apart * small[0] and values[-1] > apart * small[-1]:
            told.tell("loss.part_left_behind", True, one.marks[-1], one.name.printed)
            return


def tell_learnt(told: Told, parts: Sequence[Series]) -> None:
    """Whether one of several falls: then the whole may rise because of what another term weighs."""
    for one in parts if len(parts) > 1 else ():
        values = curve_of(one).values
        if len(values) > 2 and values[0] - values[-1] > told.limits["falling_drop"] * abs(values[0]):
            told.tell("loss.part_falls", True, one.marks[-1], one.name.printed)
            return


def tell_divergence(told: Told, parts: Sequence[Series], is_divergence: Callable[[str], bool]) -> None:
    """Whether a divergence has fallen to nothing and stays there.

    One that is printed with a small weight is small from the start, and one whose weight grows rises.
    """
    for one in parts:
        values = curve_of(one).values
        nothing = told.limits["divergence_vanished"]
        end = values[-max(2, len(values) // 4) :]
        if (
            len(values) > 2
            and is_divergence(one.name.printed)
            and all(0 <= value < nothing for value in end)
            and 10 * end[-1] < values[0]
        ):
            told.tell("loss.divergence_vanished", True, one.marks[-1], one.name.printed)
            return
