"""The diagnosis on one screen: lines of spans with a role each. The terminal chooses the colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..diagnosis import CauseFound, Diagnosis, Evidence, FixOffered, Source, SymptomFound, TestToRun
from ..redact import safe
from ..wording import show

CAUSES = 3
EVIDENCE = 4
EVENTS = 6
FIXES = 4
TESTS = 2
INPUTS = 4
STEPS = 8
DIFF_LINES = 24


class Span(NamedTuple):
    """A piece of text and its role: `title`, `good`, `bad`, `doubt`, `place`, `dim`, `add`, `remove` or none."""

    text: str
    role: str = ""


class Line(NamedTuple):
    """One line. `hang` is where it goes on when the terminal is too narrow."""

    spans: tuple[Span, ...] = ()
    hang: int = 0

    @property
    def text(self) -> str:
        """The line without roles."""
        return "".join(span.text for span in self.spans)


def _line(*spans: Span | str, hang: int = 0) -> Line:
    made = tuple(span if isinstance(span, Span) else Span(span) for span in spans)
    return Line(tuple(Span(safe(span.text).replace("\n", " "), span.role) for span in made), hang)


def screen(diagnosis: Diagnosis) -> Iterator[Line]:
    """The whole diagnosis, top to bottom."""
    yield from _head(diagnosis)
    yield from _timeline(diagnosis)
    yield from _causes(diagnosis)
    yield from _tests(diagnosis)
    yield from _procedure(diagnosis)
    yield from _fixes(diagnosis)
    yield from _foot(diagnosis)


def _title(text: str) -> Iterator[Line]:
    yield Line()
    yield _line(Span(text, "title"))


def _head(diagnosis: Diagnosis) -> Iterator[Line]:
    read = [one.name for one in diagnosis.inputs if not one.bad]
    shown = ", ".join(read[:INPUTS]) + (f" and {len(read) - INPUTS} more" if len(read) > INPUTS else "")
    yield _line(Span(f"traindx {diagnosis.version}", "dim"), Span(f"  {shown or 'no input'}", "dim"))
    for one in diagnosis.symptoms:
        yield from _symptom(one)
    if not diagnosis.symptoms:
        yield Line()
        yield _line(Span("Nothing wrong found in what I could see.", "good"))
        yield from _seen(diagnosis)


def _symptom(one: SymptomFound) -> Iterator[Line]:
    yield Line()
    seen = "seen in the evidence" if one.detected else "as you say; nothing in the inputs shows it"
    yield _line(Span(one.title, "title"), Span(f"  ({one.id}, {seen})", "dim"))
    for line in one.evidence[:2]:
        yield _evidence_line(line, mark="!", role="bad", indent=2)


def _seen(diagnosis: Diagnosis) -> Iterator[Line]:
    for name in ("loss.count", "loss.first", "loss.last", "log.steps", "config.dialect", "log.trainer"):
        for fact in diagnosis.facts:
            if fact.name == name:
                yield _line(f"  {name} = {show(fact.value)}", *_where(fact.source))


def _timeline(diagnosis: Diagnosis) -> Iterator[Line]:
    events = diagnosis.timeline
    if not events:
        return
    yield from _title("What happened")
    shown = list(events) if len(events) <= EVENTS else [*events[: EVENTS - 2], *events[-2:]]
    for index, event in enumerate(shown):
        if len(events) > EVENTS and index == EVENTS - 2:
            yield _line(Span(f"  ... {len(events) - EVENTS} more in the report", "dim"))
        yield _line(f"  {event.what}", *_where((event.source,)), hang=4)


def _where(sources: Sequence[Source]) -> tuple[Span, ...]:
    if not sources:
        return ()
    more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    return (Span(f"  [{place(sources[0])}{more}]", "place"),)


def place(one: Source) -> str:
    """A place as text: `train.log:1204 (step 640, rank 3)`."""
    where = one.input + (f":{one.line}" if one.line is not None else "")
    extra = []
    if one.step is not None:
        extra.append(f"step {one.step:g}")
    if one.rank is not None:
        extra.append(f"rank {one.rank}")
    return f"{where} ({', '.join(extra)})" if extra else where


def worth_showing(diagnosis: Diagnosis) -> list[CauseFound]:
    """The causes a person should see: those that are at least possible and have something for them."""
    causes = [one for one in diagnosis.causes if one.verdict != "unlikely" and any(e.decibans > 0 for e in one.evidence)]
    return causes[:CAUSES]


def _causes(diagnosis: Diagnosis) -> Iterator[Line]:
    if diagnosis.outcome == "nothing-found" and not diagnosis.symptoms:
        return
    shown = worth_showing(diagnosis)
    if diagnosis.outcome == "cause-found":
        yield from _title("Most likely causes")
    else:
        yield from _title("Not enough evidence to name a cause")
        if not shown:
            usual = ", ".join(one.id for one in diagnosis.causes[:5])
            yield _line(f"  The usual causes, none of them shown by the inputs: {usual}", hang=4)
    for number, one in enumerate(shown, 1):
        yield from _cause(number, one)


def _cause(number: int, one: CauseFound) -> Iterator[Line]:
    role = {"confirmed": "bad", "likely": "bad", "possible": "doubt"}.get(one.verdict, "dim")
    yield _line(
        f"{number:>2}. ", Span(one.title, "title"), Span(f"  {one.id}", "dim"),
        Span(f"  {one.verdict}, {one.confidence:.0%}", role), hang=4,
    )  # fmt: skip
    for line in one.evidence[:EVIDENCE]:
        yield _evidence_line(line, indent=4)
    rest = len(one.evidence) - EVIDENCE
    if rest > 0:
        yield _line(Span(f"    ... {rest} more in the report", "dim"))
    if one.unknown:
        names = ", ".join(one.unknown[:3]) + (f" and {len(one.unknown) - 3} more" if len(one.unknown) > 3 else "")
        yield _line(Span(f"    ? not known: {names}", "dim"), hang=6)


def _evidence_line(line: Evidence, *, indent: int, mark: str = "", role: str = "") -> Line:
    supports = line.decibans > 0
    mark = mark or ("+" if supports else "-")
    role = role or ("bad" if supports else "good")
    return _line(" " * indent, Span(mark, role), f" {line.statement}", *_where(line.source), hang=indent + 2)


def _tests(diagnosis: Diagnosis) -> Iterator[Line]:
    settled = diagnosis.causes and diagnosis.causes[0].verdict == "confirmed"
    if not diagnosis.next_tests or settled or not (diagnosis.symptoms or diagnosis.found):
        return
    yield from _title("The next test that tells most per minute")
    for test in diagnosis.next_tests[:TESTS]:
        yield from _test(test)


def _test(test: TestToRun) -> Iterator[Line]:
    apart = f"  tells apart: {', '.join(test.tells_apart)}" if test.tells_apart else ""
    yield _line(f"  {test.question}", Span(f"  {test.minutes:g} min{apart}", "dim"), hang=4)
    if test.how:
        yield _line(Span(f"    {test.how}", "dim"), hang=4)
    yield _line(Span(f"    --answer {test.fact}=...", "dim"))


def _procedure(diagnosis: Diagnosis) -> Iterator[Line]:
    """The ordered way through, where the evidence alone does not lead to a cause."""
    guide = diagnosis.procedure
    if guide is None or diagnosis.outcome == "cause-found":
        return
    yield from _title(f"{guide.title} ({guide.minutes:g} min)")
    for number, step in enumerate(guide.steps[:STEPS], 1):
        done = Span(f"  known: {step.answer}", "good") if step.answer else Span(f"  {step.minutes:g} min", "dim")
        yield _line(f"{number:>3}. {step.do}", done, hang=5)
        if step.tells and not step.answer:
            yield _line(Span(f"     {step.tells}", "dim"), hang=5)


def _fixes(diagnosis: Diagnosis) -> Iterator[Line]:
    if not diagnosis.fixes or not diagnosis.found:
        return
    yield from _title("Fixes, in the order to try" + (" (one change at a time)" if len(diagnosis.fixes) > 1 else ""))
    patched = next((one.id for one in diagnosis.fixes if one.patch), None)
    for number, one in enumerate(diagnosis.fixes[:FIXES], 1):
        yield from _fix(number, one, with_diff=one.id == patched)
    if len(diagnosis.fixes) > FIXES:
        yield _line(Span(f"    ... {len(diagnosis.fixes) - FIXES} more in the report", "dim"))
    for name, reason in diagnosis.left_out.items():
        yield _line(Span(f"    {name} left out: {reason}", "dim"), hang=6)


def _fix(number: int, one: FixOffered, *, with_diff: bool) -> Iterator[Line]:
    role = {"safe": "good", "unsafe": "doubt"}.get(one.safety, "dim")
    proviso = f"  if {one.proviso}" if one.proviso else ""
    yield _line(
        f"{number:>2}. {one.title}", Span(f"  {one.id}", "dim"),
        Span(f"  {one.safety}", role), Span(f", {one.effort_minutes:g} min{proviso}", "dim"), hang=4,
    )  # fmt: skip
    if not one.patch and one.settings:
        for setting in one.settings:
            before = "" if setting.before is None else f" (now {show(setting.before)})"
            yield _line(f"      {setting.name} = {show(setting.after)}{before}")
    if one.command:
        yield _line(f"      $ {one.command}", hang=8)
    for step in one.steps[:2]:
        yield _line(f"      {step}", hang=6)
    if with_diff:
        yield from _diff(one)
    if one.take_back_when:
        yield _line(Span(f"      take back: {one.take_back_when}", "dim"), hang=6)


def _diff(one: FixOffered) -> Iterator[Line]:
    lines = [line for patch in one.patch for line in patch.diff.splitlines()]
    for text in lines[:DIFF_LINES]:
        role = "add" if text.startswith("+") else "remove" if text.startswith("-") else "dim"
        yield _line("      ", Span(text, role), hang=8)
    if len(lines) > DIFF_LINES:
        yield _line(Span(f"      ... {len(lines) - DIFF_LINES} more lines", "dim"))


def _foot(diagnosis: Diagnosis) -> Iterator[Line]:
    bad = tuple(f"{one.name}: {one.note}" for one in diagnosis.inputs if one.bad)
    # Where a cause was found, what else could have been looked at is for the report.
    unseen = bad if diagnosis.outcome == "cause-found" else diagnosis.not_seen
    if unseen or diagnosis.notes or diagnosis.packs:
        yield Line()
    for text in unseen:
        yield _line(Span(f"Not seen: {text}", "doubt"), hang=2)
    for text in diagnosis.notes[:4]:
        yield _line(Span(f"Note: {text}", "dim"), hang=2)
    for text in diagnosis.packs[:4]:
        yield _line(Span(f"Knowledge {text}", "dim"), hang=2)
