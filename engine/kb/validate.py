"""Raw entries to models: every mistake of shape and type, with its place."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from . import models
from .lazily import Lazily
from .phrases import UnknownPhrase, spell_out
from .problems import Problem, nearest
from .source import KINDS, UNREAD, Document, Raw

MODELS: Mapping[str, type[models.Model]] = {
    "cause": models.Cause, "symptom": models.Symptom, "fact": models.FactSpec, "limit": models.Limit,
    "setting": models.Setting, "check": models.Check, "fix": models.Fix,
    "phrase": models.Phrase, "trial": models.Trial, "signature": models.Signature,
    "metric": models.Metric, "log-format": models.LogFormat, "frame": models.Frame, "words": models.Words,
    "idiom": models.Idiom, "code-pattern": models.CodePattern,
    "dialect": models.Dialect, "procedure": models.Procedure, "checklist": models.Checklist,
    "device": models.Device, "package": models.Package, "variable": models.Variable,
    "notice": models.Notice, "experiment": models.Experiment,
    "playbook-item": models.PlaybookItem, "report": models.Reports, "weights": models.Weights,
}  # fmt: skip
_WITH_PHRASES: Mapping[str, tuple[str, ...]] = {
    "phrase": ("any",), "trial": ("any", "otherwise"), "signature": ("pattern",),
}  # fmt: skip
"""The fields that may use phrases."""
_KEYS = {kind.name: kind.key for kind in KINDS}
_NAME = re.compile(r"^[- {]*(?:id|name): *['\"]?([\w.-]+)", re.MULTILINE)
"""What an entry is called, in a file that cannot be read as YAML."""


@dataclass(frozen=True, slots=True)
class Located:
    """A valid entry, and where it stands."""

    kind: str
    id: str
    model: Any
    raw: Raw

    def problem(self, path: tuple[str | int, ...], message: str, hint: str = "", **where: Any) -> Problem:
        """A mistake at a path inside this entry."""
        return self.raw.document.problem((*self.raw.path, *path), message, hint, **where)


@dataclass(slots=True)
class Validated:
    """All entries by kind and id, and what packs added or replaced."""

    entries: dict[str, dict[str, Located]] = field(default_factory=dict)
    overrides: list[str] = field(default_factory=list)
    """`cause fp16-overflow (my-pack)`: entries of our own that a pack replaced."""
    additions: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    """The ids of entries that are not valid. Whoever refers to one makes no mistake of their own."""

    def of(self, kind: str) -> dict[str, Located]:
        """The entries of one kind, by id."""
        return self.entries.get(kind, {})


def validate(packs: Iterable[list[Raw]], problems: list[Problem]) -> Validated:
    """Validate the entries of each pack in turn; a later pack overrides an earlier one by id."""
    result = Validated()
    for number, entries in enumerate(packs):
        seen: dict[tuple[str, str], Located] = {}
        for raw in entries:
            located = _validated(raw, result, problems)
            if located is None:
                continue
            first = seen.setdefault((located.kind, located.id), located)
            if first is not located:
                where = f"{first.raw.document.name}:{first.raw.document.tree.at(first.raw.path).line}"
                message = f"a second {located.kind} with the id `{located.id}`; the first is at {where}"
                problems.append(located.problem((_KEYS.get(located.kind, "id"),), message))
                continue
            _place(result, located, added=number > 0)
    return result


def _place(result: Validated, located: Located, *, added: bool) -> None:
    kind = result.entries.setdefault(located.kind, {})
    if added:
        which = result.overrides if located.id in kind else result.additions
        which.append(f"{located.kind} {located.id} ({located.raw.document.pack.name})")
    kind[located.id] = located


def _validated(raw: Raw, so_far: Validated, problems: list[Problem]) -> Located | None:
    model, value = MODELS[raw.kind], raw.value
    if value is UNREAD:
        so_far.lost.update((raw.document.path.stem, *_NAME.findall(raw.document.text)))
        return None
    if raw.kind in _WITH_PHRASES:
        try:
            value = _spelt_out(raw, value, so_far)
        except UnknownPhrase as error:
            if error.args[0] not in so_far.lost:
                problems.append(_no_phrase(raw, error.args[0], so_far))
            _lose(raw, so_far)
            return None
    try:
        entry = model.model_validate(value, context=models.PROVEN if raw.document.pack.proven else None)
    except ValidationError as error:
        problems.extend(_problem(raw, model, detail) for detail in error.errors(include_url=False))
        _lose(raw, so_far)
        return None
    return Located(raw.kind, str(getattr(entry, _KEYS.get(raw.kind, "id"), raw.kind)), entry, raw)


def _lose(raw: Raw, so_far: Validated) -> None:
    name = raw.value.get(_KEYS.get(raw.kind, "id")) if isinstance(raw.value, dict) else None
    if isinstance(name, str):
        so_far.lost.add(name)


def _spelt_out(raw: Raw, value: Any, so_far: Validated) -> Any:
    if not isinstance(value, dict):
        return value
    phrases = Lazily(so_far.of("phrase"), lambda _, one: one.model.pattern)
    spelt = dict(value)
    for key in _WITH_PHRASES[raw.kind]:
        if isinstance(pattern := value.get(key), str):
            spelt[key] = spell_out(pattern, phrases)
        elif isinstance(pattern, list):
            spelt[key] = [spell_out(one, phrases) if isinstance(one, str) else one for one in pattern]
    return spelt


def _no_phrase(raw: Raw, name: str, so_far: Validated) -> Problem:
    hint = nearest(name, so_far.of("phrase"))
    return raw.document.problem((*raw.path, "pattern"), f"there is no phrase `{name}` before this", hint)


def _problem(raw: Raw, model: type[BaseModel], detail: ErrorDetails) -> Problem:
    document, path, kind = raw.document, _walk(raw, detail["loc"]), detail["type"]
    last = str(detail["loc"][-1]) if detail["loc"] else ""
    if kind == "extra_forbidden":
        return document.problem(
            path, f"`{last}` is not a key here", nearest(last, field_names(model)), on_key=True
        )
    if kind == "missing":
        return document.problem(path, f"`{last}` is missing", f"add `{last}: ...`", on_key=True)
    if kind == "literal_error":
        expected = str(detail.get("ctx", {}).get("expected", ""))
        words = [word.strip(" '") for word in expected.replace(" or ", ",").split(",")]
        hint = nearest(str(detail["input"]), words) or f"one of {', '.join(words)}"
        return document.problem(path, f"`{detail['input']}` is not one of the words here", hint)
    message = detail["msg"].removeprefix("Value error, ")
    if kind == "string_pattern_mismatch":
        message = f"`{detail['input']}` is not a valid name here"
        hint = f"it must match {detail.get('ctx', {}).get('pattern', '')}"
        return document.problem(path, message, hint)
    if kind in ("float_type", "int_type") and isinstance(detail["input"], str):
        text = detail["input"]
        return document.problem(path, f"`{text}` is text here, and a number is wanted", _as_number(text))
    if kind == "too_short":
        return document.problem(path, f"`{last}` is empty", "give at least one")
    return document.problem(path, message, on_key=kind == "value_error")


def _as_number(text: str) -> str:
    """How a number is spelled that YAML 1.1 takes for text: without a point and a sign, `1e4` is one."""
    try:
        return f"in YAML it is written {float(text):.1e}"
    except ValueError:
        return ""


def _walk(raw: Raw, location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The part of pydantic's location that exists in the file; names of union members are left out."""
    path = list(raw.path)
    tree = raw.document.tree.at(raw.path)
    for part in location:
        if part in tree.children:
            path.append(part)
            tree = tree.children[part]
    return tuple(path)


@functools.cache
def field_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a model and of the models inside it."""
    names: list[str] = []
    for name, info in model.model_fields.items():
        names.append(info.alias or name)
        for inner in _models_in(info.annotation):
            names.extend(field_names(inner))
    return tuple(dict.fromkeys(names))


def _models_in(annotation: Any) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _models_in(argument)


__all__ = ["MODELS", "Document", "Located", "Validated", "field_names", "validate"]
