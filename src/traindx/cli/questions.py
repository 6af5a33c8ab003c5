"""Questions on a terminal: the best next test first, with a way to skip and to ask why."""

from __future__ import annotations

import sys

import click

from traindx.engine.diagnose import Reasoned
from traindx.engine.explain import why
from traindx.engine.facts import Fact, Origin, Place
from traindx.engine.next_tests import NextTest, next_tests
from traindx.engine.redact import safe
from traindx.probes.answers import BadAnswer, to_value

from .errors import BadCall
from .session import Session

_MOST = 12
"""Nobody answers more questions than this."""


def ask_on(reasoned: Reasoned, session: Session) -> Reasoned:
    """Ask until the cause is confirmed, nothing is left to ask, or the person has had enough.

    Raises BadCall where there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise BadCall("--ask needs a terminal; use --answer FACT=VALUE")
    skipped: set[str] = set()
    for _ in range(_MOST):
        tests = next_tests(reasoned.ranked, reasoned.gathered.facts, session.knowledge, top=_MOST)
        test = next((one for one in tests if one.fact.name not in skipped), None)
        if test is None or reasoned.ranked[0].verdict == "confirmed":
            break
        answer = _ask(test, reasoned, session)
        if answer == "quit":
            break
        if isinstance(answer, Fact):
            reasoned = session.more(reasoned, answer)
        else:
            skipped.add(test.fact.name)
    return reasoned


def _ask(test: NextTest, reasoned: Reasoned, session: Session) -> Fact | str:
    fact = test.fact
    click.echo(f"\n{fact.ask}  ({fact.minutes:g} min, {fact.name})", err=True)
    if fact.measure:
        click.echo(f"  {fact.measure}", err=True)
    expected = "yes, no" if fact.type == "bool" else ", ".join(fact.values) or f"a {fact.type}"
    while True:
        text = click.prompt(f"  {expected}; skip, why, quit", default="skip", err=True).strip()
        if text in ("skip", "s", "?", ""):
            return "skip"
        if text in ("quit", "q"):
            return "quit"
        if text.rstrip("?") in ("why", "w") or text.lower().startswith("why do you ask"):
            click.echo("\n".join(safe(line) for line in why(test)), err=True)
            continue
        try:
            return Fact(fact.name, to_value(text, fact), Origin.ANSWER, (Place("answer"),))
        except BadAnswer as error:
            click.echo(f"  {error}", err=True)
