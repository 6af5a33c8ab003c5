"""Settings that contradict each other: in the files as they stand, and by a change that would be made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from traindx.engine.conditions import witnesses
from traindx.engine.facts import Fact, Facts, Origin, Scalar, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import CheckRule

from .combine import Read, default_facts, setting_facts
from .edit import plan_edits
from .patch import Patch, Refused

_SETTING = "config."


class Checked(NamedTuple):
    """A check that could be decided, and what it rests on."""

    check: CheckRule
    holds: bool
    premises: Sequence[Fact]

    @property
    def origin(self) -> Origin:
        """As trusted as the least trusted fact it rests on."""
        return max((fact.origin for fact in self.premises), key=lambda one: one.rank, default=Origin.CONFIG)

    @property
    def says(self) -> str:
        """What is contradictory, with the values that are."""
        text = self.check.says
        for fact in self.premises:
            shown = f"{fact.value:g}" if isinstance(fact.value, float) else str(fact.value)
            text = text.replace(f"{{{fact.name}}}", shown)
        return text


def checked(facts: Facts, knowledge: Knowledge) -> Iterator[Checked]:
    """Every check that these facts decide.

    What a trainer takes by itself contradicts nothing that the person asked for.
    """
    for check in knowledge.checks.values():
        holds: Value | None = check.rule(facts.value)
        if holds is None:
            continue
        # Of `a and (b or c)` what is only the default of c takes nothing from a and b.
        decided = dict.fromkeys(name for name, _ in witnesses(check.rule.node, facts.value))
        premises = [fact for name in decided if (fact := facts.get(name))]
        if not (holds and all(fact.origin is Origin.DEFAULT for fact in premises)):
            yield Checked(check, bool(holds), premises)


def plan_agreeing(
    sources: Sequence[Read],
    changes: Mapping[str, Scalar],
    knowledge: Knowledge,
    follows: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Patch:
    """Change settings as `plan_edits` does, and refuse too what would contradict other settings of the run.

    `follows` tells of a setting from the new values of which others its own was worked out. Where one of those
    cannot be changed it is left alone as well: accumulating four batches that did not become smaller makes the
    step four times as large.
    """
    printed = [one for one in sources if one.document.origin is Origin.LOG]
    left, against = dict(changes), dict[str, str]()
    while True:
        patch = plan_edits(sources, left, knowledge)
        done = {one.setting for one in patch.applied}
        new = contradicted([*patch.reads, *printed], done, knowledge) if done else {}
        lost = {one.setting for one in patch.refused if not one.option} | against.keys() | new.keys()
        for setting in done & follows.keys():
            if first := next((one for one in follows[setting] if one in lost), ""):
                new = {setting: f"it goes with {first}, which is not changed here", **new}
        if not new:
            refused = (Refused(setting, reason) for setting, reason in against.items())
            return patch._replace(refused=(*patch.refused, *refused))
        against |= new
        left = {setting: value for setting, value in left.items() if setting not in new}


def contradicted(reads: Sequence[Read], changed: Collection[str], knowledge: Knowledge) -> Mapping[str, str]:
    """The changed settings that contradict others in files as they would be, each with the contradiction."""
    against: dict[str, str] = {}
    for one in checked(_as_asked(reads, knowledge), knowledge):
        if one.holds:
            asked = {name.removeprefix(_SETTING) for name in one.check.rule.needs}
            against |= {setting: one.says for setting in changed if setting in asked}
    return against


def _as_asked(reads: Sequence[Read], knowledge: Knowledge) -> Facts:
    """The settings of the next run: what the files say comes before what the last run printed."""
    facts = Facts()
    facts.extend(
        Fact("config.dialect", one.trainer.id, one.document.origin)
        for one in reads
        if one.trainer is not None
    )
    files = [one for one in reads if one.document.origin is not Origin.LOG]
    printed = [one for one in reads if one.document.origin is Origin.LOG]
    for part in (files, printed):
        facts.extend([fact for fact in setting_facts(part) if fact.name not in facts])
    facts.extend(
        fact for fact in default_facts(reads, knowledge.limits["default_keys"]) if fact.name not in facts
    )
    return facts
