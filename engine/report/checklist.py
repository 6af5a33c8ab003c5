"""A ticked list as lines for the screen, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..checklists import DONE, FAILED, OPEN, PASSED, Item, Ticked
from ..facts import Fact
from ..wording import show
from .data import plain
from .lines import Line, Span, line_of, title, where

SCHEMA = "traindx-checklist/1"
_MARKS = {PASSED: ("ok", "good"), DONE: ("ok", "good"), FAILED: ("NO", "bad")}
_HANG = 7


def lines(ticked: Ticked) -> Iterator[Line]:
    """All of a list: first what was seen, then what nothing at hand can tell."""
    yield line_of(Span(ticked.title, "title"), Span(f"  {ticked.id}, {ticked.kind}", "dim"))
    yield from seen(ticked)
    left = [one for one in ticked.items if one.state == OPEN]
    if left:
        yield from title(f"Nothing at hand tells ({ticked.minutes_left:g} min for a person)")
        for one in left:
            yield from _open(one)
    yield Line()
    yield line_of(Span(_total(ticked), "bad" if ticked.failed else "dim"))


def seen(ticked: Ticked) -> Iterator[Line]:
    """The items that something at hand decides, each with what did."""
    for one in ticked.items:
        if one.state != OPEN:
            mark, role = _MARKS[one.state]
            place = where([place for fact in one.seen for place in fact.places])
            yield line_of(
                "  ", Span(f"{mark:<3}", role), one.text, Span(f"  {_facts(one)}", "dim"), *place, hang=_HANG
            )


def to_data(ticked: Ticked) -> dict[str, Any]:
    """The list as dicts and lists, ready for JSON and without secrets."""
    items = [{**one._asdict(), "seen": [_fact(fact) for fact in one.seen]} for one in ticked.items]
    counts = {state: ticked.count(state) for state in (PASSED, DONE, FAILED, OPEN)}
    whole = {
        "schema": SCHEMA,
        **ticked._asdict(),
        "counts": counts,
        "minutes_left": ticked.minutes_left,
        "items": items,
    }
    data: dict[str, Any] = plain(whole)
    return data


def _open(one: Item) -> Iterator[Line]:
    owner = f", {one.owner}" if one.owner else ""
    minutes = f"  {one.minutes:g} min{owner}" if one.minutes else f"  {one.owner}"
    yield line_of("  ", Span("?  ", "doubt"), one.text, Span(minutes.rstrip(), "dim"), hang=_HANG)
    for detail in filter(None, (one.tells, one.why)):
        yield line_of(Span(f"     {detail}", "dim"), hang=_HANG)
    if one.answers:
        yield line_of(
            Span("     " + " ".join(f"--answer {name}=..." for name in one.answers), "dim"), hang=_HANG
        )


def _total(ticked: Ticked) -> str:
    parts = [f"{ticked.count(PASSED, DONE)} of {len(ticked.items)} ticked"]
    if ticked.failed:
        parts.append(f"{ticked.count(FAILED)} failed")
    if left := ticked.count(OPEN):
        parts.append(f"{left} for a person")
    return ", ".join(parts)


def _facts(one: Item) -> str:
    def told(fact: Fact) -> str:
        return f" ({fact.note})" if fact.note and one.state == FAILED else ""

    return ", ".join(f"{fact.name} = {show(fact.value)}{told(fact)}" for fact in one.seen)


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "name": fact.name,
        "value": fact.value,
        "origin": fact.origin.value,
        "source": [one._asdict() for one in fact.places],
    }
