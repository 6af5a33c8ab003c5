"""The exceptions of a watched run, read as the log room reads tracebacks: with all signatures, first rank first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Event, Findings

from ..inputs import Input, Kind
from ..logs.probe import LogProbe
from .processes import RUN, Process, Record, whole

_OWN = frozenset(
    ("log.machine", "log.has_metrics", "log.finished", "log.ends_midway", "log.ranks", "log.trainer")
)
"""What the log room says of a log as a whole. This text is none."""
_LONGEST = 1 << 18
"""Characters of one traceback that are read."""


def read_failures(processes: Sequence[Process], knowledge: Knowledge) -> Findings:
    """The facts and events of all exceptions that ended a process. Places are steps of the run."""
    raised = sorted(_raised(processes), key=lambda one: one[0])
    if not raised:
        return Findings()
    text = "".join(_text(process, record) for _, process, record in raised)
    found = LogProbe([Input(RUN, Kind.LOG, data=text.encode("utf-8", "replace"))], knowledge).run()
    steps = {process.rank: whole(record.get("step")) for _, process, record in reversed(raised)}
    facts = [_placed(fact, steps) for fact in found.facts if fact.name not in _OWN]
    events = [Event(one.what, _step_of(one.place, steps), one.said) for one in found.events]
    operands = _operands(raised[0][1], raised[0][2])
    return Findings(facts=[*facts, *operands], events=events)


def _raised(processes: Sequence[Process]) -> Iterator[tuple[float, Process, Record]]:
    for process in processes:
        for kind in ("exception", "fault"):
            for record in process.of(kind):
                yield process.time(record), process, record


def _text(process: Process, record: Record) -> str:
    """The traceback as a log of several ranks would show it."""
    text = str(record.get("traceback") or f"{record.get('type')}: {record.get('message')}")[-_LONGEST:]
    prefix = f"[rank{process.rank}]: " if process.world_size > 1 and process.rank is not None else ""
    return "".join(f"{prefix}{line}\n" for line in text.splitlines())


def _placed(fact: Fact, steps: dict[int | None, int | None]) -> Fact:
    return fact._replace(origin=Origin.LIVE, places=tuple(_step_of(place, steps) for place in fact.places))


def _step_of(place: Place, steps: dict[int | None, int | None]) -> Place:
    """The line of our own text says nothing to a person; the step does."""
    if place.input != RUN:
        return place
    step = steps.get(place.rank, next(iter(steps.values())) if len(steps) == 1 else None)
    return place._replace(line=None, column=None, step=step)


def _operands(process: Process, record: Record) -> list[Fact]:
    """What the failing call was given: name, shape, dtype and device of each tensor."""
    given = record.get("operands")
    texts = [_operand(one) for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    place = process.place(record)
    return [Fact("log.exception.operands", tuple(texts), Origin.LIVE, (place,) * len(texts))] if texts else []


def _operand(one: dict[str, Any]) -> str:
    shape = one.get("shape")
    sizes = "x".join(map(str, shape)) if isinstance(shape, (list, tuple)) else str(shape)
    kind = str(one.get("dtype", "")).removeprefix("torch.")
    return f"{one.get('name', '?')}: {kind}[{sizes}] on {one.get('device', 'cpu')}"
