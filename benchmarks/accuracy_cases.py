"""Labelled cases, one a YAML file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Case:
    """One case as it stands in its file."""

    name: str
    symptom: str
    truth: tuple[str, ...]
    """The cause, then those that count as right too."""
    strength: str
    inputs: tuple[tuple[str, str, str], ...]
    """Name, kind and text of each."""

    @property
    def words(self) -> frozenset[str]:
        """All words of the inputs, in lower case."""
        return frozenset(
            word for _, _, text in self.inputs for word in re.findall(r"[^\W\d_]{2,}", text.lower())
        )


def read_cases(folder: Path) -> list[Case]:
    """The cases of a folder, by name. Raises ValueError for a file that is no case."""
    cases = []
    for path in sorted(folder.glob("*.yaml")):
        found = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if not isinstance(found, dict) or not {"symptom", "cause"} <= found.keys():
            raise ValueError(f"{path} is no case: it needs `symptom` and `cause`")
        truth = (found["cause"], *(found.get("also_accept") or ()))
        strength = found.get("evidence_strength") or "unknown"
        cases.append(Case(path.stem, found["symptom"], truth, strength, tuple(_inputs(found))))
    return cases


def _inputs(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    config = str(found.get("config_name") or "config.yaml").replace("/", "_")
    for key, name, kind in (
        ("log", "train.log", "LOG"),
        ("config", config, "CONFIG"),
        ("code", "train.py", "CODE"),
    ):
        if (text := str(found.get(key) or "")).strip():
            yield name, kind, text
