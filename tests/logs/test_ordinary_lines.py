"""No error text is looked for in the lines that a healthy run prints by the thousand: that is what keeps reading fast."""

from __future__ import annotations

import pytest

from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.logs.signatures import for_machines
from traindx.probes.logs.vocabulary import letters


@pytest.mark.parametrize(
    "line",
    [
        b"step 120/20000 | loss 2.5090 | grad_norm 30.000 | lr 3.00e-03 | loss_scale 512\n",
        b"Epoch 3: 100%|####| 938/938 [00:12<00:00, 75.1it/s, v_num=0, train_loss=0.0312, val_loss=0.0421]\n",
        b"[2024-01-01 10:00:00] iter 100 loss 0.123 acc 0.98 lr 0.001 time 0.123 mem 1234MB\n",
    ],
)
def test_an_ordinary_line_of_progress_may_hold_no_signature(line: bytes) -> None:
    machines = for_machines(load([own_pack()]))
    assert machines.candidates(line, machines.vocabulary.hits(letters(line))) == ()
