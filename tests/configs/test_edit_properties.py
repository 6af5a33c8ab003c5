"""What must hold for every change, in every dialect and format, checked by readers that are not our own."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traindx.engine.facts import Scalar, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.configs.dialect import Dialect, Way
from traindx.probes.configs.spell import spelled

from .conftest import Reads
from .others import SUFFIX, comments, differing, names
from .written import all_dialects, marks_of, settings_to_write, trainers, tree_of, written


def dialects_of(knowledge: Knowledge, form: str) -> list[Dialect]:
    dialects = all_dialects(knowledge)
    return [dialects[one] for one in trainers(knowledge) if form in dialects[one].stored["formats"]]


def keys_of(way: Way, values: list[Scalar]) -> set[str]:
    """The keys that a change of a setting may touch."""
    return set().union(*(names(key) for value in values for key in spelled(way, value, None)))


def unintended(form: str, before: str, after: str, allowed: set[str]) -> set[str]:
    return {key for key in differing(form, before, after) if not names(key) & allowed}


def means(found: Value | None, value: Scalar, way: Way) -> bool:
    """Whether a setting reads as a value; a switch that is not there is off."""
    if found is None:
        return all(raw is False for raw in spelled(way, value, None).values())
    return bool(found == pytest.approx(value)) if isinstance(value, float) else found == value


@pytest.mark.parametrize("form", sorted(SUFFIX))
def test_every_setting_of_every_dialect_can_be_changed_where_it_stands(
    read: Reads, knowledge: Knowledge, form: str
) -> None:
    draw = random.Random(form).choice
    for dialect in dialects_of(knowledge, form):
        ways = {setting: (way, values) for setting, way, values in settings_to_write(dialect, knowledge)}
        chosen = {setting: (way, values[0]) for setting, (way, values) in ways.items()}
        before = written(form, tree_of(chosen, marks_of(dialect, chosen)), dialect, draw)
        run = read({f"conf.{SUFFIX[form]}": before})
        assert run["dialect"] == dialect.id
        for setting, (way, values) in ways.items():
            assert means(run[setting], values[0], way), (dialect.id, setting)
            after = run.patched(**{setting: values[1]})
            assert unintended(form, before, after, keys_of(way, values)) == set(), (dialect.id, setting)
        wanted = {setting: values[1] for setting, (_, values) in ways.items()}
        again = read({f"conf.{SUFFIX[form]}": run.patched(**wanted)})
        assert [one for one, (way, _) in ways.items() if not means(again[one], wanted[one], way)] == []
        assert again.plan(**wanted).files == ()


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
    def draw(options: list[Any]) -> Any:
        return data.draw(st.sampled_from(options))

    dialect = draw(dialects_of(knowledge, form))
    everything = list(settings_to_write(dialect, knowledge))
    some = [one for one in everything if draw([True, True, False])] or everything[:1]
    chosen = {setting: (way, draw(values)) for setting, way, values in some}
    before = written(form, tree_of(chosen, marks_of(dialect, chosen)), dialect, draw)
    setting, way, values = draw(everything)
    value = draw(values)

    patch = read({f"conf.{SUFFIX[form]}": before}).plan(**{setting: value})
    if not patch.files:
        assert patch.refused or patch.unchanged == {setting: value}
        return
    after = patch.files[0].after
    assert unintended(form, before, after, keys_of(way, [value, *values])) == set()
    assert comments(after) == comments(before)
    assert ("\r\n" in after) == ("\r\n" in before)
    assert after.endswith(("\n", "\r")) == before.endswith(("\n", "\r"))
    again = read({f"conf.{SUFFIX[form]}": after})
    assert means(again[setting], value, way)
    assert again.plan(**{setting: value}).files == ()
