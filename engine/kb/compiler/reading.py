"""What a log needs: signatures of machine output, log formats, metrics, frames and words."""

from __future__ import annotations

from ..literals import literals
from ..scope import Scope, fact_of
from ..telling import Telling, telling
from ..validate import Located
from .parts import Compilers, Stored, section

SHORTEST_LITERAL = 3
"""A signature whose surest literal is shorter would make every line a candidate."""


def reading_section(scope: Scope) -> Stored:
    """All that logs need."""
    found = section(scope, _KINDS)
    found["signature"] = {
        name: _signature(scope, one)
        for name, one in scope.entries.of("signature").items()
        if one.model.where != "prose"
    }
    # A signature without a literal is as one with an empty literal, which every line holds.
    entries = ((word, name) for name, one in found["signature"].items() for word in one["words"] or [""])
    found["vocabulary"] = _as_text(telling(entries))
    found["gives"] = {name: one["fact"] for name, one in found["signature"].items()}
    return found


def _as_text(words: Telling[str]) -> Stored:
    """Words as JSON holds them."""
    whole, edges = ({word.decode(): keys for word, keys in one.items()} for one in (words.whole, words.edges))
    return {"whole": whole, "edges": edges, "wordless": words.wordless}


def _signature(scope: Scope, entry: Located) -> Stored:
    return signature(scope, entry) | {"words": _surest(scope, entry, "pattern", entry.model.pattern)}


def signature(scope: Scope, entry: Located) -> Stored:
    """What signatures of machine output and of prose have in common."""
    one = entry.model
    for group, fact in one.captures.items():
        scope.fact(entry, ("captures", group), fact)
    for fact, value in one.facts.items():
        scope.value(entry, ("facts", fact), fact, value)
        scope.used.add(fact)
    return {
        "fact": fact_of("signature", one.id),
        "pattern": one.pattern,
        "means": one.means,
        "role": one.role,
        "where": one.where,
        "lines": one.lines,
        "captures": one.captures,
        "facts": one.facts,
    }


def _surest(scope: Scope, entry: Located, key: str, pattern: str) -> list[str]:
    found = list(literals(pattern))
    if not found or min(map(len, found)) < SHORTEST_LITERAL:
        too_vague(scope, entry, key, SHORTEST_LITERAL)
    return found


def too_vague(scope: Scope, entry: Located, key: str, shortest: int) -> None:
    """Note that a pattern cannot be searched for fast."""
    message = f"`{key}` has no literal text of {shortest} characters that every match must contain"
    scope.problems.append(entry.problem((key,), message, "write a part of the message out"))


def _format(scope: Scope, entry: Located) -> Stored:
    one = entry.model
    for name, metric in one.fields.items():
        scope.refer(entry, ("fields", name), "metric", metric)
    return {
        "trainer": one.trainer,
        "title": one.title,
        "recognise": one.recognise,
        "words": _surest(scope, entry, "recognise", one.recognise),
        "pattern": one.pattern or "",
        "fields": one.fields,
        "quirks": one.quirks,
    }


def _frame(scope: Scope, entry: Located) -> Stored:
    if entry.model.fact:
        scope.fact(entry, ("fact",), entry.model.fact)
    one = entry.model
    return {"fact": one.fact or "", "innermost": one.innermost, "pattern": one.pattern}


def _words(scope: Scope, entry: Located) -> Stored:
    return {"words": entry.model.words}


def _metric(scope: Scope, entry: Located) -> Stored:
    return {"names": [name.lower() for name in entry.model.names], "unit": entry.model.unit or ""}


_KINDS: Compilers = {"log-format": _format, "metric": _metric, "frame": _frame, "words": _words}
