"""A loss that falls from zero towards -1 is no symptom by itself: minus a cosine does so."""

from __future__ import annotations

import math

import pytest

from traindx.engine.diagnose import diagnose
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.registry import probes_for


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def symptoms(knowledge: Knowledge, losses: list[float], beside: str = "") -> list[str]:
    lines = [f"epoch {n} train_loss={loss:.4f}{beside}\n" for n, loss in enumerate(losses)]
    log = Input("train.log", Kind.LOG, data="".join(lines).encode())
    probes = probes_for([log], knowledge, machine=False)
    return [one.id for one in diagnose(knowledge, probes, version="test").diagnosis.symptoms]


COSINE = [-0.93 * (1 - math.exp(-n / 8)) - 0.006 for n in range(40)]


def test_two_views_drawn_together_show_nothing_wrong(knowledge: Knowledge) -> None:
    assert symptoms(knowledge, COSINE) == []
    assert symptoms(knowledge, [0.01, *COSINE]) == []


def test_beside_an_accuracy_it_is_minus_a_probability(knowledge: Knowledge) -> None:
    assert "suspicious-metrics" in symptoms(knowledge, COSINE, " train_acc 0.8123")


def test_below_minus_one_lies_no_cosine(knowledge: Knowledge) -> None:
    assert "suspicious-metrics" in symptoms(knowledge, [3 * loss for loss in COSINE])
