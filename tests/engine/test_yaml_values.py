"""Values read without their places are those that are read with them."""

from __future__ import annotations

import pytest

from traindx.engine.yaml_nodes import MAX_DEPTH, YamlProblem
from traindx.engine.yaml_tree import read_tree
from traindx.engine.yaml_values import read_value

SOUND = [
    "",
    "a: 1\nb: [true, 'yes', ~, 1e-3, 2.5, .inf, 0x10, 2020-01-01]\nc:\n  - d: text with spaces\n  - |\n    lines\n",
    "no: off\nNULL: null\nfalse: FALSE\nfalsehood: nothing\n? key\n: value\n",
    "base: &base {x: 1, y: 2}\nmore:\n  <<: *base\n  y: 3\nsame: *base\n",
    "!!str 12",
]
BROKEN = [
    "a: 1\na: 2\n",
    "a: !!python/object:os.system [ls]\n",
    "? [a, b]\n: 1\n",
    "a: &a [*a]\n",
    "[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2),
    "a: [1, 2\n",
    "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
    ),
]


@pytest.mark.parametrize("text", SOUND)
def test_a_value_is_the_same_with_and_without_its_places(text: str) -> None:
    assert read_value(text) == read_tree(text).value


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_refused_with_places_is_refused_alike_without(text: str) -> None:
    with pytest.raises(YamlProblem) as with_places:
        read_tree(text)
    with pytest.raises(YamlProblem) as without:
        read_value(text)
    told = [(one.value.message, one.value.line, one.value.column) for one in (with_places, without)]
    assert told[0] == told[1]
