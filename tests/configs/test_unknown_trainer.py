"""A file of a trainer that is not known keeps its keys: values change, and no key comes that nothing is seen to read."""

from __future__ import annotations

import time

import pytest

from traindx.engine.facts import Scalar

from .conftest import Reads

RSL_RL = """\
seed: 42
num_steps_per_env: 24
max_iterations: 10000
algorithm:
  class_name: PPO
  num_learning_epochs: 5
  learning_rate: 0.001
  max_grad_norm: 1.0
  entropy_coef: 0.01
save_interval: 50
"""
GSPLAT = "batch_size: 1\ndata_dir: data/garden\nmax_steps: 30000\npacked: false\nsh_degree: 3\n"
PADDLE = "Global:\n  epoch_num: 20\n  save_epoch_step: 3\nTrain:\n  loader:\n    batch_size_per_card: 128\n    num_workers: 1\n"
RLLIB = '{"env": "E-v0", "num_workers": 8, "lr": 5e-05, "train_batch_size": 4000, "framework": "torch", "observation_filter": "NoFilter"}'
SPEECHBRAIN = (
    "lr: 1.0\nmax_grad_norm: 5.0\nnumber_of_epochs: 15\nctc_weight: 0.3\nblank_index: 0\nbatch_size: 8\n"
)
WANTED: dict[str, Scalar] = {
    "precision": "bf16", "gradient_accumulation_steps": 4, "gradient_checkpointing": True, "pin_memory": True,
    "persistent_workers": True, "torch_compile": True, "use_cache": False, "attention": "sdpa", "streaming": True,
    "cache_dataset": "disk", "prefetch": 2, "save_total_limit": 3, "log_interval": 50, "eval_batch_size": 1,
    "tf32": True, "warmup_steps": 10, "optimizer": "adamw",
}  # fmt: skip


@pytest.mark.parametrize("text", [RSL_RL, GSPLAT, PADDLE, SPEECHBRAIN])
def test_no_key_is_added_where_the_trainer_is_not_known(read: Reads, text: str) -> None:
    run = read({"c.yaml": text})
    assert run["dialect"] is None
    assert run.plan(**WANTED).files == ()


def test_no_key_is_added_for_a_trainer_that_has_it_not(read: Reads) -> None:
    run = read({"c.json": RLLIB})
    assert (run["dialect"], run["dataloader_workers"]) == ("rllib", None)
    assert run.plan(**WANTED).files == ()


@pytest.mark.parametrize(
    ("text", "changes", "after"),
    [
        (RSL_RL, {"learning_rate": 0.0001}, "  learning_rate: 0.0001\n"),
        (PADDLE, {"dataloader_workers": 4}, "    num_workers: 4\n"),
    ],
)
def test_a_value_that_stands_there_changes(
    read: Reads, text: str, changes: dict[str, Scalar], after: str
) -> None:
    assert after in read({"c.yaml": text}).patched(**changes)


@pytest.mark.parametrize(
    ("script", "added"),
    [
        ("cfg = load()\nAdam(cfg.lr)\nclip(cfg.grad_clip)\n", True),
        ("Adam(cfg['lr'])\nif cfg.get('grad_clip'): clip()\n", True),
        ("p.add_argument('--lr')\np.add_argument('--grad_clip')\n", True),
        # What is taken from something else, or only named alike, is no setting of the file.
        ("Adam(cfg.lr)\nclip(other.grad_clip)\n", False),
        ("Adam(cfg.lr)\ngrad_clip(cfg.model)\n", False),
        ("Adam(self.lr)\nclip(self.grad_clip)\n", False),
    ],
)
def test_a_key_is_added_where_a_script_is_seen_to_read_it(read: Reads, script: str, added: bool) -> None:
    patch = read({"c.yaml": "lr: 0.1\n"}, {"t.py": script}).plan(grad_clip_norm=1.0)
    assert [one.after for one in patch.files] == (["lr: 0.1\ngrad_clip: 1\n"] if added else [])


def test_one_switch_does_not_become_another_where_no_script_knows_it(read: Reads) -> None:
    assert read({"r.sh": "python t.py --lr 0.1 --fp16\n"}).plan(precision="bf16").files == ()


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("num_train_epochs: 3\nlearning_rate: 1.0e-4\n", "hf-v4"),
        ("unet_lr: 1.0e-4\n", "kohya"),
        # One word of a trainer among many that it does not know.
        ("clip_norm: 1\nrnn: lstm\nnum_bins: 9\nfps: 4\nbidirectional: true\n", None),
        ("train_dataloader: {}\nepoches: 72\nparams: []\nclip_max_norm: 0.1\n", None),
    ],
)
def test_one_word_speaks_for_a_trainer_that_knows_most_others(
    read: Reads, text: str, dialect: str | None
) -> None:
    assert read({"c.yaml": text})["dialect"] == dialect


def test_a_long_word_in_a_script_is_passed_over_at_once(read: Reads) -> None:
    image = "iVBORw0KGgoAAAANSUhEUg" * 2000
    run = read({"c.yaml": "lr: 0.1\n", "train.py": f"cfg = load()\nAdam(cfg.lr)\nIMAGE = '{image}'\n"})
    started = time.process_time()
    assert run.plan(grad_clip_norm=1.0).files == ()
    assert time.process_time() - started < 2
