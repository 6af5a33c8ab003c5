"""The texts that only explanations and reports show."""

from __future__ import annotations

from ..scope import Scope
from ..validate import Located
from .fixes import guide
from .parts import Stored


def pages_section(scope: Scope) -> Stored:
    """Explanations, how people tell of causes, what was counted in reports, sources, checklists and playbook items."""
    of = scope.entries.of
    return {
        "explanation": {name: one.model.explanation for name, one in of("cause").items()},
        "told-as": {name: one.model.told_as for name, one in of("cause").items() if one.model.told_as},
        "reports": {name: one.model.model_dump(exclude={"symptom"}) for name, one in of("report").items()},
        "sources": _sources(scope),
        "checklist": {name: guide(scope, one) for name, one in of("checklist").items()},
        "playbook": {
            name: {"kind": one.model.kind, "says": one.model.says, "later": one.model.later or ""}
            for name, one in of("playbook-item").items()
        },
    }


def _sources(scope: Scope) -> Stored:
    found: Stored = {}
    for kind, entries in scope.entries.entries.items():
        for name, entry in entries.items():
            # A threshold has one source, and no list of them.
            sources = [entry.model.source] if kind == "limit" else getattr(entry.model, "sources", None)
            if sources:
                _check_items(scope, entry, sources)
                found.setdefault(kind, {})[name] = sources
    return found


def _check_items(scope: Scope, entry: Located, sources: list[str]) -> None:
    """A source that looks like a playbook item must be one."""
    for index, source in enumerate(sources):
        if len(source) == 3 and source[0] in "abcde" and source[1:].isdigit():
            scope.refer(entry, ("sources", index), "playbook-item", source)
