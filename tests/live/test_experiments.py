from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.live.running import watch
from traindx.cli.comparison import plot
from traindx.engine.derive import derive
from traindx.engine.facts import Fact, Facts, Origin
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.live import experiments
from traindx.probes.live.experiments import Laboratory, Outcome
from traindx.probes.live.observer.changes import CHANGES, apply_changes
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.probe import LiveProbe
from traindx.probes.live.short_run import ShortRun

NAN = math.nan


class Runs:
    """Short runs as they would have gone: of the run as it is, and of the changed one."""

    def __init__(self, knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
        self._knowledge, self._monkeypatch = knowledge, monkeypatch

    def run(self, losses: list[float], changed: tuple[str, ...] = (), **known: Any) -> ShortRun:
        from traindx.probes.logs.plain_series import series_facts

        facts = Facts()
        facts.extend(series_facts({"loss": losses}, self._knowledge.limits))
        facts.extend(Fact(name.replace("__", "."), value, Origin.LIVE) for name, value in known.items())
        facts.add(Fact("test.steps", len(losses), Origin.LIVE))
        derive(facts, self._knowledge)
        return ShortRun(
            facts, LiveProbe([], self._knowledge), tuple(losses), 3.0, len(losses), 10.0, 0, frozenset(changed), (),
            in_time=True, output=Path("output"),
        )  # fmt: skip

    def outcome(self, name: str, before: ShortRun, after: ShortRun) -> Outcome:
        self._monkeypatch.setattr(
            experiments,
            "run_shortly",
            lambda *_, variables, change, **__: after if change or variables else before,
        )
        laboratory = Laboratory(["python", "train.py"], self._knowledge)
        try:
            return laboratory.run(self._knowledge.experiments[name])
        finally:
            laboratory.close()


@pytest.fixture
def runs(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(knowledge, monkeypatch)


FALLING = [2.0 - step / 50 for step in range(50)]
BROKEN = [*FALLING[:10], *[NAN] * 40]


def answers(outcome: Outcome) -> dict[str, object]:
    return {fact.name: fact.value for fact in outcome.answers}


def test_a_nan_that_is_gone_answers_yes(runs: Runs) -> None:
    outcome = runs.outcome("fp32", runs.run(BROKEN), runs.run(FALLING, ("autocast",)))
    assert answers(outcome) == {"test.fp32_clears_nan": True}


def test_a_nan_that_stays_answers_no(runs: Runs) -> None:
    outcome = runs.outcome("fp32", runs.run(BROKEN), runs.run(BROKEN, ("autocast",)))
    assert answers(outcome) == {"test.fp32_clears_nan": False}


def test_a_run_without_the_trouble_answers_nothing(runs: Runs) -> None:
    outcome = runs.outcome("fp32", runs.run(FALLING), runs.run(FALLING, ("autocast",)))
    assert (answers(outcome), outcome.reason) == (
        {},
        "the run as it is does not show the trouble in so few steps",
    )


def test_a_change_that_found_nothing_to_change_answers_nothing(runs: Runs) -> None:
    outcome = runs.outcome("fp32", runs.run(BROKEN), runs.run(BROKEN))
    assert (answers(outcome), outcome.reason) == ({}, "there was nothing to change in this script")


def test_a_changed_run_that_fails_in_its_own_way_answers_nothing(runs: Runs) -> None:
    failed = runs.run(
        FALLING[:3], ("group",), log__exception__type="ValueError", log__exception__message="no"
    )
    outcome = runs.outcome("lr-tenth", runs.run(BROKEN), failed)
    assert answers(outcome) == {}
    assert outcome.reason.startswith("the changed run failed in a way of its own (ValueError")


def test_one_batch_that_is_learnt_and_one_that_is_not(runs: Runs) -> None:
    learnt = runs.run([2.0 * 0.97**step for step in range(200)], ("repeat",))
    flat = runs.run([2.0 + 0.01 * (step % 2) for step in range(200)], ("repeat",))
    before = runs.run(FALLING)
    assert answers(runs.outcome("overfit-one-batch", before, learnt)) == {"test.overfits_one_batch": True}
    assert answers(runs.outcome("overfit-one-batch", before, flat)) == {"test.overfits_one_batch": False}


def test_what_a_run_in_fp32_does_in_bf16_says_nothing_of_fp16(runs: Runs) -> None:
    changed = runs.run(BROKEN, ("autocast",))
    assert answers(runs.outcome("bf16", runs.run(BROKEN, config__precision="fp16"), changed)) == {
        "test.bf16_works": False
    }
    assert answers(runs.outcome("bf16", runs.run(BROKEN, config__precision="fp32"), changed)) == {}


def test_what_would_change_nothing_is_not_tried(knowledge: Knowledge) -> None:
    def offered(**known: Any) -> set[str]:
        facts = Facts()
        facts.extend(Fact(name.replace("__", "."), value, Origin.LIVE) for name, value in known.items())
        conditions = {name: one.when for name, one in knowledge.experiments.items()}
        return {name for name, when in conditions.items() if when is None or when.of(facts) is not False}

    of_precision = {"fp32", "no-amp", "bf16"}
    assert offered() >= of_precision
    assert offered(config__precision="fp16") >= of_precision
    assert not offered(config__precision="fp32") & of_precision
    assert "cpu" not in offered()
    assert "cpu" in offered(gpu__present=True)


def test_every_change_that_an_experiment_names_exists(knowledge: Knowledge) -> None:
    named = {name for experiment in knowledge.experiments.values() for name in experiment.change}
    assert named <= CHANGES.keys()


def test_a_plot_of_a_loss_that_spans_many_sizes_goes_by_its_logarithm() -> None:
    assert plot([1e6, 1e3, 1.0], 1.0, 1e6) == "█▅▁"


def test_a_plot_shows_where_a_loss_is_not_finite() -> None:
    assert plot([3.0, 2.0, NAN, 1.0], 1.0, 3.0) == "█▅×▁"


LOOP = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.set_num_threads(1)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
data = TensorDataset(torch.arange(64.0).reshape(16, 4))
seen = []
for epoch in range(2):
    for (batch,) in DataLoader(data, batch_size=4, num_workers=0):
        before = net[2].bias.detach().clone()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = net(batch)
        seen.append((len(batch), float(batch[0, 0]), str(output.dtype)))
        optimizer.zero_grad()
        output.float().mean().backward()
        optimizer.step()
        print("moved", round(float((before - net[2].bias).abs()), 6), "rate", optimizer.param_groups[0]["lr"])
        schedule.step()
print("seen", seen)
"""


def test_the_rate_is_changed_under_a_schedule_that_does_not_notice(tmp_path: Path) -> None:
    ran = watch(LOOP, tmp_path, options={"change": {"group": {"lr": 0.1}}, "stop_after": 2})
    assert ran.out.splitlines() == ["moved 0.01 rate 0.1"]
    assert [record["change"] for record in ran.of("changed")] == ["group"]


def test_batches_and_number_formats_are_changed(tmp_path: Path) -> None:
    change = {"loader": {"batch_share": 0.5}, "repeat": 1, "autocast": "off", "clip": 1e-6}
    ran = watch(LOOP, tmp_path, options={"change": change})
    seen = ast.literal_eval(ran.out.splitlines()[-1].removeprefix("seen "))
    assert set(seen) == {(2, 0.0, "torch.float32")}
    assert ran.out.startswith("moved 0.0 ")
    assert {record["change"] for record in ran.of("changed")} == set(change)


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    code = "import random; print(random.random())"
    first = watch(code, tmp_path, options={"seed": 7})
    assert watch(code, tmp_path, options={"seed": 7}).out == first.out


def test_a_change_that_is_not_known_is_said_and_nothing_is_raised() -> None:
    lines: list[bytes] = []
    apply_changes(ModuleType("torch"), {"nonsense": 1}, Journal(lines.append))
    assert [json.loads(line)["part"] for line in lines] == ["change nonsense"]
