"""Validation that rises is overfitting where training goes on falling, and not where training rises with it."""

from __future__ import annotations

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for

VALIDATION = [0.86 + 0.0003 * abs(step - 100) for step in range(0, 300, 10)]


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def symptoms(knowledge: Knowledge, training: list[float]) -> list[str]:
    lines = [
        f"step {10 * n} train_loss {loss:.4f} val_loss {held:.4f}\n"
        for n, (loss, held) in enumerate(zip(training, VALIDATION, strict=True))
    ]
    log = Input("train.log", Kind.LOG, data="".join(lines).encode())
    probes = probes_for([log], knowledge, machine=False)
    return [one.id for one in diagnose(knowledge, probes, version="test").diagnosis.symptoms]


def falling(n: int) -> float:
    return 0.5 + 1.5 * 0.9**n


def test_training_that_goes_on_falling(knowledge: Knowledge) -> None:
    assert "overfitting" in symptoms(knowledge, [falling(n) for n in range(30)])


def test_training_that_rises_too(knowledge: Knowledge) -> None:
    # Training loses a part of what it had won, as validation does.
    turned = [falling(n) if n < 12 else falling(12) + 0.02 * (n - 12) for n in range(30)]
    assert "overfitting" not in symptoms(knowledge, turned)


def scored(knowledge: Knowledge, held: list[float]) -> list[str]:
    lines = [
        f"Epoch: {200 * n + 1:04d} train_loss= {0.5 - 0.01 * n:.5f} train_acc= {0.78 + 0.02 * n:.5f} val_auc= {score:.5f}\n"
        for n, score in enumerate(held)
    ]
    log = Input("train.log", Kind.LOG, data="".join(lines).encode())
    probes = probes_for([log], knowledge, machine=False)
    return [one.id for one in diagnose(knowledge, probes, version="test").diagnosis.symptoms]


def test_scores_of_two_kinds_that_part(knowledge: Knowledge) -> None:
    assert "overfitting" in scored(knowledge, [0.84, 0.91, 0.92, 0.90, 0.88, 0.86, 0.85])


def test_scores_of_two_kinds_that_rise_together(knowledge: Knowledge) -> None:
    assert scored(knowledge, [0.84, 0.91, 0.92, 0.93, 0.93, 0.94, 0.935]) == []
