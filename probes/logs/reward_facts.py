"""What rewards say: whether an agent trains, how well it does, and how far its updates go."""

from __future__ import annotations

import math

from traindx.engine.regex import regex

from . import curve
from .series import Series, curve_of
from .store import Store
from .told import Told

_SOME = 3
_MOVES = ("reward_std", "reward_std_zero_share", "reference_kl", "sequence_kl", "policy_kl", "clip_fraction")
"""What is printed beside a reward where a policy is trained on it; a model of rewards prints none of these."""
_EPISODE = regex(rb"(?i)\bepisode[ _:=#\[]{0,3}\d")
"""What counts the episodes in a line with a reward."""
_PARTS = 10
"""The course of a reward is told by the medians of so many parts."""
_MEDIAN = 1.25
"""The error of a median is so many times that of a mean."""


def tell_rewards(told: Told, store: Store) -> None:
    """All facts of the rewards, and of the updates of a policy."""
    _tell_equal(told, store)
    counted = (one for one in store.of("reward") if one.marks and _EPISODE.search(one.marks[0].line))
    episodes = [*store.of("episode_return"), *store.of("episode_length"), *counted]
    if episodes:
        told.tell("log.agent_trains", True, episodes[0].marks[0])
    if (moves := policy(store)) is not None:
        told.tell("log.policy_trains", True, moves.marks[0])
    _tell_course(told, store)
    _tell_chosen(told, store)
    if moves is not None:
        _tell_ends(told, store)
    for metric, name in (("policy_kl", "log.policy_kl"), ("clip_fraction", "log.clip_fraction")):
        for series in store.of(metric)[:1]:
            if values := (line := curve_of(series)).values:
                told.tell(name, max(curve.parts(values, _PARTS)), line.marks[-1])


def _tell_ends(told: Told, store: Store) -> None:
    """How far a policy went from the model it started from, and how long its answers became."""
    for series in store.of("answer_cut_share")[:1]:
        values = (line := curve_of(series)).values
        if len(values) >= told.limits["points_few"]:
            told.tell("log.answers_cut_share", curve.parts(values, _PARTS)[-1], line.marks[-1])
    for metric in ("reference_kl", "answer_length", "policy_entropy"):
        for series in store.of(metric)[:1]:
            values = (line := curve_of(series)).values
            if len(values) >= told.limits["points_few"]:
                levels = curve.parts(values, _PARTS)
                told.tell(f"log.{metric}.first", levels[0], line.marks[0])
                told.tell(f"log.{metric}.last", levels[-1], line.marks[-1])


def _tell_chosen(told: Told, store: Store) -> None:
    """How far the reward of chosen answers fell. Measured from a reference model, it begins at zero.

    What is printed first may be the mean of some steps: small beside what it comes to.
    """
    for series in store.of("chosen_reward")[:1]:
        values = (line := curve_of(series)).values
        if len(values) < told.limits["points_few"]:
            continue
        last = curve.parts(values, _PARTS)[-1]
        if abs(values[0]) < max(1.0, told.limits["clear_change"] * abs(last)):
            told.tell("log.reward.chosen_fall", max(values[0], 0.0) - last, line.marks[-1])


def policy(store: Store) -> Series | None:
    """What is printed of a policy that is trained on rewards of what it writes; None where none is."""
    if not store.of("reward"):
        return None
    return next((series for metric in _MOVES for series in store.of(metric)), None)


def _tell_equal(told: Told, store: Store) -> None:
    """Whether the rewards within a group are all equal."""
    for metric, dead in (("reward_std", 0.0), ("reward_std_zero_share", 1.0)):
        for series in store.of(metric)[:1]:
            values = curve_of(series).values[-20:]
            if len(values) >= _SOME:
                same = sum(value == dead for value in values) > 0.8 * len(values)
                told.tell("log.reward.std_zero", same, series.marks[-1])


def _tell_course(told: Told, store: Store) -> None:
    """Where the reward of an agent begins, how high it comes and where it ends."""
    series = next(iter([*store.of("episode_return"), *store.of("reward")]), None)
    if series is None or len(values := (line := curve_of(series)).values) < told.limits["points_few"]:
        return
    if (course := _course(told, values)) is None:
        return
    (levels, chance), end = course, line.marks[-1]
    best = max(levels)
    place = levels.index(best)
    told.tell("log.reward.first", levels[0], line.marks[0])
    told.tell("log.reward.best", best, line.marks[(2 * place + 1) * len(values) // (2 * len(levels))])
    told.tell("log.reward.last", levels[-1], end)
    told.tell("log.reward.risen", levels[-1] - levels[0] > chance, end)
    lost = best - levels[-1]
    collapsed = (
        lost > chance
        and lost > told.limits["reward_lost"] * (best - min(levels))
        and lost > told.limits["clear_change"] * max(abs(best), abs(levels[-1]))
    )
    told.tell("log.reward.collapsed", collapsed, end)


def _course(told: Told, values: list[float]) -> tuple[list[float], float] | None:
    """The levels of a reward in parts of the run, and how far chance alone moves them; None where that is unknown."""
    # Single episodes differ widely, so a change has to stand out from what the levels do by chance.
    if not 1 < len(set(values)) <= told.limits["reward_levels_few"]:
        levels = curve.parts(values, _PARTS)
        error = _MEDIAN * curve.noise(values) / math.sqrt(len(values) / len(levels))
        return levels, told.limits["reward_noise"] * error
    # Won or lost and little between: a median is the one or the other, and only an average says how often.
    count = min(_PARTS, int(len(values) // told.limits["reward_part_least"]))
    if count < _SOME:
        return None
    spread = math.sqrt(curve.mean([one**2 for one in curve.parts(values, count, curve.deviation)]))
    error = math.sqrt(2 * count / len(values)) * spread
    return curve.parts(values, count, curve.mean), told.limits["reward_noise"] * error
