"""Units, spellings and traps: the same key means different things to different trainers."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Origin, Value

from .conftest import Reads

HF = "per_device_train_batch_size: 4\nnum_train_epochs: 3\n"
DS = '"zero_optimization": {"stage": 2}'


@pytest.mark.parametrize(
    ("name", "text", "setting", "value"),
    [
        # one name in several sections
        ("a.toml", '[optimizer]\nname = "adam"\nlr = 0.5\n[scheduler]\nlr = 1\n', "learning_rate", 0.5),
        ("a.yaml", "scheduler:\n  lr: 1\noptim:\n  lr: 0.5\n", "learning_rate", 0.5),
        ("a.yaml", "lr: 0.5\nscheduler:\n  name: cosine\n", "learning_rate", 0.5),
        # two switches
        ("a.yaml", HF + "fp16: true\n", "precision", "fp16"),
        ("a.yaml", HF + "bf16: true\nfp16: false\n", "precision", "bf16"),
        ("a.sh", "python t.py --per_device_train_batch_size 4 --num_train_epochs 1 --bf16\n", "precision", "bf16"),
        ("a.sh", "python t.py --per_device_train_batch_size 4 --num_train_epochs 1 --fp16 False\n", "precision", "fp32"),
        ("a.json", f'{{{DS}, "fp16": {{"enabled": true}}}}', "precision", "fp16"),
        # a switch, and a word that is not its own
        ("a.sh", "fairseq-train --fp16 $DATA --lr 5e-4 --max-update 9\n", "precision", "fp16"),
        ("a.sh", "fairseq-train --fp16 data-bin/wiki --lr 5e-4 --max-update 9\n", "precision", "fp16"),
        ("a.sh", "python train.py --amp $DATA --model resnet50 --opt sgd --sched cosine\n", "precision", "fp16"),
        ("a.sh", "python train.py --amp data/pets --model resnet50 --opt sgd --sched cosine\n", "precision", "fp16"),
        # exponent or scale
        ("a.json", f'{{{DS}, "fp16": {{"enabled": true, "initial_scale_power": 12}}}}', "loss_scale_init", 4096.0),
        ("a.sh", "python pretrain_gpt.py --train-iters 9 --initial-loss-scale 4096\n", "loss_scale_init", 4096.0),
        # for one device or over all
        ("a.json", f'{{{DS}, "train_batch_size": 64}}', "global_batch_size", 64),
        ("a.json", '{"network_dim": 8, "unet_lr": 1e-4, "train_batch_size": 2}', "micro_batch_size", 2),
        ("a.yaml", "imgsz: 640\nlr0: 0.01\nbatch: 16\nclose_mosaic: 3\n", "global_batch_size", 16),
        # ratio or steps
        ("a.yaml", HF + "activation_checkpointing: true\nwarmup_steps: 0.1\n", "warmup_ratio", 0.1),
        ("a.yaml", HF + "activation_checkpointing: true\nwarmup_steps: 100\n", "warmup_steps", 100),
        ("a.toml", "network_dim = 8\nunet_lr = 1e-4\nlr_warmup_steps = 0.05\n", "warmup_ratio", 0.05),
        # turned round
        ("a.yaml", "finetuning_type: lora\nstage: sft\ndisable_gradient_checkpointing: true\n", "gradient_checkpointing", False),
        ("a.yaml", "finetuning_type: lora\nstage: sft\ndisable_shuffling: false\n", "shuffle", True),
        # what a script makes for validation
        ("a.py", 'val_ds = image_dataset_from_directory("val", shuffle=False)\n', "shuffle", None),
        ("a.py", "train_loader = DataLoader(a, shuffle=True)\nval_loader = DataLoader(b, shuffle=False)\n", "shuffle", True),
        ("a.py", "test_loader = DataLoader(b, batch_size=1)\n", "micro_batch_size", None),
        ("a.py", "sampler = DistributedSampler(a, shuffle=False)\n", "shuffle", False),
        # elements of lists
        ("a.json", f'{{{DS}, "optimizer": {{"params": {{"betas": [0.9, 0.95]}}}}}}', "adam_beta2", 0.95),
        ("a.sh", "fairseq-train d --lr 0.0005 --max-update 9 --adam-betas '(0.9, 0.98)'\n", "adam_beta2", 0.98),
        ("a.json", '{"network_dim": 8, "unet_lr": 1e-4, "max_resolution": "768,512"}', "resolution", 768),
        # values that mean: not given
        ("a.yaml", HF + "max_steps: -1\n", "max_steps", None),
        ("a.json", f'{{{DS}, "gradient_clipping": "auto"}}', "grad_clip_norm", None),
        # words
        ("a.yaml", "compute_environment: X\ndistributed_type: 'NO'\nmixed_precision: no\n", "precision", "fp32"),
        ("a.yaml", "trainer:\n  max_epochs: 3\n  accelerator: gpu\n  precision: 16\n", "precision", "fp16"),
        ("a.yaml", "trainer:\n  max_epochs: 3\n  accelerator: gpu\n  precision: 16-true\n", "pure_precision", "fp16"),
        ("a.yaml", "finetuning_type: lora\nstage: sft\nflash_attn: fa2\n", "attention", "flash2"),
        ("a.yaml", HF + "evaluation_strategy: epoch\n", "eval_strategy", "epoch"),
        ("a.yaml", HF + "eval_strategy: no\n", "eval_strategy", "off"),
        # the class as Hydra names it
        ("a.yaml", "optimizer:\n  _target_: torch.optim.AdamW\n  lr: 0.1\n", "optimizer", "adamw"),
        ("a.yaml", "scheduler:\n  _target_: torch.optim.lr_scheduler.OneCycleLR\n", "lr_scheduler", "onecycle"),
        # what goes through at once, of what goes through before a step
        ("a.cfg", "[net]\nbatch=64\nsubdivisions=16\nburn_in=1000\n", "micro_batch_size", 4),
        ("a.cfg", "[net]\nbatch=64\nsubdivisions=16\nburn_in=1000\n", "global_batch_size", 64),
        # what Weights & Biases keeps of a run, of old and of now
        ("config.yaml", "wandb_version: 1\nlr:\n  desc: null\n  value: 0.1\n", "learning_rate", 0.1),
        ("config.yaml", "_wandb:\n  value: {}\noptim:\n  value:\n    lr: 0.1\n", "learning_rate", 0.1),
        # Slurm and containers
        ("a.sh", "#SBATCH --mem-per-cpu=4G\n#SBATCH --cpus-per-task=2\n", "host_memory_gib", 8.0),
        ("a.sh", "#SBATCH --mem=16000M\n", "host_memory_gib", 15.625),
        ("a.sh", "#SBATCH --time=1-12:00:00\n", "time_limit_minutes", 2160.0),
        ("a.sh", "#SBATCH --gres=gpu:a100:4\n", "devices", 4),
        ("a.sh", "docker run --shm-size=8g image python t.py\n", "shm_gib", 8.0),
        ("pod.yaml", "spec:\n  containers:\n  - resources:\n      limits:\n        memory: 16Gi\n", "host_memory_gib", 16.0),
        ("a.sh", "export CUDA_VISIBLE_DEVICES=0,1,2\n", "devices", 3),
        ("a.sh", "torchrun --nproc_per_node=8 t.py\n", "devices", 8),
        # names of one's own
        ("a.yaml", "train:\n  lr: 5e-5\n", "learning_rate", 5e-5),
        ("a.json", '{"batchSize": 16}', "micro_batch_size", 16),
        ("a.sh", "python t.py --batch-size=16\n", "micro_batch_size", 16),
        ("a.yaml", "use_mixed_precision: false\n", "precision", "fp32"),
        ("a.yaml", "optimizer:\n  name: Adam\n  epsilon: 1.0e-8\n", "optimizer", "adam"),
        ("a.yaml", "use_amp: true\namp_dtype: bfloat16\n", "precision", "bf16"),
        ("a.sh", "python t.py --hparams '{\"batch_size\": 64}'\n", "micro_batch_size", 64),
        ("a.yaml", "model:\n  lr: 0.1\noptim:\n  rate: ${model.lr}\n  lr: ${model.lr}\n", "learning_rate", 0.1),
    ],
)  # fmt: skip
def test_a_setting_is_read_as_its_trainer_means_it(
    read: Reads, name: str, text: str, setting: str, value: object
) -> None:
    assert read({name: text})[setting] == value


@pytest.mark.parametrize(
    ("code", "setting", "value"),
    [
        ("opt = torch.optim.AdamW(m.parameters(), lr=3e-4, betas=(0.9, 0.95))", "adam_beta2", 0.95),
        ("opt = SGD(m.parameters(), 0.1)", "learning_rate", 0.1),
        ("DataLoader(ds, batch_size=8, num_workers=2)", "dataloader_workers", 2),
        ("nn.utils.clip_grad_norm_(m.parameters(), 1.0)", "grad_clip_norm", 1.0),
        ("with torch.autocast('cuda', dtype=torch.bfloat16): pass", "precision", "bf16"),
        ("with torch.cuda.amp.autocast(): pass", "precision", "fp16"),
        ("with torch.autocast('cuda', enabled=False): pass", "precision", "fp32"),
        ("s = GradScaler(init_scale=2.**10)", "loss_scale_init", 1024.0),
        ("model.half()", "pure_precision", "fp16"),
        ("model.gradient_checkpointing_enable()", "gradient_checkpointing", True),
        ("torch.manual_seed(7)", "seed", 7),
        ("torch.backends.cudnn.benchmark = True", "cudnn_benchmark", True),
        ("model.config.use_cache = False", "use_cache", False),
        ("LoraConfig(r=16, lora_alpha=32)", "lora_rank", 16),
        ("Trainer(net, amp=True, train_lr=8e-5)", "precision", "fp16"),
        ("def train(use_mixed_precision: bool = False): ...", "precision", "fp32"),
    ],
)  # fmt: skip
def test_calls_in_a_script_are_settings(read: Reads, code: str, setting: str, value: object) -> None:
    assert read({}, {"train.py": code})[setting] == value


@pytest.mark.parametrize(
    ("code", "setting"),
    [
        ("x = np.asarray(y, dtype=np.float32)", "precision"),
        ("z = torch.cat(xs, dim=1)", "hidden_size"),
        ("for epoch in range(3): pass\nepoch = 0", "epochs"),
        ("pixels.half()", "pure_precision"),
        ("loss = criterion(x, y)", "loss_type"),
        ("ReduceLROnPlateau(opt, patience=2)", "patience"),
        ("warm = torch.optim.lr_scheduler.LinearLR(opt, 0.01, total_iters=5)", "max_steps"),
        ("evaluate(batch_size=64)", "micro_batch_size"),
    ],
)  # fmt: skip
def test_everyday_names_in_a_script_are_no_settings(read: Reads, code: str, setting: str) -> None:
    assert read({}, {"train.py": code})[setting] is None


def test_sections_about_evaluation_are_passed_over(read: Reads) -> None:
    assert (
        read({"a.yaml": "test_loader:\n  batch_size: 1\ntrain_loader:\n  batch_size: 8\n"})[
            "micro_batch_size"
        ]
        == 8
    )


def test_a_script_beats_its_file_and_a_print_beats_both(read: Reads) -> None:
    from traindx.probes.printed import PrintedSettings

    files = {"a.yaml": "lr: 0.3\n", "run.sh": "python t.py --lr 0.2\n"}
    assert read(files).fact("learning_rate").origin is Origin.SCRIPT
    run = read(files, printed=(PrintedSettings("train.log", 40, "\nNamespace(lr=0.1)"),))
    assert (run["learning_rate"], run.fact("learning_rate").origin) == (0.1, Origin.LOG)
    place = run.fact("learning_rate").place
    assert place is not None
    assert (place.input, place.line) == ("train.log", 41)


def test_defaults_of_a_recognised_trainer(read: Reads) -> None:
    fact = read({"a.yaml": HF + "fp16: true\nseed: 1\n"}).fact("learning_rate")
    assert (fact.value, fact.origin, fact.note) == (
        5e-5,
        Origin.DEFAULT,
        "the default of Hugging Face transformers 4",
    )


def test_what_an_unknown_variable_gives_is_no_default(read: Reads) -> None:
    launch = "torchrun pretrain_gpt.py --num-layers 8 --train-iters 9 --micro-batch-size 1 --bf16 --lr 1e-4 --seq-length 512"
    assert read({"run.sh": f"{launch}\n"})["tensor_parallel"] == 1
    assert read({"run.sh": f"{launch} --tensor-model-parallel-size $TP\n"})["tensor_parallel"] is None
    assert read({"run.sh": f"TP=4\n{launch} --tensor-model-parallel-size $TP\n"})["tensor_parallel"] == 4


def test_an_excerpt_says_nothing_about_what_is_not_set(read: Reads) -> None:
    assert read({"a.json": '{"unet_lr": 0.001}'})["micro_batch_size"] is None


def test_settings_handed_over_from_elsewhere_leave_no_defaults(read: Reads) -> None:
    code = "TrainingArguments(output_dir='x', fp16=True, seed=1, max_steps=5, eval_steps=3, **more)"
    assert read({}, {"t.py": code})["learning_rate"] is None


def test_the_variables_that_scripts_set(read: Reads) -> None:
    run = read(
        {
            "run.sh": "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\nNCCL_P2P_DISABLE=1 python t.py\n"
        }
    )
    assert run["env.alloc_conf"] == "expandable_segments:True"
    assert run["environment"] == ("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", "NCCL_P2P_DISABLE=1")


D2 = "SOLVER:\n  BASE_LR: 0.1\n  CLIP_GRADIENTS: {CLIP_TYPE: %s, CLIP_VALUE: 1.0, ENABLED: %s, NORM_TYPE: 2.0}\nDATASETS: {}\n"
YOLO = "task: %s\nimgsz: 640\nlr0: 0.01\ndropout: 0.2\noptimizer: %s\naugment: false\nhalf: false\n"
PLAIN_PICTURES = "mosaic: 0.0\nmixup: 0.0\nfliplr: %s\nflipud: 0.0\nhsv_h: 0.0\nhsv_s: 0.0\nhsv_v: 0.0\ndegrees: 0\ntranslate: 0.0\nscale: 0.0\n"


@pytest.mark.parametrize(
    ("text", "setting", "value"),
    [
        (D2 % ("norm", "true"), "grad_clip_norm", 1.0),
        (D2 % ("norm", "false"), "grad_clip_norm", 0.0),
        (D2 % ("value", "true"), "grad_clip_norm", None),
        (D2 % ("value", "true"), "grad_clip_value", 1.0),
        (D2 % ("norm", "true"), "normalization", None),
        (YOLO % ("detect", "SGD"), "learning_rate", 0.01),
        (YOLO % ("detect", "auto"), "learning_rate", None),
        (YOLO % ("detect", "SGD"), "dropout", None),
        (YOLO % ("classify", "SGD"), "dropout", 0.2),
        # `augment` and `half` are for prediction and export.
        (YOLO % ("detect", "SGD"), "augmentation", None),
        (YOLO % ("detect", "SGD") + PLAIN_PICTURES % "0.0", "augmentation", False),
        (YOLO % ("detect", "SGD") + PLAIN_PICTURES % "0.5", "augmentation", None),
        ("trainer:\n  max_epochs: 3\n  accelerator: gpu\nseed_everything: true\n", "seed", None),
        ("trainer:\n  max_epochs: 3\n  accelerator: gpu\nseed_everything: 1\n", "seed", 1),
        ("lr: 0.1\nbatch_size: 4\ngrad_clip: 0\n", "grad_clip_norm", 0.0),
        ("lr: 0.1\nbatch_size: 4\ngrad_clip: false\n", "grad_clip_norm", None),
        ("checkpoint_dir: x\nprecision: bf16-true\ntrain:\n  lr_warmup_steps: 5\n  global_batch_size: 8\n", "pure_precision", "bf16"),
    ],
)  # fmt: skip
def test_a_key_that_another_one_makes_idle_says_nothing(
    read: Reads, text: str, setting: str, value: Value | None
) -> None:
    run = read({"c.yaml": text})
    assert (run[setting], run["type_error"]) == (value, False)
