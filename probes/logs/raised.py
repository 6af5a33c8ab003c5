"""One exception as a log shows it."""

from __future__ import annotations

from .frames import Frame


class Raised:
    """One exception as the log shows it."""

    __slots__ = (
        "chain", "frames", "ignored", "in_worker", "line", "message", "number", "rank", "stamp", "traceback", "type",
        "worker",
    )  # fmt: skip

    def __init__(self, type: str, number: int, line: bytes, *, traceback: bool = False) -> None:
        self.type, self.message = type, ""
        self.number, self.line = number, line
        """The line it stands in, counted from 1."""
        self.worker, self.stamp = b"", ""
        self.rank: int | None = None
        self.frames: list[Frame] = []
        self.chain: list[str] = []
        """What was raised before it and led to it."""
        self.traceback = traceback
        self.in_worker = False
        """Raised in a data worker, and handed on."""
        self.ignored = False
        """Python said that it ignored it."""

    @property
    def title(self) -> str:
        """Its type, and the first line of its message where it has one."""
        first = self.message.partition("\n")[0]
        return f"{self.type}: {first}" if first else self.type

    @property
    def is_interrupt(self) -> bool:
        """A person stopped the run. A launcher says so by the signal that Ctrl-C sends."""
        name = self.type.rpartition(".")[2]
        if name == "SignalException":
            return self.message.rstrip().endswith("got signal: 2")
        return name in ("KeyboardInterrupt", "SystemExit", "GeneratorExit")
