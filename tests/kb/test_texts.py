"""What the knowledge says is shown as it stands: nothing in it looks like a secret of the person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from traindx.engine.kb.packs import own_pack
from traindx.engine.kb.source import read_pack
from traindx.engine.redact import redact

SHOWN = (
    "title",
    "because",
    "otherwise",
    "explanation",
    "why",
    "steps",
    "expect",
    "command",
    "means",
    "ask",
    "measure",
    "do",
)


def texts(value: Any, shown: bool = False) -> Iterator[str]:
    """Those below a key whose text a person sees."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key != "examples":
                yield from texts(one, key in SHOWN)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one, shown)
    elif shown and isinstance(value, str):
        yield value


def test_no_text_of_the_knowledge_is_taken_for_a_secret() -> None:
    entries, _ = read_pack(own_pack())
    said = [text for entry in entries for text in texts(entry.value)]
    assert len(said) > 4000
    assert [text for text in said if redact(text) != text] == []
