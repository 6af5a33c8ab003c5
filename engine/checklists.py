"""Checklists and procedures over what is known: what is ticked, what fails, what is left for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .conditions import witnesses
from .facts import Fact, Facts
from .kb.knowledge import Knowledge
from .kb.rules import GuideRule, StepRule

PASSED, FAILED, DONE, OPEN = "passed", "failed", "done", "open"
"""An item is fulfilled, or known not to be; the answer to a step is known; nothing at hand can tell."""


class Item(NamedTuple):
    """One item of a checklist, or one step of a procedure, as it stands."""

    text: str
    state: str
    """`passed`, `failed`, `done` or `open`."""
    seen: tuple[Fact, ...]
    """What decided it."""
    minutes: float
    """What it takes a person."""
    owner: str
    tells: str
    """What the outcome of a step means."""
    answers: tuple[str, ...]
    """The facts by which a person can settle an open item."""
    why: str
    """Why a probe that could have told did not."""


class Ticked(NamedTuple):
    """A whole list."""

    id: str
    title: str
    kind: str
    """`checklist` or `procedure`."""
    items: tuple[Item, ...]

    def count(self, *states: str) -> int:
        """How many items are in one of these states."""
        return sum(one.state in states for one in self.items)

    @property
    def failed(self) -> bool:
        """Whether any item is known not to be fulfilled."""
        return bool(self.count(FAILED))

    @property
    def minutes_left(self) -> float:
        """What a person needs for all that is open."""
        return sum(one.minutes for one in self.items if one.state == OPEN)


def guides(knowledge: Knowledge) -> Mapping[str, tuple[str, GuideRule]]:
    """Every list by its id: its kind and itself."""
    procedures = {name: ("procedure", one) for name, one in knowledge.procedures.items()}
    return {**procedures, **{name: ("checklist", one) for name, one in knowledge.checklists.items()}}


def wanted(guide: GuideRule) -> frozenset[str]:
    """The facts that a list asks for."""
    return frozenset(name for step in guide.steps for name in _asked(step))


def tick(guide: GuideRule, kind: str, facts: Facts, knowledge: Knowledge) -> Ticked:
    """The list with everything ticked that these facts can tick."""
    return Ticked(guide.id, guide.title, kind, tuple(_item(step, facts, knowledge) for step in guide.steps))


def _item(step: StepRule, facts: Facts, knowledge: Knowledge) -> Item:
    state = _state(step, facts)
    names = _asked(step)
    still_open = state == OPEN
    return Item(
        text=step.do,
        state=state,
        seen=() if still_open else tuple(_deciding(step, facts)),
        minutes=step.minutes,
        owner=step.owner,
        tells=step.tells,
        answers=tuple(
            name for name in names if still_open and name not in facts and knowledge.facts[name].ask
        ),
        why=next((why for name in names if still_open and (why := facts.why_unknown(name))), ""),
    )


def _state(step: StepRule, facts: Facts) -> str:
    if step.passes is None:
        return DONE if step.fact and step.fact in facts else OPEN
    answer = step.passes.of(facts)
    if not isinstance(answer, bool):
        return OPEN
    return PASSED if answer else FAILED


def _deciding(step: StepRule, facts: Facts) -> Iterator[Fact]:
    names: Sequence[str] = _asked(step)
    if step.passes is not None:
        names = list(dict.fromkeys(name for name, _ in witnesses(step.passes.node, facts.value)))
    return (fact for name in names if (fact := facts.get(name)) is not None)


def _asked(step: StepRule) -> Sequence[str]:
    if step.passes is not None:
        return step.passes.names
    return [step.fact] if step.fact else []
