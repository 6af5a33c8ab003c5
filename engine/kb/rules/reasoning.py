"""What the engine reasons with: causes, symptoms, facts, fixes, procedures, weights."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...facts import Facts, Scalar
from .rule import Rule

TELLING = ("decisive", "strong")
"""The words of evidence that brings a cause into question by itself."""


class EvidenceRule(NamedTuple):
    """One line of evidence of a cause or a symptom."""

    rule: Rule
    because: str
    otherwise: str
    supports: str | None
    against: str | None
    absent: str | None
    is_mistake: bool = False
    """Settings that show this are mostly a mistake, whatever the run shows."""


class CauseRule(NamedTuple):
    """A cause: how often it is behind which symptom, its evidence, its fixes."""

    id: str
    title: str
    family: str
    pack: str
    symptoms: Mapping[str, str]
    """Symptom -> how often it is behind that, in the word of its author."""
    priors: Mapping[str, float]
    """The same in numbers: symptom -> how often it is behind that, from 0 to 1."""
    evidence: tuple[EvidenceRule, ...]
    fixes: tuple[str, ...]
    is_mistake: bool = False
    """A script that strongly shows it does what is mostly a mistake, whatever its run shows."""


class SymptomRule(NamedTuple):
    """A symptom: what people call it and how it is detected."""

    id: str
    title: str
    aliases: tuple[str, ...]
    detect: tuple[EvidenceRule, ...]
    silent: str = "rare"
    """How often people have it although nothing shows it by itself, in the words of priors."""
    met: str = "common"
    """How often it is what people come with."""


class DerivationRule(NamedTuple):
    """One way a fact follows from others: a condition, and a value or an expression."""

    when: Rule | None
    value: Scalar | None
    expression: Rule | None


class FactRule(NamedTuple):
    """A declared fact."""

    name: str
    type: str
    means: str
    unit: str = ""
    values: tuple[str, ...] = ()
    ask: str = ""
    measure: str = ""
    minutes: float = 2.0
    derive: tuple[DerivationRule, ...] = ()
    supposes: Rule | None = None
    """What the question takes for granted."""

    def askable(self, facts: Facts) -> bool:
        """Whether a person can be asked for it, and what the question takes for granted holds."""
        return bool(self.ask) and (self.supposes is None or self.supposes.of(facts) is True)


class ChangeRule(NamedTuple):
    """What a fix does to one setting."""

    way: str
    """`set`, `multiply`, `at_least`, `at_most` or `compute`."""
    value: Scalar | None = None
    expression: Rule | None = None
    otherwise: Scalar | None = None
    digits: int | None = None
    only_if: Rule | None = None
    """What must be known to hold; else the setting is left as it is."""


class FixRule(NamedTuple):
    """A fix."""

    id: str
    title: str
    safety: str
    effort_minutes: float
    expect: str
    why: str = ""
    when: Rule | None = None
    when_says: str = ""
    """The condition in words."""
    when_unknown: str = "last"
    """What becomes of it where the condition is not decided: `last`, `keep` or `leave-out`."""
    leads: Rule | None = None
    """Where this holds the fix comes before the others of its cause."""
    gives: Rule | None = None
    """How many GiB of device memory it gives back."""
    settings: Mapping[str, ChangeRule] = MappingProxyType({})
    snippet: str = ""
    command: str = ""
    steps: tuple[str, ...] = ()
    take_back_when: str = ""
    take_back_steps: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


class StepRule(NamedTuple):
    """One step of a procedure, or one item of a checklist."""

    do: str
    minutes: float = 0.0
    fact: str = ""
    tells: str = ""
    passes: Rule | None = None
    owner: str = ""


class GuideRule(NamedTuple):
    """A procedure or a checklist."""

    id: str
    title: str
    symptoms: tuple[str, ...]
    steps: tuple[StepRule, ...]


class Weights(NamedTuple):
    """What the words of the rules weigh, in decibans and probabilities."""

    strengths: Mapping[str, float]
    priors: Mapping[str, float]
    unlisted: float
    symptom: float
    trust: Mapping[str, float]
    something_else: float
    resemblance: float
    confirmed: float
    likely: float
    possible: float
    resemblance_of_files: float = 0.0
    leads: float = 0.0
    rivals: float = 0.0
    worth_mending: float = 0.0
    words_tell: float = 0.0
    words_in_full: float = 0.0
    by_words_alone: float = 1.0


@functools.cache
def words_of(name: str) -> str:
    """A fact's name as words, where nothing better is at hand."""
    return name.replace("_", " ").replace(".", " ")
