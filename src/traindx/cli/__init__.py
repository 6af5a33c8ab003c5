"""The command `diagnose`: a file a command, one boundary for errors."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command and leave with its exit code."""
    import gc

    # A short run makes little garbage; looking for it at Python's usual pace costs a tenth of the time.
    gc.set_threshold(200_000, 20, 50)
    from .errors import guarded
    from .group import run

    status = guarded(run)
    # Nor is there anything to find at the end, when the process gives all back at once.
    gc.freeze()
    sys.exit(status)
