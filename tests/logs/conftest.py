from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from traindx import kb
from traindx.engine.facts import Fact, Facts, Place, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs
from traindx.engine.kb.packs import Pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe

PARTS = (
    "frames", "limits", "logs", "metrics", "phrases", "playbook", "trials", "words", "weights.yaml",
)  # fmt: skip
FACTS = ("device", "environment", "errors", "gradients", "log", "loss", "tests")
SIGNATURES = r"""
- id: device-memory-gone
  pattern: 'CUDA out of memory\. Tried to allocate (?P<tried>[\d.]+ \w+)'
  means: The device has no memory left.
  role: failure
  captures: {tried: gpu.oom.tried_gib}
  facts: {gpu.present: true}
  finds: ['CUDA out of memory. Tried to allocate 2.00 GiB']
- id: watchdog-fired
  pattern: '(?:Rank (?P<rank>\d+)\] )?Watchdog caught collective operation timeout(?:: WorkNCCL\(SeqNum=(?P<sequence>\d+), OpType=(?P<collective>\w+))?'
  captures: {rank: dist.rank, sequence: dist.sequence, collective: dist.collective}
  means: A collective operation did not finish.
  role: consequence
  finds: ['[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3)']
- id: workers-too-many
  pattern: 'This DataLoader will create (?P<asked>\d+) worker processes in total\.\s+Our suggested max number'
  means: More data workers than cores.
  role: warning
  lines: 2
  finds: ["This DataLoader will create 16 worker processes in total.\nOur suggested max number"]
- id: said-broken
  pattern: '(?i)\bmy run is broken\b'
  means: A person says so.
  role: event
  where: anywhere
  finds: ['my run is broken']
"""


TAKEN = ("stage-announced", "training-complete")
"""Signatures of our own that the reader of curves goes by."""


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    """What our own knowledge base says of logs, with a few signatures."""
    own, root = Path(next(iter(kb.__path__))), tmp_path_factory.mktemp("kb")
    for part in PARTS:
        copy = shutil.copytree if (own / part).is_dir() else shutil.copy
        copy(own / part, root / part)
    for path in (own / "facts" / f"{name}.yaml" for name in FACTS):
        # How facts follow from others, and when they are asked for, names signatures that are not here.
        plain = [
            {key: value for key, value in fact.items() if key not in ("derive", "supposes")}
            for fact in read_yaml(path)
        ]
        (root / "facts").mkdir(exist_ok=True)
        (root / "facts" / path.name).write_text(yaml.safe_dump(plain), encoding="utf-8")
    (root / "signatures").mkdir()
    (root / "signatures" / "few.yaml").write_text(SIGNATURES, encoding="utf-8")
    printed = ("events.yaml", "printed-environment.yaml")
    own_events = [
        one for name in printed for one in read_yaml(own / "signatures" / name) if one["id"] in TAKEN
    ]
    (root / "signatures" / "taken.yaml").write_text(yaml.safe_dump(own_events), encoding="utf-8")
    return Knowledge(compile_packs([Pack("kb", root)]).__getitem__)


Mode = Literal["auto", "full", "triage"]


class Read:
    """What the probe found in some inputs."""

    def __init__(self, inputs: list[Input], knowledge: Knowledge, scan: Mode) -> None:
        self.probe = LogProbe(inputs, knowledge, scan=scan)
        self.findings = self.probe.run()
        self.facts = Facts()
        self.facts.extend(self.findings.facts)

    def __getitem__(self, name: str) -> Value | None:
        return self.facts.value(name)

    def fact(self, name: str) -> Fact:
        fact = self.facts.get(name)
        assert fact is not None, f"{name} is unknown"
        return fact

    def place(self, name: str) -> Place:
        place = self.fact(name).place
        assert place is not None
        return place

    @property
    def note(self) -> str:
        return self.findings.inputs[0].note

    @property
    def values(self) -> dict[str, Value]:
        """The known facts but those that are false."""
        return {fact.name: fact.value for fact in self.facts if fact.value is not False}


Reads = Callable[..., Read]


@pytest.fixture(scope="session")
def read(knowledge: Knowledge) -> Reads:
    """Reads one log, or one file of another kind."""

    def reads(text: str | bytes, kind: Kind = Kind.LOG, scan: Mode = "auto", name: str = "train.log") -> Read:
        data = text.encode() if isinstance(text, str) else text
        return Read([Input(name, kind, data=data)], knowledge, scan)

    return reads
