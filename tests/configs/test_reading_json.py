from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.configs.formats import json_file


def values(text: str) -> dict[str, object]:
    return {entry.key: entry.value for entry in json_file.read(text).entries}


def problems(text: str) -> list[tuple[str, str, int]]:
    return [(one.kind, one.message, one.at) for one in json_file.read(text).problems]


def test_comments_and_trailing_commas_are_read_and_noted() -> None:
    text = '{\n  "lr": 3e-4,  // lower\n  /* two */ "bs": 4,\n}'
    assert values(text) == {"lr": 3e-4, "bs": 4}
    assert [kind for kind, _, _ in problems(text)] == ["loose", "loose"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1 "b": 2}', 'expected `,` or `}`, found `"`'),
        ('{"a" 1}', "expected `:` after the key `a`, found `1`"),
        ('{"fp16": True}', "`True` is no JSON value; write `true`"),
        ('{"a": 1', "expected `,` or `}`, found the end of the text"),
        ("{a: 1}", "expected a key in double quotes, found `a`"),
        ('{"a": 1} x', "expected the end, found `x`"),
        ('{"a": 01}', "`01` is no JSON value"),
    ],
)
def test_a_mistake_is_named_where_it_is(text: str, message: str) -> None:
    kind, said, at = problems(text)[0]
    assert (kind, said) == ("syntax", message)
    assert 0 < at <= len(text)


def test_what_stands_before_a_mistake_is_read() -> None:
    assert values('{"lr": 0.1, "bs": }') == {"lr": 0.1}


def test_the_last_of_two_equal_keys_counts() -> None:
    assert values('{"lr": 1, "lr": 2}') == {"lr": 2}
    assert problems('{"lr": 1, "lr": 2}')[0][0] == "duplicate"


def test_nesting_is_bounded() -> None:
    assert problems("[" * 100_000)[0][:2] == ("note", "nested too deeply")


def test_a_table_is_no_configuration() -> None:
    assert problems(json.dumps(list(range(30_000))))[0][0] == "note"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_what_python_writes_is_read_as_python_reads_it(
    tree: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(tree, indent=indent, ensure_ascii=ascii_only)
    reading = json_file.read(text)
    assert not [one for one in reading.problems if one.kind == "syntax"]
    for entry in reading.entries:
        here: object = tree
        for part in entry.path:
            here = here[part]  # type: ignore[index]
        assert here == entry.value
        assert entry.span is not None
        assert json.loads(text[slice(*entry.span)]) == entry.value
