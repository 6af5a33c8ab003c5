"""The page of one id: what it is, in fixed sections. Markdown, made from the knowledge base alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..diagnosis import CauseFound
from ..kb.knowledge import Knowledge
from .templating import render

_NEAREST = 5
"""Ids that are named in place of one that does not exist."""


class NoPage(KeyError):
    """Nothing has this id. `nearest` are the ids that look like it."""

    def __init__(self, name: str, nearest: list[str]) -> None:
        super().__init__(name)
        self.name, self.nearest = name, nearest


class InputShown(NamedTuple):
    """An input of an example."""

    name: str
    kind: str
    text: str


class Shown(NamedTuple):
    """An example of a cause, and what the engine made of it."""

    symptom: str
    inputs: tuple[InputShown, ...]
    stated: tuple[str, ...]
    """What is known besides: `test.fp32_clears_nan = True`."""
    found: CauseFound
    fix: str = ""
    """The fix that changes a file, where one does."""
    patch: str = ""


def page(name: str, knowledge: Knowledge) -> str:
    """The page of a cause, symptom, fix, fact, signature, pattern, procedure, checklist or playbook item.

    Raises NoPage with the nearest ids.
    """
    for kind, entries in _kinds(knowledge).items():
        if name in entries:
            return _PAGES[kind](name, knowledge).rstrip() + "\n"
    raise NoPage(name, _nearest(name, [one for entries in _kinds(knowledge).values() for one in entries]))


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    """The ids that a word is a part of, causes and symptoms first, and those that look like it."""
    import difflib

    word = name.lower()
    parts = [one for one in known if word in one.replace("_", "-").replace(".", "-").split("-")]
    alike = difflib.get_close_matches(name, known, n=_NEAREST, cutoff=0.5)
    return list(dict.fromkeys([*parts, *alike]))[:_NEAREST]


def _kinds(knowledge: Knowledge) -> Mapping[str, Mapping[str, Any]]:
    return {
        "cause": knowledge.causes,
        "symptom": knowledge.symptoms,
        "fix": knowledge.fixes,
        "procedure": knowledge.procedures,
        "checklist": knowledge.checklists,
        "playbook": knowledge.pages["playbook"],
        "fact": knowledge.facts,
        "signature": knowledge.all_signatures,
        "code-pattern": knowledge.code_patterns,
    }


def _sources(kind: str, name: str, knowledge: Knowledge) -> list[str]:
    sources: list[str] = knowledge.pages["sources"].get(kind, {}).get(name, [])
    return sources


def cause_page(name: str, knowledge: Knowledge, example: Shown | None = None) -> str:
    """The page of a cause, with an example where there is one to show."""
    cause = knowledge.causes[name]
    return render(
        "pages/cause.md.j2",
        cause=cause,
        explanation=knowledge.pages["explanation"].get(name, ""),
        told_as=knowledge.pages["told-as"].get(name, ()),
        fixes=[knowledge.fixes[one] for one in cause.fixes],
        sources=_sources("cause", name, knowledge),
        facts=dict.fromkeys(fact for line in cause.evidence for fact in line.rule.names),
        example=example,
    )


def _symptom(name: str, knowledge: Knowledge) -> str:
    causes = [one for one in knowledge.causes.values() if name in one.symptoms]
    return render(
        "pages/symptom.md.j2",
        symptom=knowledge.symptoms[name],
        causes=sorted(causes, key=lambda one: (-one.priors[name], one.id)),
        counted=knowledge.pages["reports"].get(name),
        guides=[one for one in knowledge.procedures.values() if name in one.symptoms],
        sources=_sources("symptom", name, knowledge),
    )


def _fix(name: str, knowledge: Knowledge) -> str:
    return render(
        "pages/fix.md.j2",
        fix=knowledge.fixes[name],
        causes=[one for one in knowledge.causes.values() if name in one.fixes],
        sources=_sources("fix", name, knowledge),
    )


def _fact(name: str, knowledge: Knowledge) -> str:
    asking = [
        (cause, line)
        for cause in knowledge.causes.values()
        for line in cause.evidence
        if name in line.rule.needs
    ]  # fmt: skip
    givers = [
        one for one in knowledge.all_signatures.values() if name in (*one.captures.values(), *one.facts)
    ]
    patterns = [one for one in knowledge.code_patterns.values() if name in one.captures.values()]
    return render(
        "pages/fact.md.j2", fact=knowledge.facts[name], asking=asking, givers=givers, patterns=patterns
    )


def _guide(name: str, knowledge: Knowledge) -> str:
    kind = "procedure" if name in knowledge.procedures else "checklist"
    guide = knowledge.procedures.get(name) or knowledge.checklists[name]
    return render("pages/guide.md.j2", guide=guide, kind=kind, sources=_sources(kind, name, knowledge))


def _playbook(name: str, knowledge: Knowledge) -> str:
    from ..kb.coverage import coverage

    item = next(one for one in coverage(knowledge) if one.id == name)
    return render("pages/playbook.md.j2", item=item)


def _signature(name: str, knowledge: Knowledge) -> str:
    signature = knowledge.all_signatures[name]
    return render(
        "pages/signature.md.j2",
        signature=signature,
        asking=_askers(signature.fact, knowledge),
        sources=_sources("signature", name, knowledge),
    )


def _pattern(name: str, knowledge: Knowledge) -> str:
    pattern = knowledge.code_patterns[name]
    return render(
        "pages/pattern.md.j2",
        pattern=pattern,
        asking=_askers(pattern.fact, knowledge),
        sources=_sources("code-pattern", name, knowledge),
    )


def _askers(fact: str, knowledge: Knowledge) -> list[Any]:
    causes = knowledge.causes.values()
    return [one for one in causes if any(fact in line.rule.needs for line in one.evidence)]


_PAGES: Mapping[str, Callable[[str, Knowledge], str]] = {
    "cause": cause_page, "symptom": _symptom, "fix": _fix, "procedure": _guide, "checklist": _guide,
    "playbook": _playbook, "fact": _fact, "signature": _signature, "code-pattern": _pattern,
}  # fmt: skip
