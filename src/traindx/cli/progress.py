"""A line on standard error while something takes longer than a second. Only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

_PATIENCE = 1.0
_EVERY = 0.1
_CLEAR = "\r\x1b[2K"


class ProgressLine:
    """How far reading has come. Use it as a context, so that the line is gone in the end."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.last = 0.0
        self.shown = False
        self.active = sys.stderr.isatty()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say that `done` of `total` bytes of `what` are read; 0 in all is not known."""
        now = time.monotonic()
        if not self.active or now - self.started < _PATIENCE or now - self.last < _EVERY:
            return
        self.last, self.shown = now, True
        share = f"{100 * done / total:3.0f} %" if total else f"{done / (1 << 20):.0f} MiB"
        rate = done / (1 << 20) / max(now - self.started, 1e-9)
        sys.stderr.write(f"{_CLEAR}reading {what}  {share}  {rate:.0f} MiB/s")
        sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()


@contextmanager
def preparing() -> Iterator[None]:
    """Say that the knowledge base is being prepared, for as long as it is."""
    active = sys.stderr.isatty()
    if active:
        sys.stderr.write("preparing the knowledge base; this is done once")
        sys.stderr.flush()
    try:
        yield
    finally:
        if active:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
