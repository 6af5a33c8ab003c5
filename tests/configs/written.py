"""Configurations made from the dialects' own data, for properties that must hold in every one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import SettingRule
from traindx.probes.configs.dialect import Dialect, Way
from traindx.probes.configs.dialects import Dialects
from traindx.probes.configs.spell import NotSpelled, spelled

Tree = dict[str, Any]
Draw = Callable[[list[Any]], Any]
"""Picks one of several."""
_RATES = [5e-5, 1e-4, 3e-4, 0.002, 0.01, 0.5, 1e-8]
_COUNTS = [1, 2, 4, 16, 100, 500]


def trainers(knowledge: Knowledge) -> list[str]:
    """The dialects of trainers: those that a configuration alone is written in."""
    return [name for name, stored in knowledge.dialects.items() if not stored.get("always")]


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
        if listed or not way.keys or way.reads or way.times or way.index or way.each:
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


def marks_of(dialect: Dialect, chosen: Mapping[str, tuple[Way, Scalar]]) -> dict[str, str]:
    """Other keys that give the dialect away."""
    taken = [key for way, value in chosen.values() for key in _keys(way, value)]
    named = dialect.stored.get("needs") or dialect.stored["markers"]
    keys = [key for key in named if "()" not in key and not any(_clash(key, other) for other in taken)]
    return dict.fromkeys(keys[:3], "x")


def tree_of(chosen: Mapping[str, tuple[Way, Scalar]], markers: Mapping[str, Any]) -> Tree:
    """The settings and other keys as nested mappings."""
    tree: Tree = {}
    pairs = [pair for way, value in chosen.values() for pair in spelled(way, value, None).items()]
    for key, raw in [*markers.items(), *pairs]:
        here, parts = tree, key.split(".")
        for part in parts[:-1]:
            here = here.setdefault(part, {})
            if not isinstance(here, dict):
                break
        else:
            here[parts[-1]] = raw
    return tree


def to_yaml(tree: Tree, draw: Draw) -> str:
    """YAML with comments, quotes and an indentation of one's own."""
    step, line_end = draw([2, 4]), draw(["\n", "\r\n"])
    lines = ["# what we train", *_yaml_lines(tree, "", " " * step, draw)]
    return line_end.join(lines) + draw(["", line_end])


def _yaml_lines(tree: Tree, indent: str, step: str, draw: Draw) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:{draw(['', '  # a section'])}"
            yield from _yaml_lines(value, indent + step, step, draw)
        else:
            yield f"{indent}{key}: {_yaml_value(value, draw)}{draw(['', '  # lr: 3 in a comment', ' # é'])}"
        if draw([True, False, False]):
            yield draw(["", f"{indent}# - a note: 1"])


def _yaml_value(value: Any, draw: Draw) -> str:
    if isinstance(value, str):
        return draw([f"'{value}'", f'"{value}"'])
    if isinstance(value, bool):
        return draw(["true", "True"]) if value else draw(["false", "no"])
    return repr(value) if "e" not in repr(value) else f"{value:.1e}"


def to_json(tree: Tree, draw: Draw) -> str:
    """JSON in one line or indented."""
    text = json.dumps(tree, indent=draw([None, 2, 4, "\t"]))
    return text.replace("\n", draw(["\n", "\r\n"])) + draw(["", "\n"])


def to_toml(tree: Tree, draw: Draw) -> str:
    """TOML with a table for each section."""
    return "".join(_toml_lines(tree, (), draw))


def _toml_lines(tree: Tree, path: tuple[str, ...], draw: Draw) -> Iterator[str]:
    plain = {key: value for key, value in tree.items() if not isinstance(value, dict)}
    if path and plain:
        yield f"\n[{'.'.join(path)}]{draw(['', '  # a table'])}\n"
    for key, value in plain.items():
        written = f"'{value}'" if isinstance(value, str) and draw([True, False]) else json.dumps(value)
        yield f"{key}{draw([' = ', '='])}{written}{draw(['', '  # why = 1'])}\n"
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _toml_lines(value, (*path, key), draw)


def to_shell(tree: Tree, dialect: Dialect, draw: Draw) -> str:
    """A script that passes everything as options."""
    flags = {
        way.key: way.flag
        for ways in dialect.settings.values()
        for way in ways
        if way.flag and isinstance(way.key, str)
    }
    words = [
        word for key, value in flat(tree) for word in _option(flags.get(key) or key, value, dialect, draw)
    ]
    gap = draw([" ", " \\\n    "])
    return f"#!/bin/bash\n# train\nexport NAME=x\npython train.py{gap}{gap.join(words)}{draw(['', chr(10)])}"


def flat(tree: Tree, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, (*path, key))
        else:
            yield ".".join((*path, key)), value


def _option(key: str, value: Any, dialect: Dialect, draw: Draw) -> Iterator[str]:
    name = key.replace("_", "-") if dialect.hyphens else key
    if value is True and dialect.bare_flags:
        yield f"--{name}"
    elif value is not False or not dialect.bare_flags:
        yield f"--{name}{draw([' ', '='])}{draw([value, json.dumps(str(value))])}"


def to_python(tree: Tree, dialect: Dialect, draw: Draw) -> str:
    """A call of one of the trainer's classes, or assignments."""
    if dialect.calls:
        gap = draw([" ", "\n    "])
        call = min(dialect.calls)
        pairs = f",{gap}".join(f"{key}={value!r}" for key, value in tree.items())
        return f"import x\n\nargs = {call}({gap.strip(' ')}{pairs})  # done\n"
    own = {f"self.{key}": value for key, value in tree.get("self", {}).items()}
    pairs = {key: value for key, value in tree.items() if key != "self"} | own
    return "".join(f"{key} = {_python_value(value)}{draw(['', '  # why'])}\n" for key, value in pairs.items())


def _python_value(value: Any) -> str:
    if not isinstance(value, dict):
        return repr(value)
    if not all(map(str.isidentifier, value)):
        return f"{{{', '.join(f'{key!r}: {_python_value(one)}' for key, one in value.items())}}}"
    return f"dict({', '.join(f'{key}={_python_value(one)}' for key, one in value.items())})"


def all_dialects(knowledge: Knowledge) -> Dialects:
    return Dialects(knowledge.dialects)


def written(form: str, tree: Tree, dialect: Dialect, draw: Draw) -> str:
    """The settings as a text of a format."""
    match form:
        case "yaml":
            return to_yaml(tree, draw)
        case "json":
            return to_json(tree, draw)
        case "toml":
            return to_toml(tree, draw)
        case "shell":
            return to_shell(tree, dialect, draw)
    return to_python(tree, dialect, draw)
