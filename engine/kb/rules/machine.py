"""What the probes of a machine go by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...facts import Scalar


class DeviceRule(NamedTuple):
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


class PackageRule(NamedTuple):
    """A distribution whose installed version is worth knowing."""

    id: str
    fact: str
    means: str


class VariableRule(NamedTuple):
    """An environment variable that changes how training runs."""

    name: str
    """With a star at the end: all that begin so."""
    means: str
    fact: str
    facts: Mapping[str, Scalar]
