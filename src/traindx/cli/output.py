"""A diagnosis onto standard output or into a report."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from traindx.engine.diagnose import Reasoned
from traindx.engine.diagnosis import Diagnosis
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input

from .errors import BadCall
from .exit_codes import FOUND, NOTHING_FOUND

_BY_SUFFIX = {".md": "markdown", ".markdown": "markdown", ".json": "json"}


def show(output: str, diagnosis: Diagnosis, knowledge: Knowledge, *, colour: bool | None) -> None:
    """Print a diagnosis in one of the formats."""
    if output != "text":
        click.echo(rendered(output, diagnosis, knowledge), nl=False)
        return
    from traindx.engine.report.screen import screen

    from . import terminal

    terminal.show(screen(diagnosis), colour=terminal.in_colour(colour))


def rendered(output: str, diagnosis: Diagnosis, knowledge: Knowledge) -> str:
    """A diagnosis as text in one of the formats."""
    if output == "json":
        from traindx.engine.report.data import to_json

        return to_json(diagnosis)
    if output == "markdown":
        from traindx.engine.report.markdown import to_markdown

        return to_markdown(diagnosis, knowledge)
    from traindx.engine.report.screen import screen

    return "".join(line.text + "\n" for line in screen(diagnosis))


def refuse_to_replace(path: Path, inputs: Iterable[Input]) -> None:
    """Raise BadCall where a report would take the place of something that was handed in."""
    for one in inputs:
        if one.path is not None and path.exists() and one.path.exists() and path.samefile(one.path):
            raise BadCall(f"the report would replace {path}, which was handed in: choose another name")


def write_report(path: Path, diagnosis: Diagnosis, knowledge: Knowledge) -> None:
    """Write a report; the suffix decides the format. A file that is no report of ours is kept beside it.

    Raises BadCall where the file cannot be written.
    """
    text = rendered(_BY_SUFFIX.get(path.suffix.lower(), "text"), diagnosis, knowledge)
    from traindx.probes.configs.write import NotWritten, write_text
    from traindx.probes.own import is_written_by_us

    try:
        foreign = path.is_file() and path.stat().st_size > 0 and not is_written_by_us(path)
        written = write_text(path, text, backup=foreign)
    except (NotWritten, OSError) as error:
        raise BadCall(f"the report is not written: {error}") from None
    kept = f", what stood there is {written.backup.name}" if written.backup else ""
    click.echo(f"report written to {path}{kept}", err=True)


def explain(wanted: tuple[str, str], reasoned: Reasoned, knowledge: Knowledge) -> int:
    """Print an explanation: how, why or why-not.

    Raises BadCall for an unknown word, cause or fact, naming the nearest.
    """
    from traindx.engine import explain as explaining
    from traindx.engine.infer import judge
    from traindx.engine.redact import safe
    from traindx.engine.symptoms import certainty

    word, name = wanted
    if word not in ("how", "why", "why-not"):
        raise BadCall(f"--explain takes how, why or why-not, not `{word}`")
    facts = reasoned.gathered.facts
    if word == "why":
        test = next((one for one in reasoned.tests if name in (one.fact.name, *one.splits)), None)
        if test is None:
            asked = ", ".join(one.fact.name for one in reasoned.tests) or "nothing"
            raise BadCall(f"nothing about `{name}` is asked; asked is: {asked}")
        lines = explaining.why(test)
    else:
        if name not in knowledge.causes:
            raise BadCall(f"there is no cause `{name}`{_nearest(name, knowledge)}")
        seen = certainty(reasoned.gathered.seen)
        weighed = next((one for one in reasoned.ranked if one.cause.id == name), None)
        one = weighed or judge(knowledge.causes[name], facts, seen, knowledge.weights)
        if word == "how":
            lines = explaining.how(one, facts, knowledge)
        else:
            lines = explaining.why_not(one, reasoned.ranked, facts, knowledge)
    click.echo("\n".join(safe(line) for line in lines))
    return FOUND if reasoned.diagnosis.found else NOTHING_FOUND


def _nearest(name: str, knowledge: Knowledge) -> str:
    import difflib

    close = difflib.get_close_matches(name, knowledge.causes, n=3, cutoff=0.4)
    return f"; nearest: {', '.join(close)}" if close else ""
