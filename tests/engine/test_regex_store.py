"""Patterns that were compiled before are those that `re.compile` gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.regex_store import Store

EXAMPLES: tuple[tuple[str | bytes, int], ...] = (
    (r"(?P<key>\w+)=(?P<value>[^;]*)", 0),
    (r"(?i)(?<!eval )\bloss(?:es)?\b.{0,9}?(nan|inf)", re.MULTILINE),
    (rb"^\s*(\d++)/(\d++)", 0),
    ("[а-я中]{2,}", re.IGNORECASE),
)


def kept(folder: Path) -> Path:
    """The file of a store that has seen the examples."""
    store = Store(folder)
    for pattern, flags in EXAMPLES:
        store.compile(pattern, flags)
    store.keep()
    (file,) = folder.iterdir()
    return file


def not_asked(*_: object) -> None:
    raise AssertionError("compiled again")


def test_a_stored_pattern_is_that_of_re(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns are equal where their flags, their text and their compiled code are."""
    kept(tmp_path)
    store = Store(tmp_path)
    monkeypatch.setattr(store, "_parser", not_asked)
    for pattern, flags in EXAMPLES:
        stored, real = store.compile(pattern, flags), re.compile(pattern, flags)
        assert stored == real
        assert (stored.groups, dict(stored.groupindex)) == (real.groups, dict(real.groupindex))


def test_names_of_groups_come_back(tmp_path: Path) -> None:
    kept(tmp_path)
    found = Store(tmp_path).compile(*EXAMPLES[0]).search("seed=7;")
    assert found is not None
    assert found.groupdict() == {"key": "seed", "value": "7"}
    assert found.lastgroup == "value"


def test_every_signature_of_the_knowledge_base_comes_back(tmp_path: Path) -> None:
    patterns = [rule.pattern for rule in load([own_pack()]).signatures.values()]
    store = Store(tmp_path)
    for pattern in patterns:
        store.compile(pattern, re.MULTILINE)
    store.keep()
    store = Store(tmp_path)
    assert [store.compile(pattern, re.MULTILINE) for pattern in patterns] == [
        re.compile(pattern, re.MULTILINE) for pattern in patterns
    ]


def test_new_patterns_join_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path)
    store = Store(tmp_path)
    store.compile("one more", 0)
    store.keep()
    store = Store(tmp_path)
    monkeypatch.setattr(store, "_parser", not_asked)
    for pattern, flags in (*EXAMPLES, ("one more", 0)):
        assert store.compile(pattern, flags) == re.compile(pattern, flags)


def test_a_pattern_that_is_none_is_refused_as_ever(tmp_path: Path) -> None:
    with pytest.raises(re.error, match="unterminated"):
        Store(tmp_path).compile("(", 0)


@given(cut=st.integers(0, 2_000), flipped=st.integers(0, 2_000))
def test_a_damaged_file_costs_time_and_no_pattern(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flipped: int
) -> None:
    folder = tmp_path_factory.mktemp("store")
    file = kept(folder)
    text = bytearray(file.read_bytes())
    text[flipped % len(text)] ^= 0x24
    file.write_bytes(text[: len(text) - cut])
    store = Store(folder)
    assert [store.compile(pattern, flags) for pattern, flags in EXAMPLES] == [
        re.compile(pattern, flags) for pattern, flags in EXAMPLES
    ]


def test_a_folder_that_takes_nothing_is_no_error(tmp_path: Path) -> None:
    store = Store(tmp_path / "not there")
    store.compile("a", 0)
    store.keep()
    assert not list(tmp_path.iterdir())


def test_a_command_leaves_its_patterns_to_the_next(tmp_path: Path) -> None:
    # Beside the note a folder `traindx` would hide an editable install of the package.
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    (tmp_path / "note.md").write_text("The loss is flat from the start, fp32 is fine.\n")
    said = [
        subprocess.run(
            [sys.executable, "-m", "traindx", "--no-machine", "note.md"],
            env=environment, cwd=tmp_path, capture_output=True, check=False,
        ).stdout
        for _ in range(2)
    ]  # fmt: skip
    (file,) = (tmp_path / "cache" / "traindx").glob("patterns-*")
    assert file.stat().st_size > 1_000
    assert said[0] == said[1] != b""
