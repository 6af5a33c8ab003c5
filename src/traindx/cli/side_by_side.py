"""Runs that lie side by side in a directory: each is diagnosed by itself, and the one in the worst trouble is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from traindx.engine.diagnose import Reasoned
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.wording import percent
from traindx.probes.discover import BadInput, Found, discover
from traindx.probes.other_runs import Compared, Run, compare

from .errors import BadCall
from .session import Session

MOST = 16
"""Runs that are read; of more the newest."""
_TOLD = 8
"""Runs that the note tells of."""


class _Read(NamedTuple):
    """A run that was diagnosed by itself."""

    path: Path
    session: Session
    reasoned: Reasoned


def diagnosed(
    found: Found,
    begin: Callable[[Found], Session],
    symptoms: Sequence[str],
    answers: Sequence[str],
    beside: Sequence[Path] = (),
) -> tuple[Session, Reasoned]:
    """The diagnosis of what was handed in; of runs side by side that with the surest cause, and a note on each of the others.

    What the others show beside it, and the runs `beside` that a person named, answers what a test would. Raises BadCall
    where one that was named cannot be read.
    """
    named = [(path, _begun(path, begin)) for path in beside]
    others = [_Read(path, session, session.run((), ())) for path, session in named]
    shown: _Read | None = None
    # What comes through a pipe can be read once only.
    if found.runs and all(one.stream is None for one in found.inputs):
        read = _each(found, begin, symptoms, answers)
        if len(read) >= 2:
            shown = max(read, key=lambda one: _trouble(one.reasoned.diagnosis))
            others += [one for one in read if one is not shown]
    if shown is None:
        session = begin(found)
        shown = _Read(Path(), session, session.run(symptoms, answers))
    if not others:
        return shown.session, shown.reasoned
    return shown.session, _beside(shown, others, found, len(beside))


def _begun(path: Path, begin: Callable[[Found], Session]) -> Session:
    """Raises BadCall where there is nothing at the path, or more than one run."""
    try:
        found = discover([path])
    except BadInput as error:
        raise BadCall(str(error)) from None
    if found.runs:
        names = ", ".join(map(str, found.runs[:_TOLD]))
        raise BadCall(
            f"--beside {path}: {len(found.runs)} runs lie there; name the one to compare with: {names}"
        )
    return begin(found)


def _each(
    found: Found, begin: Callable[[Found], Session], symptoms: Sequence[str], answers: Sequence[str]
) -> list[_Read]:
    """The newest runs of a directory, as far as they can be read."""
    read = list[_Read]()
    for run in sorted(found.runs, key=_written, reverse=True)[:MOST]:
        session = begin(found.of_run(run))
        with suppress(BadCall):
            read.append(_Read(run, session, session.run(symptoms, answers)))
    return read


def _beside(shown: _Read, others: Sequence[_Read], found: Found, named: int) -> Reasoned:
    """The diagnosis of a run with what the others answer, and a note on them: on each of the first, which a person named."""
    session, reasoned = shown.session, shown.reasoned
    here = _as_run(shown)
    compared = [(one, compare(here, _as_run(one), session.knowledge)) for one in others]
    # That one change helped is not undone by a smaller one that did not.
    answers = [answer for _, each in compared for answer in each.answers]
    for answer in sorted(answers, key=lambda one: one.value is not True):
        reasoned = session.more(reasoned, answer)
    told = [(one.path, _in_short(one.reasoned.diagnosis, each)) for one, each in compared]
    notes = [f"{path}, beside it: {words}" for path, words in told[:named]]
    if told[named:]:
        notes.append(_note(shown.path, sorted(told[named:]), found))
    session.found.notes[:0] = notes
    diagnosis = reasoned.diagnosis
    return reasoned._replace(diagnosis=diagnosis._replace(notes=(*notes, *diagnosis.notes)))


def _as_run(one: _Read) -> Run:
    reads = one.session.configs.sources if one.session.configs else ()
    return Run(str(one.path), one.reasoned.gathered.facts, reads, one.session.found.inputs)


def _written(run: Path) -> float:
    try:
        return run.stat().st_mtime
    except OSError:
        return 0.0


def _trouble(diagnosis: Diagnosis) -> tuple[bool, float]:
    return diagnosis.found, max((one.confidence for one in diagnosis.causes), default=0.0)


def _note(shown: Path, others: Sequence[tuple[Path, str]], found: Found) -> str:
    # In one directory their names tell them apart.
    alone = len({run.parent for run in found.runs}) == 1
    where = f"{shown.parent}: " if alone else ""
    told = [f"{run.name if alone else run}: {words}" for run, words in others]
    more = [f"{len(told) - _TOLD} more"] if len(told) > _TOLD else []
    unread = len(found.runs) - len(told) - 1
    left = f", {unread} of them not" if unread else ""
    return (
        f"{where}{len(found.runs)} runs side by side were read{left}, each by itself; shown is "
        f"{shown.name if alone else shown}. The others: {'; '.join(told[:_TOLD] + more)}. Name a folder to see that run, "
        "or several to have them read as one"
    )


def _in_short(diagnosis: Diagnosis, beside: Compared) -> str:
    apart = f", with {beside.apart}" if beside.apart else ""
    return _outcome(diagnosis) + apart


def _outcome(diagnosis: Diagnosis) -> str:
    if not diagnosis.found:
        return "nothing wrong found"
    symptoms = ", ".join(one.id for one in diagnosis.symptoms[:1])
    if diagnosis.outcome != "cause-found":
        return symptoms
    first = diagnosis.causes[0]
    cause = f"{first.id} {percent(first.confidence)}"
    return f"{symptoms}, {cause}" if symptoms else cause
