from __future__ import annotations

import pytest

from .conftest import Reads

HF = "per_device_train_batch_size: 4\nnum_train_epochs: 3\n"


def test_a_json_error_is_shown_with_two_lines_either_side(read: Reads) -> None:
    text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n  "d": 4,\n  "e": 5,\n  "f": 6\n}'
    run = read({"c.json": text})
    assert run["syntax_error"] is True
    assert run["syntax_errors"] == (
        (
            'c.json:5:3: expected `,` or `}`, found `"`\n'
            '    3:   "b": 2,\n    4:   "c": 3\n>>> 5:   "d": 4,\n    6:   "e": 5,\n    7:   "f": 6'
        ),
    )


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.toml", "a.py"])
def test_no_syntax_error_is_known_too(read: Reads, name: str) -> None:
    text = {"a.yaml": "lr: 1", "a.json": '{"lr": 1}', "a.toml": "lr = 1", "a.py": "lr = 1"}[name]
    assert read({name: text})["syntax_error"] is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"network_dim": 0, "unet_lr": 1}', "network_dim: 0 is below 1"),
        ('{"network_dim": 512, "unet_lr": 1}', "network_dim: 512 is above 256"),
        ('{"network_dim": 1.5, "unet_lr": 1}', "network_dim: 1.5 is no whole number"),
        ('{"network_dim": 8, "learning_rate": "fast"}', "learning_rate: `fast` is no number"),
        ('{"network_dim": 8, "learning_rate": "-1e-4"}', "learning_rate: -0.0001 is below 1e-12"),
        ('{"network_dim": 8, "train_batch_size": 0}', "train_batch_size: 0 is below 1"),
        ('{"network_dim": 8, "epoch": 0}', "epoch: 0 is below 0.001"),
        (
            '{"network_dim": 8, "mixed_precision": "fp61"}',
            "mixed_precision: `fp61` is not one of no, fp16, bf16",
        ),
        (
            '{"network_dim": 8, "mixed_precision": "fp32"}',
            "mixed_precision: `fp32` is not one of no, fp16, bf16",
        ),
    ],
)
def test_types_and_ranges(read: Reads, text: str, said: str) -> None:
    assert said in read({"c.json": text}).texts("type_errors")


def test_a_rate_as_text_is_fine_where_the_trainer_casts_it(read: Reads) -> None:
    run = read({"c.json": '{"network_dim": 8, "learning_rate": "1e-4"}'})
    assert (run["learning_rate"], run["number_as_text"], run["type_error"]) == (1e-4, False, False)


def test_a_rate_that_yaml_reads_as_text(read: Reads) -> None:
    run = read({"c.yaml": "lr: 1e-4\n"})
    assert (run["learning_rate"], run["number_as_text"]) == (1e-4, True)
    assert "YAML 1.1" in run.fact("number_as_text").note


def test_what_only_looks_like_a_number(read: Reads) -> None:
    assert read({"c.yaml": "lr: 0,001\n"})["type_errors"] == ("lr: `0,001` is no number",)
    assert read({"c.yaml": "lr: cosine\n"})["type_error"] is False


def test_a_list_of_devices_is_no_mistake(read: Reads) -> None:
    assert read({"c.yaml": "gpus: 0,1,3\n"})["type_error"] is False


def test_a_misspelt_key(read: Reads) -> None:
    run = read({"c.yaml": HF + "lerning_rate: 1.0e-4\n"})
    assert run["unknown_keys"] == ("`lerning_rate` is not known; probably `learning_rate`",)


@pytest.mark.parametrize("key", ["my_own_flag", "eval_step_size", "learning_rate_2", "warmup", "lora_rank"])
def test_a_key_of_ones_own_is_no_mistake(read: Reads, key: str) -> None:
    assert read({"c.yaml": HF + f"{key}: 1\n"})["unknown_key"] is False


def test_a_word_that_no_trainer_uses_is_a_slip_wherever_it_stands(read: Reads) -> None:
    axolotl = "base_model: a/b\nsequence_len: 9\nmicro_batch_size: 1\n"
    run = read({"c.yaml": axolotl + "gradient_acumulation_steps: 4\n"})
    assert run["unknown_keys"] == (
        "`gradient_acumulation_steps` is not known; probably `gradient_accumulation_steps`",
    )


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("base_model: a/b\nsequence_len: 9\nmicro_batchsize: 1\nnum_epochs: 1\nadapter: lora\n", "micro_batchsize", "micro_batch_size"),
        ("trainer:\n  max_epochs: 3\n  accelerator: gpu\n  gradient_clip_value: 1.0\n", "gradient_clip_value", "gradient_clip_val"),
        ("stage: sft\ntemplate: qwen\nfinetuning_type: lora\ncutoff_len: 9\nlogging_step: 1\n", "logging_step", "logging_steps"),
    ],
)  # fmt: skip
def test_the_end_of_a_word_and_where_it_is_parted_are_slips(
    read: Reads, text: str, wrong: str, right: str
) -> None:
    assert read({"c.yaml": text})["unknown_keys"] == (f"`{wrong}` is not known; probably `{right}`",)


