from __future__ import annotations

import json
from textwrap import dedent

import pytest

from traindx.engine.facts import Scalar

from .conftest import Reads

HF = "per_device_train_batch_size: 16\nnum_train_epochs: 3\n"


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        (HF + "fp16: true  # fast\n", {"precision": "bf16"}, HF + "fp16: false  # fast\nbf16: true\n"),
        (HF + "learning_rate: '5e-5'\n", {"learning_rate": 1e-5}, HF + "learning_rate: '1e-5'\n"),
        (HF + "learning_rate: 5e-05", {"learning_rate": 1e-5}, HF + "learning_rate: 1e-05"),
        ("lr: 5e-5\n", {"learning_rate": 1e-5}, "lr: 1.0e-5\n"),
        ("lr: 0.0005\n", {"learning_rate": 1e-5}, "lr: 0.00001\n"),
        (HF, {"micro_batch_size": 4, "gradient_accumulation_steps": 4}, "per_device_train_batch_size: 4\nnum_train_epochs: 3\ngradient_accumulation_steps: 4\n"),
        ("train: {lr: 0.1, bs: 2}\n", {"micro_batch_size": 1}, "train: {lr: 0.1, bs: 1}\n"),
        ("compute_environment: X\ndistributed_type: 'NO'\nmixed_precision: fp16\n", {"precision": "fp32"}, "compute_environment: X\ndistributed_type: 'NO'\nmixed_precision: 'no'\n"),
        ("- lr: 0.1\n  bs: 2\n", {"learning_rate": 0.01}, "- lr: 0.01\n  bs: 2\n"),
        ("a:\r\n  lr: 0.1\r\n", {"learning_rate": 0.01}, "a:\r\n  lr: 0.01\r\n"),
        ("model:\n  lr: 0.1\noptim:\n  lr: ${model.lr}\n", {"learning_rate": 0.01}, "model:\n  lr: 0.01\noptim:\n  lr: ${model.lr}\n"),
        ("use_amp: yes\n", {"precision": "fp32"}, "use_amp: no\n"),
        ("mixed_precision: fp16\n", {"precision": "fp32"}, "mixed_precision: 'no'\n"),
        ("mixed_precision: true\n", {"precision": "fp32"}, "mixed_precision: false\n"),
        ("resolution: [768, 768]\nlr: 1.0\n", {"resolution": 512}, "resolution: [512, 512]\nlr: 1.0\n"),
    ],
)  # fmt: skip
def test_yaml(read: Reads, before: str, changes: dict[str, Scalar], after: str) -> None:
    assert read({"c.yaml": before}).patched(**changes) == after


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        (
            '{\n    "network_dim": 128,\n    "learning_rate": "1e-4",  // high\n    "mixed_precision": "fp16",\n    "max_resolution": "768,768"\n}',
            {"lora_rank": 16, "learning_rate": 1e-6, "precision": "fp32", "resolution": 512, "cache_latents": True},
            '{\n    "network_dim": 16,\n    "learning_rate": "1e-6",  // high\n    "mixed_precision": "no",\n    "max_resolution": "512,512",\n    "cache_latents": true\n}',
        ),
        (
            '{\n  "zero_optimization": {"stage": 2},\n  "fp16": {\n    "enabled": true,\n    "initial_scale_power": 16\n  }\n}\n',
            {"loss_scale_init": 1024.0, "precision": "bf16"},
            '{\n  "zero_optimization": {"stage": 2},\n  "fp16": {\n    "enabled": false,\n    "initial_scale_power": 10\n  },\n  "bf16": {"enabled": true}\n}\n',
        ),
        ('{"lr": 0.1, "bs": 2}', {"learning_rate": 0.01, "micro_batch_size": 4}, '{"lr": 0.01, "bs": 4}'),
    ],
)  # fmt: skip
def test_json(read: Reads, before: str, changes: dict[str, Scalar], after: str) -> None:
    assert read({"c.json": before}).patched(**changes) == after


def test_toml(read: Reads) -> None:
    before = "# kohya\n[train]\nunet_lr = '1e-3'\nnetwork_dim = 128  # rank\nmixed_precision = \"fp16\"\n"
    after = "# kohya\n[train]\nunet_lr = '1e-4'\ngradient_checkpointing = true\nnetwork_dim = 16  # rank\nmixed_precision = \"no\"\n"
    changes: dict[str, Scalar] = {
        "learning_rate_unet": 1e-4,
        "lora_rank": 16,
        "precision": "fp32",
        "gradient_checkpointing": True,
    }
    assert read({"c.toml": before}).patched(**changes) == after


