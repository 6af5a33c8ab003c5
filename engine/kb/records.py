"""Stored entries to the records that the engine and the probes use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from . import rules
from .rules import rule_from

Record = TypeVar("Record")
Stored: TypeAlias = dict[str, Any]


def maker(record: Callable[..., Record], *lists: str) -> Callable[[str, Stored], Record]:
    """Makes records whose fields are those of the stored entry; the lists under some keys become tuples."""
    return lambda name, stored: record(name, **_with_tuples(stored, *lists))


def _with_tuples(stored: Stored, *keys: str) -> Stored:
    return stored | {key: tuple(stored[key]) for key in keys}


def cause_of(name: str, stored: Stored) -> rules.CauseRule:
    """A cause."""
    return rules.CauseRule(
        name, stored["title"], stored["family"], stored["pack"], stored["symptoms"],
        stored["priors"], tuple(map(_evidence, stored["evidence"])), tuple(stored["fixes"]), stored["is_mistake"],
    )  # fmt: skip


def symptom_of(name: str, stored: Stored) -> rules.SymptomRule:
    """A symptom."""
    detect = tuple(map(_evidence, stored["detect"]))
    silent, met = stored["silent"], stored["met"]
    return rules.SymptomRule(name, stored["title"], tuple(stored["aliases"]), detect, silent, met)


def _evidence(stored: Stored) -> rules.EvidenceRule:
    return rules.EvidenceRule(
        rules.Rule(*stored["rule"]), stored["because"], stored["otherwise"],
        stored["supports"], stored["against"], stored["absent"],
        stored["is_mistake"],
    )  # fmt: skip


def fact_of(name: str, stored: Stored) -> rules.FactRule:
    """A fact and what it follows from."""
    derive = tuple(
        rules.DerivationRule(rule_from(one["when"]), one["value"], rule_from(one["expression"]))
        for one in stored.get("derive", ())
    )
    made = {
        "derive": derive, "values": tuple(stored.get("values", ())), "supposes": rule_from(stored.get("supposes")),
    }  # fmt: skip
    return rules.FactRule(name, **stored | made)


def prose_signature_of(name: str, stored: Stored) -> rules.SignatureRule:
    """A signature of what people write."""
    needs = tuple(map(tuple, stored["needs"]))
    return rules.SignatureRule(name, **_with_tuples(stored, "words") | {"needs": needs})


def check_of(name: str, stored: Stored) -> rules.CheckRule:
    """A contradiction between settings."""
    return rules.CheckRule(name, rules.Rule(*stored["rule"]), stored["says"])


def device_of(name: str, stored: Stored) -> rules.DeviceRule:
    """A device."""
    sizes = {key: {model: tuple(gib) for model, gib in stored[key].items()} for key in ("memory", "laptop")}
    return rules.DeviceRule(id=name, **_with_tuples(stored, "brand") | sizes)


def fix_of(name: str, stored: Stored) -> rules.FixRule:
    """A fix."""
    settings = {
        setting: rules.ChangeRule(**one | {key: rule_from(one.get(key)) for key in ("expression", "only_if")})
        for setting, one in stored["settings"].items()
    }
    conditions = {key: rule_from(stored[key]) for key in ("when", "leads", "gives")}
    changed = _with_tuples(stored, "steps", "take_back_steps", "conflicts") | {"settings": settings}
    return rules.FixRule(id=name, **changed | conditions)


def pattern_of(name: str, stored: Stored) -> rules.CodePatternRule:
    """A code pattern."""
    flow = stored["flow"] and rules.FlowRule(**_with_tuples(stored["flow"], "source_argument", "argument"))
    return rules.CodePatternRule(id=name, **stored | {"flow": flow})


def notice_of(name: str, stored: Stored) -> rules.NoticeRule:
    """Something worth a line."""
    return rules.NoticeRule(id=name, **stored | {"rule": rules.Rule(*stored["rule"])})


def experiment_of(name: str, stored: Stored) -> rules.ExperimentRule:
    """Something that can be tried on the run itself."""
    answers = tuple(
        rules.AnswerRule(one["fact"], rule_from(one["before"]), rules.Rule(*one["yes"]), rule_from(one["no"]))
        for one in stored["answers"]
    )
    changed = stored | {"when": rule_from(stored["when"]), "answers": answers}
    return rules.ExperimentRule(id=name, **changed)


def guide_of(name: str, stored: Stored) -> rules.GuideRule:
    """A procedure or a checklist."""
    steps = tuple(rules.StepRule(**one | {"passes": rule_from(one["passes"])}) for one in stored["steps"])
    return rules.GuideRule(name, stored["title"], tuple(stored["symptoms"]), steps)
