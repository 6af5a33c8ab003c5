"""What a trainer takes stands where it looks for it, in its own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from traindx.probes.configs.unchanged import misplaced

from .conftest import Reads
from .texts import NEMO, VERL


def test_what_follows_by_itself_is_said(read: Reads) -> None:
    run = read({"nemo.yaml": NEMO})
    assert (run["dialect"], run["gradient_accumulation_steps"]) == ("nemo-megatron", None)
    assert "fits into global_batch_size" in run.plan(gradient_accumulation_steps=4).refused[0].reason


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        (
            "nemo.yaml",
            NEMO,
            ["activations_checkpoint_granularity: full", "method: uniform", "num_layers: 1"],
        ),
        (
            "run.sh",
            "python pretrain_gpt.py --train-iters 9 --seq-length 8\n",
            ["--recompute-granularity full", "--recompute-method uniform", "--recompute-num-layers 1"],
        ),
    ],
)
def test_full_recomputing_comes_with_its_method(read: Reads, name: str, text: str, keys: list[str]) -> None:
    after = read({name: text}).patched(gradient_checkpointing=True)
    assert [key for key in keys if key not in after] == []


HF = "python run.py --num_train_epochs 3 --per_device_train_batch_size 4"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("c.yaml", "num_train_epochs: 3\nsave_steps: 9\n", "resume_from_checkpoint: true"),
        ("r.sh", "accelerate launch t.py --instance_prompt x --checkpointing_steps 5\n", "--resume_from_checkpoint latest"),
        ("r.sh", HF + "\n", None),
        ("r.sh", "torchrun train.py --lr 0.1 --batch_size 3\n", None),
        ("r.yaml", "trainer:\n  max_epochs: 3\n  accelerator: gpu\nmodel:\n  class_path: x\n", "ckpt_path: last"),
    ],
)  # fmt: skip
def test_each_trainer_resumes_by_its_own_word(read: Reads, name: str, before: str, after: str | None) -> None:
    patch = read({name: before}).plan(resume="latest")
    assert [after in one.after for one in patch.files if after] == ([True] if after else [])
    assert bool(patch.refused) == (after is None)


FP16 = '"fp16": {"enabled": true}'


ZERO = '"zero_optimization": {"stage": 2, "overlap_comm": true, "contiguous_gradients": true}'


@pytest.mark.parametrize(
    "parts",
    [
        [FP16, ZERO],
        [ZERO, FP16],
        [FP16, ZERO, '"gradient_clipping": "auto"'],
        ['"train_batch_size": 8', ZERO, FP16],
        [FP16, '"optimizer": {"type": "AdamW", "params": {"lr": "auto"}}', ZERO],
        [FP16, ZERO, '"bf16": {"enabled": "auto"}'],
    ],
)
@pytest.mark.parametrize("indent", [None, 2, 4])
def test_a_block_comes_where_its_trainer_looks_for_it(
    read: Reads, parts: list[str], indent: int | None
) -> None:
    before = json.loads("{" + ", ".join(parts) + "}")
    after = json.loads(read({"ds.json": json.dumps(before, indent=indent)}).patched(precision="bf16"))
    assert after == {**before, "fp16": {"enabled": False}, "bf16": {"enabled": True}}


def test_a_switch_takes_no_quotes_from_a_word(read: Reads) -> None:
    text = '{"fp16": {"enabled": true}, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2}}'
    after = json.loads(read({"ds.json": text}).patched(precision="bf16"))
    assert (after["fp16"]["enabled"], after["bf16"]["enabled"]) == (False, True)


@pytest.mark.parametrize("setting", [{"precision": "bf16"}, {"micro_batch_size": 1}])
def test_what_the_trainer_fills_in_is_left_to_it(read: Reads, setting: dict[str, Any]) -> None:
    text = (
        '{"fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2}, '
        '"train_micro_batch_size_per_gpu": "auto"}'
    )
    patch = read({"ds.json": text}).plan(**setting)
    assert patch.files == ()
    assert "filled in by the trainer" in patch.refused[0].reason


def test_a_key_at_another_depth_is_noticed(read: Reads) -> None:
    before = f'{{{FP16}, "zero_optimization": {{"stage": 2}}}}'
    after = before.replace("2", '2, "bf16": {"enabled": true}')
    runs = [read({"ds.json": text}).probe.sources for text in (before, after)]
    dialect = runs[0][0].trainer
    assert dialect is not None
    assert misplaced(runs[0][0], runs[1], dialect) == "zero_optimization.bf16"
    assert misplaced(runs[0][0], runs[0], dialect) == ""


def test_options_of_one_section_stand_together(read: Reads) -> None:
    script = VERL.replace(
        "trainer.total_epochs", "actor_rollout_ref.actor.optim.lr=1e-6 trainer.total_epochs"
    )
    after = read({"run.sh": script}).patched(dataloader_workers=2)
    assert "    data.dataloader_num_workers=2 data.max_prompt_length=512" in after


KOHYA_DATA = '[[datasets]]\nresolution = 1024\nbatch_size = 4  # of each device\n[[datasets.subsets]]\nimage_dir = "d"\nnum_repeats = 10\n'


def test_a_dataset_file_takes_no_settings_of_the_training(read: Reads) -> None:
    """The schema of sd-scripts refuses a key that it does not know."""
    run = read({"data.toml": KOHYA_DATA})
    assert run.patched(micro_batch_size=1) == KOHYA_DATA.replace("= 4", "= 1")
    patch = run.plan(gradient_accumulation_steps=4)
    assert (patch.files, [one.setting for one in patch.refused]) == ((), ["gradient_accumulation_steps"])


@pytest.mark.parametrize(("kind", "written"), [("FSDP", False), ("DEEPSPEED", True)])
def test_a_section_is_written_only_where_it_counts(read: Reads, kind: str, written: bool) -> None:
    text = (
        f"compute_environment: LOCAL_MACHINE\ndistributed_type: {kind}\nnum_processes: 8\nmachine_rank: 0\n"
    )
    patch = read({"accelerate.yaml": text}).plan(gradient_accumulation_steps=4)
    assert bool(patch.files) == written
