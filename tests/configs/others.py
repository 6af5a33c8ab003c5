"""Readers that are not our own, to judge edits by."""

from __future__ import annotations

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Callable
from typing import Any

import yaml

from .texts import flat

Values = dict[str, Any]
SUFFIX = {"yaml": "yaml", "json": "json", "toml": "toml", "shell": "sh", "python": "py"}


def _shell(text: str) -> Values:
    words = shlex.split(text.replace("\\\n", " "), comments=True)
    values: Values = {}
    for index, word in enumerate(words):
        if word.startswith("--"):
            name, sign, value = word.partition("=")
            following = words[index + 1] if index + 1 < len(words) else "--"
            values[name] = value if sign else None if following.startswith("--") else following
    return values


def _python(text: str) -> Values:
    values: Values = {}
    for node in ast.walk(ast.parse(text)):
        holds_others = any(isinstance(inner, ast.keyword) for inner in ast.walk(node) if inner is not node)
        if isinstance(node, ast.Assign | ast.keyword) and not holds_others:
            name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else str(node.arg)
            values[name] = ast.unparse(node.value)
    return values


def _nested(load: Callable[[str], Any]) -> Callable[[str], Values]:
    return lambda text: dict(flat(load(text)))


READERS: dict[str, Callable[[str], Values]] = {
    "yaml": _nested(yaml.safe_load),
    "json": _nested(json.loads),
    "toml": _nested(tomllib.loads),
    "shell": _shell,
    "python": _python,
}


def differing(form: str, before: str, after: str) -> set[str]:
    """The keys whose values differ between two texts."""
    was, now = READERS[form](before), READERS[form](after)
    return {key for key in was.keys() | now.keys() if was.get(key, "absent") != now.get(key, "absent")}


def comments(text: str) -> list[str]:
    """What stands behind signs that start a comment."""
    return re.findall(r"#[^\r\n\"']*", text)


def names(key: str) -> set[str]:
    """A dialect's key as the readers here call it."""
    plain = key.replace("_", "-")
    return {key, f"--{key}", f"--{plain}", key.rsplit(".", 1)[-1], key.split(".")[0]}