SCRIPT = """\
#!/bin/bash
#SBATCH --mem=16G
LR=5e-5
python train.py \\
    --per_device_train_batch_size 16 \\
    --learning_rate $LR \\
    --fp16 \\
    --num_train_epochs 3
"""


@pytest.mark.parametrize(
    ("changes", "was", "now"),
    [
        ({"precision": "bf16"}, "--fp16", "--bf16"),
        ({"precision": "fp32"}, "--fp16", "--fp16 False"),
        ({"learning_rate": 1e-5}, "LR=5e-5", "LR=1e-5"),
        ({"host_memory_gib": 32.0}, "--mem=16G", "--mem=32G"),
        ({"gradient_checkpointing": True}, "--num_train_epochs 3", "--num_train_epochs 3 \\\n    --gradient_checkpointing"),
        ({"alloc_conf": "expandable_segments:True"}, "LR=5e-5", "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\nLR=5e-5"),
    ],
)  # fmt: skip
def test_shell(read: Reads, changes: dict[str, Scalar], was: str, now: str) -> None:
    assert read({"run.sh": SCRIPT}).patched(**changes) == SCRIPT.replace(was, now)


def test_a_switch_that_takes_no_value_is_taken_out_with_its_line(read: Reads) -> None:
    before = "python pretrain_gpt.py \\\n  --train-iters 9 \\\n  --bf16 \\\n  --seq-length 8\n"
    assert read({"run.sh": before}).patched(precision="fp32") == before.replace("  --bf16 \\\n", "")


def test_options_kept_in_variables_are_changed_there(read: Reads) -> None:
    before = 'OPTS=""\nOPTS+=" --amp --lr 5e-5"\npython t.py ${OPTS} --hparams \'{"batch_size": 64}\'\n'
    after = 'OPTS=""\nOPTS+=" --lr 1e-5"\npython t.py ${OPTS} --hparams \'{"batch_size": 8}\'\n'
    assert read({"run.sh": before}).patched(precision="fp32", learning_rate=1e-5, micro_batch_size=8) == after


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("use_mixed_precision: bool = True  # on\n", {"precision": "fp32"}, "use_mixed_precision: bool = False  # on\n"),
        ("GradScaler(init_scale=2.**16)\n", {"loss_scale_init": 1024.0, "loss_scale_window": 1000}, "GradScaler(init_scale=2.**10, growth_interval=1000)\n"),
        ("GradScaler()\n", {"loss_scale_init": 1024.0}, "GradScaler(init_scale=1024)\n"),
        ("LR = 5e-5\nAdamW(p, lr=LR)\n", {"learning_rate": 1e-5}, "LR = 1e-5\nAdamW(p, lr=LR)\n"),
        ("clip_grad_norm_(m.parameters(), 1.0)\n", {"grad_clip_norm": 0.5}, "clip_grad_norm_(m.parameters(), 0.5)\n"),
        ("DataLoader(ds, 16, shuffle=True)\n", {"micro_batch_size": 4, "dataloader_workers": 4}, "DataLoader(ds, 4, num_workers=4, shuffle=True)\n"),
        ("with torch.autocast('cuda'): pass\n", {"precision": "bf16"}, "with torch.autocast('cuda', dtype=torch.bfloat16): pass\n"),
        ("with torch.autocast('cuda'): pass\n", {"precision": "fp32"}, "with torch.autocast('cuda', enabled=False): pass\n"),
        ("TrainingArguments(\n    fp16=True,\n    seed=1,  # fixed\n)\n", {"precision": "bf16"}, "TrainingArguments(\n    fp16=False,\n    bf16=True,\n    seed=1,  # fixed\n)\n"),
        ("focal_gamma = 2.5\nuse_focal_loss = True\n", {"focal_gamma": 1.0, "focal_loss": False}, "focal_gamma = 1.0\nuse_focal_loss = False\n"),
        ("p.add_argument('--lr', type=float, default=5e-5)\n", {"learning_rate": 1e-5}, "p.add_argument('--lr', type=float, default=1e-5)\n"),
    ],
)  # fmt: skip
def test_python(read: Reads, before: str, changes: dict[str, Scalar], after: str) -> None:
    assert read({}, {"t.py": before}).patched(**changes) == after


