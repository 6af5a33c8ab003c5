"""The diagnosis on one screen: lines of spans with a role each. The terminal chooses the colours."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnosis import CauseFound, Diagnosis, Evidence, SymptomFound, TestToRun
from ..not_seen import unread
from ..redact import excerpt
from ..wording import percent
from .lines import Line, Span, how_seen, line_of, title, where, worth_reading
from .quotes import LENGTH, Quotes
from .screen_fixes import fixes
from .summary import noticed, what_was_seen, worth_a_look

CAUSES = 3
EVIDENCE = 4
EVENTS = 6
TESTS = 2
INPUTS = 4
STEPS = 8
BESIDE = "This brings none of the symptoms above: mend it, and look on."


def screen(diagnosis: Diagnosis) -> Iterator[Line]:
    """The whole diagnosis, top to bottom."""
    yield from _head(diagnosis)
    quotes = Quotes(diagnosis)
    yield from _timeline(diagnosis, quotes)
    yield from _causes(diagnosis, quotes)
    yield from _tests(diagnosis)
    yield from _procedure(diagnosis)
    yield from fixes(diagnosis)
    yield from _foot(diagnosis)


def _head(diagnosis: Diagnosis) -> Iterator[Line]:
    read = [one.name + (" (not read)" if one.bad else "") for one in diagnosis.inputs]
    shown = ", ".join(read[:INPUTS]) + (f" and {len(read) - INPUTS} more" if len(read) > INPUTS else "")
    yield line_of(Span(f"traindx {diagnosis.version}", "dim"), Span(f"  {shown or 'no input'}", "dim"))
    for one in diagnosis.symptoms:
        yield from _symptom(one)
    if not diagnosis.symptoms and not diagnosis.found:
        yield Line()
        if near := _nearest(diagnosis):
            yield line_of(Span("No symptom recognised in what I could see.", "doubt"))
            yield from near
        elif worth_a_look(diagnosis):
            yield line_of(
                Span("Nothing is seen to go wrong. What is written here is mostly a mistake:", "doubt")
            )
            yield from noticed(diagnosis)
        else:
            yield line_of(Span("Nothing wrong found in what I could see.", "good"))
        yield from what_was_seen(diagnosis)


def _symptom(one: SymptomFound) -> Iterator[Line]:
    yield Line()
    yield line_of(Span(one.title, "title"), Span(f"  ({one.id}, {how_seen(one)})", "dim"))
    for line in one.evidence[:2]:
        yield from evidence_lines(line, mark="!", indent=2)


def _nearest(diagnosis: Diagnosis) -> list[Line]:
    """What the words of a person read like who tells of a run and of no symptom."""
    near = [one.id for one in diagnosis.causes if any(line.decibans > 0 for line in one.evidence)]
    if not near or all(fact.name != "log.prose" for fact in diagnosis.facts):
        return []
    return [
        line_of("  Say what goes wrong with --symptom, and its causes are weighed.", hang=4),
        line_of(
            f"  A hint and no more: the words are nearest to those of {', '.join(near[:CAUSES])}.", hang=4
        ),
    ]


def _timeline(diagnosis: Diagnosis, quotes: Quotes) -> Iterator[Line]:
    events = diagnosis.timeline
    if not events:
        return
    yield from title("What happened")
    shown = list(events) if len(events) <= EVENTS else [*events[: EVENTS - 2], *events[-2:]]
    for index, event in enumerate(shown):
        if len(events) > EVENTS and index == EVENTS - 2:
            yield line_of(Span(f"  ... {len(events) - EVENTS} more in the report", "dim"))
        yield line_of(f"  {excerpt(event.what, LENGTH)}", *where((event.source,)), hang=4)
        yield from quotes.below((event.source,), 4)


def worth_showing(diagnosis: Diagnosis) -> list[CauseFound]:
    """The causes a person should see: those that are at least possible and have something for them."""
    causes = [
        one
        for one in diagnosis.causes
        if one.verdict != "unlikely" and any(e.decibans > 0 for e in one.evidence)
    ]
    return causes[:CAUSES]


def _causes(diagnosis: Diagnosis, quotes: Quotes) -> Iterator[Line]:
    if diagnosis.outcome == "nothing-found" and not diagnosis.symptoms:
        return
    shown = worth_showing(diagnosis)
    if diagnosis.outcome == "cause-found":
        yield from title("Most likely causes")
    else:
        yield from title("Not enough evidence to name a cause")
        if not shown:
            usual = ", ".join(one.id for one in diagnosis.causes[:5])
            yield line_of(f"  The usual causes, none of them shown by the inputs: {usual}", hang=4)
    for number, one in enumerate(shown, 1):
        yield from _cause(number, one, quotes, beside=bool(diagnosis.symptoms) and not one.explains)


def _cause(number: int, one: CauseFound, quotes: Quotes, *, beside: bool) -> Iterator[Line]:
    role = {"confirmed": "bad", "likely": "bad", "possible": "doubt"}.get(one.verdict, "dim")
    yield line_of(
        f"{number:>2}. ", Span(one.title, "title"), Span(f"  {one.id}", "dim"),
        Span(f"  {one.verdict}, {percent(one.confidence)}", role), hang=4,
    )  # fmt: skip
    if beside:
        yield line_of(Span(f"    ({BESIDE})", "dim"), hang=5)
    worth = worth_reading(one)
    for line in worth[:EVIDENCE]:
        yield from evidence_lines(line, indent=4)
        yield from quotes.below(line.source, 6)
    rest = len(worth) - EVIDENCE
    if rest > 0:
        yield line_of(Span(f"    ... {rest} more in the report", "dim"))
    if one.unknown:
        names = ", ".join(one.unknown[:3]) + (
            f" and {len(one.unknown) - 3} more" if len(one.unknown) > 3 else ""
        )
        yield line_of(Span(f"    ? not known: {names}", "dim"), hang=6)


def evidence_lines(line: Evidence, *, indent: int, mark: str = "+") -> Iterator[Line]:
    """One line of evidence, marked for or against, and below it the lines of a file that it shows."""
    statement, *shown = line.statement.split("\n")
    supports = line.decibans > 0
    mark, role = ("~", "doubt") if line.hint else (mark, "bad") if supports else ("-", "good")
    yield line_of(" " * indent, Span(mark, role), f" {statement}", *where(line.source), hang=indent + 2)
    for text in shown:
        yield line_of(" " * (indent + 2), Span(text, "dim"))


def _tests(diagnosis: Diagnosis) -> Iterator[Line]:
    settled = diagnosis.causes and diagnosis.causes[0].verdict == "confirmed"
    if not diagnosis.next_tests or settled or not (diagnosis.symptoms or diagnosis.found):
        return
    yield from title("The next test that tells most per minute")
    for test in diagnosis.next_tests[:TESTS]:
        yield from _test(test)


def _test(test: TestToRun) -> Iterator[Line]:
    apart = f"  tells apart: {', '.join(test.tells_apart)}" if test.tells_apart else ""
    yield line_of(f"  {test.question}", Span(f"  {test.minutes:g} min{apart}", "dim"), hang=4)
    if test.how:
        yield line_of(Span(f"    {test.how}", "dim"), hang=4)
    yield line_of(Span(f"    --answer {test.fact}=...", "dim"))


def _procedure(diagnosis: Diagnosis) -> Iterator[Line]:
    """The ordered way through, where the evidence alone does not lead to a cause."""
    guide = diagnosis.procedure
    if guide is None or diagnosis.outcome == "cause-found":
        return
    yield from title(f"{guide.title} ({guide.minutes:g} min)")
    for number, step in enumerate(guide.steps[:STEPS], 1):
        done = (
            Span(f"  known: {step.answer}", "good") if step.answer else Span(f"  {step.minutes:g} min", "dim")
        )
        yield line_of(f"{number:>3}. {step.do}", done, hang=5)
        if step.tells and not step.answer:
            yield line_of(Span(f"     {step.tells}", "dim"), hang=5)


def _foot(diagnosis: Diagnosis) -> Iterator[Line]:
    # Where a cause was found, what else could have been looked at is for the report.
    unseen = unread(diagnosis.inputs) if diagnosis.outcome == "cause-found" else diagnosis.not_seen
    if unseen or diagnosis.notes or diagnosis.packs:
        yield Line()
    for text in unseen:
        yield line_of(Span(f"Not seen: {text}", "doubt"), hang=2)
    for text in diagnosis.notes[:4]:
        yield line_of(Span(f"Note: {text}", "dim"), hang=2)
    for text in diagnosis.packs[:4]:
        yield line_of(Span(f"Knowledge {text}", "dim"), hang=2)
