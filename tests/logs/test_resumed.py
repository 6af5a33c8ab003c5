"""Two logs of one run: the second goes on where the first ended, and what it says of the step between them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from traindx.engine.facts import Facts
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe


def log(name: str, epochs: range, loss: Callable[[int], float], rate: float) -> Input:
    lines = [f"epoch {epoch}: train_loss={loss(epoch):.4f} lr={rate}\n" for epoch in epochs]
    return Input(name, Kind.LOG, data="".join(lines).encode())


def facts_of(knowledge: Knowledge, *logs: Input) -> Facts:
    facts = Facts()
    facts.extend(LogProbe(logs, knowledge).run().facts)
    return facts


def falling(epoch: int) -> float:
    return 3 / epoch


def test_a_loss_and_a_rate_that_go_back_up(knowledge: Knowledge) -> None:
    first = log("a.log", range(1, 40), falling, 0.001)
    second = log("b.log", range(40, 60), lambda epoch: 3.0, 0.1)
    facts = facts_of(knowledge, first, second)
    assert (facts.value("loss.jump_at_resume"), facts.value("log.lr.jump_at_resume")) == (True, True)
    place = facts.get("loss.jump_at_resume")
    assert place is not None
    assert place.places[0].input == "b.log"


def test_a_run_that_goes_on_as_it_was(knowledge: Knowledge) -> None:
    first, second = log("a.log", range(1, 40), falling, 0.001), log("b.log", range(40, 60), falling, 0.001)
    facts = facts_of(knowledge, first, second)
    assert (facts.value("loss.jump_at_resume"), facts.value("log.lr.jump_at_resume")) == (False, False)


@pytest.mark.parametrize("turned", [False, True])
def test_a_run_that_goes_on_came_as_far_as_its_last_log_says(knowledge: Knowledge, turned: bool) -> None:
    logs = [log("a.log", range(1, 40), falling, 0.001), log("b.log", range(40, 60), falling, 0.001)]
    facts = facts_of(knowledge, *(logs[::-1] if turned else logs))
    assert facts.value("log.epochs") == 59


@pytest.mark.parametrize("turned", [False, True])
def test_the_curve_of_a_run_that_goes_on_begins_in_the_first_log_and_ends_in_the_last(
    knowledge: Knowledge, turned: bool
) -> None:
    def levelling(epoch: int) -> float:
        return max(1.0, 3 - epoch / 20)

    logs = [log("a.log", range(1, 36), levelling, 0.001), log("b.log", range(36, 60), levelling, 0.001)]
    facts = facts_of(knowledge, *(logs[::-1] if turned else logs))
    values = [
        facts.value(f"loss.{name}")
        for name in ("first", "last", "count", "still_falling", "falling_then_flat")
    ]
    assert values == [2.95, 1.0, 59, False, False]
    places = [facts.get(f"loss.{name}").places[0] for name in ("first", "last")]  # type: ignore[union-attr]
    assert [(one.input, one.line) for one in places] == [("a.log", 1), ("b.log", 24)]


def test_a_run_taken_up_at_an_older_checkpoint_is_compared_with_what_it_was_there(
    knowledge: Knowledge,
) -> None:
    """What came after the checkpoint was lost when the run died: the loss is back where it was, and nothing jumped."""

    def steep(epoch: int) -> float:
        return 3 * 0.95**epoch

    def healthy(epochs: range) -> str:
        return "".join(
            f"step {one} train_loss={steep(one):.4f} lr={0.001 * 0.9**one:.6g}\n" for one in epochs
        )

    def anew(epochs: range) -> str:
        return "".join(f"step {one} train_loss=3.0 lr=0.001\n" for one in epochs)

    for goes_on, jumped in ((healthy, False), (anew, True)):
        parts = [healthy(range(1, 41)), goes_on(range(26, 60))]
        logs = [Input(f"{n}.log", Kind.LOG, data=part.encode()) for n, part in enumerate(parts)]
        facts = facts_of(knowledge, *logs)
        values = facts.value("loss.jump_at_resume"), facts.value("log.lr.jump_at_resume")
        assert values == (jumped, jumped)
        in_one = Input("all.log", Kind.LOG, data="".join(parts).encode())
        assert facts_of(knowledge, in_one).value("loss.jump_at_resume") is jumped


def test_a_run_that_broke_ended_there_whatever_was_done_then(knowledge: Knowledge) -> None:
    first = log("a.log", range(1, 40), lambda epoch: falling(epoch) if epoch < 35 else float("nan"), 0.001)
    facts = facts_of(knowledge, first, log("b.log", range(40, 60), falling, 0.0001))
    assert facts.value("loss.nonfinite") is True
    assert facts.value("loss.recovers") is False


@pytest.mark.parametrize("points", [3000, 9000])
def test_long_logs_are_joined_at_one_stride(knowledge: Knowledge, points: int) -> None:
    def at(step: int) -> float:
        return 5 - step / 3000 if step != 4321 else 40.0

    lines = [f"step {step} loss {at(step):.4f}\n" for step in range(points + 1000)]
    parts = ["".join(lines[:points]), "".join(lines[points:])]
    logs = [Input(f"{n}.log", Kind.LOG, data=part.encode()) for n, part in enumerate(parts)]
    facts = facts_of(knowledge, *logs)
    values = [facts.value(f"loss.{name}") for name in ("count", "first", "trend", "spike")]
    assert values == [points + 1000, 5.0, "falling", points > 4321]


def test_a_loss_below_zero_and_a_rate_that_was_rounded_away_say_nothing(knowledge: Knowledge) -> None:
    first = log("a.log", range(1, 40), lambda epoch: -10 - epoch / 200, 0.0)
    second = log("b.log", range(40, 60), lambda epoch: -10.2, 0.00001)
    facts = facts_of(knowledge, first, second)
    assert facts.value("loss.jump_at_resume") is None
    assert facts.value("log.lr.jump_at_resume") is None


def test_two_runs_that_begin_alike_are_not_one(knowledge: Knowledge) -> None:
    first, second = (
        log("a.log", range(1, 40), falling, 0.1),
        log("b.log", range(1, 40), lambda epoch: 3.0, 0.1),
    )
    assert facts_of(knowledge, first, second).value("loss.jump_at_resume") is None


def in_one_log(*stretches: list[float]) -> Input:
    lines = list[str]()
    for stretch in stretches:
        step = sum("loss" in line for line in lines)
        lines += ["Resuming from out/last.ckpt\n"] if lines else []
        lines += [f"step {n} loss 2.0 lr {rate}\n" for n, rate in enumerate(stretch, step)]
    return Input("train.log", Kind.LOG, data="".join(lines).encode())


@pytest.mark.parametrize(
    ("before", "after", "anew"),
    [
        ([5e-5, 4e-5, 3e-5], [1e-4, 1e-4], True),
        ([8e-5, 7.7e-5, 7.5e-5], [5e-7, 1e-6], True),
        ([5e-5, 4e-5, 3e-5], [2.9e-5, 2.8e-5], False),
        ([5e-5, 4e-5, 3e-5], [3e-6, 2e-6], False),
    ],
)
def test_the_rate_where_one_log_goes_on_from_a_checkpoint(
    before: list[float], after: list[float], anew: bool
) -> None:
    assert facts_of(load([own_pack()]), in_one_log(before, after)).value("log.lr.jump_at_resume") is anew


def test_each_resume_of_a_log_is_looked_at() -> None:
    log = in_one_log([5e-5, 4e-5, 3e-5], [2.9e-5, 2.8e-5], [1e-4, 1e-4])
    fact = facts_of(load([own_pack()]), log).get("log.lr.jump_at_resume")
    assert fact is not None
    assert fact.value is True
    assert fact.place is not None
    assert fact.place.line == 8


def test_one_rate_before_a_resume_is_enough() -> None:
    fact = facts_of(load([own_pack()]), in_one_log([1e-3], [1e-1, 1e-1]))
    assert fact.value("log.lr.jump_at_resume") is True


def lossy(*stretches: list[float]) -> Input:
    """A log whose steps go on over each resume."""
    lines, step = list[str](), 0
    for stretch in stretches:
        lines += ["Resuming from out/last.ckpt\n"] if lines else []
        for value in stretch:
            step += 1
            lines.append(f"step {step} loss {value:.4f}\n")
    return Input("train.log", Kind.LOG, data="".join(lines).encode())


@pytest.mark.parametrize(
    ("before", "after", "jumped"),
    [
        ([1.2, 1.1, 1.15, 1.1], [2.3, 2.1, 2.2], True),
        ([1.2, 1.1, 1.15, 1.1], [1.12, 1.08, 1.1], False),
        # One high value is an unlucky batch.
        ([1.2, 1.1, 1.15, 1.1], [2.3, 1.1, 1.1], False),
        # Too little to tell a level by.
        ([1.2, 1.1], [2.3, 2.1, 2.2], None),
        ([1.2, 1.1, 1.15, 1.1], [2.3, 2.1], None),
        # A loss below zero has no multiple.
        ([-1.2, -1.1, -1.15], [-0.3, -0.2, -0.2], None),
    ],
)
def test_the_loss_where_one_log_goes_on_from_a_checkpoint(
    before: list[float], after: list[float], jumped: bool | None
) -> None:
    assert facts_of(load([own_pack()]), lossy(before, after)).value("loss.jump_at_resume") is jumped


def test_the_worst_resume_of_a_log_is_told() -> None:
    log = lossy([1.2, 1.1, 1.1, 1.1], [1.1, 1.0, 1.1, 1.0], [2.0, 2.1, 2.2])
    fact = facts_of(load([own_pack()]), log).get("loss.jump_at_resume")
    assert fact is not None
    assert fact.value is True
    assert fact.place is not None
    assert fact.place.line == 11
