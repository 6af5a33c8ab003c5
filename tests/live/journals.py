"""Records as observers write them, for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from traindx.engine.facts import Fact, Place, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.probe import Findings
from traindx.probes.live.probe import LiveProbe

Record = Mapping[str, Any]


def process(rank: int | None = None, world_size: int | None = None, **more: Any) -> Record:
    """The first record of a process."""
    head = {"version": 1, "pid": 100 + (rank or 0), "role": "main", "python": "3.11.7", "time": 1000.0}
    ranks = {} if rank is None else {"rank": rank, "world_size": world_size}
    return {"kind": "process", "t": 0.0, **head, **ranks, **more}


def steps(optimizer: int = 1, **columns: Sequence[Any]) -> Record:
    """A `steps` record: columns of equal length; the steps are counted from 1."""
    length = len(next(iter(columns.values())))
    return {
        "kind": "steps", "t": 9.0, "step": list(range(1, length + 1)), "optimizer": [optimizer] * length, **columns
    }  # fmt: skip


def fact(name: str, value: Any, **more: Any) -> Record:
    """Something that a check says."""
    return {"kind": "fact", "t": 1.0, "name": name, "value": value, **more}


def raised(type: str, message: str, *, t: float = 5.0, file: str = "train.py", **more: Any) -> Record:
    """An exception that ended a process."""
    traceback = f'Traceback (most recent call last):\n  File "{file}", line 31, in <module>\n    step()\n{type}: {message}\n'
    return {"kind": "exception", "t": t, "type": type, "message": message, "traceback": traceback, **more}


class Seen:
    """What the probe makes of the records of some processes."""

    def __init__(self, knowledge: Knowledge, *processes: Sequence[Record], status: int | None = None) -> None:
        self.probe = LiveProbe(list(processes), knowledge, status=status)
        self.findings: Findings = self.probe.run()
        self._facts = {one.name: one for one in self.findings.facts}

    def __getitem__(self, name: str) -> Value | None:
        found = self._facts.get(name)
        return None if found is None else found.value

    def fact(self, name: str) -> Fact:
        """A fact that must be there."""
        assert name in self._facts, f"{name} is unknown"
        return self._facts[name]

    def place(self, name: str) -> Place:
        """Where it was seen."""
        place = self.fact(name).place
        assert place is not None
        return place
