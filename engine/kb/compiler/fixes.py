"""Fixes, procedures and checklists to their compiled form: everything a person may do."""

from __future__ import annotations

from typing import Any

from ..scope import Scope
from ..validate import Located
from .parts import Compilers, Stored


def _fix(scope: Scope, entry: Located) -> Stored:
    fix = entry.model
    for index, other in enumerate(fix.conflicts):
        scope.refer(entry, ("conflicts", index), "fix", other)
    if fix.snippet and fix.snippet not in scope.snippets:
        scope.problems.append(entry.problem(("snippet",), f"there is no snippet `{fix.snippet}`"))
    settings = {name: _change(scope, entry, name, change) for name, change in fix.settings.items()}
    return {
        "title": fix.title,
        "safety": fix.safety,
        "effort_minutes": fix.effort_minutes,
        "expect": scope.text(entry, ("expect",), fix.expect),
        "why": scope.text(entry, ("why",), fix.why or ""),
        "when": scope.condition(entry, ("when",), fix.when) if fix.when else None,
        "when_says": fix.when_says or "",
        "when_unknown": fix.when_unknown,
        "leads": scope.condition(entry, ("leads",), fix.leads) if fix.leads else None,
        "gives": scope.condition(entry, ("gives",), fix.gives, "number") if fix.gives else None,
        "settings": settings,
        "snippet": fix.snippet or "",
        "command": scope.text(entry, ("command",), fix.command or ""),
        "steps": [scope.text(entry, ("steps", index), step) for index, step in enumerate(fix.steps)],
        "take_back_when": fix.take_back.when if fix.take_back else "",
        "take_back_steps": fix.take_back.steps if fix.take_back else [],
        "conflicts": fix.conflicts,
    }


def _change(scope: Scope, entry: Located, name: str, change: Any) -> Stored:
    path = ("settings", name)
    scope.refer(entry, path, "setting", name, on_key=True)
    if not hasattr(change, "multiply"):
        scope.value(entry, path, f"config.{name}", change)
        return {"way": "set", "value": change}
    way = next(
        way
        for way in ("set", "multiply", "at_least", "at_most", "compute")
        if getattr(change, way) is not None
    )
    if way == "set":
        scope.value(entry, (*path, "set"), f"config.{name}", change.set)
    only_if = scope.condition(entry, (*path, "only_if"), change.only_if) if change.only_if else None
    stored = {"way": way, "otherwise": change.otherwise, "digits": change.digits, "only_if": only_if}
    if way == "compute":
        checked = scope.condition(entry, (*path, "compute"), change.compute, "number")
        return stored | {"expression": checked}
    return stored | {"value": getattr(change, way)}


def guide(scope: Scope, entry: Located) -> Stored:
    """A procedure or a checklist."""
    one = entry.model
    for index, symptom in enumerate(getattr(one, "symptoms", [])):
        scope.refer(entry, ("symptoms", index), "symptom", symptom)
    steps = []
    for index, step in enumerate(getattr(one, "steps", None) or one.items):
        if fact := getattr(step, "fact", None):
            scope.fact(entry, ("steps", index, "fact"), fact)
        passes = getattr(step, "passes", None)
        steps.append(
            {
                "do": getattr(step, "do", None) or step.text,
                "minutes": getattr(step, "minutes", 0.0),
                "fact": fact or "",
                "tells": getattr(step, "tells", None) or "",
                "passes": scope.condition(entry, ("items", index, "passes"), passes) if passes else None,
                "owner": getattr(step, "owner", None) or "",
            }
        )
    return {"title": one.title, "symptoms": getattr(one, "symptoms", []), "steps": steps}


FIXES: Compilers = {"fix": _fix, "procedure": guide}
