"""Changes that a trainer would refuse beside what else is set: they are not made, and the reason is said."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.configs.contradicting import plan_agreeing

from .conftest import Reads

TORCHTUNE = """\
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 4096
checkpointer:
  _component_: torchtune.training.FullModelHFCheckpointer
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
batch_size: 2
gradient_accumulation_steps: 1
optimizer_in_bwd: {in_backward}
enable_activation_checkpointing: false
"""
MEGATRON = (
    "torchrun pretrain_gpt.py --tensor-model-parallel-size 2 --micro-batch-size 1 --train-iters 1000 --bf16 "
    "--lr 1.0e-4 --min-lr 3.0e-5 --lr-decay-style cosine --seq-length 4096 --max-position-embeddings 4096\n"
)
KOHYA = (
    "python flux_train_network.py --network_module networks.lora_flux --network_dim 16 --cache_text_encoder_outputs "
    "--cache_text_encoder_outputs_to_disk --learning_rate 1e-4 --max_train_epochs 10\n"
)


@pytest.mark.parametrize(
    ("name", "text", "changes"),
    [
        ("a.yaml", TORCHTUNE.format(in_backward=True), {"grad_clip_norm": 1.0}),
        ("a.yaml", TORCHTUNE.format(in_backward=True), {"gradient_accumulation_steps": 4}),
        ("a.sh", MEGATRON, {"learning_rate": 1e-5}),
        ("a.sh", MEGATRON, {"max_seq_len": 8192}),
        ("a.sh", KOHYA, {"shuffle_caption": True}),
    ],
)
def test_what_a_trainer_refuses_beside_another_setting_is_not_written(
    read: Reads, knowledge: Knowledge, name: str, text: str, changes: dict[str, Scalar]
) -> None:
    patch = plan_agreeing(read({name: text}).probe.sources, changes, knowledge)
    assert (patch.files, [one.setting for one in patch.refused]) == ((), list(changes))


def test_the_other_changes_of_a_fix_are_made(read: Reads, knowledge: Knowledge) -> None:
    sources = read({"a.sh": MEGATRON}).probe.sources
    patch = plan_agreeing(sources, {"learning_rate": 1e-5, "grad_clip_norm": 0.5}, knowledge)
    assert [one.setting for one in patch.applied] == ["grad_clip_norm"]
    assert patch.refused[0].reason == "the schedule would decay from 1e-05 up to 3e-05"


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (TORCHTUNE.format(in_backward=False), {"grad_clip_norm": 1.0, "gradient_accumulation_steps": 4}),
        (TORCHTUNE.format(in_backward=True), {"learning_rate": 1e-5}),
    ],
)
def test_what_contradicts_nothing_is_written(
    read: Reads, knowledge: Knowledge, text: str, changes: dict[str, Scalar]
) -> None:
    patch = plan_agreeing(read({"a.yaml": text}).probe.sources, changes, knowledge)
    assert ({one.setting for one in patch.applied}, patch.refused) == (set(changes), ())


def test_settings_that_contradict_each_other_are_mended_together(read: Reads, knowledge: Knowledge) -> None:
    patch = plan_agreeing(
        read({"a.sh": MEGATRON}).probe.sources, {"learning_rate": 1e-5, "min_learning_rate": 1e-6}, knowledge
    )
    assert {one.setting for one in patch.applied} == {"learning_rate", "min_learning_rate"}


TRAINER = "python run_clm.py --per_device_train_batch_size {batch} --max_steps {steps} --gradient_accumulation_steps 1\n"


@pytest.mark.parametrize(
    ("text", "applied"),
    [
        (TRAINER.format(batch=16, steps=16), 2),
        # One variable for both: the batch cannot be changed without the steps.
        ("N=16\n" + TRAINER.format(batch="$N", steps="$N"), 0),
    ],
)
def test_what_follows_from_a_change_is_not_made_without_it(
    read: Reads, knowledge: Knowledge, text: str, applied: int
) -> None:
    changes: dict[str, Scalar] = {"micro_batch_size": 4, "gradient_accumulation_steps": 4}
    follows = {"gradient_accumulation_steps": ("micro_batch_size",)}
    patch = plan_agreeing(read({"a.sh": text}).probe.sources, changes, knowledge, follows)
    assert (len(patch.applied), len(patch.refused)) == (applied, 2 - applied)


def test_what_stands_already_holds_back_nothing(read: Reads, knowledge: Knowledge) -> None:
    text = "per_device_train_batch_size: 4\ngradient_accumulation_steps: 1\noutput_dir: x\n"
    changes: dict[str, Scalar] = {"micro_batch_size": 4, "gradient_accumulation_steps": 4}
    follows = {"gradient_accumulation_steps": ("micro_batch_size",)}
    patch = plan_agreeing(read({"a.yaml": text}).probe.sources, changes, knowledge, follows)
    assert [one.setting for one in patch.applied] == ["gradient_accumulation_steps"]


def test_weights_of_half_precision_go_with_mixed_precision_where_both_must_agree(
    read: Reads, knowledge: Knowledge
) -> None:
    text = 'network_dim = 16\nmixed_precision = "fp16"\nfull_fp16 = true\n'
    sources = read({"a.toml": text}).probe.sources
    assert plan_agreeing(sources, {"precision": "fp32"}, knowledge).files == ()
    both = plan_agreeing(sources, {"precision": "bf16", "pure_precision": "bf16"}, knowledge)
    assert len(both.applied) == 2


def test_what_another_file_says_once_a_switch_is_gone_is_changed_as_well(read: Reads) -> None:
    run = read(
        {
            "run.sh": "accelerate launch --config_file a.yaml train.py --fp16 --learning_rate 5e-5\n",
            "a.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: fp16\n"
            "deepspeed_config:\n  deepspeed_config_file: ds.json\nnum_processes: 2\n",
            "ds.json": '{"fp16": {"enabled": true, "loss_scale": 0}, "zero_optimization": {"stage": 2}}\n',
        }
    )
    after = {one.file.name: one.after for one in run.plan(precision="fp32").files}
    assert "--fp16" not in after["run.sh"]
    assert "mixed_precision: 'no'" in after["a.yaml"]
    assert '"enabled": false' in after["ds.json"]


def test_a_switch_that_stands_alone_is_all_that_goes(read: Reads) -> None:
    run = read({"run.sh": "python train.py --fp16 --learning_rate 5e-5\n", "a.yaml": "fp16_opt_level: O1\n"})
    assert [one.file.name for one in run.plan(precision="fp32").files] == ["run.sh"]
