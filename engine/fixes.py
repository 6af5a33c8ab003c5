"""Which fixes to offer, in which order, and which go together."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .changes import Setting, changes, is_relative, unknown_settings
from .conditions import Lookup, in_words
from .facts import Facts, Value
from .infer import Ranked
from .kb.knowledge import Knowledge
from .kb.rules import FixRule, Weights
from .stand_ins import with_stand_ins


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
    leads: bool = False
    """Something in this run points to it."""


class Together(NamedTuple):
    """Several fixes as one change, and what had to be left out."""

    settings: Mapping[str, Setting] = MappingProxyType({})
    taken: tuple[str, ...] = ()
    left_out: Mapping[str, str] = MappingProxyType({})
    """Fix -> why it does not go with those before it."""


def offers(ranked: Sequence[Ranked], facts: Facts, knowledge: Knowledge) -> list[Offer]:
    """The fixes of every cause that is at least possible, in the order to try them.

    Several likely causes are mostly there together: the first fix of each comes before all that stand in for one.
    A fix whose condition is known to be false is left out, and so is one whose settings stand
    as it wants them already while it has nothing else to offer. One that something here points to comes
    before the others of its cause, one whose condition is not decided after them. What this machine can do decides nothing where the run may
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
    offered = sorted(
        (one for one in found if one is not None),
        key=lambda one: (
            places[one.causes[0]],
            not one.leads,
            bool(one.proviso) and one.fix.when_unknown != "keep",
        ),
    )
    leading = _leading(offered, [one.cause.id for one in ranked if one.verdict in ("confirmed", "likely")])
    return sorted(offered, key=lambda one: one.fix.id not in leading)


def _leading(offered: Sequence[Offer], causes: Sequence[str]) -> set[str]:
    """The first fix of each of these causes. One that does not go with an earlier one stands in for it."""
    leading: list[Offer] = []
    for cause in causes:
        own = [one for one in offered if cause in one.causes]
        first = own[:1] if leading else _to_first_change(own)
        leading += [one for one in first if not _clash(one, leading, {})]
    return {one.fix.id for one in leading}


def _to_first_change(offered: Sequence[Offer]) -> Sequence[Offer]:
    """Up to the first that changes a setting: what is patched first answers the most likely cause."""
    number = next((number for number, one in enumerate(offered, 1) if one.settings), 1)
    return offered[:number]


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
    changed = bool(settings) or any(is_relative(fix.settings[name]) for name in unknown_settings(fix, facts))
    nothing_left = fix.settings and not (changed or fix.snippet or fix.command or fix.steps)
    if nothing_left:
        return None
    proviso = _proviso(fix, here, knowledge) if holds is None else ""
    leads = fix.leads is not None and fix.leads(here) is True
    return Offer(fix, causes, settings, proviso, notes, leads)


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
