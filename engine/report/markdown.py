"""The incident report in Markdown."""

from __future__ import annotations

from collections.abc import Callable

from ..diagnosis import CauseFound, Diagnosis, FactFound
from ..facts import Place
from ..kb.knowledge import Knowledge
from .summary import worth_a_look
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
        looks=worth_a_look(diagnosis),
        why_rejected=why_rejected,
        is_new=_each_once(),
        explanation={one.id: knowledge.pages["explanation"].get(one.id, "") for one in considered},
        sources={one.id: _sources(one.id, knowledge) for one in considered},
        run=[one for one in diagnosis.facts if one.name.startswith(_RUN) and one.origin != "here"][
            :_FAMILIAR
        ],
        here=[one for one in diagnosis.facts if one.origin == "here"][:_FAMILIAR],
        settings=[one for one in diagnosis.facts if _is_setting(one, knowledge)][: 2 * _FAMILIAR],
        unknown=_unknown(considered, knowledge),
    )


def rejected(diagnosis: Diagnosis) -> list[CauseFound]:
    """Causes that were weighed and did not hold, those that came nearest first."""
    return [
        one for one in diagnosis.causes
        if one.verdict == "unlikely" and any(line.decibans for line in one.evidence)
    ]  # fmt: skip


def why_rejected(one: CauseFound) -> str:
    """What speaks against a cause, or that what speaks for it is too little."""
    told = [f"{line.statement} ({line.decibans:+.0f} dB)" for line in one.evidence if line.decibans < 0]
    if told:
        return "; ".join(told[:3])
    shown = "; ".join(f"{line.statement} ({line.decibans:+.0f} dB)" for line in one.evidence[:2])
    return (
        f"rare here ({one.prior_decibans:+.0f} dB before the evidence), and too little speaks for it: {shown}"
    )


def _each_once() -> Callable[[Place], bool]:
    """Whether a line of the run is met for the first time, so that a report quotes none twice."""
    met: set[tuple[str, int | None, str]] = set()

    def is_new(place: Place) -> bool:
        key = (place.input, place.line, place.text)
        return key not in met and not met.add(key)  # type: ignore[func-returns-value]

    return is_new


def _sources(cause: str, knowledge: Knowledge) -> list[str]:
    sources: list[str] = knowledge.pages["sources"].get("cause", {}).get(cause, [])
    return [one for one in sources if not (len(one) == 3 and one[1:].isdigit())]


def _is_setting(fact: FactFound, knowledge: Knowledge) -> bool:
    """Whether the run states it: what is concluded from settings, such as what is usual for an optimizer, is none."""
    family, _, name = fact.name.partition(".")
    stated = fact.origin != "default" and not fact.note.startswith("follows from ")
    return family == "config" and name in knowledge.settings and stated


def _unknown(considered: list[CauseFound], knowledge: Knowledge) -> list[tuple[str, str]]:
    """What is not known and would tell more, with what it means."""
    names = dict.fromkeys(name for one in considered[:3] for name in one.unknown)
    known = knowledge.facts
    return [(name, known[name].means) for name in names if name in known and known[name].ask][:15]
