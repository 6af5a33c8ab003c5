"""The diagnosis: one object of which every output format is a rendering. Its JSON is a public schema."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .facts import Place, Scalar, Value
from .probe import InputSeen

SCHEMA = "1"
"""Changes when a field is removed or changes its meaning; new fields may come without."""


class Evidence(NamedTuple):
    """One line of evidence."""

    statement: str
    decibans: float
    """What it adds to the cause; below zero speaks against it."""
    facts: tuple[str, ...] = ()
    source: tuple[Place, ...] = ()
    hint: bool = False
    """It rests on a likeness of words, and shows nothing by itself."""
    is_mistake: bool = False
    """It is mostly a mistake, whatever the run shows."""


class SymptomFound(NamedTuple):
    """A symptom that a person named or the evidence shows."""

    id: str
    title: str
    given: bool
    detected: bool
    confidence: float
    evidence: tuple[Evidence, ...] = ()


class CauseFound(NamedTuple):
    """A cause that was weighed."""

    id: str
    title: str
    family: str
    confidence: float
    """From 0 to 1."""
    verdict: str
    """`confirmed`, `likely`, `possible` or `unlikely`."""
    decibans: float
    prior_decibans: float
    evidence: tuple[Evidence, ...] = ()
    unknown: tuple[str, ...] = ()
    """Facts that would tell more."""
    fixes: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    """The symptoms of this diagnosis that it can bring. One that brings none of them may be true, and not what is looked for."""
    is_mistake: bool = False
    """A script that strongly shows it does what is mostly a mistake, whatever its run shows."""


class TestToRun(NamedTuple):
    """A fact worth finding out."""

    fact: str
    question: str
    how: str
    minutes: float
    gain: float
    """Expected bits per minute."""
    tells_apart: tuple[str, ...] = ()


class ChangedSetting(NamedTuple):
    """A setting before and after a fix, by its canonical name."""

    name: str
    before: Scalar | None
    after: Scalar
    spelled: str = ""
    """As the trainer of the run spells it, where that is known and no file is changed."""


class FilePatch(NamedTuple):
    """A change to one of the user's files."""

    file: str
    diff: str


class FixOffered(NamedTuple):
    """A fix that fits this run."""

    id: str
    title: str
    safety: str
    """`safe`, `unsafe` (changes results) or `advice` (a person must do it)."""
    effort_minutes: float
    causes: tuple[str, ...]
    expect: str
    why: str = ""
    proviso: str = ""
    gives_gib: float | None = None
    """How much device memory it gives back, by arithmetic; None where that is not known or not the point."""
    settings: tuple[ChangedSetting, ...] = ()
    patch: tuple[FilePatch, ...] = ()
    by_hand: tuple[str, ...] = ()
    """What could not be patched, and what to change by hand."""
    code: str = ""
    command: str = ""
    steps: tuple[str, ...] = ()
    take_back_when: str = ""
    take_back_steps: tuple[str, ...] = ()


class FactFound(NamedTuple):
    """A fact that was read."""

    name: str
    value: Value
    unit: str
    origin: str
    source: tuple[Place, ...] = ()
    note: str = ""


class Happened(NamedTuple):
    """One line of the timeline."""

    what: str
    source: Place
    said: str = ""
    """The message itself, of an error that `what` puts in our words."""


class GuideStep(NamedTuple):
    """One step of the procedure for a symptom."""

    do: str
    minutes: float
    fact: str = ""
    tells: str = ""
    answer: str = ""
    """What is known already, where it is."""


class Guide(NamedTuple):
    """An ordered way to go about a symptom."""

    id: str
    title: str
    steps: tuple[GuideStep, ...]

    @property
    def minutes(self) -> float:
        """What the steps not yet answered take in all."""
        return sum(step.minutes for step in self.steps if not step.answer)


class Diagnosis(NamedTuple):
    """Everything that is to be said about a run."""

    schema: str
    version: str
    outcome: str
    """`cause-found`, `symptom-only` (something is wrong, and no cause stands out) or `nothing-found`."""
    symptoms: tuple[SymptomFound, ...] = ()
    causes: tuple[CauseFound, ...] = ()
    next_tests: tuple[TestToRun, ...] = ()
    fixes: tuple[FixOffered, ...] = ()
    procedure: Guide | None = None
    timeline: tuple[Happened, ...] = ()
    facts: tuple[FactFound, ...] = ()
    inputs: tuple[InputSeen, ...] = ()
    not_seen: tuple[str, ...] = ()
    """What could not be looked at, and why."""
    notes: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()
    """What user packs added to the knowledge or replaced in it."""
    command: str = ""
    """How to repeat this diagnosis."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """Fixes that do not go with those chosen before them, and why."""

    def __str__(self) -> str:
        """The diagnosis as it is printed: plain text, a screen of it."""
        from .report.screen import screen

        return "\n".join("".join(span.text for span in line.spans) for line in screen(self))

    @property
    def failed(self) -> bool:
        """Whether a command that was watched ended with another exit code than 0."""
        return any(one.name == "process.exit_code" and one.value != 0 for one in self.facts)

    @property
    def found(self) -> bool:
        """Whether something is wrong."""
        return self.outcome != "nothing-found"
