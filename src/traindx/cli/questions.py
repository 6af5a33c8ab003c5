"""Questions on a terminal: the best next test first, with a way to skip and to ask why."""

from __future__ import annotations

import sys

import click

from traindx.engine.diagnose import Reasoned
from traindx.engine.explain import why
from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.next_tests import NextTest, next_tests
from traindx.engine.redact import safe
from traindx.engine.wording import percent, show
from traindx.probes.answers import BadAnswer, to_value

from .errors import BadCall
from .session import Session

_MOST = 12
"""Nobody answers more questions than this."""
_SKIP = frozenset((
    "", "skip", "s", "idk", "unknown", "unsure", "not sure", "don't know", "dont know", "do not know", "i don't know",
    "i dont know", "i do not know", "no idea",
))  # fmt: skip
"""What a person types who cannot tell."""


def ask_on(reasoned: Reasoned, session: Session) -> Reasoned:
    """Ask until the cause is confirmed, nothing is left to ask, or the person has had enough.

    Raises BadCall where there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise BadCall("--ask needs a terminal; use --answer FACT=VALUE")
    skipped: set[str] = set()
    given: list[str] = []
    shown = ""
    try:
        for _ in range(_MOST):
            tests = next_tests(reasoned.ranked, reasoned.gathered.facts, session.knowledge, top=_MOST)
            test = next((one for one in tests if one.fact.name not in skipped), None)
            if test is None or reasoned.ranked[0].verdict == "confirmed":
                break
            if (now := _so_far(reasoned)) != shown:
                click.echo(f"\n{now}", err=True)
                shown = now
            answer = _ask(test)
            if answer == "quit":
                break
            if isinstance(answer, Fact):
                given.append(f"--answer {answer.name}={show(answer.value)}")
                reasoned = session.more(reasoned, answer)
            else:
                skipped.add(test.fact.name)
    finally:  # stopped in the middle as well: nobody likes to answer twice
        if given:
            click.echo(f"\nThe same without questions: {' '.join(given)}\n", err=True)
    return reasoned


def _so_far(reasoned: Reasoned) -> str:
    """What is wrong and the first cause, as it stands before a question."""
    symptoms = ", ".join(one.title for one in reasoned.diagnosis.symptoms[:1])
    first = reasoned.diagnosis.causes[0] if reasoned.diagnosis.causes else None
    cause = (
        f"{first.title}  {first.id}  {first.verdict}, {percent(first.confidence)}"
        if first
        else "no cause yet"
    )
    return safe(f"{symptoms}. So far: {cause}" if symptoms else f"So far: {cause}")


def _ask(test: NextTest) -> Fact | str:
    fact = test.fact
    click.echo(f"\n{fact.ask}  ({fact.minutes:g} min, {fact.name})", err=True)
    if fact.measure:
        click.echo(f"  {fact.measure}", err=True)
    expected = "yes, no" if fact.type == "bool" else ", ".join(fact.values) or f"a {fact.type}"
    while True:
        text = _typed(f"  {expected}; skip, why, quit")
        word = text.lower().rstrip("?.!")
        if word in _SKIP:
            return "skip"
        if word in ("quit", "q", "exit"):
            return "quit"
        if word in ("why", "w") or word.startswith("why do you ask"):
            click.echo("\n".join(safe(line) for line in why(test)), err=True)
            continue
        try:
            return Fact(fact.name, to_value(text, fact), Origin.ANSWER, (Place("answer"),))
        except BadAnswer as error:
            click.echo(f"  {error}", err=True)


def _typed(prompt: str) -> str:
    """What a person types. The end of the input (Ctrl-D) means that there is no more to say; Ctrl-C stops all."""
    try:
        return str(click.prompt(prompt, default="skip", err=True)).strip()
    except click.Abort as error:
        click.echo(err=True)
        if isinstance(error.__context__, EOFError):
            return "quit"
        raise
