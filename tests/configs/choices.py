"""Configurations made from the dialects' own data, for properties that must hold in every one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeVar

from traindx.engine.facts import Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import SettingRule
from traindx.probes.configs.dialect import Dialect
from traindx.probes.configs.dialects import Dialects
from traindx.probes.configs.spell import NotSpelled, spelled
from traindx.probes.configs.way import Way

Tree = dict[str, Any]
T = TypeVar("T")
_RATES = [5e-5, 1e-4, 3e-4, 0.002, 0.01, 0.5, 1e-8]
_COUNTS = [1, 2, 4, 16, 100, 500]


class Draw(Protocol):
    """Picks one of several."""

    def __call__(self, options: list[T], /) -> T: ...


def trainers(dialects: Dialects) -> list[str]:
    """The dialects of trainers: those that a configuration alone is written in."""
    return [name for name, stored in dialects.stored.items() if not stored.get("always")]


def values_of(rule: SettingRule, way: Way) -> list[Scalar]:
    """Canonical values that this way can say and the setting allows."""
    if way.values:
        words: list[Scalar] = [_canonical(word, rule) for word in way.values]
        return words if len(words) > 1 else []
    if rule.type == "bool":
        return [True, False]
    if way.exponent:
        return [1024.0, 65536.0]
    if rule.type == "int":
        return [one for one in _COUNTS if _allowed(one, rule, way)]
    if rule.type == "float":
        return [one * way.scale for one in (*_RATES, 3.0) if _allowed(one * way.scale, rule, way)]
    return [] if rule.values else ["first", "second/one"]


def _canonical(word: str, rule: SettingRule) -> Scalar:
    return word == "true" if rule.type == "bool" else int(word) if rule.type == "int" else word


def _allowed(value: float, rule: SettingRule, way: Way) -> bool:
    inside = (rule.low is None or value >= rule.low) and (rule.high is None or value <= rule.high)
    share = bool(way.ratio_below and value < way.ratio_below)
    return inside and share == bool(way.ratio_below and not way.ratio_as) and value not in way.unset


def settings_to_write(dialect: Dialect, knowledge: Knowledge) -> Iterator[tuple[str, Way, list[Scalar]]]:
    """The settings that can stand in one file together: no two of them under one key."""
    taken: set[str] = set()
    for setting, ways in dialect.settings.items():
        way = ways[0]
        listed = any(part.isdigit() for key in way.keys for part in key.split("."))
        if listed or not way.keys or way.reads or way.times or way.only_with or way.index or way.each:
            continue
        values = values_of(knowledge.settings[setting], way)
        keys = {key for value in values for key in _keys(way, value)}
        if len(values) < 2 or any(_clash(key, other) for key in keys for other in taken):
            continue
        # `cache_latents_to_disk` says `cache_latents` too.
        taken |= keys | way.implied.keys()
        yield setting, way, values


def _keys(way: Way, value: Scalar) -> list[str]:
    try:
        return list(spelled(way, value, None))
    except NotSpelled:
        return []


def _clash(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def marks_of(dialect: Dialect, chosen: Mapping[str, tuple[Way, Scalar]], plain: Dialect) -> dict[str, str]:
    """Other keys that give the dialect away, and that scripts of one's own do not use for settings."""
    taken = [key for way, value in chosen.values() for key in _keys(way, value)]
    named = dialect.stored.get("needs") or dialect.stored["markers"]
    keys = [key for key in named if "()" not in key and not any(_clash(key, other) for other in taken)]
    return dict.fromkeys(
        [key for key in keys if plain.normal(key.rsplit(".")[-1]) not in plain.keys][:3], "x"
    )


def tree_of(chosen: Mapping[str, tuple[Way, Scalar]], markers: Mapping[str, Any]) -> Tree:
    """The settings and other keys as nested mappings."""
    tree: Tree = {}
    pairs = [pair for way, value in chosen.values() for pair in spelled(way, value, None).items()]
    # What a key counts beside: another setting may say it.
    beside = {key: "x" for way, _ in chosen.values() for key in way.beside}
    for key, raw in [*markers.items(), *beside.items(), *pairs]:
        here, parts = tree, key.split(".")
        for part in parts[:-1]:
            here = here.setdefault(part, {})
            if not isinstance(here, dict):
                break
        else:
            here[parts[-1]] = raw
    return tree