def test_a_renamed_key_counts_as_lost_where_the_installed_version_drops_it(read: Reads) -> None:
    files = {"c.yaml": HF + "evaluation_strategy: epoch\n"}
    assert (read(files)["renamed_key"], read(files)["unknown_key"]) == (True, False)
    new = read({**files, "requirements.txt": "transformers==4.50.0\n"})
    assert new["unknown_keys"] == ("`evaluation_strategy` is now `eval_strategy` (since transformers 4.46)",)
    old = read({**files, "requirements.txt": "transformers==4.30.0\n"})
    assert (old["renamed_key"], old["unknown_key"]) == (False, False)


def test_comments_in_json_are_told_except_where_the_trainer_reads_them(read: Reads) -> None:
    assert read({"c.json": '{"lr": 1} // c'})["loose_json"] is True
    assert read({"ds.json": '{"zero_optimization": {"stage": 1}} // c'})["loose_json"] is False
    assert read({"c.json": '{"lr": 1} // c'})["syntax_error"] is False


def test_a_key_that_stands_twice(read: Reads) -> None:
    run = read({"c.yaml": "lr: 1\nlr: 2\n"})
    assert (run["duplicate_key"], run["learning_rate"]) == (True, 2.0)


def test_secrets_are_named_and_never_shown(read: Reads) -> None:
    text = "api_key: hunter2hunter2\nmodel_name: https://me:hunter2hunter2@host/x\nlr: 0.1 # token=hunter2hunter2\n"
    run = read({"c.yaml": text})
    assert run["secrets"] is True
    found = run.findings
    assert "hunter2" not in repr([found.facts, found.unknowable, found.events, found.inputs, found.notes])


def test_a_value_of_which_one_setting_makes_sense_is_no_mistake(read: Reads) -> None:
    text = "trainer:\n  max_epochs: 3\n  accelerator: gpu\n  precision: 16-mixed\n"
    assert read({"c.yaml": text})["type_error"] is False


@pytest.mark.parametrize(
    "text",
    [
        "SOLVER:\n  BASE_LR: 0.1\nMODEL:\n  ROI_HEADS:\n    NAME: x\nINPUT:\n  MAX_SIZE_TRAIN: 1333\n",
        "actor_rollout_ref:\n  actor:\n    ppo_mini_batch_size: 8\ntrainer:\n  n_gpus_per_node: 8\nalgorithm:\n  adv_estimator: grpo\n",
        # Of these trainers not all keys are listed, so that one more may well be one of theirs.
        "base_model: a/b\nsequence_len: 9\nmicro_batch_size: 1\nsample_parking_ratio: 0.5\neval_packing: true\n",
    ],
)
def test_a_key_is_unknown_only_to_a_trainer_all_of_whose_keys_are_listed(read: Reads, text: str) -> None:
    run = read({"c.yaml": text})
    assert (run["dialect"] is None, run["unknown_key"]) == (False, False)


@pytest.mark.parametrize(
    "keys", ["defaults: [_self_]\n", "_target_: torch.optim.AdamW\n", "class_path: my.Model\n"]
)
def test_a_loader_that_takes_it_for_a_number_is_told_by_its_keys(read: Reads, keys: str) -> None:
    run = read({"c.yaml": f"{keys}lr: 1e-4\n"})
    assert (run["learning_rate"], run["number_as_text"]) == (1e-4, False)


def test_what_stands_in_quotes_is_text_for_every_loader(read: Reads) -> None:
    assert read({"c.yaml": 'defaults: [_self_]\nlr: "1e-4"\n'})["number_as_text"] is True


@pytest.mark.parametrize("value", ["${oc.decode:${oc.env:LR,0.1}}", "${eval:'${base} * 2'}", "${oc.env:LR}"])
def test_what_a_resolver_gives_is_not_known(read: Reads, value: str) -> None:
    run = read({"c.yaml": f"optimizer:\n  lr: {value}\nbase: 0.1\n"})
    assert (run["learning_rate"], run["type_error"]) == (None, False)
