"""The command `diagnose`: a file a command, one boundary for errors."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command and leave with its exit code."""
    import gc

    from .errors import guarded
    from .group import run

    # A short run makes little garbage; looking for it at Python's usual pace costs a tenth of the time.
    gc.set_threshold(50_000, 20, 50)
    sys.exit(guarded(run))
