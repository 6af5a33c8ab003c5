"""The knowledge base as the engine and the probes use it. Sections are read when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from . import rules
from .lazily import Lazily
from .rules import rule_from

Sections = Callable[[str], dict[str, Any]]
"""Gives a compiled section by name."""


class Knowledge:
    """All rules, by id.

    `sections` gives the compiled form; `packs` names what user packs added or replaced.
    """

    def __init__(self, sections: Sections, packs: tuple[str, ...] = ()) -> None:
        self._sections = sections
        self.packs = packs

    @cached_property
    def causes(self) -> Mapping[str, rules.CauseRule]:
        """The causes."""
        return {
            name: rules.CauseRule(
                name, one["title"], one["family"], one["pack"], one["symptoms"],
                tuple(map(_evidence, one["evidence"])), tuple(one["fixes"]),
            )
            for name, one in self._core("cause").items()
        }  # fmt: skip

    @cached_property
    def symptoms(self) -> Mapping[str, rules.SymptomRule]:
        """The symptoms."""
        return {
            name: rules.SymptomRule(name, one["title"], tuple(one["aliases"]), tuple(map(_evidence, one["detect"])))
            for name, one in self._core("symptom").items()
        }

    @cached_property
    def facts(self) -> Mapping[str, rules.FactRule]:
        """The declared facts, and those that signatures, patterns, settings and checks bring."""
        return Lazily(self._core("fact"), _fact)

    @cached_property
    def derived(self) -> tuple[rules.FactRule, ...]:
        """The facts that may follow from others."""
        return tuple(self.facts[name] for name, one in self._core("fact").items() if one.get("derive"))

    @cached_property
    def fixes(self) -> Mapping[str, rules.FixRule]:
        """The fixes."""
        return Lazily(self._core("fix"), _fix)

    @cached_property
    def procedures(self) -> Mapping[str, rules.GuideRule]:
        """The procedures."""
        return Lazily(self._core("procedure"), _guide)

    @cached_property
    def checklists(self) -> Mapping[str, rules.GuideRule]:
        """The checklists."""
        return {name: _guide(name, one) for name, one in self.pages["checklist"].items()}

    @cached_property
    def limits(self) -> Mapping[str, float]:
        """The named thresholds."""
        return self._core("limit")

    @cached_property
    def weights(self) -> rules.Weights:
        """What the words weigh."""
        return rules.Weights(**self._core("weights")["weights"])

    @cached_property
    def signatures(self) -> Mapping[str, rules.SignatureRule]:
        """The error texts and events. Those that only people write are among `prose_signatures`."""
        return {
            name: rules.SignatureRule(id=name, **_tuples(one, "words"))
            for name, one in self._sections("reading")["signature"].items()
        }

    @cached_property
    def prose_signatures(self) -> Mapping[str, rules.SignatureRule]:
        """What people write about runs."""
        return {
            name: rules.SignatureRule(id=name, **_tuples(one, "words") | {"needs": tuple(map(tuple, one["needs"]))})
            for name, one in self._sections("prose")["signature"].items()
        }

    @property
    def all_signatures(self) -> Mapping[str, rules.SignatureRule]:
        """The signatures of both kinds."""
        return {**self.signatures, **self.prose_signatures}

    @cached_property
    def word_groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of words, in lower case, that the signatures of prose need."""
        return tuple(map(tuple, self._sections("prose")["group"]))

    @cached_property
    def phrases(self) -> Mapping[str, str]:
        """Groups of words as regular expressions, by name."""
        return {name: one["pattern"] for name, one in self._sections("prose")["phrase"].items()}

    @cached_property
    def trials(self) -> Mapping[str, rules.TrialRule]:
        """What people try to see whether it helps."""
        return {
            name: rules.TrialRule(id=name, **_tuples(one, "words"))
            for name, one in self._sections("prose")["trial"].items()
        }

    @cached_property
    def log_formats(self) -> Mapping[str, rules.LogFormatRule]:
        """How trainers print."""
        return {
            name: rules.LogFormatRule(id=name, **_tuples(one, "words", "quirks"))
            for name, one in self._sections("reading")["log-format"].items()
        }

    @cached_property
    def metrics(self) -> Mapping[str, rules.MetricRule]:
        """The metrics and their names."""
        return {
            name: rules.MetricRule(id=name, **_tuples(one, "names"))
            for name, one in self._sections("reading")["metric"].items()
        }

    @cached_property
    def frames(self) -> Mapping[str, rules.FrameRule]:
        """What frames of a traceback say."""
        return {name: rules.FrameRule(name, **one) for name, one in self._sections("reading")["frame"].items()}

    @cached_property
    def words(self) -> Mapping[str, frozenset[str]]:
        """The words that readers go by."""
        return {name: frozenset(one["words"]) for name, one in self._sections("reading")["words"].items()}

    @cached_property
    def code_patterns(self) -> Mapping[str, rules.CodePatternRule]:
        """The patterns over Python source."""
        return {name: _pattern(name, one) for name, one in self._sections("code")["code-pattern"].items()}

    @cached_property
    def idioms(self) -> Mapping[str, Mapping[str, Any]]:
        """The pieces of code that patterns share, as ast-grep rules."""
        return {name: one["rule"] for name, one in self._sections("code")["idiom"].items()}

    @cached_property
    def settings(self) -> Mapping[str, rules.SettingRule]:
        """The canonical settings."""
        return {
            name: rules.SettingRule(id=name, **_tuples(one, "values"))
            for name, one in self._sections("dialects")["setting"].items()
        }

    @cached_property
    def checks(self) -> Mapping[str, rules.CheckRule]:
        """The contradictions between settings."""
        return {
            name: rules.CheckRule(name, rules.Rule(*one["rule"]), one["says"])
            for name, one in self._sections("dialects")["check"].items()
        }

    @cached_property
    def devices(self) -> Mapping[str, rules.DeviceRule]:
        """The accelerators."""
        return {name: _device(name, one) for name, one in self._sections("machine")["device"].items()}

    @cached_property
    def packages(self) -> Mapping[str, rules.PackageRule]:
        """The distributions whose versions are worth knowing."""
        return {name: rules.PackageRule(id=name, **one) for name, one in self._sections("machine")["package"].items()}

    @cached_property
    def variables(self) -> Mapping[str, rules.VariableRule]:
        """The environment variables that change how training runs."""
        return {name: rules.VariableRule(name, **one) for name, one in self._sections("machine")["variable"].items()}

    @property
    def dialects(self) -> Mapping[str, Any]:
        """The trainers' languages of settings, in the form that the dialect reader knows."""
        return dict(self._sections("dialects")["dialect"])

    @property
    def pages(self) -> Mapping[str, Any]:
        """Texts that only explanations and reports show: explanation, sources, checklist, playbook."""
        return self._sections("pages")

    def fact_type(self, name: str) -> str | None:
        """The declared type of a fact, or None where there is no such fact."""
        if name.startswith("env.package."):
            return "version"
        fact = self.facts.get(name)
        return fact.type if fact else None

    def _core(self, kind: str) -> dict[str, Any]:
        section: dict[str, Any] = self._sections("core")[kind]
        return section


