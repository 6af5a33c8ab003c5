"""What must hold for every change, in every dialect and format, checked by readers that are not our own."""

from __future__ import annotations

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traindx.engine.facts import Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.configs.dialect import Dialect, Way
from traindx.probes.configs.spell import spelled

from .conftest import Reads
from .written import (
    all_dialects,
    flat,
    marks_of,
    settings_to_write,
    to_json,
    to_python,
    to_shell,
    to_toml,
    to_yaml,
    trainers,
    tree_of,
)  # fmt: skip

Values = dict[str, Any]
SUFFIX = {"yaml": "yaml", "json": "json", "toml": "toml", "shell": "sh", "python": "py"}


def from_shell(text: str) -> Values:
    words = shlex.split(text.replace("\\\n", " "), comments=True)
    values: Values = {}
    for index, word in enumerate(words):
        if word.startswith("--"):
            name, sign, value = word.partition("=")
            following = words[index + 1] if index + 1 < len(words) else "--"
            values[name] = value if sign else None if following.startswith("--") else following
    return values


def from_python(text: str) -> Values:
    values: Values = {}
    for node in ast.walk(ast.parse(text)):
        trainer = isinstance(node, ast.Assign) and ast.unparse(node.value).startswith(
            tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        )
        if isinstance(node, ast.Assign | ast.keyword) and not trainer:
            name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else str(node.arg)
            values[name] = ast.unparse(node.value)
    return values


def nested(load: Callable[[str], Any]) -> Callable[[str], Values]:
    return lambda text: dict(flat(load(text)))


READERS: dict[str, Callable[[str], Values]] = {
    "yaml": nested(yaml.safe_load), "json": nested(json.loads), "toml": nested(tomllib.loads), "shell": from_shell, "python": from_python,
}  # fmt: skip


def write(form: str, tree: Values, dialect: Dialect, draw: Callable[[list[Any]], Any]) -> str:
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


def comments(text: str) -> list[str]:
    return re.findall(r"#[^\r\n\"']*", text)


def names(key: str) -> set[str]:
    """The key as every reader here calls it."""
    plain = key.replace("_", "-")
    return {key, f"--{key}", f"--{plain}", key.rsplit(".", 1)[-1], key.split(".")[0]}


@pytest.mark.parametrize("form", sorted(SUFFIX))
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_change_changes_nothing_else(
    read: Reads, knowledge: Knowledge, form: str, data: st.DataObject
) -> None:
    draw = lambda options: data.draw(st.sampled_from(options))
    dialects = all_dialects(knowledge)
    able = [name for name in trainers(knowledge) if form in dialects[name].stored["formats"]]
    dialect = dialects[draw(able)]
    everything = list(settings_to_write(dialect, knowledge))
    written = [one for one in everything if draw([True, True, False])] or everything[:1]
    chosen: dict[str, tuple[Way, Scalar]] = {setting: (way, draw(values)) for setting, way, values in written}
    before = write(form, tree_of(chosen, marks_of(dialect, chosen)), dialect, draw)
    setting, way, values = draw(everything)
    value = draw(values)

    run = read({f"conf.{SUFFIX[form]}": before})
    patch = run.plan(**{setting: value})
    if not patch.files:
        return
    after = patch.files[0].after

    allowed = set().union(*(names(key) for other in (value, *values) for key in spelled(way, other, None)))
    was, now = READERS[form](before), READERS[form](after)
    other = {key for key in was.keys() | now.keys() if was.get(key, "absent") != now.get(key, "absent")}
    assert {key for key in other if not names(key) & allowed} == set()
    assert comments(after) == comments(before)
    assert ("\r\n" in after) == ("\r\n" in before)
    assert after.endswith(("\n", "\r")) == before.endswith(("\n", "\r"))

    again = read({f"conf.{SUFFIX[form]}": after})
    assert (
        again[setting] == pytest.approx(value)
        if isinstance(value, float)
        else again[setting] in (value, value or None)
    )
    assert again.plan(**{setting: value}).files == ()


@pytest.mark.parametrize("form", sorted(SUFFIX))
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_what_stands_in_a_recognised_file_can_be_changed(
    read: Reads, knowledge: Knowledge, form: str, data: st.DataObject
) -> None:
    draw = lambda options: data.draw(st.sampled_from(options))
    dialects = all_dialects(knowledge)
    able = [name for name in trainers(knowledge) if form in dialects[name].stored["formats"]]
    dialect = dialects[draw(able)]
    chosen = {setting: (way, draw(values)) for setting, way, values in settings_to_write(dialect, knowledge)}
    text = write(form, tree_of(chosen, marks_of(dialect, chosen)), dialect, draw)
    run = read({f"conf.{SUFFIX[form]}": text})
    if run["dialect"] != dialect.id:
        return
    setting, way, values = draw(list(settings_to_write(dialect, knowledge)))
    if run[setting] is not None and way.default is None:
        assert run.plan(**{setting: draw(values)}).refused == ()
