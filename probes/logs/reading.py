"""What one line says: names with numbers, and where the run is."""

from __future__ import annotations

from typing import NamedTuple

from .names import Name
from .quantities import count

PLACES = frozenset(("step", "env_step", "epoch", "done", "total"))
"""The numbers that say where the run is."""


class Value(NamedTuple):
    """One number of a line, and what it is."""

    name: Name
    start: int
    end: int
    """Where the number stands in the line, in bytes."""
    scale: float = 1.0
    """What it is multiplied by to be in the metric's unit."""
    bare: bool = False
    """A number of memory without a unit: its size tells the unit."""
    words: tuple[int, int] = (0, 0)
    """Where its name stands: digits there belong to the name."""
    counts: bool = False
    """Not a number but an event: each one counts 1."""
    lowest: bool = False
    """Of a list the lowest number, not the mean."""


class Reading:
    """All that one line says."""

    __slots__ = (
        "at",
        "better",
        "env_step",
        "epoch",
        "finished",
        "format",
        "named",
        "pair",
        "step",
        "total_epochs",
        "total_steps",
        "trust",
        "values",
        "whole_epoch",
    )

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.step: float | None = None
        self.trust = 0
        """How far the name of what counts the step is to be trusted; lower is better."""
        self.better = False
        """It counts something else too that is trusted less, such as the iterations that make up a step."""
        self.env_step: float | None = None
        """How many steps an agent took in its environments."""
        self.named = False
        """It counts steps of training by name, and not by a pair alone."""
        self.epoch: float | None = None
        self.whole_epoch = False
        """The epoch is counted, not a share such as 0.09."""
        self.finished = False
        """The epoch is the number of those that are over."""
        self.pair: tuple[int, int] | None = None
        """`200/412`: how far, of how much."""
        self.total_steps: int | None = None
        self.total_epochs: int | None = None
        self.format = ""
        """The log format whose own pattern read it."""
        self.at: list[Value] = []
        """Where in the line its step, its epoch and the numbers of its pair stand."""

    @property
    def places(self) -> bool:
        """Whether it says where the run is."""
        return self.step is not None or self.epoch is not None or self.pair is not None

    def place(self, kind: str, text: str, start: int, trust: int = 0) -> None:
        """Take in a number that says where the run is, such as `step` or `done`: the first, or the better trusted of each."""
        known = next((one for one in self.at if one.name.metric == kind), None)
        if known is not None and known.name.trust != trust and kind == "step":
            self.better = count(text) != self.step
        if (known is None or known.name.trust > trust) and self.take(kind, text):
            end = start + len(text)
            self.at = [one for one in self.at if one is not known]
            self.trust = trust if kind == "step" else self.trust
            self.at.append(Value(Name(kind, kind, trust), start, end, words=(start, start)))

    def pair_is_epoch(self) -> None:
        """Of two pairs, as in `[3/25][40/782]`, the one read so far counts the epochs."""
        if self.pair is not None:
            self.epoch, self.total_epochs = float(self.pair[0]), self.pair[1]
            self.pair, self.whole_epoch = None, True
            name = Name("epoch", "epoch", 0)
            self.at = [
                one._replace(name=name) if one.name.metric == "done" else one
                for one in self.at
                if one.name.metric != "total"
            ]

    def settle(self, *, counted: bool, counter: int | None) -> None:
        """Let one counter alone say how far the run is.

        Where the log counts nothing else (`counted`), the steps in environments do; where it counts several things in
        one line, that of the best trust, which is `counter`.
        """
        if counter is not None and self.step is not None and self.trust > counter:
            self.step = None
        if not counted and self.step is None and self.pair is None:
            self.step = self.env_step

    def forget_pair(self) -> None:
        """What looked like one counts something else."""
        self.pair = None
        self.at = [one for one in self.at if one.name.metric not in ("done", "total")]

    def take(self, kind: str, text: str) -> bool:
        """Take in such a number, wherever it stands; False where it is too large to be one."""
        value = count(text)
        if not abs(value) < 1e15:
            return False
        if kind == "step":
            self.step, self.named = value, True
        elif kind == "env_step":
            self.env_step = value
        elif kind == "epoch":
            self.epoch, self.whole_epoch = value, text.isdigit()
        else:
            done, total = self.pair or (0, 0)
            self.pair = (int(value), total) if kind == "done" else (done, int(value))
        return True
