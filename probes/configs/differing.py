"""How two runs differ, as far as their files tell: one key apart is an experiment that somebody made already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from traindx.engine.facts import Origin, Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.redact import MASK, redact, safe

from .combine import Read
from .dialects import dialects_of
from .document import Path
from .values import equal

_FILES = frozenset({Origin.CONFIG, Origin.SCRIPT, Origin.LOG})
"""What hands a run its settings; what its code says besides is compared as a text."""
_PLAIN = "plain"


class Difference(NamedTuple):
    """One key that two runs give differently."""

    key: str
    settings: frozenset[str]
    """The canonical settings that it bears on; none where it is known to no trainer."""
    here: Scalar | None
    """None where the run has no such key, or no single value there."""
    there: Scalar | None


class _Said(NamedTuple):
    value: Scalar | None
    settings: frozenset[str]


def differences(here: Sequence[Read], there: Sequence[Read], knowledge: Knowledge) -> list[Difference]:
    """The keys that differ, in the order in which they stand. Where and under which name a run writes is no difference.

    Only what both have is compared: files with files, what the log printed with what the other log printed.
    """
    shared = _origins(here) & _origins(there)
    one, other = _said(here, shared), _said(there, shared)
    found = []
    for path in dict.fromkeys((*one, *other)):
        ours, theirs = one.get(path), other.get(path)
        if ours and theirs and equal(ours.value, theirs.value):
            continue
        settings = (ours.settings if ours else frozenset()) | (theirs.settings if theirs else frozenset())
        if not _is_bookkeeping(path, settings, knowledge):
            values = (ours.value if ours else None), (theirs.value if theirs else None)
            found.append(Difference(".".join(map(str, path)), settings, *values))
    return found


def in_words(found: Iterable[Difference], most: int = 3) -> str:
    """`learning_rate 0.0001 (here 0.003) and 2 more`."""
    told = [_told(one) for one in found]
    more = [f"{len(told) - most} more"] if len(told) > most else []
    *first, last = told[:most] + more
    return f"{', '.join(first)} and {last}" if first else last


def _told(one: Difference) -> str:
    if one.here is None and one.there is None:
        return safe(one.key)
    return f"{safe(one.key)} {_shown(one.key, one.there)} (here {_shown(one.key, one.here)})"


def _shown(key: str, value: Scalar | None) -> str:
    """A value as it may be read by everybody: that it is a secret, often its key alone tells."""
    if value is None:
        return "not set"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    named = f"{key}: {text}"
    return MASK if MASK in redact(named) and MASK not in named else safe(text)


def _origins(reads: Iterable[Read]) -> frozenset[Origin]:
    return _FILES & {one.document.origin for one in reads}


def _said(reads: Sequence[Read], shared: frozenset[Origin]) -> Mapping[Path, _Said]:
    """Key -> its value, of the document that counts, and the settings that it bears on."""
    said: dict[Path, _Said] = {}
    for read in sorted(reads, key=lambda one: one.document.origin.rank):
        if read.document.origin not in shared:
            continue
        settings: dict[Path, set[str]] = {}
        for one in read.occurrences:
            settings.setdefault(one.entry.path, set()).add(one.setting)
        for entry in read.document.reading.entries:
            value = entry.value if isinstance(entry.value, Scalar) else None
            said.setdefault(entry.path, _Said(value, frozenset(settings.get(entry.path, ()))))
    return said


def _is_bookkeeping(path: Path, settings: frozenset[str], knowledge: Knowledge) -> bool:
    """Whether a key bears on nothing but names, places and intervals of what the run writes."""
    plain = knowledge.once(dialects_of)[_PLAIN]
    known = settings or frozenset(plain.keys.get(plain.normal(str(path[-1])) if path else "", ()))
    return bool(known) and all(knowledge.settings[one].bookkeeping for one in known)
