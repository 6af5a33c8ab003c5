"""What a fix changes in the canonical settings of a run, and to which values."""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .facts import Facts, Scalar, Value
from .kb.rules import ChangeRule, FixRule
from .wording import show

_NEW = "new."
"""Before the name of a setting: what this fix has set it to."""


class Setting(NamedTuple):
    """One setting as a fix wants it."""

    name: str
    """The canonical name."""
    before: Scalar | None
    """None where the run does not say."""
    after: Scalar


def changes(fix: FixRule, facts: Facts) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    """What a fix changes in this run, and why it does not where it cannot."""
    settings: list[Setting] = []
    notes: list[str] = []
    unknown: list[str] = []
    new: dict[str, Scalar] = {}
    for name, change in fix.settings.items():
        if change.only_if is not None and change.only_if(facts.value) is not True:
            continue
        before = facts.value(f"config.{name}")
        before = before if not isinstance(before, tuple) else None
        after = _after(change, before, facts, new)
        if after is None:
            if wish := _wish(change, said_by_steps=bool(fix.steps)):
                unknown.append(f"{name}: {wish}; what it is now is not known here")
        elif after == before:
            notes.append(f"{name} is {before} already")
        else:
            new[name] = after
            settings.append(Setting(name, before, after))
    # Of several names of one quantity, a run uses one: which, is not known either.
    return tuple(settings), (*notes, *(() if settings else unknown[:1]))


def unknown_settings(fix: FixRule, facts: Facts) -> Iterator[str]:
    """The settings that a fix always changes and whose values the run does not say."""
    return (
        name
        for name, change in fix.settings.items()
        if change.only_if is None and facts.value(f"config.{name}") is None
    )


def follow_from(fix: FixRule) -> Mapping[str, tuple[str, ...]]:
    """The settings whose new values are worked out from the new values of others of the same fix, and of which."""
    return {
        name: tuple(one.removeprefix(_NEW) for one in change.expression.needs if one.startswith(_NEW))
        for name, change in fix.settings.items()
        if change.expression is not None
    }


def is_relative(change: ChangeRule) -> bool:
    """Whether it asks for a value measured by the one that stands."""
    return change.way in ("multiply", "at_least", "at_most")


def _wish(change: ChangeRule, *, said_by_steps: bool) -> str:
    """A change in words, where its value cannot be told; empty where the steps of the fix say more."""
    words = {"multiply": "multiply it by", "at_least": "make it at least", "at_most": "make it at most"}
    if change.way not in words:
        if said_by_steps:
            return ""
        return "its new value follows from numbers that are not known here"
    return f"{words[change.way]} {show(change.value or 0)}"


def _after(
    change: ChangeRule, before: Scalar | None, facts: Facts, new: Mapping[str, Scalar]
) -> Scalar | None:
    """The value a setting should have; None where it cannot be told."""
    if change.way == "set":
        return change.value
    if change.way == "compute":
        return _computed(change, facts, new)
    number = before if isinstance(before, int | float) and not isinstance(before, bool) else None
    if number is None:
        return change.otherwise
    target = float(change.value)  # type: ignore[arg-type]
    match change.way:
        case "multiply" if not number:
            # Four times no warm-up is none.
            return change.otherwise
        case "multiply":
            return _like(number, number * target)
        case "at_least":
            return max(number, _like(number, target))
        case _:
            return min(number, _like(number, target))


def _computed(change: ChangeRule, facts: Facts, new: Mapping[str, Scalar]) -> Scalar | None:
    """A value worked out from this run. `new.x` in it is what this fix has set x to."""
    if change.expression is None:
        return change.otherwise

    def look(name: str) -> Value | None:
        setting = name.removeprefix(_NEW)
        return new[setting] if setting in new else facts.value(name.replace(_NEW, "config.", 1))

    value = change.expression(look)
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return change.otherwise
    return _rounded(value, change.digits)


def _like(old: float, value: float) -> int | float:
    """A count stays a count, and at least one; anything else keeps four significant digits."""
    return max(1, math.floor(value)) if isinstance(old, int) else _rounded(value, 4)


def _rounded(value: float, digits: int | None) -> int | float:
    if isinstance(value, int) or digits is None:
        return value
    return float(f"{value:.{digits}g}")
