from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.engine.probe import Findings
from traindx.probes.machine.host import Host


@pytest.fixture(scope="session")
def knowledge() -> Knowledge:
    """Our own knowledge base."""
    return load([own_pack()])


class HostMaker(Protocol):
    def __call__(
        self,
        files: Mapping[str, str] | None = None,
        environ: Mapping[str, str] | None = None,
        system: str = "linux",
        search_path: tuple[str, ...] = (),
    ) -> Host: ...


@pytest.fixture
def make_host(tmp_path: Path) -> HostMaker:
    """A machine made of files: absolute path -> content."""

    def make(
        files: Mapping[str, str] | None = None,
        environ: Mapping[str, str] | None = None,
        system: str = "linux",
        search_path: tuple[str, ...] = (),
    ) -> Host:
        root = tmp_path / "root"
        root.mkdir(exist_ok=True)
        for name, text in (files or {}).items():
            path = root / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Host(root, environ or {}, system, search_path, prefix="/ours", python="3.11.7")

    return make


def values(findings: Findings) -> dict[str, Value]:
    """The facts found, by name."""
    return {fact.name: fact.value for fact in findings.facts}
