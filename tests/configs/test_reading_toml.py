from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.configs.formats import toml_file


def values(text: str) -> dict[str, object]:
    return {entry.key: entry.value for entry in toml_file.read(text).entries}


def test_tables_inline_tables_lists_and_dotted_keys() -> None:
    text = 'a = 1\n[train]\nlr = "1e-4"  # text\noptim.eps = 1e-8\nbetas = [0.9, [1,\n 2]]\n[[sets]]\nres = 512\n[[sets]]\nres = {w = 8, "h x" = 9}\n'
    assert values(text) == {
        "a": 1, "train.lr": "1e-4", "train.optim.eps": 1e-8, "train.betas.0": 0.9, "train.betas.1.0": 1, "train.betas.1.1": 2,
        "sets.0.res": 512, "sets.1.res.w": 8, "sets.1.res.h x": 9,
    }  # fmt: skip


def test_multi_line_texts_and_dates_have_places_too() -> None:
    text = 'a = """x\n"y" """\nb = 1979-05-27 07:32:00\nc = \'\'\'q\'\'\'\n'
    spans = [text[slice(*entry.span)] for entry in toml_file.read(text).entries if entry.span]
    assert spans == ['"""x\n"y" """', "1979-05-27 07:32:00", "'''q'''"]


def test_a_mistake_has_its_place() -> None:
    problem = toml_file.read("a = 1\nb = \n").problems[0]
    assert (problem.kind, problem.message, problem.at) == ("syntax", "Invalid value", 10)


KEYS = st.text("abcdefgh_-0123456789", min_size=1, max_size=8)
VALUES = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(
        lambda value: repr(value) if "." in repr(value) else f"{value:.3e}"
    ),
    st.sampled_from(["true", "false", '"a # b"', "'c = d'", "[1, 2, 3]", "{x = 1, y = 'z'}", '"\\n\\""']),
)


@given(
    st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=4), max_size=4),
    st.sampled_from(["\n", "\r\n"]),
)
def test_places_agree_with_the_standard_library(tables: dict[str, dict[str, str]], line_end: str) -> None:
    lines = ["# head"]
    for table, pairs in tables.items():
        lines += [f"[{table}]  # of", *(f"{key} = {value}" for key, value in pairs.items())]
    text = line_end.join(lines)
    tree = tomllib.loads(text)
    entries = toml_file.read(text).entries
    for entry in entries:
        assert entry.span is not None
        written = text[slice(*entry.span)]
        assert tomllib.loads(f"v = {written}")["v"] == entry.value
    assert sum(map(len, tables.values())) <= len(entries) + sum(value == {} for value in tree.values())
