"""Runs that lie side by side in a directory: each is diagnosed by itself, and the one in the worst trouble is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from traindx.engine.diagnose import Reasoned
from traindx.engine.diagnosis import Diagnosis
from traindx.probes.discover import Found

from .errors import BadCall
from .session import Session

MOST = 16
"""Runs that are read; of more the newest."""
_TOLD = 8
"""Runs that the note tells of."""


def worst_of(
    found: Found, begin: Callable[[Found], Session], symptoms: Sequence[str], answers: Sequence[str]
) -> tuple[Session, Reasoned] | None:
    """The diagnosis of the run with the surest cause, and a note that says what is wrong with each of the others.

    None where there are no runs side by side, or what was handed in can be read once only.
    """
    if not found.runs or any(one.stream is not None for one in found.inputs):
        return None
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
    others = [f"{run.name}: {_in_short(diagnosis)}" for run, diagnosis in read if run != shown]
    more = [f"{len(others) - _TOLD} more"] if len(others) > _TOLD else []
    unread = len(found.runs) - len(read)
    left = f", {unread} of them not" if unread else ""
    return (
        f"{shown.parent}: {len(found.runs)} runs side by side were read{left}, each by itself; shown is "
        f"{shown.name}. The others: {'; '.join(others[:_TOLD] + more)}. Name a folder to see that run, "
        "or several to have them read as one"
    )


def _in_short(diagnosis: Diagnosis) -> str:
    if not diagnosis.found:
        return "nothing wrong found"
    symptoms = ", ".join(one.id for one in diagnosis.symptoms[:1])
    if diagnosis.outcome != "cause-found":
        return symptoms
    first = diagnosis.causes[0]
    cause = f"{first.id} {first.confidence:.0%}"
    return f"{symptoms}, {cause}" if symptoms else cause
