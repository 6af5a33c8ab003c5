"""The command `diagnose`: a file a command, one boundary for errors."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import NoReturn


def main() -> NoReturn:
    """Run the command and leave with its exit code."""
    import gc

    # A short run makes little garbage; looking for it at Python's usual pace costs a tenth of the time.
    gc.set_threshold(200_000, 20, 50)
    from .errors import guarded
    from .group import run

    _open_what_is_closed()
    _leave(guarded(run))


def _open_what_is_closed() -> None:
    """A stream that the caller closed (`<&-`, `>&-`) is empty, and takes everything."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the end


def _leave(status: int) -> NoReturn:
    """End the process as it is: taking its objects apart first would only take time."""
    from traindx.engine.regex import keep_store

    for stream in (sys.stdout, sys.stderr):
        # A reader that went away is no fault.
        with suppress(OSError):
            stream.flush()
    # What was asked for is out; what only saves time comes last.
    keep_store()
    os._exit(status)
