"""What a trainer prints of its own set-up: whole configurations, rows of settings, optimizers, the state of a launcher."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.configs.probe import ConfigProbe
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe
from traindx.probes.printed import PrintedSettings

STEPS = "".join(f"step {n} loss {3 - n / 100:.2f}\n" for n in range(1, 60))


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def _read(knowledge: Knowledge, text: str) -> tuple[list[PrintedSettings], dict[str, Value]]:
    """The settings that a log of this text and some steps shows, and the facts that it gives."""
    probe = LogProbe([Input("train.log", Kind.LOG, data=(text + STEPS).encode())], knowledge)
    facts = probe.run().facts
    facts += ConfigProbe([], knowledge, probe.printed_settings).run().facts
    return probe.printed_settings, {fact.name: fact.value for fact in reversed(facts)}


def test_a_configuration_in_python_is_read_behind_times_and_names(knowledge: Knowledge) -> None:
    text = (
        "2022-02-02 10:00:00,100 - mmseg - INFO - Config:\n"
        "norm_cfg = dict(type='SyncBN', requires_grad=True)\n"
        "data = dict(\n    samples_per_gpu=4,\n    workers_per_gpu=3)\n"
        "train_pipeline = [\n    dict(type='LoadImageFromFile'),\n    dict(type='RandomFlip', prob=0.5)\n]\n"
        "optimizer = dict(type='SGD', lr=0.01, momentum=0.9)\n"
        "runner = dict(type='IterBasedRunner', max_iters=80000)\n"
        "\n2022-02-02 10:00:02,000 - mmseg - INFO - Set random seed to 7\n"
    )
    _, found = _read(knowledge, text)
    assert (found["config.learning_rate"], found["config.micro_batch_size"], found["config.max_steps"]) == (
        0.01,
        4,
        80000,
    )
    assert not found.get("config.syntax_error")
    assert not found.get("config.unknown_key")


def test_what_follows_the_configuration_is_none_of_it(knowledge: Knowledge) -> None:
    text = "10:00:00 - INFO - Config:\nmodel = dict(type='A')\noptimizer = dict(type='SGD', lr=0.01)\nloading data\n"
    (printed,), _ = _read(knowledge, text)
    assert printed.text.endswith("lr=0.01)")


def test_a_nested_configuration_is_read(knowledge: Knowledge) -> None:
    text = (
        "[05/03 10:00:01 detectron2]: Running with full config:\n"
        "CUDNN_BENCHMARK: False\nDATASETS:\n  TRAIN: ('birds_train',)\n"
        "SOLVER:\n  AMP:\n    ENABLED: true\n  BASE_LR: 0.005\n  IMS_PER_BATCH: 8\n"
        "[05/03 10:00:02 detectron2]: Full config saved to out/config.yaml\n"
    )
    _, found = _read(knowledge, text)
    assert (found["config.learning_rate"], found["config.global_batch_size"]) == (0.005, 8)
    assert found["config.precision"] == "fp16"


def test_a_row_of_settings_is_read(knowledge: Knowledge) -> None:
    text = (
        "engine/trainer: task=detect, mode=train, model=yolov8s.pt, data=birds.yaml, epochs=40, patience=50, "
        "batch=12, imgsz=512, workers=2, amp=False, lr0=0.002, close_mosaic=10\n"
    )
    _, found = _read(knowledge, text)
    assert (found["config.epochs"], found["config.resolution"], found["config.precision"]) == (
        40,
        512,
        "fp32",
    )
    assert found["config.dataloader_workers"] == 2


def test_a_row_that_measures_is_no_row_of_settings(knowledge: Knowledge) -> None:
    text = "".join(
        f"train: step={n}, loss={3 - n / 10:.2f}, acc=0.5, lr=0.001, grad=1.1, time=0.4\n" for n in range(9)
    )
    printed, found = _read(knowledge, text)
    assert printed == []
    assert found["loss.first"] == 3.0


def test_a_printed_optimizer_gives_its_rate(knowledge: Knowledge) -> None:
    text = "AdamW (\nParameter Group 0\n    betas: (0.9, 0.98)\n    lr: 0.003\n    weight_decay: 0.05\n)\n"
    _, found = _read(knowledge, text)
    assert (found["config.learning_rate"], found["config.weight_decay"]) == (0.003, 0.05)


def test_below_a_schedule_the_rate_that_was_set_is_taken(knowledge: Knowledge) -> None:
    text = "SGD (\nParameter Group 0\n    initial_lr: 0.1\n    lr: 0.0\n    momentum: 0.9\n)\n"
    _, found = _read(knowledge, text)
    assert found["config.learning_rate"] == 0.1


def test_the_state_of_accelerate_is_read(knowledge: Knowledge) -> None:
    text = (
        "07/12/2023 09:19:52 - INFO - __main__ - Distributed environment: MULTI_GPU  Backend: nccl\n"
        "Num processes: 4\nProcess index: 0\nDevice: cuda:0\n\nMixed precision type: bf16\n"
    )
    _, found = _read(knowledge, text)
    assert (found["config.world_size"], found["config.precision"]) == (4, "bf16")
    assert found["config.distributed"] == "ddp"
