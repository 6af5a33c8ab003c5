"""What the reader of code goes by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...facts import Scalar


class FlowRule(NamedTuple):
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


class CodePatternRule(NamedTuple):
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
