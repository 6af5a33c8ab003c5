"""Which fixes to offer, in which order, and what each changes in canonical settings."""

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .conditions import Lookup, in_words
from .facts import Facts, Scalar, Value
from .infer import Ranked
from .kb.knowledge import Knowledge
from .kb.rules import ChangeRule, FixRule, Weights
from .stand_ins import with_stand_ins
from .wording import show


class Setting(NamedTuple):
    """One setting as a fix wants it."""

    name: str
    """The canonical name."""
    before: Scalar | None
    """None where the run does not say."""
    after: Scalar


class Offer(NamedTuple):
    """A fix that fits this run."""

    fix: FixRule
    causes: tuple[str, ...]
    """The causes it answers, the most likely first."""
    settings: tuple[Setting, ...] = ()
    """What it changes here; empty where nothing is to change or nothing is known."""
    proviso: str = ""
    """What must hold and is not known here, in words."""
    notes: tuple[str, ...] = ()
    """Why a change is not computed: `micro_batch_size is 1 already`."""


class Together(NamedTuple):
    """Several fixes as one change, and what had to be left out."""

    settings: Mapping[str, Setting] = MappingProxyType({})
    taken: tuple[str, ...] = ()
    left_out: Mapping[str, str] = MappingProxyType({})
    """Fix -> why it does not go with those before it."""


def offers(ranked: Sequence[Ranked], facts: Facts, knowledge: Knowledge) -> list[Offer]:
    """The fixes of every cause that is at least possible, in the order to try them.

    A fix whose condition is known to be false is left out, and so is one whose settings stand
    as it wants them already while it has nothing else to offer. One whose condition is not decided
    comes after the others of its cause. What this machine can do decides nothing where the run may
    have been on another.
    """
    facts = with_stand_ins(facts, knowledge)
    causes: dict[str, list[str]] = {}
    for one in ranked:
        if one.verdict != "unlikely":
            for fix in one.cause.fixes:
                causes.setdefault(fix, []).append(one.cause.id)
    found = (_offer(knowledge.fixes[fix], tuple(behind), facts, knowledge) for fix, behind in causes.items())
    places = {one.cause.id: place for place, one in enumerate(ranked)}
    return sorted(
        (one for one in found if one is not None),
        key=lambda one: (places[one.causes[0]], bool(one.proviso) and one.fix.when_unknown != "keep"),
    )


def worth_trying(offered: Sequence[Offer], ranked: Sequence[Ranked], weights: Weights) -> list[Offer]:
    """The fixes of causes that are likely, or not far less so than the first."""
    enough = weights.worth_mending * max((one.confidence for one in ranked[:1]), default=0.0)
    causes = {one.cause.id for one in ranked if one.confidence >= min(enough, weights.likely)}
    return [one for one in offered if not causes.isdisjoint(one.causes)]


def _offer(fix: FixRule, causes: tuple[str, ...], facts: Facts, knowledge: Knowledge) -> Offer | None:
    def here(name: str) -> Value | None:
        return None if facts.elsewhere(name) else facts.value(name)

    holds = True if fix.when is None else fix.when(here)
    if holds is False or (holds is None and fix.when_unknown == "leave-out" and _silent(facts)):
        return None
    settings, notes = changes(fix, facts)
    changed = bool(settings) or any(_is_relative(fix.settings[name]) for name in _unknown(fix, facts))
    nothing_left = fix.settings and not (changed or fix.snippet or fix.command or fix.steps)
    if nothing_left:
        return None
    proviso = _proviso(fix, here, knowledge) if holds is None else ""
    return Offer(fix, causes, settings, proviso, notes)


def _silent(facts: Facts) -> bool:
    """Whether a run was read and nothing written by a person, who may speak of it in words that no rule knows."""
    return facts.of_a_run and not facts.value("log.prose")


def _proviso(fix: FixRule, lookup: Lookup, knowledge: Knowledge) -> str:
    """What must hold, in words."""
    if fix.when is None or fix.when_says:
        return fix.when_says

    def means(name: str) -> str:
        declared = knowledge.facts.get(name)
        return declared.means if declared else name.replace("env.package.", "the version of ")

    return in_words(fix.when.node, lookup, means)


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


def _unknown(fix: FixRule, facts: Facts) -> Iterator[str]:
    return (
        name
        for name, change in fix.settings.items()
        if change.only_if is None and facts.value(f"config.{name}") is None
    )


def _is_relative(change: ChangeRule) -> bool:
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
        setting = name.removeprefix("new.")
        return new[setting] if setting in new else facts.value(name.replace("new.", "config.", 1))

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


def together(chosen: Sequence[Offer]) -> Together:
    """All these fixes at once. What contradicts an earlier one is left out, and said."""
    settings: dict[str, Setting] = {}
    taken: list[Offer] = []
    left_out: dict[str, str] = {}
    for offer in chosen:
        if reason := _clash(offer, taken, settings):
            left_out[offer.fix.id] = reason
            continue
        taken.append(offer)
        settings |= {one.name: one for one in offer.settings}
    return Together(settings, tuple(one.fix.id for one in taken), left_out)


def _clash(offer: Offer, taken: Sequence[Offer], settings: Mapping[str, Setting]) -> str:
    for other in taken:
        if other.fix.id in offer.fix.conflicts or offer.fix.id in other.fix.conflicts:
            return f"does not go with {other.fix.id}"
    for one in offer.settings:
        first = settings.get(one.name)
        if first is not None and first.after != one.after:
            return f"wants {one.name} {one.after}, and an earlier fix sets it to {first.after}"
    return ""
