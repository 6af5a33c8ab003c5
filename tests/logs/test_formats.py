"""Every sample line of kb/logs is read as the file says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from traindx import kb
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs.blocks import Blocks
from traindx.probes.logs.collected import Collected
from traindx.probes.logs.listening import Listener
from traindx.probes.logs.scan import Scan
from traindx.probes.logs.signatures import Hits, for_machines

from .conftest import Reads, read_yaml

PLACES = ("step", "epoch", "total_steps", "total_epochs")
FORMATS = [
    one for path in sorted(Path(next(iter(kb.__path__)), "logs").glob("*.yaml")) for one in read_yaml(path)
]
SAMPLES = [
    pytest.param(one["trainer"], sample, id=f"{one['id']}-{number}")
    for one in FORMATS
    for number, sample in enumerate(one["samples"], 1)
]


def scanned(text: str, knowledge: Knowledge) -> Scan:
    facts = Collected(knowledge)
    machines = for_machines(knowledge)
    listener = Listener("train.log", knowledge, machines, Hits(facts), facts)
    scan = Scan(knowledge, listener)
    for block in Blocks(Input("train.log", Kind.LOG, data=text.encode())):
        scan.feed(block)
    scan.close()
    return scan


def positions(scan: Scan) -> dict[str, float | None]:
    marks = [series.marks[-1] for series in scan.store if series.marks] or scan.positions.sample[-1:]
    where = scan.positions.where(max(marks, key=lambda mark: mark.number)) if marks else None
    return {
        "step": where.step if where else None,
        "epoch": where.epoch if where else None,
        "total_steps": scan.positions.total_steps,
        "total_epochs": scan.positions.total_epochs,
    }


@pytest.mark.parametrize(("trainer", "sample"), SAMPLES)
def test_sample_is_read_as_its_format_says(
    trainer: str, sample: dict[str, Any], knowledge: Knowledge
) -> None:
    scan = scanned(sample["text"], knowledge)
    found = positions(scan)
    for metric, wanted in sample["reads"].items():
        if metric in PLACES:
            assert found[metric] == pytest.approx(float(wanted)), metric
        else:
            lasts = [series.values[-1] for series in scan.store.of(metric)]
            assert any(value == pytest.approx(float(wanted), nan_ok=True) for value in lasts), (
                f"{metric}: {lasts}"
            )


@pytest.mark.parametrize(("trainer", "sample"), SAMPLES)
def test_sample_gives_its_trainer_away(trainer: str, sample: dict[str, Any], knowledge: Knowledge) -> None:
    assert trainer in {one.trainer for one in scanned(sample["text"], knowledge).lines.formats.seen.values()}


def test_trainer_is_a_fact(read: Reads) -> None:
    assert read("iter 0: loss 4.2, time 90.00ms, mfu 20.00%\n")["log.trainer"] == "nanogpt"
