"""Valid entries to the compiled form: plain JSON, every name and condition checked on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...beside import beside
from ..problems import Problem
from ..scope import Scope
from ..sections import dump_section
from .code import CODE
from .fixes import FIXES
from .live import LIVE
from .machine import MACHINE, facts_of
from .pages import pages_section
from .parts import Stored, section
from .priors import check_reports, priors_of
from .prose import prose_section
from .reading import reading_section
from .reasoning import REASONING, asked_by, automatic_facts, check_examples
from .resemblance import resemblance_section
from .settings import SETTINGS


def compile_all(scope: Scope, changes: list[str]) -> dict[str, str]:
    """All sections of the compiled knowledge base, as the texts that the cache holds. Mistakes are noted in the scope.

    `core` is what every diagnosis needs, `reading` what a log needs, `prose` what sentences need, `code` and
    `dialects` what a script and a configuration need, `machine` what is known about devices and installations, `live` what a run under observation needs,
    `pages` the texts that only explanations and reports show, `resemblance` the words of each cause. `changes` says what other packs
    than the first replaced and added.
    """
    rest = beside(lambda: _compiled_beside(scope))
    core = section(scope, {**REASONING, **FIXES})
    core["fact"] |= automatic_facts(scope)
    core["derived"] = {"facts": [name for name, one in core["fact"].items() if one.get("derive")]}
    for name, priors in priors_of(scope, core["cause"]).items():
        core["cause"][name]["priors"] = priors
    core["asked-by"] = asked_by(scope, core["cause"])
    core["weights"] = {
        name: one.model.model_dump(exclude={"word_is_worth"})
        for name, one in scope.entries.of("weights").items()
    }
    core["limit"] = dict(scope.limits)
    core["packs"] = {"changes": changes}
    check_examples(scope)
    check_reports(scope)
    texts = _texts({"core": core, "resemblance": resemblance_section(scope, core)})
    others, problems, used = rest()
    scope.problems += problems
    scope.used |= used
    return texts | others


def _compiled_beside(scope: Scope) -> tuple[dict[str, str], list[Problem], set[str]]:
    """The sections that need no other, which take about as long, the mistakes in them and the facts they use."""
    scope = replace(scope, problems=[], used=set())
    machine = section(scope, MACHINE)
    machine["gives"] = facts_of(machine)
    sections = {
        "dialects": section(scope, SETTINGS),
        "machine": machine,
        "live": section(scope, LIVE),
        "reading": reading_section(scope),
        "prose": prose_section(scope),
        "code": section(scope, CODE),
        "pages": pages_section(scope),
    }
    return _texts(sections), scope.problems, scope.used


def _texts(sections: Mapping[str, Stored]) -> dict[str, str]:
    return {name: dump_section(one) for name, one in sections.items()}


__all__ = ["compile_all"]
