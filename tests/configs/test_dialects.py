from __future__ import annotations

from pathlib import Path

import pytest

from traindx import kb
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.configs.dialects import Dialects

from .conftest import Reads


@pytest.mark.parametrize(
    ("name", "text", "trainer"),
    [
        ("a.yaml", "per_device_train_batch_size: 4\nnum_train_epochs: 3\n", "hf-v4"),
        ("a.yaml", "per_device_train_batch_size: 4\nactivation_checkpointing: true\n", "hf-v5"),
        ("a.yaml", "stage: sft\nfinetuning_type: lora\nper_device_train_batch_size: 1\n", "llamafactory"),
        ("a.yaml", "base_model: x\nmicro_batch_size: 2\nsequence_len: 512\nnum_epochs: 1\n", "axolotl"),
        ("a.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\n", "accelerate"),
        ("a.json", '{"zero_optimization": {"stage": 2}}', "deepspeed"),
        ("a.yaml", "trainer:\n  max_epochs: 3\n  accelerator: gpu\nmodel:\n  class_path: x\n", "lightning"),
        ("a.yaml", "exp_manager:\n  name: x\ntrainer:\n  max_epochs: 3\nmodel:\n  optim:\n    lr: 1\n", "nemo"),
        ("a.json", '{"network_dim": 32, "unet_lr": 0.001}', "kohya"),
        ("a.toml", '[network]\nnetwork_module = "networks.lora"\n', "kohya"),
        ("a.sh", "accelerate launch train_dreambooth.py --instance_prompt 'x' --checkpointing_steps 5\n", "diffusers"),
        ("a.yaml", "tokenizer:\n  _component_: x\ncheckpointer:\n  _component_: y\n", "torchtune"),
        ("a.toml", "[parallelism]\ntp = 1\n[training]\nlocal_batch_size = 8\n", "torchtitan"),
        ("a.sh", "python pretrain_gpt.py --tensor-model-parallel-size 2 --train-iters 9\n", "megatron"),
        ("a.py", "max_iters = 5000\nblock_size = 256\nlr_decay_iters = 5000\n", "nanogpt"),
        ("a.yaml", "task: detect\nimgsz: 640\nlr0: 0.01\n", "ultralytics"),
        ("a.yaml", "lr0: 0.01\nanchor_t: 4.0\nfl_gamma: 0.0\n", "yolov5"),
        ("a.sh", "./distributed_train.sh 4 /data --opt adamw --sched cosine --smoothing 0.1\n", "timm"),
        ("a.py", "optim_wrapper = dict(type='OptimWrapper')\nparam_scheduler = []\n", "mmengine"),
        ("a.py", "data = dict(samples_per_gpu=2)\nlr_config = dict(policy='step')\n", "mmcv"),
        ("a.yaml", "MODEL:\n  ROI_HEADS:\n    NUM_CLASSES: 3\nSOLVER:\n  BASE_LR: 0.01\n", "detectron2"),
        ("a.sh", "fairseq-train data --max-tokens 4096 --update-freq 8\n", "fairseq"),
        ("a.yaml", "optim: adam\noptim_conf:\n  lr: 0.1\nbatch_bins: 100\n", "espnet"),
        ("a.json", '{"training_method": "LORA", "weight_dtype": "FLOAT_16"}', "onetrainer"),
        ("a.yaml", "actor_rollout_ref:\n  actor:\n    ppo_mini_batch_size: 64\n", "verl"),
        ("a.yaml", "max_duration: 10ba\ndevice_train_microbatch_size: 4\n", "composer"),
        ("a.json", '{"architectures": ["X"], "model_type": "llama", "hidden_size": 64}', "hf-model"),
        ("yolov3.cfg", "[net]\nbatch=64\nsubdivisions=16\nburn_in=1000\n[convolutional]\nfilters=32\n", "darknet"),
        ("a.yaml", "lr: 0.1\nbatch_size: 3\n", None),
    ],
)  # fmt: skip
def test_near_relatives_are_told_apart(read: Reads, name: str, text: str, trainer: str | None) -> None:
    assert read({name: text})["dialect"] == trainer


def test_the_installed_version_decides_between_versions(read: Reads) -> None:
    text = "per_device_train_batch_size: 4\nwarmup_steps: 0.1\n"
    old = read({"a.yaml": text, "requirements.txt": "transformers==4.57.1\n"})
    new = read({"a.yaml": text, "requirements.txt": "transformers==5.2.0\n"})
    assert (old["dialect"], new["dialect"]) == ("hf-v4", "hf-v5")


def test_calls_give_a_trainer_away_in_scripts(read: Reads) -> None:
    assert read({}, {"t.py": "args = SFTConfig(max_length=512)\n"})["dialect"] == "trl"
    assert read({}, {"t.py": "args = TrainingArguments(output_dir='x')\n"})["dialect"] == "hf-v4"


def test_the_folder_and_the_ids_agree(knowledge: Knowledge) -> None:
    files = {path.stem for path in Path(next(iter(kb.__path__)), "dialects").glob("*.yaml")}
    assert files == set(knowledge.dialects)


@pytest.mark.parametrize("identity", ["plain", "hf-v4", "kohya"])
def test_no_key_means_two_settings(knowledge: Knowledge, identity: str) -> None:
    dialect = Dialects(knowledge.dialects)[identity]
    meant: dict[str, set[str]] = {}
    for setting, ways in dialect.settings.items():
        for way in ways:
            if not way.several and not way.values and way.index is None:
                for key in (*way.keys, *way.old):
                    meant.setdefault(dialect.normal(key), set()).add(setting)
    several = {key: settings for key, settings in meant.items() if len(settings) > 1}
    # One key may hold a number of steps or a share of them, and a precision beside its own switch.
    allowed = [{"warmup_steps", "warmup_ratio"}]
    assert all(settings in allowed for settings in several.values()), several
