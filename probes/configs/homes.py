"""Which documents could take a setting that none of them holds yet."""

from __future__ import annotations

from collections.abc import Sequence

from traindx.engine.facts import Origin

from .canonical import in_script
from .combine import Read
from .dialect import Dialect
from .way import Way


def homes(reads: Sequence[Read], setting: str) -> list[tuple[Read, Dialect]]:
    """The documents that could take it, the best first, each with the dialect to write it in.

    A trainer that is known takes none but its own settings: most refuse a key they do not know.
    """
    found = [
        (read, dialect)
        for read in reads
        for dialect in read.dialects
        if setting in dialect.settings and not _is_foreign(read, dialect, setting)
    ]
    return sorted(found, key=lambda one: _fitness(*one))


def ways_to_write(read: Read, dialect: Dialect, setting: str) -> list[Way]:
    """The ways to write it there, first those whose key stands there already without a value."""
    found = dialect.found(read.document.reading.entries, in_script=in_script(read.document))
    ways = dialect.settings[setting]
    return sorted(ways, key=lambda way: not any(dialect.normal(key) in found for key in way.keys))


def _is_foreign(read: Read, dialect: Dialect, setting: str) -> bool:
    if not dialect.loose:
        return setting in dialect.never_added or _is_overheard(read, dialect)
    # The description of a model or a summary of scores is no file for settings of a training.
    held = {one.setting for one in read.occurrences}
    return read.trainer is not None or held.isdisjoint(dialect.added_beside)


def _is_overheard(read: Read, dialect: Dialect) -> bool:
    """Whether a document is another trainer's, and some of its words only happen to be this one's too.

    A command line goes to one program, a file to one trainer. A script may make the objects of several: there each
    takes what stands in its own call.
    """
    if dialect is read.trainer or dialect.stored.get("always"):
        return False
    return read.document.format != "python" or dialect.calls.isdisjoint(read.document.reading.calls)


def why_homeless(reads: Sequence[Read]) -> str:
    """Why there is no document for a setting."""
    trainer = next((read.trainer for read in reads if read.trainer is not None), None)
    return (
        f"there is no such setting in {trainer.title}" if trainer else "no file was given that it belongs to"
    )


def lacking(reads: Sequence[Read], setting: str) -> str:
    """The trainer that has no such setting at all, in words; empty where one of the files could take it, or none is known."""
    stands = any(one.setting == setting for read in reads for one in read.occurrences)
    trainers = any(read.trainer is not None for read in reads)
    return why_homeless(reads) if trainers and not stands and not homes(reads, setting) else ""


def passed_over(reads: Sequence[Read], setting: str) -> str:
    """Why a trainer would pass a setting over as its files stand, in words; empty where it would not."""
    for read in reads:
        if (trainer := read.trainer) is None:
            continue
        found = trainer.found(read.document.reading.entries, in_script=False)
        for way in trainer.settings.get(setting, ()):
            if idle := way.idle_by(found, trainer.normal):
                return f"`{way.keys[0]}` does not count with `{idle.key}: {idle.value}`"
    return ""


def follows(reads: Sequence[Read], setting: str) -> str:
    """What a setting follows from in a trainer that has no key of its own for it; empty where it has one."""
    words = (read.trainer.follows.get(setting) for read in reads if read.trainer is not None)
    return next(filter(None, words), "")


def _fitness(read: Read, dialect: Dialect) -> tuple[int, int, int]:
    """Lower is better: the recognised trainer's own file, then scripts, then files of a trainer that is not known."""
    known = 0 if dialect is read.trainer else 2 if dialect.loose else 1
    origin = {Origin.CONFIG: 0, Origin.SCRIPT: 1}.get(read.document.origin, 2)
    return known, origin, -len(read.occurrences)
