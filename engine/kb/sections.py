"""A compiled section as text: an index first, then one JSON value for each entry, read when it is asked for.

Of thousands of entries a run needs a few dozen, and reading JSON is what starting up would take longest for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_read_at = json.JSONDecoder().raw_decode
# What is compiled holds no circles: not looking for them saves a quarter of the time.
_written = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Entries(Mapping[str, Any]):
    """The entries of one kind, by id. Each access reads the entry anew; a broken one raises ValueError."""

    def __init__(self, text: str, starts: Mapping[str, int], offset: int) -> None:
        self._text, self._starts, self._offset = text, starts, offset

    def __getitem__(self, name: str) -> Any:
        return _read_at(self._text, self._starts[name] + self._offset)[0]

    def __contains__(self, name: object) -> bool:
        return name in self._starts

    def __iter__(self) -> Iterator[str]:
        return iter(self._starts)

    def __len__(self) -> int:
        return len(self._starts)


def dump_section(section: Mapping[str, Mapping[str, Any]]) -> str:
    """A section, kind by kind, as text that `load_section` reads."""
    index: dict[str, dict[str, int]] = {}
    parts: list[str] = []
    place = 0
    for kind, entries in section.items():
        starts = index[kind] = {}
        for name, entry in entries.items():
            starts[name] = place
            parts.append(_written(entry))
            place += len(parts[-1]) + 1
    return "\n".join([_written(index), *parts]) + "\n"


def load_section(text: str) -> dict[str, Entries]:
    """The kinds of a section. Raises ValueError where the index cannot be read."""
    index, end = _read_at(text)
    return {kind: Entries(text, starts, end + 1) for kind, starts in index.items()}
