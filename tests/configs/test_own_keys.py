"""A recognised trainer takes none but its own settings, however many words it shares with others."""

from __future__ import annotations

import random

import pytest

from traindx.engine.facts import Scalar
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.configs.dialect import Dialect
from traindx.probes.configs.dialects import Dialects

from .choices import marks_of, settings_to_write, trainers, tree_of, values_of
from .conftest import Reads
from .others import SUFFIX, differing
from .texts import NEMO, VERL, written


def fitting(knowledge: Knowledge, dialects: Dialects) -> dict[str, Scalar]:
    """For every setting there is a value that some trainer can write."""
    values: dict[str, Scalar] = {}
    for name in trainers(dialects):
        for setting, ways in dialects[name].settings.items():
            for way in ways:
                values |= dict.fromkeys([setting], (values_of(knowledge.settings[setting], way) or [1])[-1])
    return values


def is_own(key: str, dialects: list[Dialect]) -> bool:
    """Whether a dialect knows a key, the section it begins, or its end: in a call, sections are left out."""
    wanted = f".{key.lstrip('-').replace('-', '_')}"
    known = (f".{name.replace('-', '_')}" for one in dialects for name in one.keys)
    return any(
        wanted.endswith(name) or name.endswith(wanted) or name.startswith(f"{wanted}.") for name in known
    )


@pytest.mark.parametrize("form", sorted(SUFFIX))
def test_no_trainer_is_given_a_key_of_another(read: Reads, knowledge: Knowledge, form: str) -> None:
    dialects = Dialects(knowledge.dialects)
    wanted = fitting(knowledge, dialects)
    always = [
        dialects[one] for one, stored in dialects.stored.items() if stored.get("always") and one != "plain"
    ]
    for name in trainers(dialects):
        if form not in dialects.stored[name]["formats"]:
            continue
        dialect = dialects[name]
        chosen = {
            one: (way, values[0]) for one, way, values in list(settings_to_write(dialect, knowledge))[:4]
        }
        tree = tree_of(chosen, marks_of(dialect, chosen, dialects["plain"]))
        text = written(form, tree, dialect, random.Random(form).choice)
        run = read({f"conf.{SUFFIX[form]}": text})
        if run["dialect"] != name:
            continue
        for setting, value in wanted.items():
            if setting in dialect.settings:
                continue
            for file in run.plan(**{setting: value}).files:
                added = differing(form, text, file.after)
                assert [key for key in added if not is_own(key, [dialect, *always])] == [], (name, setting)


DEEPSPEED = '{"bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2, "overlap_comm": true}}'


@pytest.mark.parametrize(
    ("name", "text", "setting", "value"),
    [
        ("run.sh", VERL, "gradient_accumulation_steps", 4),
        ("run.sh", VERL, "eval_batch_size", 1),
        ("run.sh", VERL, "attention", "flash2"),
        ("ds.json", DEEPSPEED, "use_cache", False),
        ("nemo.yaml", NEMO, "gradient_accumulation_steps", 4),
        ("nemo.yaml", NEMO, "eval_batch_size", 1),
        ("nemo.yaml", NEMO, "attention", "sdpa"),
    ],
)
def test_words_in_place_of_a_key_that_the_trainer_has_not(
    read: Reads, name: str, text: str, setting: str, value: Scalar
) -> None:
    patch = read({name: text}).plan(**{setting: value})
    assert patch.files == ()
    assert [one.setting for one in patch.refused] == [setting]


@pytest.mark.parametrize(
    ("lengths", "added"),
    [("--prompt_max_len 1024 --generate_max_len 1024", False), ("--input_key text", True)],
)
def test_one_length_is_not_put_beside_those_of_prompt_and_answer(
    read: Reads, lengths: str, added: bool
) -> None:
    run = read(
        {
            "run.sh": f"python -m openrlhf.cli.train --micro_train_batch_size 8 --pretrain m --l2 0.1 {lengths}\n"
        }
    )
    assert bool(run.plan(max_seq_len=1024).files) is added


def test_a_job_of_kubernetes_is_no_configuration_of_a_trainer(read: Reads) -> None:
    job = "apiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n"
    assert read({"job.yaml": job})["dialect"] is None


