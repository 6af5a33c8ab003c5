"""Every cause carries its own tests. Run them: does it win, stay silent, and not know, where it must?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..derive import derive
from ..facts import Fact, Facts, Origin, Place, Value
from ..infer import Ranked, judge, rank
from ..symptoms import note_symptoms, see_symptoms
from .knowledge import Knowledge
from .models import Cause, Example
from .validate import Validated

Reader = Callable[[Example, Knowledge], Iterable[Fact]]
"""Reads the log, config, code and series of an example with the real probes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one example came out."""

    cause: str
    example: str
    expected: str
    wrong: str
    """What came out instead; empty where all is well."""


def run_examples(
    entries: Validated, knowledge: Knowledge, read: Reader, wanted: Callable[[Cause, Example], bool]
) -> Iterator[Outcome]:
    """Run the examples that are wanted, cause by cause."""
    for _, entry in sorted(entries.of("cause").items()):
        for example in entry.model.examples:
            if wanted(entry.model, example):
                yield _run(entry.model, example, knowledge, read)


def _run(cause: Cause, example: Example, knowledge: Knowledge, read: Reader) -> Outcome:
    facts = Facts()
    facts.extend(
        Fact(name, value_of(value), Origin.LOG, (Place("example"),)) for name, value in example.facts.items()
    )
    facts.extend(read(example, knowledge))
    symptom = example.symptom or next(iter(cause.symptoms))
    derive(facts, knowledge)
    note_symptoms(facts, see_symptoms(knowledge, facts, (symptom,)))
    derive(facts, knowledge)
    one = judge(knowledge.causes[cause.id], facts, {symptom: 1.0}, knowledge.weights)
    if example.expect == "wins":
        wrong = _not_won(one, rank(knowledge, facts, {symptom: 1.0}))
    else:
        wrong = _not_silent(one) if example.expect == "silent" else _can_tell(one)
    return Outcome(cause.id, example.name, example.expect, wrong)


def value_of(value: bool | float | str | list[str]) -> Value:
    """A value as an example writes it, as a fact holds it."""
    if isinstance(value, list):
        return tuple(value)
    return float(value) if value in ("nan", "inf", "-inf") else value


def _not_won(one: Ranked, ranked: list[Ranked]) -> str:
    first = ranked[0]
    if first.cause.id != one.cause.id:
        return f"{first.cause.id} is first with {first.decibans:+.1f} dB, this has {one.decibans:+.1f} dB{_lines(one)}"
    return (
        ""
        if one.verdict in ("likely", "confirmed")
        else f"only {one.verdict} ({one.confidence:.0%}){_lines(one)}"
    )


def _not_silent(one: Ranked) -> str:
    return "" if one.verdict == "unlikely" else f"{one.verdict} ({one.confidence:.0%}){_lines(one)}"


def _can_tell(one: Ranked) -> str:
    if lines := _lines(one):
        return f"something counts{lines}"
    return "" if one.unknown else "nothing it asks for is unknown"


def _lines(one: Ranked) -> str:
    return "".join(
        f"\n      {line.decibans:+.1f} dB  {line.statement}" for line in one.evidence if line.decibans
    )
