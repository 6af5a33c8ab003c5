"""The compiled knowledge base: light, immutable records, built from the cache in milliseconds."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..conditions import Condition, Node, compile_node, needs
from ..facts import Scalar, Value


@dataclass(slots=True)
class Rule:
    """A compiled condition: its text, the facts it needs, and how to evaluate it."""

    text: str
    node: Node
    _evaluate: Condition | None = None
    _needs: frozenset[str] | None = None

    @property
    def needs(self) -> frozenset[str]:
        """The facts it asks for."""
        if self._needs is None:
            self._needs = needs(self.node)
        return self._needs

    def __call__(self, lookup: Any) -> Any:
        """True, false or a value; None where the facts do not suffice."""
        if self._evaluate is None:
            self._evaluate = compile_node(self.node)
        return self._evaluate(lookup)


@dataclass(frozen=True, slots=True)
class EvidenceRule:
    """One line of evidence of a cause or a symptom."""

    rule: Rule
    because: str
    otherwise: str
    supports: str | None
    against: str | None
    absent: str | None


@dataclass(frozen=True, slots=True)
class CauseRule:
    """A cause: how often it is behind which symptom, its evidence, its fixes."""

    id: str
    title: str
    family: str
    pack: str
    symptoms: Mapping[str, str]
    evidence: tuple[EvidenceRule, ...]
    fixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SymptomRule:
    """A symptom: what people call it and how it is detected."""

    id: str
    title: str
    aliases: tuple[str, ...]
    detect: tuple[EvidenceRule, ...]


@dataclass(frozen=True, slots=True)
class DerivationRule:
    """One way a fact follows from others: a condition, and a value or an expression."""

    when: Rule | None
    value: Scalar | None
    expression: Rule | None


@dataclass(frozen=True, slots=True)
class FactRule:
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


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """What a fix does to one setting."""

    way: str
    """`set`, `multiply`, `at_least`, `at_most` or `compute`."""
    value: Scalar | None = None
    expression: Rule | None = None
    otherwise: Scalar | None = None
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class FixRule:
    """A fix."""

    id: str
    title: str
    safety: str
    effort_minutes: float
    expect: str
    why: str = ""
    when: Rule | None = None
    settings: Mapping[str, ChangeRule] = field(default_factory=dict)
    snippet: str = ""
    command: str = ""
    steps: tuple[str, ...] = ()
    take_back_when: str = ""
    take_back_steps: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepRule:
    """One step of a procedure, or one item of a checklist."""

    do: str
    minutes: float = 0.0
    fact: str = ""
    tells: str = ""
    passes: Rule | None = None
    owner: str = ""


@dataclass(frozen=True, slots=True)
class GuideRule:
    """A procedure or a checklist."""

    id: str
    title: str
    symptoms: tuple[str, ...]
    steps: tuple[StepRule, ...]


@dataclass(frozen=True, slots=True)
class SignatureRule:
    """An error text or event, and the facts it gives."""

    id: str
    fact: str
    pattern: str
    words: tuple[str, ...]
    """Literal parts that a matching text must contain, the longest first; empty where there is none."""
    means: str
    role: str
    where: str
    lines: int
    captures: Mapping[str, str]
    facts: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class ProseRule(SignatureRule):
    """A signature of what people write."""

    needs: tuple[tuple[int, ...], ...]
    """For each of its wordings the groups of words, by number, of which a sentence must hold one each."""


@dataclass(frozen=True, slots=True)
class TrialRule:
    """Something people try, and the fact that says whether it helped."""

    id: str
    gives: str
    pattern: str
    """What it is called."""
    otherwise: str
    """What the opposite is called; empty where that says nothing."""
    words: tuple[str, ...]
    """Literal parts in lower case, of which a matching sentence contains at least one."""
    trouble_counts: bool
    """Trouble beside it says that it failed; false where people also name it as what they have."""


@dataclass(frozen=True, slots=True)
class MetricRule:
    """A metric and the names that trainers give it."""

    id: str
    names: tuple[str, ...]
    unit: str


@dataclass(frozen=True, slots=True)
class FrameRule:
    """What a frame of a traceback says; the fact is empty where it only tells frames apart."""

    id: str
    fact: str
    pattern: str


@dataclass(frozen=True, slots=True)
class LogFormatRule:
    """How one trainer prints."""

    id: str
    trainer: str
    title: str
    recognise: str
    words: tuple[str, ...]
    pattern: str
    fields: Mapping[str, str]
    quirks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlowRule:
    """A value on its way through the code. Rules are in ast-grep's own words."""

    source: Mapping[str, Any]
    element: int | None
    source_argument: tuple[int | str, ...]
    into: Mapping[str, Any]
    argument: tuple[int | str, ...]
    through: Mapping[str, Any] | None
    everything: bool
    unless: Mapping[str, Any] | None
    objects: bool
    only: bool


@dataclass(frozen=True, slots=True)
class CodePatternRule:
    """A pattern over Python source. Rules are in ast-grep's own words."""

    id: str
    fact: str
    means: str
    rule: Mapping[str, Any] | None
    flow: FlowRule | None
    constraints: Mapping[str, Any]
    scope: Mapping[str, Any] | None
    unless: Mapping[str, Any] | None
    absent: bool
    captures: Mapping[str, str]
    facts: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class SettingRule:
    """A canonical setting."""

    id: str
    type: str
    means: str
    values: tuple[str, ...]
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A contradiction between settings."""

    id: str
    rule: Rule
    says: str


@dataclass(frozen=True, slots=True)
class DeviceRule:
    """Accelerators that share what they can do."""

    id: str
    title: str
    brand: tuple[str, ...]
    """Words before the model that people leave out."""
    facts: Mapping[str, Scalar]
    memory: Mapping[str, tuple[float, ...]]
    """Model -> GiB, several where it was sold with several."""
    laptop: Mapping[str, tuple[float, ...]]
    """The same for mobile versions that differ."""


@dataclass(frozen=True, slots=True)
class PackageRule:
    """A distribution whose installed version is worth knowing."""

    id: str
    fact: str
    means: str


@dataclass(frozen=True, slots=True)
class VariableRule:
    """An environment variable that changes how training runs."""

    name: str
    """With a star at the end: all that begin so."""
    means: str
    fact: str
    facts: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Weights:
    """What the words of the rules weigh, in decibans and probabilities."""

    strengths: Mapping[str, float]
    priors: Mapping[str, float]
    unlisted: float
    symptom: float
    trust: Mapping[str, float]
    confidence_slope: float
    confirmed: float
    likely: float
    possible: float


def rule_from(stored: list[Any] | None) -> Rule | None:
    """A rule from its stored form `[text, node]`."""
    return None if stored is None else Rule(stored[0], stored[1])


@functools.cache
def words_of(name: str) -> str:
    """A fact's name as words, where nothing better is at hand."""
    return name.replace("_", " ").replace(".", " ")
