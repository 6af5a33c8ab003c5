"""Notices and experiments to their compiled form: everything a run under observation needs."""

from __future__ import annotations

from typing import Any

from ..rules import WAYS
from ..scope import Scope, fact_of
from ..validate import Located
from .parts import Compilers, Stored


def _notice(scope: Scope, entry: Located) -> Stored:
    notice = entry.model
    scope.fact(entry, ("fact",), notice.fact)
    if notice.again:
        scope.fact(entry, ("again",), notice.again)
    return {
        "rule": scope.condition(entry, ("if",), notice.if_),
        "says": scope.text(entry, ("says",), notice.says),
        "fact": notice.fact,
        "again": notice.again or "",
    }


def _experiment(scope: Scope, entry: Located) -> Stored:
    experiment = entry.model
    answers = []
    for index, one in enumerate(experiment.answers):
        path = ("answers", index)
        scope.value(entry, (*path, "fact"), one.fact, True)
        before = scope.condition(entry, (*path, "before"), one.before) if one.before else None
        yes = scope.condition(entry, (*path, "yes"), one.yes)
        no = scope.condition(entry, (*path, "no"), one.no) if one.no else None
        answers.append({"fact": one.fact, "before": before, "yes": yes, "no": no})
    return {
        "settings": {name: _ways(scope, entry, name, one) for name, one in experiment.settings.items()},
        "title": experiment.title,
        "change": experiment.change,
        "environment": experiment.environment,
        "steps": experiment.steps or 0,
        "when": scope.condition(entry, ("when",), experiment.when) if experiment.when else None,
        "alone": experiment.alone,
        "answers": answers,
    }


def _ways(scope: Scope, entry: Located, name: str, ways: Any) -> list[Any]:
    """How a setting differs in a run that is this experiment."""
    path = ("settings", name)
    scope.refer(entry, path, "setting", name, on_key=True)
    listed = ways if isinstance(ways, list) else [ways]
    fact = fact_of("setting", name)
    for one in listed:
        if one not in WAYS and scope.type_of(fact):
            scope.value(entry, path, fact, one)
    return listed


LIVE: Compilers = {"notice": _notice, "experiment": _experiment}
