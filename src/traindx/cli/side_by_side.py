"""Runs that lie side by side in a directory: each is diagnosed by itself, and the one in the worst trouble is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from traindx.engine.diagnose import Reasoned
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.wording import percent
from traindx.probes.discover import Found

from .errors import BadCall
from .session import Session

MOST = 16
"""Runs that are read; of more the newest."""
_TOLD = 8
"""Runs that the note tells of."""


def diagnosed(
    found: Found, begin: Callable[[Found], Session], symptoms: Sequence[str], answers: Sequence[str]
) -> tuple[Session, Reasoned]:
    """The diagnosis of what was handed in; of runs side by side that with the surest cause, and a note on each of the others."""
    # What comes through a pipe can be read once only.
    if found.runs and all(one.stream is None for one in found.inputs):
        worst = _worst_of(found, begin, symptoms, answers)
        if worst is not None:
            return worst
    session = begin(found)
    return session, session.run(symptoms, answers)


def _worst_of(
    found: Found, begin: Callable[[Found], Session], symptoms: Sequence[str], answers: Sequence[str]
) -> tuple[Session, Reasoned] | None:
    """None where fewer than two of the runs can be read."""
    read = list[tuple[Path, Session, Reasoned]]()
    for run in sorted(found.runs, key=_written, reverse=True)[:MOST]:
        session = begin(found.of_run(run))
        try:
            read.append((run, session, session.run(symptoms, answers)))
        except BadCall:
            continue
    if len(read) < 2:
        return None
    shown, session, reasoned = max(read, key=lambda one: _trouble(one[2].diagnosis))
    note = _note(shown, [(run, one.diagnosis) for run, _, one in sorted(read, key=lambda one: one[0])], found)
    session.found.notes.insert(0, note)
    diagnosis = reasoned.diagnosis
    return session, reasoned._replace(diagnosis=diagnosis._replace(notes=(note, *diagnosis.notes)))


def _written(run: Path) -> float:
    try:
        return run.stat().st_mtime
    except OSError:
        return 0.0


def _trouble(diagnosis: Diagnosis) -> tuple[bool, float]:
    return diagnosis.found, max((one.confidence for one in diagnosis.causes), default=0.0)


def _note(shown: Path, read: Sequence[tuple[Path, Diagnosis]], found: Found) -> str:
    # In one directory their names tell them apart.
    alone = len({run.parent for run in found.runs}) == 1
    names = {run: run.name if alone else str(run) for run, _ in read}
    where = f"{shown.parent}: " if alone else ""
    others = [f"{names[run]}: {_in_short(diagnosis)}" for run, diagnosis in read if run != shown]
    more = [f"{len(others) - _TOLD} more"] if len(others) > _TOLD else []
    unread = len(found.runs) - len(read)
    left = f", {unread} of them not" if unread else ""
    return (
        f"{where}{len(found.runs)} runs side by side were read{left}, each by itself; shown is "
        f"{names[shown]}. The others: {'; '.join(others[:_TOLD] + more)}. Name a folder to see that run, "
        "or several to have them read as one"
    )


def _in_short(diagnosis: Diagnosis) -> str:
    if not diagnosis.found:
        return "nothing wrong found"
    symptoms = ", ".join(one.id for one in diagnosis.symptoms[:1])
    if diagnosis.outcome != "cause-found":
        return symptoms
    first = diagnosis.causes[0]
    cause = f"{first.id} {percent(first.confidence)}"
    return f"{symptoms}, {cause}" if symptoms else cause
