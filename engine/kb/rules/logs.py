"""What the readers of logs and prose go by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...facts import Value


class SignatureRule(NamedTuple):
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
    needs: tuple[tuple[int, ...], ...] = ()
    """For each wording of what people write the groups of words, by number, of which a sentence must hold one each."""


class TrialRule(NamedTuple):
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
    values_of: str = ""
    """The setting that it changes, as it is named before a number; empty where there is none."""
    raised: bool = False
    """It raises that setting."""
    one_is_enough: bool = False
    """One that works counts before others that did not."""


class MetricRule(NamedTuple):
    """A metric and the names that trainers give it."""

    id: str
    names: tuple[str, ...]
    unit: str


class FrameRule(NamedTuple):
    """What a frame of a traceback says; the fact is empty where it only tells frames apart."""

    id: str
    fact: str
    innermost: bool
    pattern: str


class LogFormatRule(NamedTuple):
    """How one trainer prints."""

    id: str
    trainer: str
    title: str
    recognise: str
    words: tuple[str, ...]
    pattern: str
    fields: Mapping[str, str]
    quirks: tuple[str, ...]
