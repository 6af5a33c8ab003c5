"""Python tracebacks as they stand in logs: with rank prefixes, between bars, chained, from notebooks, cut off."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .frames import Frame
from .raised import Raised
from .traceback_lines import (
    ANY_TYPE,
    ARROW,
    CELL,
    CHAIN,
    ENDS,
    EXCEPTION,
    FRAME,
    HEADER,
    IGNORED,
    NOTEBOOK_FRAME,
    NOTEBOOK_HEADER,
)

MAX_FRAMES = 80
MAX_MESSAGE = 4000
_MAX_ODD = 12
"""Lines that belong to nothing before a traceback without an exception is given up."""


class Traceback:
    """Reads one traceback of one process, line by line, to its end."""

    def __init__(self, header: str, before: str = "") -> None:
        found = HEADER.match(header)
        self.indent = len(found["indent"]) - len(found["indent"].lstrip()) if found else 0
        kind = NOTEBOOK_HEADER.fullmatch(found["indent"]) if found else None
        self.notebook = kind["type"] if kind else ""
        self.label = found["indent"] if found and not kind and found["indent"].strip() else ""
        """What a launcher of its own writes before each line, as it stands before the first."""
        self.stamped = False
        """Its first line begins with a time or a log level."""
        self.frames: list[Frame] = []
        self.chain: list[str] = []
        self.raised: Raised | None = None
        self.in_worker = bool(found and found["kept"])
        self.ignored = bool(IGNORED.match(before.strip()))
        self._message: list[str] = []
        self._waiting = self._odd = 0
        self._silent = False
        """The exception has no message, so that none can go on."""

    @classmethod
    def bare(cls, found: re.Match[str], number: int, line: bytes) -> Traceback:
        """An exception without a traceback: what follows may belong to its message."""
        made = cls("")
        made.raised = Raised(found["type"], number, line)
        made._message = [found["message"]]
        made._silent = not found["colon"]
        return made

    def look_back(self, lines: Sequence[str]) -> None:
        """Take the frames right before an exception whose header was cut off, as in a pasted piece."""
        start = len(lines)
        while start and (FRAME.match(lines[start - 1]) or lines[start - 1].startswith(("  ", "\t"))):
            start -= 1
        for text in lines[start:]:
            if found := FRAME.match(text):
                self._add(found)
            elif self.frames and text.strip():
                self._source(text.strip())

    def feed(self, text: str, number: int, line: bytes) -> bool:
        """Take the next line of the process. False where it does not belong to the traceback any more."""
        text = text.rstrip()
        if self._waiting:
            return self._link(text)
        if self.raised is not None:
            return self._continue(text)
        return self._inside(text, number, line)

    def close(self) -> Raised | None:
        """What was raised; None where the log ends before it says."""
        if self.raised is not None:
            self.raised.message = "\n".join(self._message).strip()[:MAX_MESSAGE]
            self.raised.frames, self.raised.chain = self.frames, self.chain
            self.raised.in_worker = self.in_worker
            self.raised.ignored = self.ignored
        return self.raised

    def _inside(self, text: str, number: int, line: bytes) -> bool:
        stripped = text.strip()
        if not stripped:
            return self._tolerate(0 if self.notebook else 1)
        if found := FRAME.match(text):
            self._add(found)
        elif (self.notebook and self._notebook(stripped)) or self._ends_here(text, stripped, number, line):
            pass
        elif self.frames and text.startswith(" " * (self.indent + 2)):
            self._source(stripped)
        elif HEADER.match(text):
            return False
        else:
            return self._tolerate(1)
        return True

    def _tolerate(self, weight: int) -> bool:
        self._odd += weight
        return self._odd <= _MAX_ODD

    def _add(self, found: re.Match[str]) -> None:
        line = int(found["line"]) if found["line"] else None
        function = (found["function"] or "").strip()
        self._odd = 0
        if len(self.frames) >= MAX_FRAMES:
            # Both ends matter: how it was called, and where it failed.
            del self.frames[MAX_FRAMES // 4]
        self.frames.append(Frame(found["file"], line, function))

    def _notebook(self, text: str) -> bool:
        if arrow := ARROW.match(text):
            if self.frames:
                last = self.frames[-1]
                self.frames[-1] = Frame(
                    last.file, int(arrow["line"]), last.function, arrow["code"].strip()[:300]
                )
            return True
        if cell := CELL.match(text):
            line = int(cell["line"]) if cell["line"] else None
            self.frames.append(Frame("<notebook>", line, cell["function"] or "<module>"))
            return True
        if NOTEBOOK_FRAME.match(text) and not re.match(r"\d+ ", text):
            self._add(NOTEBOOK_FRAME.match(text))  # type: ignore[arg-type]
            return True
        return bool(re.match(r"\d+(?:\s|$)", text))

    def _source(self, text: str) -> None:
        last = self.frames[-1]
        if not last.code and not set(text) <= set("^~ "):
            self.frames[-1] = Frame(last.file, last.line, last.function, text[:300])

    def _ends_here(self, text: str, stripped: str, number: int, line: bytes) -> bool:
        indent = len(text) - len(text.lstrip())
        if self.notebook:
            found = ANY_TYPE.match(stripped) if stripped.startswith(self.notebook) else None
        elif indent <= self.indent and self.frames:
            found = EXCEPTION.match(stripped) or ANY_TYPE.match(stripped)
            if found and not EXCEPTION.match(stripped) and not (found["colon"] or found["type"] == stripped):
                found = None
        else:
            found = EXCEPTION.match(stripped) if indent <= self.indent else None
        if found is None or (found["message"] and not found["colon"]):
            return False
        self.raised = Raised(found["type"], number, line, traceback=True)
        self._message = [found["message"]]
        self._silent = not found["colon"]
        return True

    def _continue(self, text: str) -> bool:
        """More lines of the message, the cause that a data worker sent along, or the link to the next exception."""
        if header := HEADER.match(text):
            if not header["kept"]:
                return False
            self.in_worker = True
            self._begin_again(text)
            return True
        if not text.strip():
            self._waiting = 1
            return True
        if self._silent or ENDS.search(text) or sum(map(len, self._message)) > MAX_MESSAGE:
            return False
        self._message.append(text.strip() if len(text) - len(text.lstrip()) <= self.indent else text.rstrip())
        return True

    def _link(self, text: str) -> bool:
        if CHAIN.match(text.strip()) and self.raised is not None:
            self.chain.append(f"{self.raised.type}: {''.join(self._message[:1]).strip()[:300]}")
            self._waiting = 1
            return True
        if HEADER.match(text) and self.chain and len(self.chain) < 20:
            self._begin_again(text)
            return True
        self._waiting += 1
        return not text.strip() and self._waiting < 4

    def _begin_again(self, header: str) -> None:
        found = HEADER.match(header)
        prefix = found["indent"] if found else ""
        self.indent = len(prefix) - len(prefix.lstrip())
        if not self.in_worker:
            self.frames = []
        self.raised, self._message, self._waiting, self._odd = None, [], 0, 0
