"""The incident report in Markdown."""

from __future__ import annotations

from ..diagnosis import CauseFound, Diagnosis, FactFound
from ..kb.knowledge import Knowledge
from .templating import render

_RUN = ("log.trainer", "config.dialect", "model.", "gpu.", "env.", "dist.", "log.steps", "log.total_steps")
_FAMILIAR = 40
"""How many facts about the machine and the run the report lists."""


def to_markdown(diagnosis: Diagnosis, knowledge: Knowledge) -> str:
    """The incident report, for an issue, a wiki or a colleague."""
    considered = [one for one in diagnosis.causes if one.verdict != "unlikely"]
    return render(
        "incident.md.j2",
        diagnosis=diagnosis,
        considered=considered,
        rejected=rejected(diagnosis),
        explanation={one.id: knowledge.pages["explanation"].get(one.id, "") for one in considered},
        sources={one.id: _sources(one.id, knowledge) for one in considered},
        run=[one for one in diagnosis.facts if one.name.startswith(_RUN) and one.origin != "here"][
            :_FAMILIAR
        ],
        here=[one for one in diagnosis.facts if one.origin == "here"][:_FAMILIAR],
        settings=[one for one in diagnosis.facts if _is_setting(one)][: 2 * _FAMILIAR],
        unknown=_unknown(considered, knowledge),
    )


def rejected(diagnosis: Diagnosis) -> list[CauseFound]:
    """Causes that were weighed and did not hold, those that came nearest first."""
    return [
        one for one in diagnosis.causes
        if one.verdict == "unlikely" and any(line.decibans for line in one.evidence)
    ]  # fmt: skip


def _sources(cause: str, knowledge: Knowledge) -> list[str]:
    sources: list[str] = knowledge.pages["sources"].get("cause", {}).get(cause, [])
    return [one for one in sources if not (len(one) == 3 and one[1:].isdigit())]


def _is_setting(fact: FactFound) -> bool:
    return fact.name.startswith("config.") and fact.origin != "default" and not fact.name.endswith("s_read")


def _unknown(considered: list[CauseFound], knowledge: Knowledge) -> list[tuple[str, str]]:
    """What is not known and would tell more, with what it means."""
    names = dict.fromkeys(name for one in considered[:3] for name in one.unknown)
    known = knowledge.facts
    return [(name, known[name].means) for name in names if name in known and known[name].ask][:15]
