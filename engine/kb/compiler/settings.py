"""Settings, checks and dialects to their compiled form: everything a configuration needs."""

from __future__ import annotations

from typing import Any

from ..scope import Scope
from ..validate import Located
from .parts import Compilers, Stored


def _setting(scope: Scope, entry: Located) -> Stored:
    one = entry.model
    if one.seen_as:
        scope.fact(entry, ("seen_as",), one.seen_as)
    return {
        "type": one.type,
        "means": one.means,
        "values": one.values or [],
        "words": one.words,
        "low": one.low,
        "high": one.high,
        "seen_as": one.seen_as or "",
        "bookkeeping": one.bookkeeping,
    }


def _check(scope: Scope, entry: Located) -> Stored:
    check = entry.model
    return {
        "rule": scope.condition(entry, ("if",), check.if_),
        "says": scope.text(entry, ("says",), check.says),
    }


def _dialect(scope: Scope, entry: Located) -> Stored:
    dialect = entry.model
    if dialect.base:
        scope.refer(entry, ("base",), "dialect", dialect.base)
    for key in ("agrees", "never_added", "added_beside"):
        for index, name in enumerate(getattr(dialect, key)):
            scope.refer(entry, (key, index), "setting", name)
    for name in dialect.follows:
        scope.refer(entry, ("follows", name), "setting", name, on_key=True)
    for name, ways in dialect.settings.items():
        path = ("settings", name)
        scope.refer(entry, path, "setting", name, on_key=True)
        for way in ways:
            for value in (
                *way.values,
                *way.implied.values(),
                *([way.default] if way.default is not None else ()),
            ):
                scope.value(entry, path, f"config.{name}", _literal(scope.type_of(f"config.{name}"), value))
            if way.ratio_as:
                scope.refer(entry, path, "setting", way.ratio_as)
    return dict(dialect.model_dump(exclude={"id", "sources"}, exclude_defaults=True))


def _literal(wanted: str | None, value: Any) -> Any:
    """A canonical value that stands as a key of YAML, in its own type."""
    if wanted == "bool" and value in ("true", "false"):
        return value == "true"
    if wanted in ("int", "float") and isinstance(value, str):
        return float(value) if value.replace(".", "", 1).isdigit() else value
    return value


SETTINGS: Compilers = {"dialect": _dialect, "setting": _setting, "check": _check}