@pytest.mark.parametrize(
    ("text", "setting", "value"),
    [
        # `amp` is a switch to it, and TensorRT's `half` is for export.
        ("imgsz: 640\nlr0: 0.01\namp: true\n", "precision", "bf16"),
        # It counts for classification alone, and a rate only beside an optimizer that is named.
        ("task: detect\nimgsz: 640\nlr0: 0.01\ndropout: 0.0\n", "dropout", 0.3),
        ("imgsz: 640\nlr0: 0.01\noptimizer: auto\n", "learning_rate", 0.001),
        ("model: resnet50\nsched: cosine\nopt: sgd\nsmoothing: 0.1\n", "save_interval", 1000),
        ("task: detect\nimgsz: 640\nlr0: 0.01\naugment: false\n", "augmentation", True),
    ],
)
def test_what_a_trainer_does_not_take_is_not_given(
    read: Reads, text: str, setting: str, value: Scalar
) -> None:
    run = read({"c.yaml": text})
    assert run["dialect"] in ("ultralytics", "timm")
    assert run.plan(**{setting: value}).files == ()


NANOTRON = """\
optimizer:
  learning_rate_scheduler:
    learning_rate: 0.0003
    lr_decay_style: cosine
    lr_decay_steps: null
    lr_warmup_steps: 2000
  optimizer_factory:
    name: adamW
  zero_stage: 0
parallelism:
  dp: 8
tokens:
  batch_accumulation_per_replica: 8
  micro_batch_size: 8
  train_steps: 600
  val_check_interval: -1
"""


def test_nanotron_gets_none_of_megatrons_keys(read: Reads) -> None:
    run = read({"config.yaml": NANOTRON})
    assert (run["dialect"], run["warmup_steps"], run["eval_interval"]) == ("nanotron", 2000, None)
    after = run.patched(gradient_checkpointing=True, lr_decay_steps=600)
    assert after == NANOTRON.replace("null", "600").replace("dp: 8\n", "dp: 8\n  recompute_layer: true\n")
    assert run.plan(zero_stage=3, dataloader_workers=4, attention="sdpa").files == ()


NEOX = """\
{
  "pipe_parallel_size": 1,
  "num_layers": 24,
  "seq_length": 2048,
  "max_position_embeddings": 2048,
  "gpt_j_residual": true,
  "min_lr": 0.00003,
  "optimizer": {"type": "Adam", "params": {"lr": 0.0003}},
  "zero_optimization": {"stage": 1},
  "train_micro_batch_size_per_gpu": 8,
  "gas": 4,
  "train_iters": 143000,
  "checkpoint_factor": 1000,
  "log_interval": 10,
}
"""


def test_neox_has_keys_of_its_own_beside_deepspeeds(read: Reads) -> None:
    run = read({"410M.yml": NEOX})
    assert (run["dialect"], run["learning_rate"], run["save_interval"]) == ("gpt-neox", 0.0003, 1000)
    # The program fills in `gas` itself, and reads the long name alone.
    assert run["gradient_accumulation_steps"] == 1


@pytest.mark.parametrize("changes", [{"save_interval": 500}, {"eval_interval": 500}])
def test_axolotl_takes_no_steps_beside_times_in_an_epoch(read: Reads, changes: dict[str, int]) -> None:
    text = "base_model: m\nsequence_len: 2048\nmicro_batch_size: 2\nsaves_per_epoch: 1\nevals_per_epoch: 4\n"
    run = read({"a.yml": text})
    assert (run["save_interval"], run["eval_interval"], run.plan(**changes).files) == (None, None, ())


@pytest.mark.parametrize("changes", [{"warmup_steps": 100}, {"lora_rank": 8}, {"lr_scheduler": "cosine"}])
def test_torchtune_gets_no_arguments_of_what_is_not_built(read: Reads, changes: dict[str, int]) -> None:
    text = "checkpointer:\n  _component_: c\nmodel:\n  _component_: m\noptimizer:\n  _component_: o\n  lr: 2e-5\nepochs: 3\n"
    assert read({"a.yaml": text}).plan(**changes).files == ()


def test_a_timeout_is_no_variable_of_the_environment(read: Reads) -> None:
    script = "#!/bin/bash\nexport NCCL_DEBUG=WARN\npython train.py\n"
    assert read({"a.sh": script}).plan(ddp_timeout_s=7200).files == ()
