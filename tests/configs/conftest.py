from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from traindx import kb
from traindx.engine.facts import Fact, Facts, Scalar, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs
from traindx.engine.kb.packs import Pack
from traindx.probes.configs.edit import plan_edits
from traindx.probes.configs.patch import Patch
from traindx.probes.configs.probe import ConfigProbe
from traindx.probes.inputs import Input, Kind
from traindx.probes.printed import PrintedSettings

PARTS = (
    "dialects",
    "settings",
    "checks",
    "limits/configs.yaml",
    "playbook",
    "facts/config.yaml",
    "weights.yaml",
)


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    """The part of our own knowledge base that configurations need."""
    own, root = Path(next(iter(kb.__path__))), tmp_path_factory.mktemp("kb")
    for part in PARTS:
        (root / part).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (own / part).is_dir() else shutil.copy
        copy(own / part, root / part)
    # What a log prints may stand for a setting; nothing here reads logs.
    (root / "facts" / "log.yaml").write_text(
        "- {name: log.lr.peak, type: float, means: The highest rate.}\n"
        "- {name: log.learning_rate_too_low_for_free_optimizer, type: bool, means: An optimizer wants 1.}\n"
    )
    return Knowledge(compile_packs([Pack("kb", root)]).__getitem__)


class Run:
    """What a run's files say: facts by name, and patches of the files."""

    def __init__(
        self,
        knowledge: Knowledge,
        files: Mapping[str, str | bytes | Path],
        code: Mapping[str, str] | None = None,
        printed: tuple[PrintedSettings, ...] = (),
    ) -> None:
        self.knowledge = knowledge
        inputs = [_input(name, content, Kind.CONFIG) for name, content in files.items()]
        inputs += [_input(name, content, Kind.CODE) for name, content in (code or {}).items()]
        self.probe = ConfigProbe(inputs, knowledge, printed)
        self.findings = self.probe.run()
        self.facts = Facts()
        self.facts.extend(self.findings.facts)

    def __getitem__(self, name: str) -> Value | None:
        """The value that counts, `config.` left out."""
        return self.facts.value(name if "." in name else f"config.{name}")

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty where it is unknown."""
        value = self[name]
        return value if isinstance(value, tuple) else ()

    def fact(self, name: str) -> Fact:
        fact = self.facts.get(name if "." in name else f"config.{name}")
        assert fact is not None, f"{name} is unknown"
        return fact

    def plan(self, **changes: Scalar) -> Patch:
        return plan_edits(self.probe.sources, changes, self.knowledge)

    def patched(self, **changes: Scalar) -> str:
        """The text of the one file that changes; everything wanted must have been applied."""
        patch = self.plan(**changes)
        assert not patch.refused
        assert len(patch.files) == 1
        return patch.files[0].after


def _input(name: str, content: str | bytes | Path, kind: Kind) -> Input:
    if isinstance(content, Path):
        return Input(str(content), kind, content)
    return Input(name, kind, data=content.encode() if isinstance(content, str) else content)


class Reads:
    """Reads the files of a run."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def __call__(
        self,
        files: Mapping[str, str | bytes | Path] | None = None,
        code: Mapping[str, str] | None = None,
        printed: tuple[PrintedSettings, ...] = (),
    ) -> Run:
        return Run(self.knowledge, files or {}, code, printed)


@pytest.fixture(scope="session")
def read(knowledge: Knowledge) -> Reads:
    return Reads(knowledge)
