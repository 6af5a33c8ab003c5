"""Code fixes: snippets filled with the names that the user's own script uses."""

from __future__ import annotations

import keyword
from collections.abc import Collection
from pathlib import Path
from typing import Any

from traindx import templates

from ..diagnosis import Diagnosis
from ..facts import Facts
from ..kb.knowledge import Knowledge
from ..regex import regex

_PLAIN = regex(r"\{\{ (\w+) \}\}")
"""A name that is filled in as it is."""
_FURTHER = regex(r"\{[{%#]")
_NAMES = {"loss": "loss", "model": "model", "optimizer": "optimizer", "loader": "loader", "scaler": ""}
_VALUES: dict[str, tuple[str, Any]] = {
    "max_norm": ("config.grad_clip_norm", 1.0),
    "ignore_index": ("config.ignore_index", -100),
    "learning_rate": ("config.learning_rate", 1e-4),
    "accumulation": ("config.gradient_accumulation_steps", 4),
    "seed": ("config.seed", 0),
}


def snippet(name: str, facts: Facts, knowledge: Knowledge) -> str:
    """The code of a snippet. Most only take in names: for these the template engine, which takes long to load, is not needed."""
    path, values = f"snippets/{name}.py.j2", values_of(facts, knowledge)
    text = Path(next(iter(templates.__path__)), path).read_text(encoding="utf-8")
    if not _FURTHER.search(_PLAIN.sub("", text)):
        return _PLAIN.sub(lambda found: str(values[found[1]]), text)
    from .templating import render

    return render(path, **values)


def values_of(facts: Facts, knowledge: Knowledge) -> dict[str, Any]:
    """What snippets are filled with: the user's names and numbers, or the usual ones, and the thresholds of the knowledge base."""
    values = {key: facts.value(fact) or usual for key, (fact, usual) in _VALUES.items()}
    names = {key: _identifier(facts.value(f"code.{key}_name"), usual) for key, usual in _NAMES.items()}
    module = _identifier(facts.value("act.nonfinite_module"), "")
    return {**values, **names, "module": module, "limit": knowledge.limits}


def _identifier(value: object, usual: str) -> str:
    """A dotted name from the user's script, or the usual one: nothing else gets into code."""
    if isinstance(value, str) and all(
        one.isidentifier() and not keyword.iskeyword(one) for one in value.split(".")
    ):
        return value
    return usual


def with_code(
    diagnosis: Diagnosis, facts: Facts, knowledge: Knowledge, only: Collection[str] | None = None
) -> Diagnosis:
    """The diagnosis with the code of every fix that brings some, or of those named alone."""
    fixes = tuple(
        one._replace(code=snippet(name, facts, knowledge))
        if (name := knowledge.fixes[one.id].snippet) and (only is None or one.id in only)
        else one
        for one in diagnosis.fixes
    )
    return diagnosis._replace(fixes=fixes)
