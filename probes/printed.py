"""Settings that a run printed: found in logs, parsed where configurations are read."""

from __future__ import annotations

from typing import NamedTuple


class PrintedSettings(NamedTuple):
    """A block of settings in a log: a namespace, a dump of `key: value`, a command line."""

    input: str
    """The log it stands in."""
    line: int
    """The number of its first line in that log, counted from 1."""
    text: str
    """Its lines without ranks and times before them."""
