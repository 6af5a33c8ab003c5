"""What must hold for every change, in every dialect and format, checked by readers that are not our own."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from traindx.engine.facts import Scalar, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.configs.dialect import Dialect
from traindx.probes.configs.dialects import Dialects
from traindx.probes.configs.spell import NotSpelled, spelled
from traindx.probes.configs.way import Way

from .choices import T, marks_of, settings_to_write, trainers, tree_of
from .conftest import Reads, Run
from .others import SUFFIX, comments, differing, names
from .texts import written


def dialects_of(dialects: Dialects, form: str) -> list[Dialect]:
    return [dialects[one] for one in trainers(dialects) if form in dialects.stored[one]["formats"]]


def keys_of(way: Way, values: list[Scalar]) -> set[str]:
    """The keys that a change of a setting may touch."""
    keys = {way.flag or way.keys[0], *way.old}
    for value in values:
        # Of several ways to write a setting, not each can say every value.
        with contextlib.suppress(NotSpelled):
            keys |= spelled(way, value, None).keys()
    return set().union(*map(names, keys))


def unintended(form: str, before: str, after: str, allowed: set[str]) -> set[str]:
    return {key for key in differing(form, before, after) if not names(key) & allowed}


def means(found: Value | None, value: Scalar, way: Way) -> bool:
    """Whether a setting reads as a value; a switch that is not there is off."""
    if found is None:
        return all(raw is False for raw in spelled(way, value, None).values())
    return bool(found == pytest.approx(value)) if isinstance(value, float) else found == value


def wrong(run: Run, wanted: Mapping[str, Scalar], ways: Mapping[str, tuple[Way, list[Scalar]]]) -> list[str]:
    """The settings that do not read as wanted."""
    return [setting for setting, value in wanted.items() if not means(run[setting], value, ways[setting][0])]


@pytest.mark.parametrize("form", sorted(SUFFIX))
def test_every_setting_of_every_dialect_can_be_changed_where_it_stands(
    read: Reads, knowledge: Knowledge, form: str
) -> None:
    draw, name = random.Random(form).choice, f"conf.{SUFFIX[form]}"
    dialects = Dialects(knowledge.dialects)
    for dialect in dialects_of(dialects, form):
        ways = {setting: (way, values) for setting, way, values in settings_to_write(dialect, knowledge)}
        before = {setting: values[0] for setting, (_, values) in ways.items()}
        chosen = {setting: (way, values[0]) for setting, (way, values) in ways.items()}
        text = written(form, tree_of(chosen, marks_of(dialect, chosen, dialects["plain"])), dialect, draw)
        run = read({name: text})
        assert (run["dialect"], wrong(run, before, ways)) == (dialect.id, [])
        for half in list(ways)[::2], list(ways)[1::2]:
            wanted = {setting: ways[setting][1][1] for setting in half}
            after = run.patched(**wanted)
            again = read({name: after})
            assert unintended(form, text, after, set().union(*(keys_of(*ways[one]) for one in half))) == set()
            assert (dialect.id, wrong(again, before | wanted, ways)) == (dialect.id, [])
            assert again.plan(**wanted).files == ()


@pytest.mark.parametrize("form", sorted(SUFFIX))
@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_change_changes_nothing_else(
    read: Reads, knowledge: Knowledge, form: str, data: st.DataObject
) -> None:
    def draw(options: list[T]) -> T:
        return data.draw(st.sampled_from(options))

    dialects = Dialects(knowledge.dialects)
    dialect = draw(dialects_of(dialects, form))
    everything = list(settings_to_write(dialect, knowledge))
    some = [one for one in everything if draw([True, True, False])] or everything[:1]
    chosen = {setting: (way, draw(values)) for setting, way, values in some}
    before = written(form, tree_of(chosen, marks_of(dialect, chosen, dialects["plain"])), dialect, draw)
    setting, way, values = draw(everything)
    value = draw(values)

    note(before)
    patch = read({f"conf.{SUFFIX[form]}": before}).plan(**{setting: value})
    if not patch.files:
        assert patch.refused or patch.unchanged == {setting: value}
        return
    after = patch.files[0].after
    note(patch.diff)
    allowed = set().union(*(keys_of(one, [value, *values]) for one in dialect.settings[setting]))
    assert unintended(form, before, after, allowed) == set()
    assert comments(after) == comments(before)
    assert ("\r\n" in after) == ("\r\n" in before)
    assert after.endswith(("\n", "\r")) == before.endswith(("\n", "\r"))
    again = read({f"conf.{SUFFIX[form]}": after})
    assert means(again[setting], value, way)
    assert again.plan(**{setting: value}).files == ()
