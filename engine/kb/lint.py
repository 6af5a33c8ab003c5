"""What is no mistake and still worth mending: words nobody uses, facts nobody can give."""

from __future__ import annotations

from collections.abc import Iterator

from ..regex import regex
from .scope import Scope, fact_of
from .validate import Located

_DEAD_MARKS = {
    regex(
        r"\\b\((?:\?:)?(?:[^()|]*\|)*n\[['’]+\]"
    ): r"no word begins with `n't`: write `\w*n['’]t` behind `\b`",
    regex(r"%\)?\\b"): r"no word ends in `%`: write `(?!\w)` and not `\b` behind it",
    regex(
        r"\(\?!\[(?:\.\\d|\\d\.)\]\)"
    ): r"a figure may end a sentence: write `(?!\.?\d)` and not `(?![.\d])`",
}
"""What never matches what it was written for, and why."""


def warnings(scope: Scope) -> Iterator[str]:
    """Each as `file:line: text`, in the order of the files. Ask after everything was compiled."""
    found = [
        *_unused_fixes(scope),
        *_unused_readings(scope),
        *_unheard_facts(scope),
        *_lonely_symptoms(scope),
        *_dead_marks(scope),
    ]
    yield from sorted(found)


def _at(entry: Located, text: str) -> str:
    document = entry.raw.document
    return f"{document.name}:{document.tree.at(entry.raw.path).line}: {text}"


def _unused_fixes(scope: Scope) -> Iterator[str]:
    used = {fix for cause in scope.entries.of("cause").values() for fix in cause.model.fixes}
    for name, entry in scope.entries.of("fix").items():
        if name not in used:
            yield _at(entry, f"no cause names the fix `{name}`")


def _unused_readings(scope: Scope) -> Iterator[str]:
    """Signatures and patterns that lead nowhere: no rule asks for their fact, and they bring no other."""
    for kind in ("signature", "code-pattern"):
        for name, entry in scope.entries.of(kind).items():
            brings = getattr(entry.model, "facts", None) or getattr(entry.model, "captures", None)
            # What a machine printed stands on the timeline at least.
            shown = kind == "signature" and entry.model.where != "prose" and entry.model.role != "context"
            if fact_of(kind, name) not in scope.used and not brings and not shown:
                yield _at(entry, f"no rule asks for `{fact_of(kind, name)}`")


def _unheard_facts(scope: Scope) -> Iterator[str]:
    for name, entry in scope.entries.of("fact").items():
        if name not in scope.used and not entry.model.ask and name.split(".")[0] in ("test", "data"):
            yield _at(entry, f"no rule asks for `{name}`, and no person is asked")


def _lonely_symptoms(scope: Scope) -> Iterator[str]:
    listed = {symptom for cause in scope.entries.of("cause").values() for symptom in cause.model.symptoms}
    guided = {symptom for guide in scope.entries.of("procedure").values() for symptom in guide.model.symptoms}
    for name, entry in scope.entries.of("symptom").items():
        if name not in listed:
            yield _at(entry, f"no cause lists the symptom `{name}`")
        if name not in guided:
            yield _at(entry, f"no procedure goes about the symptom `{name}`")


def _dead_marks(scope: Scope) -> Iterator[str]:
    for kind in ("phrase", "signature", "trial", "cause", "symptom"):
        for name, entry in scope.entries.of(kind).items():
            for pattern in _said_in(kind, entry):
                for mark, why in _DEAD_MARKS.items():
                    if mark.search(pattern):
                        yield _at(entry, f"`{name}`: {why}")


def _said_in(kind: str, entry: Located) -> Iterator[str]:
    """The patterns of an entry that are looked for in sentences."""
    model = entry.model
    if kind == "phrase" or (kind == "signature" and model.where == "prose"):
        yield model.pattern
    elif kind == "trial":
        yield from (*model.any, *model.otherwise)
    elif kind in ("cause", "symptom"):
        lines = model.evidence if kind == "cause" else model.detect
        yield from (line.if_ for line in lines if "said(" in line.if_)
