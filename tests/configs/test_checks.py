from __future__ import annotations

import pytest

from traindx.engine.facts import Fact, Facts, Origin, Value
from traindx.engine.kb.knowledge import Knowledge

from .conftest import Reads

# Check -> settings under which it fires, and under which it is silent.
CASES: dict[str, tuple[dict[str, Value], dict[str, Value]]] = {
    "fp16-and-bf16": ({"fp16_enabled": True, "bf16_enabled": True}, {"fp16_enabled": True, "bf16_enabled": False}),
    "grad-scaler-with-bf16": ({"grad_scaler": True, "precision": "bf16"}, {"grad_scaler": True, "precision": "fp16"}),
    "loss-scale-with-bf16": ({"loss_scale_static": 128.0, "precision": "bf16"}, {"loss_scale_static": 0.0, "precision": "bf16"}),
    "fp16-weights-with-grad-scaler": ({"pure_precision": "fp16", "grad_scaler": True}, {"pure_precision": "bf16", "grad_scaler": True}),
    "half-weights-and-other-mixed-precision": ({"dialect": "kohya", "pure_precision": "fp16", "precision": "bf16"}, {"dialect": "kohya", "pure_precision": "bf16", "precision": "bf16"}),
    "fp16-on-cpu": ({"device": "cpu", "precision": "fp16"}, {"device": "cuda", "precision": "fp16"}),
    "flash-attention-in-fp32": ({"attention": "flash2", "precision": "fp32"}, {"attention": "flash2", "precision": "bf16"}),
    "constant-schedule-with-warmup": ({"lr_scheduler": "constant", "warmup_steps": 100}, {"lr_scheduler": "constant_warmup", "warmup_steps": 100}),
    "warmup-longer-than-run": ({"max_steps": 100, "warmup_steps": 500}, {"max_steps": 1000, "warmup_steps": 500}),
    "warmup-epochs-longer-than-run": ({"epochs": 5.0, "warmup_epochs": 5.0}, {"epochs": 50.0, "warmup_epochs": 5.0}),
    "warmup-in-steps-and-ratio": ({"warmup_steps": 10, "warmup_ratio": 0.1}, {"warmup_steps": 0, "warmup_ratio": 0.1}),
    "minimum-rate-above-peak": ({"min_learning_rate": 1e-4, "learning_rate": 1e-5}, {"min_learning_rate": 1e-6, "learning_rate": 1e-5}),
    "plateau-without-evaluation": ({"lr_scheduler": "plateau", "eval_strategy": "off"}, {"lr_scheduler": "plateau", "eval_strategy": "epoch"}),
    "betas-swapped": ({"adam_beta1": 0.999, "adam_beta2": 0.9}, {"adam_beta1": 0.9, "adam_beta2": 0.999}),
    "best-model-without-evaluation": ({"load_best_at_end": True, "eval_strategy": "off"}, {"load_best_at_end": True, "eval_strategy": "epoch"}),
    "best-model-with-different-strategies": (
        {"load_best_at_end": True, "eval_strategy": "epoch", "save_strategy": "steps"},
        {"load_best_at_end": True, "eval_strategy": "epoch", "save_strategy": "best"},
    ),
    "best-model-with-uneven-steps": (
        {"load_best_at_end": True, "eval_strategy": "steps", "save_strategy": "steps", "eval_interval": 40.0, "save_interval": 100.0},
        {"load_best_at_end": True, "eval_strategy": "steps", "save_strategy": "steps", "eval_interval": 50.0, "save_interval": 100.0},
    ),
    "early-stopping-without-evaluation": ({"early_stopping": True, "eval_strategy": "off"}, {"early_stopping": False, "eval_strategy": "off"}),
    "evaluation-without-data": ({"val_size": 0.0, "eval_strategy": "steps"}, {"val_size": 0.1, "eval_strategy": "steps"}),
    "no-checkpoint-before-the-end": (
        {"save_strategy": "steps", "max_steps": 100, "save_interval": 500.0}, {"save_strategy": "steps", "max_steps": 1000, "save_interval": 500.0},
    ),
    "no-evaluation-before-the-end": (
        {"eval_strategy": "steps", "max_steps": 100, "eval_interval": 500.0}, {"eval_strategy": "steps", "max_steps": 1000, "eval_interval": 500.0},
    ),
    "prefetch-without-workers": ({"prefetch": 2, "dataloader_workers": 0}, {"prefetch": 2, "dataloader_workers": 4}),
    "persistent-workers-without-workers": ({"persistent_workers": True, "dataloader_workers": 0}, {"persistent_workers": True, "dataloader_workers": 4}),
    "cached-latents-with-augmentation": ({"cache_latents": True, "random_crop": True}, {"cache_latents": True, "random_crop": False, "color_augmentation": False}),
    "cached-text-with-changing-captions": (
        {"cache_text_encoder_outputs": True, "caption_dropout": 0.1},
        {"cache_text_encoder_outputs": True, "caption_dropout": 0.0, "caption_dropout_every_epochs": 0, "shuffle_caption": False},
    ),
    "global-batch-does-not-multiply": (
        {"global_batch_size": 64, "micro_batch_size": 4, "gradient_accumulation_steps": 4, "world_size": 2},
        {"global_batch_size": 32, "micro_batch_size": 4, "gradient_accumulation_steps": 4, "world_size": 2},
    ),
    "global-batch-below-micro-batch": ({"global_batch_size": 2, "micro_batch_size": 4}, {"global_batch_size": 8, "micro_batch_size": 4}),
    "global-batch-below-one-round": (
        {"global_batch_size": 8, "micro_batch_size": 4, "devices": 4, "dialect": "deepspeed"},
        {"global_batch_size": 16, "micro_batch_size": 4, "devices": 4, "dialect": "deepspeed"},
    ),
    "processes-do-not-multiply": ({"world_size": 8, "devices": 2, "nodes": 2}, {"world_size": 4, "devices": 2, "nodes": 2}),
    "rendezvous-on-each-own-machine": (
        {"nodes": 2, "environment": ("MASTER_ADDR=127.0.0.1", "MASTER_PORT=29500")},
        {"nodes": 2, "environment": ("MASTER_ADDR=node01", "MASTER_PORT=29500")},
    ),
    "fsdp-and-zero": ({"fsdp": True, "zero_stage": 3}, {"fsdp": False, "zero_stage": 3}),
    "offload-without-sharding": ({"cpu_offload": True, "zero_stage": 0}, {"cpu_offload": True, "zero_stage": 2}),
    "offload-in-part-to-disk": (
        {"optimizer_offload_to": "nvme", "optimizer_offload_share": 0.5}, {"optimizer_offload_to": "cpu", "optimizer_offload_share": 0.5},
    ),
    "checkpointing-with-kv-cache": ({"gradient_checkpointing": True, "use_cache": True}, {"gradient_checkpointing": True, "use_cache": False}),
    "deterministic-with-benchmark": ({"deterministic": True, "cudnn_benchmark": True}, {"deterministic": True, "cudnn_benchmark": False}),
    "accumulation-with-optimizer-in-backward": (
        {"optimizer_in_backward": True, "gradient_accumulation_steps": 8}, {"optimizer_in_backward": True, "gradient_accumulation_steps": 1},
    ),
    "clipping-with-optimizer-in-backward": (
        {"optimizer_in_backward": True, "grad_clip_norm": 1.0}, {"optimizer_in_backward": False, "grad_clip_norm": 1.0},
    ),
    "sequence-longer-than-positions": ({"max_seq_len": 8192, "max_positions": 4096}, {"max_seq_len": 4096, "max_positions": 4096}),
    "loaded-in-8-and-4-bits": ({"load_in_8bit": True, "load_in_4bit": True}, {"load_in_8bit": False, "load_in_4bit": True}),
    "qlora-without-4-bits": ({"finetuning": "qlora", "load_in_4bit": False}, {"finetuning": "lora", "load_in_4bit": False}),
    "quantised-full-finetuning": ({"finetuning": "full", "load_in_4bit": True}, {"finetuning": "lora", "load_in_4bit": True}),
    "packing-with-eager-attention": (
        {"packing": True, "attention": "eager", "dialect": "axolotl"}, {"packing": True, "attention": "flash_attention_2", "dialect": "axolotl"},
    ),
    "adaptive-noise-without-offset": ({"adaptive_noise_scale": 0.005, "noise_offset": 0.0}, {"adaptive_noise_scale": 0.005, "noise_offset": 0.05}),
    "v-scaling-without-v": ({"scale_v_pred_loss": True, "v_parameterization": False}, {"scale_v_pred_loss": True, "v_parameterization": True}),
    "zero-snr-without-v": ({"zero_terminal_snr": True, "v_parameterization": False}, {"zero_terminal_snr": True, "v_parameterization": True}),
}  # fmt: skip


