"""Valid entries to the compiled form: plain JSON, every name and condition checked on the way."""

from __future__ import annotations

from ..scope import Scope
from .code import CODE
from .fixes import FIXES
from .live import LIVE
from .machine import MACHINE, facts_of
from .pages import pages_section
from .parts import Stored, section
from .prose import prose_section
from .reading import reading_section
from .reasoning import REASONING, asked_by, automatic_facts, check_examples
from .resemblance import resemblance_section
from .settings import SETTINGS


def compile_all(scope: Scope) -> dict[str, Stored]:
    """All sections of the compiled knowledge base. Mistakes are noted in the scope.

    `core` is what every diagnosis needs, `reading` what a log needs, `prose` what sentences need, `code` and
    `dialects` what a script and a configuration need, `machine` what is known about devices and installations, `live` what a run under observation needs,
    `pages` the texts that only explanations and reports show, `resemblance` the words of each cause.
    """
    core = section(scope, {**REASONING, **FIXES})
    core["fact"] |= automatic_facts(scope)
    core["derived"] = {"facts": [name for name, one in core["fact"].items() if one.get("derive")]}
    core["asked-by"] = asked_by(scope, core["cause"])
    core["weights"] = {name: one.model.model_dump() for name, one in scope.entries.of("weights").items()}
    core["limit"] = dict(scope.limits)
    check_examples(scope)
    machine = section(scope, MACHINE)
    machine["gives"] = facts_of(machine)
    return {
        "core": core,
        "reading": reading_section(scope),
        "prose": prose_section(scope),
        "code": section(scope, CODE),
        "dialects": section(scope, SETTINGS),
        "machine": machine,
        "live": section(scope, LIVE),
        "pages": pages_section(scope),
        "resemblance": resemblance_section(scope, core),
    }


__all__ = ["compile_all"]
