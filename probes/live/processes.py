"""The records of a watched run, process by process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from traindx.engine.facts import Place

RUN = "the run"
"""How a watched run is called where a report says where something was seen."""
_LONGEST = 300

Record = Mapping[str, Any]


class Process:
    """One process of the run, and what it wrote."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        head = next(self.of("process"), {})
        self.pid = whole(head.get("pid"))
        self.parent = whole(head.get("parent"))
        self.role = str((self.last("role") or head).get("role", "main"))
        ranked = self.last("rank") or head
        self.rank = whole(ranked.get("rank"))
        self.world_size = whole(ranked.get("world_size")) or 1
        self.version = whole(head.get("version")) or 1
        self.started = number(head.get("time")) or 0.0
        """Unix time."""

    def of(self, kind: str) -> Iterator[Record]:
        """The records of a kind, in the order in which they were written."""
        return (record for record in self.records if record.get("kind") == kind)

    def facts(self) -> Iterator[Record]:
        """The facts that it said and has not taken back since."""
        back = {
            str(record.get("name")): place
            for place, record in enumerate(self.records)
            if record.get("kind") == "retracted"
        }
        return (
            record
            for place, record in enumerate(self.records)
            if record.get("kind") == "fact" and place > back.get(str(record.get("name")), -1)
        )

    def last(self, kind: str) -> Record | None:
        """The last record of a kind."""
        return next((record for record in reversed(self.records) if record.get("kind") == kind), None)

    @property
    def trains(self) -> bool:
        """Whether it holds a model or stepped an optimizer."""
        return self.last("steps") is not None or self.last("model") is not None

    def time(self, record: Record) -> float:
        """When a record was written, in Unix time."""
        return self.started + (number(record.get("t")) or 0.0)

    def place(self, record: Record, text: str = "") -> Place:
        """Where something was seen: the line of the script where it is known, else the step of the run."""
        file, line, step = record.get("file"), whole(record.get("line")), whole(record.get("step"))
        text = (text or str(record.get("note") or ""))[:_LONGEST]
        rank = self.rank if self.world_size > 1 else None
        if isinstance(file, str) and file:
            return Place(file, line, step=step, rank=rank, text=text)
        return Place(RUN, step=step, rank=rank, text=text)


def whole(value: Any) -> int | None:
    """A record's value as a whole number; None where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(value: Any) -> float | None:
    """A record's value as a number, for which `nan`, `inf` and `-inf` stand as texts; None where it is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return float(value) if value in ("nan", "inf", "-inf") else None