def _tuples(stored: dict[str, Any], *keys: str) -> dict[str, Any]:
    return stored | {key: tuple(stored[key]) for key in keys}


def _evidence(stored: dict[str, Any]) -> rules.EvidenceRule:
    return rules.EvidenceRule(
        rules.Rule(*stored["rule"]), stored["because"], stored["otherwise"],
        stored["supports"], stored["against"], stored["absent"],
    )  # fmt: skip


def _fact(name: str, stored: dict[str, Any]) -> rules.FactRule:
    derive = tuple(
        rules.DerivationRule(rule_from(one["when"]), one["value"], rule_from(one["expression"]))
        for one in stored.get("derive", ())
    )
    return rules.FactRule(name, **stored | {"derive": derive, "values": tuple(stored.get("values", ()))})


def _device(name: str, stored: dict[str, Any]) -> rules.DeviceRule:
    sizes = {key: {model: tuple(gib) for model, gib in stored[key].items()} for key in ("memory", "laptop")}
    return rules.DeviceRule(id=name, **_tuples(stored, "brand") | sizes)


def _fix(name: str, stored: dict[str, Any]) -> rules.FixRule:
    settings = {
        setting: rules.ChangeRule(**one | {"expression": rule_from(one.get("expression"))})
        for setting, one in stored["settings"].items()
    }
    changed = _tuples(stored, "steps", "take_back_steps", "conflicts")
    return rules.FixRule(id=name, **changed | {"when": rule_from(stored["when"]), "settings": settings})


def _pattern(name: str, stored: dict[str, Any]) -> rules.CodePatternRule:
    flow = stored["flow"] and rules.FlowRule(**_tuples(stored["flow"], "source_argument", "argument"))
    return rules.CodePatternRule(id=name, **stored | {"flow": flow})


def _guide(name: str, stored: dict[str, Any]) -> rules.GuideRule:
    steps = tuple(rules.StepRule(**one | {"passes": rule_from(one["passes"])}) for one in stored["steps"])
    return rules.GuideRule(name, stored["title"], tuple(stored["symptoms"]), steps)