def test_every_check_has_a_case(knowledge: Knowledge) -> None:
    assert set(CASES) == set(knowledge.checks)


@pytest.mark.parametrize("check", sorted(CASES))
def test_a_check_fires_and_stays_silent_and_does_not_know(knowledge: Knowledge, check: str) -> None:
    def holds(settings: dict[str, Value]) -> object:
        facts = Facts()
        facts.extend(Fact(f"config.{name}", value, Origin.CONFIG) for name, value in settings.items())
        return knowledge.checks[check].rule(facts.value)

    fires, silent = CASES[check]
    assert holds(fires) is True
    assert holds(silent) is False
    assert holds({}) is None


def test_a_contradiction_is_said_with_its_values(read: Reads) -> None:
    run = read(
        {
            "a.sh": "python t.py --do_train --load_best_model_at_end --save_strategy epoch --eval_strategy steps\n"
        }
    )
    assert run["contradiction"] is True
    assert run["contradictions"] == (
        "the best checkpoint is to be loaded at the end, but evaluation goes by steps and saving by epoch",
    )
    assert run["config.contradiction.best_model_with_different_strategies"] is True


def test_what_a_trainer_takes_by_itself_contradicts_nothing(read: Reads) -> None:
    run = read(
        {"a.toml": "network_dim = 8\nunet_lr = 1e-4\ntrain_data_dir = 'x'\nlr_warmup_steps = 100\nseed = 1\n"}
    )
    assert run["contradiction"] is False


def test_a_default_that_decides_nothing_excuses_nothing(read: Reads) -> None:
    """Latents are cached and colours changed; that images are not cropped is kohya's default."""
    text = "accelerate launch train_network.py --network_module networks.lora --cache_latents --color_aug\n"
    run = read({"train.sh": text})
    assert run["contradictions"] == (
        "latents are cached once, so images can neither change colour nor be cropped anew",
    )


def test_files_of_one_run_must_agree(read: Reads) -> None:
    ds = '{"zero_optimization": {"stage": 2}, "fp16": {"enabled": true}, "gradient_clipping": "auto"}'
    run = read(
        {
            "run.sh": "deepspeed t.py --deepspeed ds.json --bf16 --num_train_epochs 3 --max_grad_norm 0.5\n",
            "ds.json": ds,
        }
    )
    assert run["precision"] == "bf16"
    assert "precision is bf16 in run.sh and fp16 in ds.json" in run.texts("contradictions")
