"""Two files of one directory that say the same but for a few values: one run was started with one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from .combine import Read, in_force
from .document import Path
from .values import equal

Said: TypeAlias = set[tuple[str, Path, str]]
"""What a file says: each key with its value."""

_ALIKE = 0.8
"""The share of all their keys that two such files hold with the same value."""
_MOST = 20
"""Files compared with each other: a folder of many is a collection and no run."""


def twins(reads: Sequence[Read]) -> Iterator[str]:
    """What to say of files that nobody named, of which the one that comes first counts."""
    files = [one for one in reads if one.document.part is None and not one.document.named and one.occurrences]
    if len(files) > _MOST:
        return
    said = [_said(one) for one in files]
    told: set[int] = set()
    for here_at, there_at in combinations(range(len(files)), 2):
        first, second = files[here_at], files[there_at]
        # Of many alike, each is held against the first.
        if there_at in told or not _beside(first, second):
            continue
        if _alike(said[here_at], said[there_at]):
            told.add(there_at)
            here, there = in_force([first]), in_force([second])
            names = here.keys() | there.keys()
            apart = sorted(
                one for one in names if (one in here) != (one in there) or not equal(here[one], there[one])
            )
            if apart:
                yield (
                    f"{second.document.name} says what {first.document.name} says, but for {', '.join(apart)}: "
                    f"{first.document.name} counts here; name the one that the run was started with"
                )


def _beside(first: Read, second: Read) -> bool:
    one, other = first.document.file.path, second.document.file.path
    if one is None or other is None or first.document.format != second.document.format:
        return False
    return one.parent == other.parent


def _said(read: Read) -> Said:
    return {(entry.scope, entry.path, str(entry.value)) for entry in read.document.reading.entries}


def _alike(one: Said, other: Said) -> bool:
    return len(one & other) >= _ALIKE * max(len(one), len(other))
