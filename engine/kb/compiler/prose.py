"""What sentences need: signatures of prose, phrases and trials."""

from __future__ import annotations

from ..literals import SHORTEST_IN_PROSE, literals, needs
from ..scope import Scope
from ..validate import Located
from .parts import Compilers, Stored, section
from .reading import signature, too_vague


def prose_section(scope: Scope) -> Stored:
    """All that sentences need; signatures name the groups of words they need by their place among the `groups`."""
    found = section(scope, _KINDS)
    groups: dict[tuple[str, ...], int] = {}
    found["signature"] = {
        name: _signature(scope, one, groups)
        for name, one in scope.entries.of("signature").items()
        if one.model.where == "prose"
    }
    found["words"] = {"groups": list(groups)}
    return found


def _signature(scope: Scope, entry: Located, groups: dict[tuple[str, ...], int]) -> Stored:
    wordings = needs(entry.model.pattern)
    if not all(wordings):
        too_vague(scope, entry, "pattern", SHORTEST_IN_PROSE)
    places = [[groups.setdefault(group, len(groups)) for group in wording] for wording in wordings]
    return signature(scope, entry) | {"words": [], "needs": places}


def _phrase(scope: Scope, entry: Located) -> Stored:
    return {"pattern": entry.model.pattern}


def _trial(scope: Scope, entry: Located) -> Stored:
    trial = entry.model
    scope.value(entry, ("gives",), trial.gives, True)
    scope.used.add(trial.gives)
    words = literals("|".join([*trial.any, *trial.otherwise]))
    if not words or min(map(len, words)) < SHORTEST_IN_PROSE:
        too_vague(scope, entry, "any", SHORTEST_IN_PROSE)
    return {
        "gives": trial.gives,
        "pattern": "|".join(trial.any),
        "otherwise": "|".join(trial.otherwise),
        "words": words,
        "trouble_counts": trial.trouble_counts,
        "values_of": trial.values_of or "",
        "raised": trial.raised,
        "one_is_enough": trial.one_is_enough,
    }


_KINDS: Compilers = {"phrase": _phrase, "trial": _trial}
