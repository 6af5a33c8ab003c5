"""What people write of a run that troubles them, and of one that does not."""

from __future__ import annotations

import pytest

from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.prose import ProseReader


@pytest.fixture(scope="module")
def reader() -> ProseReader:
    return ProseReader(load([own_pack()]))


@pytest.mark.parametrize(
    "sentence",
    [
        "the loss does not go down",
        "it freezes after one batch",
        "on one GPU it works, but on four it hangs",
        "why is the validation accuracy 0.1?",
        "the samples are grey",
        "RAM use goes up and up while it trains",
        "6.1 GB at batch 10 of the validation, 9.8 GB at batch 100",
        "训练一直卡住",
        "лосс не падает",
    ],
)
def test_a_complaint_is_heard(reader: ProseReader, sentence: str) -> None:
    assert reader.complains(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Memory stays at 18 GB the whole time",
        "The loss falls from 2.3 to 0.4 over 10 epochs",
        "We train a 7B model on 8 A100 GPUs with FSDP, bf16 and a batch of 4 per device",
        "The generated images look good",
        "I resumed from checkpoint-5000 and the loss continued at 1.92 as before",
        "The run finished after 3 epochs without errors",
        "num_workers is 8 and pin_memory is on",
        "The checkpoint is 4.2 GB and loads in 8 seconds",
        "The train loss is 0.21 and the val loss is 0.24",
    ],
)
def test_what_only_describes_a_run_is_none(reader: ProseReader, sentence: str) -> None:
    assert not reader.complains(sentence)
