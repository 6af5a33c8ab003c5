"""Where a key goes that a file does not hold yet, or holds without a value."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Scalar
from traindx.probes.configs.formats import shell_edit

from .conftest import Reads

SCRIPT = {
    "t.py": "opt = cfg['optimizer']\nbuild(opt['lr'], opt.get('weight_decay'))\n"
    "if cfg['training']['epochs']: step(cfg['training']['accumulation_steps'])\nclip(cfg['optimizer'], cfg['grad_clip'])\n"
}
SECTIONS = "optimizer:\n    type: AdamW\n    lr: 5.0e-4\n"


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        # An optimizer takes its weight decay, and no limit for gradients.
        (
            SECTIONS + "seed: 1\n",
            {"weight_decay": 0.1, "grad_clip_norm": 1.0},
            SECTIONS + "    weight_decay: 0.1\nseed: 1\ngrad_clip: 1\n",
        ),
        # What it takes goes where its numbers stand, and not where it is named.
        (
            "optimizer:\n  type: AdamW\n  params:\n    lr: 0.1\n",
            {"weight_decay": 0.1},
            "optimizer:\n  type: AdamW\n  params:\n    lr: 0.1\n    weight_decay: 0.1\n",
        ),
        # Among sections, beside the settings it is most like.
        (
            SECTIONS + "training:\n    epochs: 3\n    seed: 1\n",
            {"gradient_accumulation_steps": 2},
            SECTIONS + "training:\n    epochs: 3\n    accumulation_steps: 2\n    seed: 1\n",
        ),
        # Where every section makes an object, behind them.
        (SECTIONS, {"grad_clip_norm": 1.0}, SECTIONS + "grad_clip: 1\n"),
    ],
)
def test_sections_that_make_objects_take_only_their_own(
    read: Reads, before: str, changes: dict[str, Scalar], after: str
) -> None:
    assert read({"c.yaml": before}, SCRIPT).patched(**changes) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("c.yaml", "lr: 0.1\nnum_workers:  # none yet\n", "lr: 0.1\nnum_workers: 4  # none yet\n"),
        ("c.yaml", "lr: 0.1\nnum_workers: null\n", "lr: 0.1\nnum_workers: 4\n"),
        ("c.json", '{"lr": 0.1, "num_workers": null}', '{"lr": 0.1, "num_workers": 4}'),
        ("c.py", "lr = 0.1\nnum_workers = None\n", "lr = 0.1\nnum_workers = 4\n"),
    ],
)
def test_a_key_without_a_value_is_given_one(read: Reads, name: str, before: str, after: str) -> None:
    assert read({name: before}).patched(dataloader_workers=4) == after


def test_the_name_that_stands_there_is_taken(read: Reads) -> None:
    assert read({"c.yaml": "lr: 0.1\nwd:\n"}).patched(weight_decay=0.1) == "lr: 0.1\nwd: 0.1\n"


def test_a_call_takes_plain_arguments(read: Reads) -> None:
    before = "trainer = pl.Trainer(precision='16-mixed', max_epochs=3, accumulate_grad_batches=2)\n"
    after = before.replace("=2)", "=2, gradient_clip_val=1)")
    assert read({}, {"t.py": before}).patched(grad_clip_norm=1.0) == after


@pytest.mark.parametrize(
    ("neighbour", "after"),
    [
        # One dash before one letter is short for a name with two.
        ("-b 256", "-b 256 --seed 7"),
        ("-batch_size 64", "-batch_size 64 -seed 7"),
        ("--batch-size=64", "--batch-size=64 --seed=7"),
    ],
)
def test_a_new_option_has_the_dashes_of_its_neighbour_unless_that_is_short(
    neighbour: str, after: str
) -> None:
    (edit,) = shell_edit.insert(neighbour, (0, len(neighbour)), ("seed",), "7")
    assert neighbour[: edit.start] + edit.text + neighbour[edit.end :] == after


def test_a_switch_that_is_not_given_is_off_already(read: Reads) -> None:
    script = (
        "python train.py --instance_prompt x --validation_prompt y --train_batch_size 1 --max_train_steps 9\n"
    )
    patch = read({"run.sh": script}).plan(optimizer="adamw")
    assert (patch.files, patch.unchanged) == ((), {"optimizer": "adamw"})


def test_no_place_says_more_than_no_word(read: Reads) -> None:
    refused = read({}, {"t.py": "model = model.half()\n"}).plan(precision="bf16").refused
    assert [one.reason for one in refused] == ["there is no autocast in t.py"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.json", '{"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "vocab_size": 100}'),
        ("summary.json", '{"train/loss": 0.0, "_step": 30}'),
        ("config.yaml", "wandb_version: 1\nlearning_rate:\n  value: 0.1\n"),
    ],
)
def test_nothing_is_added_to_what_is_no_configuration_of_a_training(
    read: Reads, name: str, text: str
) -> None:
    assert read({name: text}).plan(grad_clip_norm=1.0).files == ()


MMENGINE = "train_cfg = dict(type='IterBasedTrainLoop', max_iters=9)\n"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("c.py", "optim_wrapper = dict(type='OptimWrapper', clip_grad=None)\n", "optim_wrapper = dict(type='OptimWrapper', clip_grad=dict(max_norm=1))\n"),
        ("c.py", "optim_wrapper = {'type': 'OptimWrapper', 'clip_grad': None}\n", "optim_wrapper = {'type': 'OptimWrapper', 'clip_grad': dict(max_norm=1)}\n"),
        ("c.py", "optim_wrapper = dict(type='OptimWrapper', clip_grad=dict())\n", "optim_wrapper = dict(type='OptimWrapper', clip_grad=dict(max_norm=1))\n"),
        ("c.yaml", "optim_wrapper:\n  type: OptimWrapper\n  clip_grad: null  # none\n", "optim_wrapper:\n  type: OptimWrapper\n  clip_grad: {max_norm: 1}  # none\n"),
        ("c.yaml", "optim_wrapper:\n  type: OptimWrapper\n  clip_grad:\n", "optim_wrapper:\n  type: OptimWrapper\n  clip_grad: {max_norm: 1}\n"),
        ("c.json", '{"optim_wrapper": {"type": "OptimWrapper", "clip_grad": null}, ', '{"optim_wrapper": {"type": "OptimWrapper", "clip_grad": {"max_norm": 1}}, '),
        ("c.toml", "training = {}\n", "training = { max_norm = 1 }\n"),
    ],
)  # fmt: skip
def test_a_section_stands_where_nothing_stood(read: Reads, name: str, before: str, after: str) -> None:
    rest = {
        "c.py": MMENGINE,
        "c.yaml": "train_cfg: {type: IterBasedTrainLoop, max_iters: 9}\n",
        "c.json": '"train_cfg": {"type": "IterBasedTrainLoop", "max_iters": 9}}',
        "c.toml": "[job]\ndump_folder = './outputs'\n[parallelism]\ndata_parallel_shard_degree = -1\n",
    }[name]
    assert read({name: before + rest}).patched(grad_clip_norm=1.0) == after + rest


def test_a_keyword_that_stands_there_is_not_given_again(read: Reads) -> None:
    text = "optim_wrapper = dict(type='OptimWrapper', clip_grad=make_clip())\n" + MMENGINE
    assert read({"c.py": text}).plan(grad_clip_norm=1.0).files == ()
