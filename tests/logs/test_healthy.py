"""Runs that learn well are accused of nothing. `healthy/make.py` tells how their logs were made."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for

LOGS = sorted(path for path in (Path(__file__).parent / "healthy").iterdir() if path.suffix != ".py")
KINDS = {".jsonl": Kind.RECORDS, ".csv": Kind.RECORDS}


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in LOGS if path.is_file()])
def test_a_run_that_learns_well_is_accused_of_nothing(path: Path) -> None:
    knowledge = load([own_pack()])
    inputs = [Input(path.name, KINDS.get(path.suffix, Kind.LOG), path)]
    found = diagnose(knowledge, probes_for(inputs, knowledge, machine=False), version="test", top=5).diagnosis
    assert [one.id for one in found.symptoms] == []
    assert [one.id for one in found.causes if one.verdict in ("likely", "confirmed")] == []


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in LOGS if path.is_file()])
def test_its_loss_is_read(path: Path) -> None:
    knowledge = load([own_pack()])
    inputs = [Input(path.name, KINDS.get(path.suffix, Kind.LOG), path)]
    (logs, *_) = probes_for(inputs, knowledge, machine=False)
    facts = {fact.name: fact.value for fact in logs.run().facts}
    assert facts["log.has_metrics"] is True
    assert facts.get("loss.nonfinite", False) is False
