"""Another run beside the one in trouble: where one thing is apart between them, it has answered what a test would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from traindx.engine.derive import derive
from traindx.engine.facts import Fact, Facts, Origin, Place, Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import WAYS, ExperimentRule
from traindx.engine.regex import regex

from .configs.combine import Read
from .configs.differing import Difference, differences, in_words
from .configs.values import equal
from .inputs import Input, Kind

_MOST = 1 << 20
"""Bytes of a script that are compared."""
_HEAD = 30
"""Characters by which the messages of one error are alike, whatever sizes and names follow."""
_DIGITS = regex(r"\d+")


class Run(NamedTuple):
    """A run as it was diagnosed by itself."""

    name: str
    facts: Facts
    reads: Sequence[Read]
    """What its settings were read from."""
    inputs: Sequence[Input]


class Compared(NamedTuple):
    """What another run tells about the one that is shown."""

    apart: str
    """How it differs, in words; empty where nothing that was read does."""
    answers: tuple[Fact, ...]


def compare(here: Run, there: Run, knowledge: Knowledge) -> Compared:
    """How another run differs from this one, and which questions the two answer together.

    Each answer is a `test.` fact. There is none where more than one thing is apart, where the other run
    did not come as far as the trouble, or where it failed in a way of its own. A small change that did not help
    says nothing of a large one.
    """
    apart = [*differences(here.reads, there.reads, knowledge), *_scripts(here.inputs, there.inputs)]
    if not apart:
        return Compared("", ())
    words = in_words(apart)
    experiment = _experiment(apart, here.facts, there.facts, knowledge)
    if experiment is None:
        return Compared(words, ())
    note = f"{there.name} differs in {words} alone"
    answers = _answers(experiment, here.facts, there, note, knowledge)
    if not _is_far(experiment, here.facts, there.facts, knowledge.limits["values_apart"]):
        answers = (one for one in answers if one.value is True)
    return Compared(words, tuple(answers))


def _scripts(here: Sequence[Input], there: Sequence[Input]) -> Iterator[Difference]:
    """Scripts of one name that are not the same: what else differs then is anybody's guess."""
    ours, theirs = _code(here), _code(there)
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name] and _bytes(ours[name]) != _bytes(theirs[name]):
            yield Difference(f"another {name}", frozenset(), None, None)


def _code(inputs: Sequence[Input]) -> Mapping[str, Path]:
    return {one.path.name: one.path for one in inputs if one.kind is Kind.CODE and one.path is not None}


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST)
    except OSError:
        return b""


def _experiment(
    apart: Sequence[Difference], here: Facts, there: Facts, knowledge: Knowledge
) -> ExperimentRule | None:
    """The experiment that somebody made by changing just this."""
    for one in knowledge.experiments.values():
        if one.settings and all(one.settings.keys() & each.settings for each in apart):
            touched = [each for each in one.settings if any(each in diff.settings for diff in apart)]
            named = [each for each in touched if "any" not in one.settings[each]]
            if named and all(_goes(here, there, each, one.settings[each]) for each in named):
                return one
    return None


def _goes(here: Facts, there: Facts, setting: str, ways: Sequence[Scalar]) -> bool:
    """Whether a setting differs in one of these ways."""
    ours, theirs = here.value(f"config.{setting}"), there.value(f"config.{setting}")
    if isinstance(ours, tuple) or isinstance(theirs, tuple) or theirs is None or equal(ours, theirs):
        return False
    return any(equal(theirs, way) if way not in WAYS else _moved(ours, theirs, str(way)) for way in ways)


def _moved(ours: Scalar | None, theirs: Scalar, way: str) -> bool:
    if way == "added":
        return not ours and bool(theirs)
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        return theirs < ours if way == "lower" else theirs > ours
    return False


def _is_far(experiment: ExperimentRule, here: Facts, there: Facts, least: float) -> bool:
    """Whether what was made lower or higher was so by a factor that a test would take."""
    for setting, ways in experiment.settings.items():
        ours, theirs = (facts.value(f"config.{setting}") for facts in (here, there))
        if (
            {"lower", "higher"} & {*ways}
            and isinstance(ours, int | float)
            and isinstance(theirs, int | float)
        ):
            low, high = sorted((ours, theirs))
            if 0 < low < high < least * low:
                return False
    return True


def _answers(
    experiment: ExperimentRule, here: Facts, there: Run, note: str, knowledge: Knowledge
) -> Iterator[Fact]:
    before, after = _as_tested(here, knowledge), _as_tested(there.facts, knowledge)
    if before is None or after is None:
        return
    worst, now = before.value("test.trouble"), after.value("test.trouble")
    if not isinstance(worst, int) or not isinstance(now, int) or not _comparable(before, after):
        return
    after.add(Fact("test.relief", now < worst, Origin.LOG))
    for rule in experiment.answers:
        value = rule.of(before, after)
        # That all was well says nothing where the trouble would have come later.
        if value is not None and (now >= worst or _came_as_far(before, after)):
            place = there.facts.get("log.steps")
            yield Fact(
                rule.fact, value, Origin.LOG, place.places[:1] if place else (Place(there.name),), note
            )


def _as_tested(facts: Facts, knowledge: Knowledge) -> Facts | None:
    """The facts of a run as those of one of an experiment's two runs; None where it made no step."""
    steps = facts.value("log.steps")
    if not isinstance(steps, int):
        return None
    tested = facts.copy()
    tested.add(Fact("test.steps", steps, Origin.LOG))
    derive(tested, knowledge)
    return tested


def _comparable(before: Facts, after: Facts) -> bool:
    """An error of another kind than that of the run in trouble is the other run's own."""
    failed = _failure(after)
    return failed is None or failed == _failure(before)


def _failure(facts: Facts) -> tuple[str, str] | None:
    """The type of the exception that ended a run, and how its message begins."""
    kind = facts.value("log.exception.type")
    said = str(facts.value("log.exception.message") or "")
    return (kind, _DIGITS.sub("", said)[:_HEAD]) if isinstance(kind, str) else None


def _came_as_far(before: Facts, after: Facts) -> bool:
    """Whether the other run passed the step at which this one got into trouble."""
    first = before.value("loss.first_nonfinite_step")
    wanted = first if isinstance(first, int | float) else before.value("test.steps")
    made = after.value("test.steps")
    return isinstance(wanted, int | float) and isinstance(made, int | float) and made >= wanted
