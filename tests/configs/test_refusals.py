"""What cannot be changed exactly is left alone, with the reason and the line to change by hand."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Scalar
from traindx.probes.printed import PrintedSettings

from .conftest import Reads


@pytest.mark.parametrize(
    ("name", "text", "changes", "reason"),
    [
        ("a.sh", "python t.py --lr $RATE\n", {"learning_rate": 0.1}, "the value is computed when the script runs"),
        ("a.sh", "X=4\npython t.py --batch-size $X --depth $X\n", {"micro_batch_size": 2}, "depth would change too"),
        ("a.yaml", "batch_size: &b 4\ndepth: *b\n", {"micro_batch_size": 2}, "depth would change too"),
        ("a.yaml", "batch_size: |\n  4\n", {"micro_batch_size": 2}, "it is put together from several places, or stands elsewhere too"),
        ("a.yaml", "use_amp: true\n", {"precision": "fp8"}, "`use_amp` can say fp16, fp32, and not fp8"),
        ("a.yaml", "use_amp: true\n", {"precision": "bf16"}, "`use_amp` can say fp16, fp32, and not bf16"),
        ("a.yaml", "mixed_precision: true\n", {"precision": "bf16"}, "`mixed_precision` is a switch, and cannot say bf16"),
        ("a.sh", "python t.py --amp\n", {"precision": "bf16"}, "`amp` can say fp16, fp32, and not bf16"),
        ("a.yaml", "num_train_epochs: 3\nmax_grad_norm: 1\n", {"focal_loss": True}, "there is no such setting in Hugging Face transformers 4"),
        ("a.py", "AdamW(p, lr=1e-3)\n", {"adam_beta2": 0.95}, "`AdamW.betas` holds several values, and the others are not known"),
        ("a.yaml", "lr: 0.1\n", {"no_such": 1}, "there is no such setting"),
        ("a.yaml", "lr: 0.1\n", {"world_size": 2}, "the trainer is not known, and so is no other name for it"),
        ("a.sh", "python t.py --type kd\n", {"learning_rate": 0.1}, "no file was given that it belongs to"),
        ("a.sh", "python t.py --lr 0.1\n", {"grad_clip_norm": 1.0}, "the trainer is not known, and so is no other name for it"),
        ("a.json", '{"zero_optimization": {}, "fp16": {"enabled": true, "initial_scale_power": 16}}', {"loss_scale_init": 1000.0},
         "the key holds the power of two, and 1000 is none"),
    ],
)  # fmt: skip
def test_what_cannot_be_changed_exactly_is_refused_with_the_reason(
    read: Reads, name: str, text: str, changes: dict[str, Scalar], reason: str
) -> None:
    patch = read({name: text}).plan(**changes)
    assert (patch.files, [one.reason for one in patch.refused]) == ((), [reason])


def test_a_refusal_names_the_line_to_change_by_hand(read: Reads) -> None:
    refused = read({"run.sh": "set -e\npython t.py --lr $RATE\n"}).plan(learning_rate=0.1).refused[0]
    assert refused.by_hand == "run.sh:2:18: python t.py --lr $RATE  <- learning_rate should be 0.1"


def test_nothing_is_changed_where_nothing_is_given(read: Reads) -> None:
    patch = read({}).plan(learning_rate=0.1)
    assert (patch.files, patch.refused[0].reason) == ((), "no file was given that it belongs to")


def test_what_was_printed_is_not_changed(read: Reads) -> None:
    run = read({}, printed=(PrintedSettings("train.log", 1, "Namespace(lr=0.1)"),))
    assert run.plan(learning_rate=0.01).refused[0].reason == "no file was given that it belongs to"
