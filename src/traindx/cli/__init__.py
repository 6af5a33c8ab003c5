"""The command `diagnose`: a file a command, one boundary for errors."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command and leave with its exit code."""
    from .errors import guarded
    from .group import run

    sys.exit(guarded(run))