def test_a_python_settings_file(read: Reads) -> None:
    before = "default_scope = 'x'\noptim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='SGD', lr=0.02))\n"
    after = before.replace("'OptimWrapper'", "'AmpOptimWrapper'").replace("0.02", "0.01")
    assert read({"c.py": before}).patched(precision="fp16", learning_rate=0.01) == after


def test_a_notebook_stays_a_notebook(read: Reads) -> None:
    cells = [
        {
            "cell_type": "code",
            "source": ['x = "é"\n', 'args = TrainingArguments(fp16=True, optim="sgd")'],
            "outputs": [],
        }
    ]
    before = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    after = read({}, {"n.ipynb": before}).patched(precision="bf16", optimizer="adamw")
    assert after == before.replace("fp16=True", "fp16=False, bf16=True").replace("sgd", "adamw_torch")


def test_a_script_is_changed_and_not_the_file_it_overrides(read: Reads) -> None:
    patch = read({"c.yaml": "lr: 0.3\n", "run.sh": "python t.py --lr 0.2\n"}).plan(learning_rate=0.1)
    assert [one.file.name for one in patch.files] == ["run.sh"]


def test_files_that_must_agree_change_together(read: Reads) -> None:
    ds = '{"zero_optimization": {"stage": 2}, "fp16": {"enabled": true}}'
    patch = read(
        {"run.sh": "deepspeed t.py --deepspeed ds.json --fp16 --num_train_epochs 3\n", "ds.json": ds}
    ).plan(precision="bf16")
    assert [one.after for one in patch.files] == [
        "deepspeed t.py --deepspeed ds.json --bf16 --num_train_epochs 3\n",
        '{"zero_optimization": {"stage": 2}, "fp16": {"enabled": false}, "bf16": {"enabled": true}}',
    ]


def test_a_key_that_the_file_did_not_hold_comes_with_a_caution(read: Reads) -> None:
    script = {"t.py": "cfg = load()\ntrain(cfg.lr)\nclip(cfg.grad_clip)\n"}
    patch = read({"c.yaml": "lr: 0.1\n"}, script).plan(grad_clip_norm=1.0)
    assert patch.applied[0].note == "the file did not hold this key before: check that the script reads it"


def test_the_diff_can_be_applied_by_patch(read: Reads) -> None:
    expected = """\
        --- a/c.yaml
        +++ b/c.yaml
        @@ -1,2 +1,2 @@
        -lr: 0.1
        +lr: 0.01
         seed: 1
        \\ No newline at end of file
        """
    assert read({"c.yaml": "lr: 0.1\nseed: 1"}).plan(learning_rate=0.01).diff == dedent(expected)


@pytest.mark.parametrize("text", ["lr: 0.1\n", HF + "fp16: true\nlearning_rate: 5e-5\n", '{"lr": "1e-4"}'])
def test_a_second_time_changes_nothing(read: Reads, text: str) -> None:
    name = "c.json" if text.startswith("{") else "c.yaml"
    once = read({name: text}).patched(learning_rate=1e-6)
    again = read({name: once}).plan(learning_rate=1e-6)
    assert (again.files, again.refused, again.unchanged) == ((), (), {"learning_rate": 1e-6})


def test_a_key_joins_its_section_in_a_script_and_makes_no_second_one(read: Reads) -> None:
    before = (
        "_base_ = './fast.py'\ntrain_dataloader = dict(batch_size=2)\n"
        "optim_wrapper = dict(optimizer=dict(type='SGD', lr=0.02))  # as published\n"
    )
    after = before.replace("lr=0.02)", "lr=0.02), clip_grad=dict(max_norm=1)")
    assert read({"c.py": before}).patched(grad_clip_norm=1.0) == after


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ('{"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 4, "optimizer": {"type": "AdamW", "params": {"lr": 0.1}}}', {"warmup_steps": 500}),
        ("MODEL:\n  META_ARCHITECTURE: GeneralizedRCNN\n  WEIGHTS: a.pkl\nSOLVER:\n  IMS_PER_BATCH: 2\n  BASE_LR: 0.2\n", {"grad_clip_norm": 1.0}),
    ],
)  # fmt: skip
def test_nothing_is_written_that_the_trainer_would_pass_over(
    read: Reads, text: str, changes: dict[str, Scalar]
) -> None:
    plan = read({"c.json" if text.startswith("{") else "c.yaml": text}).plan(**changes)
    assert (plan.files, ["counts only beside" in one.reason for one in plan.refused]) == ((), [True])
