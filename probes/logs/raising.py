"""The exceptions that one log shows, each process's for itself."""

from __future__ import annotations

from .heard import Heard
from .page import CONTEXT, Page
from .prose import SENT
from .ranks import Prefix, body_of, prefix_of, stamp_of, worker_of
from .traceback import Traceback
from .traceback_lines import BARE, HEADER

MAX_RAISED = 2000


class Raising:
    """Follows tracebacks and messages from their first line to their last."""

    def __init__(self, heard: Heard, page: Page) -> None:
        self._heard, self._page = heard, page
        self._open: dict[bytes, Traceback] = {}

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def in_message(self) -> bool:
        """Whether an exception was named, so that the next lines are its message or something new."""
        return any(one.raised is not None for one in self._open.values())

    def settle(self) -> None:
        """Something new begins: no message goes on."""
        for worker in [worker for worker, one in self._open.items() if one.raised is not None]:
            self._finish(worker)

    def begin(self, index: int, line: bytes, prefix: Prefix) -> bool:
        """Begin a traceback, or note an exception that stands alone."""
        start = body_of(line, prefix.end)
        text = line[start:].decode("utf-8", "replace").rstrip()
        number, worker = self._page.number(index), worker_of(line)
        if HEADER.match(text):
            before = b"".join(self._page.context(index, 2)[:-1])
            self._finish(worker)
            self._heard.tracebacks += 1
            if self._heard.first_traceback is None:
                self._heard.first_traceback = self._page.place(index, line, prefix.rank)
            if len(self._heard.raised) < MAX_RAISED:
                opened = Traceback(text, before[prefix_of(before).end :].decode("utf-8", "replace"))
                opened.stamped = start > prefix.end
                self._open[worker] = opened
            return True
        found = BARE.match(SENT.sub("", text.strip()))
        if found is None:
            return False
        if len(self._heard.raised) < MAX_RAISED and worker not in self._open:
            opened = Traceback.bare(found, number, line)
            opened.stamped = start > prefix.end
            context = self._page.context(index, CONTEXT)[:-1]
            opened.look_back(
                [one[prefix_of(one).end :].decode("utf-8", "replace").rstrip() for one in context]
            )
            self._open[worker] = opened
        return True

    def attend(self, number: int, line: bytes) -> bool:
        """Whether the next line belongs to what its process has begun."""
        worker = worker_of(line)
        traceback = self._open.get(worker)
        if traceback is None:
            return False
        prefix = prefix_of(line)
        start = (
            prefix.end if line[prefix.end : prefix.end + 2] in (b"  ", b"\t") else body_of(line, prefix.end)
        )
        stamped = start > prefix.end
        if traceback.raised is not None and stamped and not traceback.stamped:
            self._finish(worker)
            return False
        text = line[start:].decode("utf-8", "replace")
        if traceback.label:
            text = text.removeprefix(traceback.label)
        if traceback.feed(text, number, line):
            return True
        self._finish(worker)
        return False

    def _finish(self, worker: bytes) -> None:
        traceback = self._open.pop(worker, None)
        raised = traceback.close() if traceback else None
        if raised is not None:
            prefix = prefix_of(raised.line)
            raised.worker, raised.rank = worker, prefix.rank
            raised.stamp = stamp_of(raised.line, prefix.end)
            self._heard.raised.append(raised)

    def close(self) -> None:
        """The log is at its end: what is still open ends here."""
        for worker in list(self._open):
            self._finish(worker)
