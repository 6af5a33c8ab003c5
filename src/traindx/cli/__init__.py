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

    _leave(guarded(run))


def _leave(status: int) -> NoReturn:
    """End the process as it is: taking its objects apart first would only take time."""
    for stream in (sys.stdout, sys.stderr):
        # A reader that went away is no fault.
        with suppress(OSError):
            stream.flush()
    os._exit(status)
