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
        "the generated images are sharp, but all of one class",
        "mAP rises from 0.1 to 0.4 and then drops to 0.2",
        "both runs give the same loss with a different rate, why?",
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
        "Two runs with seed 7 gave exactly the same curve",
        "The reward rises from 20 to 490 in 40k steps",
        "This release fixes a memory leak in the loader",
        "Loss scale is 65536 and no steps are skipped",
        "Our accuracy is 76.3, and the paper reports 76.3",
        "Which learning rate do you recommend for a small dataset?",
    ],
)
def test_what_only_describes_a_run_is_none(reader: ProseReader, sentence: str) -> None:
    assert not reader.complains(sentence)
