"""Settings that a run printed: found in logs, parsed where configurations are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

NEARLY_ALL = 0.7
"""The share of a text from which on the settings in it are what it is."""


class PrintedSettings(NamedTuple):
    """A block of settings in a log: a namespace, a dump of `key: value`, a command line."""

    input: str
    """The log it stands in."""
    line: int
    """The number of its first line in that log, counted from 1."""
    text: str
    """Its lines without ranks and times before them."""
    format: str = ""
    """What the person who pasted it says it is: yaml, json, toml or ini."""


def are_nearly_all(settings: Iterable[PrintedSettings], text: bytes) -> bool:
    """Whether these settings are what a text consists of: it is a dump of them and no log."""
    return sum(len("".join(one.text.split())) for one in settings) > NEARLY_ALL * len(b"".join(text.split()))
