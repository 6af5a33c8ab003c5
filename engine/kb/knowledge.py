"""The knowledge base as the engine and the probes use it. Sections are read when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

from ..resemblance import Index
from . import rules
from .lazily import Entries, Sections
from .records import (
    cause_of,
    check_of,
    device_of,
    experiment_of,
    fact_of,
    fix_of,
    guide_of,
    maker,
    notice_of,
    pattern_of,
    prose_signature_of,
    symptom_of,
)  # fmt: skip
from .telling import Telling

Made = TypeVar("Made")


class Knowledge:
    """All rules, by id.

    `sections` gives the compiled form; `packs` names what user packs added or replaced.
    """

    causes = Entries("core", "cause", cause_of)
    """The causes."""
    symptoms = Entries("core", "symptom", symptom_of)
    """The symptoms."""
    facts = Entries("core", "fact", fact_of)
    """The declared facts, and those that signatures, patterns, settings and checks bring."""
    fixes = Entries("core", "fix", fix_of)
    """The fixes."""
    procedures = Entries("core", "procedure", guide_of)
    """The procedures."""

    signatures = Entries("reading", "signature", maker(rules.SignatureRule, "words"))
    """The error texts and events. Those that only people write are among `prose_signatures`."""
    log_formats = Entries("reading", "log-format", maker(rules.LogFormatRule, "words", "quirks"))
    """How trainers print."""
    metrics = Entries("reading", "metric", maker(rules.MetricRule, "names"))
    """The metrics and their names."""
    frames = Entries("reading", "frame", maker(rules.FrameRule))
    """What frames of a traceback say."""

    prose_signatures = Entries("prose", "signature", prose_signature_of)
    """What people write about runs."""
    trials = Entries("prose", "trial", maker(rules.TrialRule, "words"))
    """What people try to see whether it helps."""

    code_patterns = Entries("code", "code-pattern", pattern_of)
    """The patterns over Python source."""

    settings = Entries("dialects", "setting", maker(rules.SettingRule, "values", "words"))
    """The canonical settings."""
    checks = Entries("dialects", "check", check_of)
    """The contradictions between settings."""

    devices = Entries("machine", "device", device_of)
    """The accelerators."""
    packages = Entries("machine", "package", maker(rules.PackageRule))
    """The distributions whose versions are worth knowing."""
    variables = Entries("machine", "variable", maker(rules.VariableRule))
    """The environment variables that change how training runs."""

    notices = Entries("live", "notice", notice_of)
    """What is worth a line while a log grows."""
    experiments = Entries("live", "experiment", experiment_of)
    """What can be tried on a run itself."""

    def __init__(self, sections: Sections, packs: tuple[str, ...] = ()) -> None:
        self.sections = sections
        self.packs = packs
        self._once: dict[Callable[[Knowledge], Any], Any] = {}

    @cached_property
    def asked_by(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """The causes, by `symptom` that they explain and by `fact` that telling evidence for them asks for."""
        return dict(self._core("asked-by"))

    @cached_property
    def derived(self) -> tuple[rules.FactRule, ...]:
        """The facts that may follow from others."""
        return tuple(map(self.facts.__getitem__, self._core("derived")["facts"]))

    @cached_property
    def checklists(self) -> Mapping[str, rules.GuideRule]:
        """The checklists."""
        return {name: guide_of(name, one) for name, one in self.pages["checklist"].items()}

    @cached_property
    def limits(self) -> Mapping[str, float]:
        """The named thresholds."""
        return dict(self._core("limit"))

    @cached_property
    def weights(self) -> rules.Weights:
        """What the words weigh."""
        return rules.Weights(**self._core("weights")["weights"])

    @cached_property
    def signature_facts(self) -> Mapping[str, str]:
        """The fact of each signature of machine output."""
        return dict(self.sections("reading")["gives"])

    @cached_property
    def signature_words(self) -> Telling[str]:
        """The literals of the signatures, in order by the words that tell of them."""
        stored = self.sections("reading")["vocabulary"]
        whole, edges = (
            {word.encode(): keys for word, keys in stored[one].items()} for one in ("whole", "edges")
        )
        return Telling(whole, edges, [(literal, key) for literal, key in stored["wordless"]])

    @cached_property
    def all_signatures(self) -> Mapping[str, rules.SignatureRule]:
        """The signatures of both kinds."""
        return {**self.signatures, **self.prose_signatures}

    @cached_property
    def word_groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of words, in lower case, that the signatures of prose need."""
        return tuple(map(tuple, self.sections("prose")["words"]["groups"]))

    @cached_property
    def phrases(self) -> Mapping[str, str]:
        """Groups of words as regular expressions, by name."""
        return {name: one["pattern"] for name, one in self.sections("prose")["phrase"].items()}

    @cached_property
    def words(self) -> Mapping[str, frozenset[str]]:
        """The words that readers go by."""
        return {name: frozenset(one["words"]) for name, one in self.sections("reading")["words"].items()}

    @cached_property
    def idioms(self) -> Mapping[str, Mapping[str, Any]]:
        """The pieces of code that patterns share, as ast-grep rules."""
        return {name: one["rule"] for name, one in self.sections("code")["idiom"].items()}

    @cached_property
    def machine_facts(self) -> Mapping[str, Sequence[str]]:
        """The facts that a `device`'s name and a `variable` may give."""
        return dict(self.sections("machine")["gives"])

    @cached_property
    def dialects(self) -> Mapping[str, Any]:
        """The trainers' languages of settings, in the form that the dialect reader knows."""
        return dict(self.sections("dialects")["dialect"])

    @cached_property
    def page_words(self) -> Index:
        """How much words speak for each cause."""
        return self._words_of("cause")

    @cached_property
    def symptom_words(self) -> Index:
        """How much words speak for each symptom."""
        return self._words_of("symptom")

    @property
    def pages(self) -> Mapping[str, Any]:
        """Texts that only explanations and reports show: explanation, sources, checklist, playbook."""
        return self.sections("pages")

    def once(self, make: Callable[[Knowledge], Made]) -> Made:
        """What a reader makes of the knowledge, made at the first call and shared by all that ask for it later."""
        if make not in self._once:
            self._once[make] = make(self)
        return cast("Made", self._once[make])

    def fact_type(self, name: str) -> str | None:
        """The declared type of a fact, or None where there is no such fact."""
        if name.startswith("env.package."):
            return "version"
        fact = self.facts.get(name)
        return fact.type if fact else None

    def _words_of(self, kind: str) -> Index:
        section = self.sections("resemblance")
        nothing = frozenset(section["nothing"]["words"])
        return Index(section["pages"][kind], section["lengths"][kind], section[kind], nothing)

    def _core(self, kind: str) -> Mapping[str, Any]:
        return self.sections("core")[kind]
