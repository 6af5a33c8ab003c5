"""A run that was watched or followed in a few lines: what comes last on standard error, below what the run itself printed."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnosis import CauseFound, Diagnosis
from ..wording import percent, show
from .lines import Line, Span, line_of, where
from .screen import evidence_lines, worth_showing

SYMPTOMS = 3
CAUSES = 3
EVIDENCE = 3
_MESSAGE = 160
"""Characters of an exception's message that are shown."""
TELLS = 12.0
"""Decibans from which on one line of evidence is more than a hint."""

OF_CURVES = frozenset(["loss.trend", "loss.drop", "loss.plateau", "loss.still_falling", "grad.norm.growing"])
"""What the course of a run says; what it is like is seen by everybody, and most of it is as it should be."""


def short(diagnosis: Diagnosis, ended: str, *, failed: bool) -> Iterator[Line]:
    """The diagnosis of a watched run. `ended` says how it ended: `exit code 1 after 12 s`.

    `failed` says that the command did; where nothing tells why, that is no clean bill of health.
    """
    watched = next((one.note or "nothing was watched" for one in diagnosis.inputs if one.kind == "live"), "")
    yield line_of(Span(f"diagnose: {'; '.join(filter(None, (ended, watched)))}", "dim"))
    for symptom in diagnosis.symptoms[:SYMPTOMS]:
        sources = symptom.evidence[0].source if symptom.evidence else ()
        yield line_of(
            "  ", Span(symptom.title, "title"), Span(f"  ({symptom.id})", "dim"), *where(sources), hang=4
        )
    yield from _exception(diagnosis)
    if not diagnosis.found:
        yield line_of(_clean(diagnosis, failed=failed))
        yield from _unless_meant(diagnosis)
    if diagnosis.found:
        yield from _causes(diagnosis)
    for note in diagnosis.notes:
        yield line_of(Span(f"  note: {note}", "dim"), hang=4)


def _exception(diagnosis: Diagnosis) -> Iterator[Line]:
    """What was raised, in its own words, and where."""
    facts = {one.name: one for one in diagnosis.facts}
    kind, said, file, line = (
        facts.get(f"log.exception.{name}") for name in ("type", "message", "file", "line")
    )
    if kind is None:
        return
    text = f"{kind.value}: {said.value}" if said else str(kind.value)
    spot = f"  [{show(file.value)}:{show(line.value)}]" if file and line else ""
    yield line_of(f"  raised: {text.splitlines()[0][:_MESSAGE]}", Span(spot, "dim"), hang=4)


def _clean(diagnosis: Diagnosis, *, failed: bool) -> Span:
    if failed:
        return Span("  The command failed, and nothing that was watched says why.", "doubt")
    if diagnosis.symptoms:
        return Span("  Nothing that was seen shows it, and no cause is above possible.", "doubt")
    return Span("  Nothing wrong found: no symptom, and no cause above possible.", "good")


def _unless_meant(diagnosis: Diagnosis) -> Iterator[Line]:
    """What the watched run shows of a cause that is no more than possible: no accusation, for a person may have meant it."""
    measured = {fact.name for fact in diagnosis.facts if fact.origin == "live"}
    for one in worth_showing(diagnosis):
        lines = [
            line
            for line in one.evidence
            if line.decibans >= TELLS
            and not measured.isdisjoint(line.facts)
            and OF_CURVES.isdisjoint(line.facts)
        ]
        if lines:
            yield line_of(
                "  To look at, unless it is meant: ", Span(one.title, "title"), Span(f"  {one.id}", "dim"),
                Span(f"  {one.verdict}, {percent(one.confidence)}", "doubt"), hang=4,
            )  # fmt: skip
            yield from evidence_lines(lines[0], indent=5)


def _causes(diagnosis: Diagnosis) -> Iterator[Line]:
    shown = worth_showing(diagnosis)[:CAUSES]
    if not shown:
        yield line_of("  Not enough evidence to name a cause; --report shows what to find out next.", hang=4)
    titles = {one.id: one.title for one in diagnosis.fixes}
    for number, one in enumerate(shown, 1):
        yield from _cause(number, one, titles)


def _cause(number: int, one: CauseFound, fixes: dict[str, str]) -> Iterator[Line]:
    role = {"confirmed": "bad", "likely": "bad", "possible": "doubt"}.get(one.verdict, "dim")
    yield line_of(
        f" {number:>2}. ", Span(one.title, "title"), Span(f"  {one.id}", "dim"),
        Span(f"  {one.verdict}, {percent(one.confidence)}", role), hang=5,
    )  # fmt: skip
    if number == 1:
        for line in [line for line in one.evidence if line.decibans > 0][:EVIDENCE]:
            yield from evidence_lines(line, indent=5)
    # In the order in which they are offered: first what is known to fit.
    fix = next((fix for fix in fixes if fix in one.fixes), None)
    if fix is not None and (number == 1 or one.verdict == "confirmed"):
        yield line_of(f"     fix: {fixes[fix]}", Span(f"  ({fix})", "dim"), hang=7)
