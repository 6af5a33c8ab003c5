"""Whether a run was on the machine that diagnoses: what it printed of its own machine tells."""

from __future__ import annotations

import pytest

from traindx.engine.derive import derive
from traindx.engine.facts import Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack

from ..small_pack import facts_of


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


@pytest.mark.parametrize(
    ("known", "elsewhere"),
    [
        ({"gpu.name": "NVIDIA A100-SXM4-40GB", "env.gpu_count_here": 0}, True),
        ({"gpu.name": "NVIDIA A100-SXM4-40GB", "env.gpu_name_here": "NVIDIA GeForce RTX 3090"}, True),
        ({"gpu.name": "GeForce RTX 3090", "env.gpu_name_here": "NVIDIA GeForce RTX 3090"}, None),
        ({"log.runs_on_cuda": True, "env.gpu_count_here": 0}, True),
        ({"log.job_time_limit": True}, True),
        ({"log.job_time_limit": True, "env.scheduler": "slurm"}, None),
        ({"log.steps": 1000, "env.gpu_count_here": 0}, None),
        ({"log.machine": True, "log.trainer": "deepspeed", "env.gpu_count_here": 0}, True),
        ({"log.machine": True, "config.attention": "flash2", "env.gpu_count_here": 0}, True),
        ({"log.machine": True, "config.attention": "flash2", "env.gpu_count_here": 8}, None),
        ({"log.machine": True, "config.device": "cuda", "env.gpu_count_here": 0}, True),
        (
            {"log.machine": True, "config.device": "cuda", "log.runs_on_cpu": True, "env.gpu_count_here": 0},
            None,
        ),
        ({"log.machine": True, "config.nodes": 2, "env.gpu_count_here": 0}, True),
        ({"log.machine": True, "config.nodes": 1, "env.gpu_count_here": 0}, None),
        ({"config.files": 1}, True),
        ({"config.files": 1, "log.watched_steps": 10}, None),
        ({"config.files": 1, "log.machine": True}, None),
    ],
)
def test_a_run_on_another_machine_shows(
    knowledge: Knowledge, known: dict[str, Value], elsewhere: bool | None
) -> None:
    facts = facts_of(known)
    derive(facts, knowledge)
    assert facts.value("env.elsewhere") is elsewhere
