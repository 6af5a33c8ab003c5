"""Thresholds are there to be corrected: each one decides something."""

from __future__ import annotations

import re
from pathlib import Path

from traindx.engine.kb.packs import own_pack
from traindx.engine.kb.source import read_pack

ROOT = Path(__file__).parents[2]


def test_every_threshold_is_asked_for() -> None:
    texts = [
        path.read_text(encoding="utf-8")
        for folder in ("kb", "engine", "probes", "templates", "src/traindx/cli")
        for pattern in ("*.yaml", "*.py", "*.j2")
        for path in (ROOT / folder).rglob(pattern)
        if path.parent != ROOT / "kb" / "limits"
    ]
    asked = set(re.findall(r"""(?:\blimit\.|limits\[f?["']|limits\.get\(["']|["'])(\w+)""", "\n".join(texts)))
    entries, problems = read_pack(own_pack())
    assert problems == []
    names = [entry.value["id"] for entry in entries if entry.kind == "limit"]
    assert [name for name in names if name not in asked] == []
