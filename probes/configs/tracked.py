"""The settings of a run as Weights & Biases keeps them: each value one level below its key."""

from __future__ import annotations

from .document import Entry, Reading

_OWN = ("_wandb", "wandb_version")
"""Keys by which such a file is known; they are no settings."""
_HOLDS = "value"


def untracked(reading: Reading) -> Reading | None:
    """The settings without what the tracker put around them; None where it is no such file."""
    if not any(entry.path and entry.path[0] in _OWN for entry in reading.entries):
        return None
    return reading._replace(entries=tuple(_inner(entry) for entry in reading.entries if _is_setting(entry)))


def _is_setting(entry: Entry) -> bool:
    return len(entry.path) > 1 and entry.path[0] not in _OWN and entry.path[1] == _HOLDS


def _inner(entry: Entry) -> Entry:
    return entry._replace(path=(entry.path[0], *entry.path[2:]))
