"""The warnings that Python printed in a watched run, read with the signatures of logs, each at the line that it names."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Event, Findings

from ..inputs import Input, Kind
from ..logs.probe import LogProbe
from .processes import RUN, Process, Record, whole


def read_warnings(processes: Sequence[Process], knowledge: Knowledge) -> Findings:
    """The facts and events of what was warned of. What was not says nothing: a warning comes once, or is filtered."""
    told = [(process, record) for process in processes for record in process.of("warning")]
    if not told:
        return Findings()
    text = "".join(_line(record) + "\n" for _, record in told)
    found = LogProbe([Input(RUN, Kind.LOG, data=text.encode("utf-8", "replace"))], knowledge).run()
    places = {number: process.place(record) for number, (process, record) in enumerate(told, start=1)}
    facts = [_placed(one, places) for one in found.facts if one.value is not False and _is_of(one, places)]
    events = [Event(one.what, places[one.place.line]) for one in found.events if one.place.line in places]
    return Findings(facts=facts, events=events)


def _line(record: Record) -> str:
    """The first line of a warning as Python prints it."""
    where = f"{record.get('file')}:{whole(record.get('line')) or 0}"
    return " ".join(f"{where}: {record.get('category')}: {record.get('message')}".split())


def _is_of(fact: Fact, places: dict[int, Place]) -> bool:
    """Whether it was read in a line, and not concluded from the text as a whole."""
    return bool(fact.places) and all(place.line in places for place in fact.places)


def _placed(fact: Fact, places: dict[int, Place]) -> Fact:
    found = tuple(places[place.line] for place in fact.places if place.line is not None)
    return fact._replace(origin=Origin.LIVE, places=found)
