"""Records become facts: what is said once, in each step, and by several ranks."""

from __future__ import annotations

import math

import pytest

from traindx.engine.facts import Origin, Place
from traindx.engine.kb.knowledge import Knowledge

from .journals import Seen, fact, process, raised, steps

LOSSES = [2.3 * 0.97**step for step in range(120)]


def test_a_fact_says_where_it_was_seen(knowledge: Knowledge) -> None:
    seen = Seen(
        knowledge,
        [
            process(),
            fact("loss.shapes_broadcast", True, step=3, file="train.py", line=12, note="(8, 1) and (8,)"),
        ],
    )

    found = seen.fact("loss.shapes_broadcast")

    assert (found.value, found.origin) == (True, Origin.LIVE)
    assert found.place == Place("train.py", 12, step=3, text="(8, 1) and (8,)")


def test_the_last_value_counts_and_true_is_not_taken_back(knowledge: Knowledge) -> None:
    seen = Seen(
        knowledge,
        [
            process(),
            fact("act.dead_share", 0.2),
            fact("act.dead_share", 0.7),
            fact("grad.not_cleared", True, step=5),
            fact("grad.not_cleared", False, step=9),
        ],
    )

    assert (seen["act.dead_share"], seen["grad.not_cleared"], seen.place("grad.not_cleared").step) == (
        0.7,
        True,
        5,
    )


@pytest.mark.parametrize(
    ("end", "at_times"),
    [([0.0, 0.0, 0.3, 0.0] * 10, True), ([0.0] * 40, False), ([0.01] * 40, False)],
    ids=["a margin", "nothing left", "never zero"],
)
def test_a_loss_with_a_margin_is_zero_at_times(
    knowledge: Knowledge, end: list[float], at_times: bool
) -> None:
    losses = [0.98**step for step in range(40)] + end
    norms = [value * 2 for value in losses]
    seen = Seen(knowledge, [process(), steps(step=list(range(1, 81)), loss=losses, grad_norm=norms)])
    assert seen["loss.zero_at_times"] is at_times


def test_what_a_process_takes_back_it_never_said(knowledge: Knowledge) -> None:
    early = [process(), fact("grad.vanishing", True), fact("grad.vanishing_module", "0.weight")]
    back = [{"kind": "retracted", "t": 2.0, "name": "grad.vanishing"}, fact("grad.vanishing", False)]

    alone, beside = Seen(knowledge, [*early, *back]), Seen(knowledge, early, [*early, *back])

    assert (alone["grad.vanishing"], alone["grad.vanishing_module"]) == (False, "0.weight")
    assert beside["grad.vanishing"] is True


def test_short_trainings_of_copies_have_no_curve_of_the_run(knowledge: Knowledge) -> None:
    def run(copied: bool) -> Seen:
        tasks = range(1, 6)
        models = [{"kind": "model", "model": one, "copied": copied, "parameters": 100} for one in tasks]
        rising = [0.1 * 1.2**step for step in range(30)]
        return Seen(knowledge, [process(), *models, *(steps(one, loss=rising) for one in tasks)])

    assert (run(False)["loss.diverging"], run(True)["loss.diverging"]) == (True, None)
    assert (run(False)["model.parameters"], run(True)["model.parameters"]) == (500.0, 100.0)


def test_modules_that_several_optimizers_hold_count_once(knowledge: Knowledge) -> None:
    first = {"kind": "model", "model": 1, "parameters": 100, "trainable": 40}
    later = {"kind": "model", "model": 2, "again": 1, "parameters": 100, "trainable": 90}
    other = {"kind": "model", "model": 3, "parameters": 7, "trainable": 7}
    seen = Seen(knowledge, [process(), first, later, other, steps(1, loss=[1.0, 0.9])])
    assert (seen["model.parameters"], seen["model.trainable_parameters"]) == (107.0, 97.0)


def test_the_rate_is_that_of_the_optimizer_that_is_named(knowledge: Knowledge) -> None:
    def of(kind: str, number: int, rate: float, held: int) -> dict[str, object]:
        groups = [{"lr": rate, "parameters": held}]
        return {"kind": "optimizer", "optimizer": number, "class": kind, "groups": groups}

    rates = [
        steps(1, loss=LOSSES, learning_rate=[0.002] * 120),
        steps(2, loss=LOSSES, learning_rate=[0.8] * 120),
    ]
    two = Seen(knowledge, [process(), of("Adam", 1, 0.002, 90), of("LBFGS", 2, 0.8, 10), *rates])
    both = Seen(knowledge, [process(), of("Adam", 1, 0.002, 90), of("Adam", 2, 0.8, 10), *rates])

    assert (two["config.optimizer"], two["config.learning_rate"], two["log.lr.max"]) == ("adam", 0.002, 0.002)
    assert both["log.lr.max"] == 0.8


def test_a_fact_nobody_declared_is_a_note(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), fact("loss.from_the_future", 1), fact("act.dead_share", "much")])

    assert "loss.from_the_future" not in {one.name for one in seen.findings.facts}
    assert any("loss.from_the_future, act.dead_share" in note for note in seen.findings.notes)


def test_steps_give_the_facts_that_a_log_gives(knowledge: Knowledge) -> None:
    norms = [1.0] * 119 + ["nan"]
    seen = Seen(
        knowledge, [process(), steps(loss=[*LOSSES[:-1], "nan"], grad_norm=norms, learning_rate=[1e-3] * 120)]
    )

    assert (seen["loss.nonfinite"], seen["loss.first_nonfinite_step"], seen["grad.norm.nonfinite"]) == (
        True,
        120,
        True,
    )
    assert (seen["log.lr.max"], seen["log.steps"], seen["loss.trend"]) == (1e-3, 120, "falling")
    assert seen.place("loss.nonfinite") == Place("the run", step=120)


def test_values_that_are_missing_are_left_out(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), steps(loss=[None, *LOSSES[1:]], allocated=[None] * 120)])

    assert (seen["loss.count"], seen["log.memory.growing"]) == (119, None)


def test_two_sides_of_a_gan_are_not_judged_by_their_curves(knowledge: Knowledge) -> None:
    rising = [0.5 + 0.05 * step for step in range(120)]
    both = [loss for pair in zip(LOSSES, rising, strict=True) for loss in pair]
    columns = {"step": [step // 2 + 1 for step in range(240)], "optimizer": [1, 2] * 120, "loss": both}
    alone = Seen(knowledge, [process(), steps(loss=rising)])
    gan = Seen(knowledge, [process(), {**steps(loss=both), **columns}])

    assert alone["loss.diverging"] is True
    assert (gan["loss.diverging"], gan["loss.trend"], gan["loss.nonfinite"]) == (None, None, False)


def test_a_loss_that_begins_again_with_a_new_part_is_not_judged_by_its_curve(knowledge: Knowledge) -> None:
    falling = [2.0 * 0.9**step for step in range(60)]
    loss = [*falling, *(one for pair in zip(falling, [None] * 60, strict=True) for one in pair)]
    own = [*range(1, 61), *(one for step in range(60) for one in (61 + step, 1 + step))]
    columns = {"step": own, "optimizer": [1] * 60 + [1, 2] * 60, "loss": loss}
    seen = Seen(knowledge, [process(), {**steps(loss=loss), **columns}])

    assert (seen["loss.spike"], seen["loss.last"]) == (None, falling[-1])


def test_a_loss_that_gains_a_term_is_not_judged_by_its_curve(knowledge: Knowledge) -> None:
    loss = [*LOSSES[:60], *[40 * one for one in LOSSES[60:]]]
    plain = Seen(knowledge, [process(), steps(loss=loss)])
    seen = Seen(knowledge, [process(), fact("loss.terms_change", True, step=50), steps(loss=loss)])

    assert plain["loss.spike"] is True
    assert seen["loss.spike"] is None


def test_of_two_phases_the_last_is_judged(knowledge: Knowledge) -> None:
    flat = [2.0] * 120
    seen = Seen(knowledge, [process(), steps(1, loss=LOSSES), steps(2, loss=flat)])

    assert (seen["loss.trend"], seen["loss.last"]) == ("flat", 2.0)


def test_a_short_prelude_is_not_judged_by_its_curve(knowledge: Knowledge) -> None:
    rising = [0.1 * 1.2**step for step in range(30)]
    prelude = Seen(knowledge, [process(), steps(1, loss=rising), steps(2, loss=LOSSES)])
    half = Seen(knowledge, [process(), steps(1, loss=rising), steps(2, loss=LOSSES[:60])])

    assert (prelude["loss.diverging"] is True, half["loss.diverging"]) == (False, True)


def test_a_broken_loss_of_any_optimizer_counts(knowledge: Knowledge) -> None:
    broken = [0.7, 0.6, *["nan"] * 118]
    seen = Seen(knowledge, [process(), steps(1, loss=LOSSES), steps(2, loss=broken)])

    assert (seen["loss.nonfinite"], seen["loss.first_nonfinite_step"]) == (True, 3)


def test_memory_of_the_device_and_of_the_process_are_told_apart(knowledge: Knowledge) -> None:
    flat, growing = [1 << 30] * 60, [(1 << 30) + step * (1 << 25) for step in range(60)]
    seen = Seen(knowledge, [process(), steps(loss=LOSSES[:60], allocated=flat, host=growing)])

    assert (seen["log.memory.growing"], seen["process.memory_growing"]) == (False, True)


@pytest.mark.parametrize(
    ("megabytes", "grows"),
    [
        ([360 + 5 * second for second in range(20)], True),
        ([361, 381, 374, 374, 401, *[412] * 5, *[428] * 3, 437, 437, *[447] * 4, 464], None),
        ([357, 373, 389, 371, 389, *[454] * 4, *[539] * 9], False),
    ],
    ids=["a leak", "by jumps now and then", "high from some moment on"],
)
def test_memory_that_is_taken_once_is_no_leak(
    knowledge: Knowledge, megabytes: list[int], grows: bool | None
) -> None:
    host = [one << 20 for one in megabytes]
    seen = Seen(knowledge, [process(), steps(loss=LOSSES[: len(host)], host=host)])

    assert seen["process.memory_growing"] is grows


def test_the_memory_of_the_workers_is_told_apart(knowledge: Knowledge) -> None:
    flat, growing = [1 << 30] * 60, [(1 << 30) + step * (1 << 25) for step in range(60)]
    seen = Seen(knowledge, [process(), steps(loss=LOSSES[:60], host=flat, workers=growing)])

    assert (seen["process.memory_growing"], seen["process.workers_growing"]) == (False, True)


@pytest.mark.parametrize(
    ("wait", "share"),
    [(0.030, pytest.approx(0.75, abs=0.01)), (0.002, 0.0)],
    ids=["long", "too short to matter"],
)
def test_waiting_for_data_counts_where_it_is_worth_a_change(
    knowledge: Knowledge, wait: float, share: float
) -> None:
    seconds = [wait / 0.75] * 60
    seen = Seen(knowledge, [process(), steps(loss=LOSSES[:60], seconds=seconds, data_seconds=[wait] * 60)])

    assert seen["log.speed.data_share"] == share


def test_a_slow_first_batch_of_an_epoch_is_no_bottleneck(knowledge: Knowledge) -> None:
    waits = [0.5 if step % 30 == 0 else 0.0 for step in range(120)]
    seen = Seen(
        knowledge,
        [process(), steps(loss=LOSSES, seconds=[0.01 + wait for wait in waits], data_seconds=waits)],
    )

    assert seen["log.speed.data_share"] == 0.0


def test_what_the_run_is_reads_like_its_configuration(knowledge: Knowledge) -> None:
    model = {
        "kind": "model", "t": 1.0, "model": 1, "class": "Net", "parameters": 1000, "trainable": 100,
        "dtypes": {"bfloat16": 1000}, "devices": ["cuda:0"], "batch_norm": 2, "compiled": False,
    }  # fmt: skip
    group = {"lr": 1e-5, "weight_decay": 0.1, "betas": [0.9, 0.95], "parameters": 100}
    optimizer = {"kind": "optimizer", "t": 1.0, "optimizer": 1, "class": "AdamW", "groups": [group]}
    torch = {"kind": "torch", "t": 0.5, "torch": "2.4.0+cu121", "cuda": "12.1", "devices": ["NVIDIA A100"]}
    rates = [1e-5 * min(step + 1, 100) for step in range(120)]
    seen = Seen(knowledge, [process(), torch, model, optimizer, steps(loss=LOSSES, learning_rate=rates)])

    assert (seen["model.parameters"], seen["model.trainable_parameters"], seen["model.has_batchnorm"]) == (
        1000,
        100,
        True,
    )
    assert (seen["config.optimizer"], seen["config.weight_decay"], seen["config.adam_beta2"]) == (
        "adamw",
        0.1,
        0.95,
    )
    assert seen["config.learning_rate"] == pytest.approx(1e-3), (
        "a warm-up starts low, and its peak is the rate"
    )
    assert (seen["config.pure_precision"], seen["gpu.name"], seen["env.package.torch"]) == (
        "bf16",
        "NVIDIA A100",
        "2.4.0+cu121",
    )


def test_ranks_that_hold_other_parameters_have_drifted(knowledge: Knowledge) -> None:
    def rank(number: int, *sums: float) -> list[object]:
        checks = [
            {
                "kind": "checksum",
                "t": 2.0,
                "step": 10 * place,
                "optimizer": 1,
                "parameters": value,
                "gradients": 1.0,
            }
            for place, value in enumerate(sums, 1)
        ]
        return [process(number, 2), steps(loss=LOSSES), *checks]

    apart = Seen(knowledge, rank(0, 5.0, 5.1), rank(1, 5.0, 5.2))  # type: ignore[arg-type]
    together = Seen(knowledge, rank(0, 5.0, 5.1), rank(1, 5.0, 5.1))  # type: ignore[arg-type]

    assert (apart["dist.ranks_drift"], apart.place("dist.ranks_drift").step) == (True, 20)
    assert (apart["dist.gradients_differ"], together["dist.ranks_drift"]) == (False, False)
    assert apart["dist.world_size"] == 2


@pytest.mark.parametrize(
    ("first", "second", "wrapped", "averaged"),
    [
        ([1.0, 1.2], [1.5, 0.9], False, False),
        ([1.0, 1.2], [1.5, 1.2], False, True),
        ([1.0, 1.2], [1.5, 0.9], True, True),
        ([0.0, 0.0], [0.0, 0.0], False, False),
    ],
    ids=["each its own", "averaged now and then", "a wrapper", "none yet"],
)
def test_ranks_that_average_nothing_may_have_models_of_their_own(
    knowledge: Knowledge, first: list[float], second: list[float], wrapped: bool, averaged: bool
) -> None:
    def rank(number: int, gradients: list[float]) -> list[object]:
        told = [
            {
                "kind": "checksum",
                "step": place,
                "optimizer": 1,
                "parameters": 5.0 + number * place,
                "gradients": one,
                "wrapped": wrapped,
            }
            for place, one in enumerate(gradients, 2)
        ]
        return [process(number, 2), steps(loss=LOSSES), *told]

    seen = Seen(knowledge, rank(0, first), rank(1, second))  # type: ignore[arg-type]
    assert (seen["dist.ranks_drift"], seen["dist.gradients_averaged"]) == (True, averaged)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ([3, 1, 4, 15, 9], [3, 1, 4, 15, 9], True),
        ([3, 1, 4, 15, 9], [2, 7, 18, 28, 1], False),
        ([5, 5, 5, 5, 5], [5, 5, 5, 5, 5], None),  # the one batch that there is
        ([3, 1, 4, 15], [3, 1, 4, 15], None),
        ([None] * 6, [None] * 6, None),
    ],
)
def test_ranks_that_are_given_the_same_samples_are_told(
    knowledge: Knowledge, first: list[object], second: list[object], same: bool | None
) -> None:
    def rank(number: int, given: list[object]) -> list[object]:
        told = [
            {"kind": "checksum", "step": place, "optimizer": 1, "parameters": 5.0, "given": one}
            for place, one in enumerate(given, 2)
        ]
        return [process(number, 2), steps(loss=LOSSES), *told]

    seen = Seen(knowledge, rank(0, first), rank(1, second))  # type: ignore[arg-type]
    assert seen["dist.same_samples"] is same


def test_a_part_that_failed_is_said(knowledge: Knowledge) -> None:
    trouble = {"kind": "trouble", "t": 1.0, "part": "steps", "error": "ValueError: no"}
    seen = Seen(knowledge, [process(), trouble, steps(loss=LOSSES)])

    assert any("steps: ValueError: no" in note for note in seen.findings.notes)


def test_it_says_what_was_watched(knowledge: Knowledge) -> None:
    model = {"kind": "model", "t": 1.0, "model": 1, "class": "Net", "parameters": 12345, "trainable": 12345}
    ranks = [[process(number, 2), model, steps(loss=LOSSES)] for number in range(2)]
    seen = Seen(knowledge, *ranks)

    assert seen.findings.inputs[0].note == "watched 120 steps, 1 optimizer, 12,345 parameters, 2 ranks"


def test_of_a_killed_run_the_last_steps_are_not_known(knowledge: Knowledge) -> None:
    end = {"kind": "end", "t": 2.0, "how": "exit", "status": 0}
    killed = Seen(knowledge, [process(), steps(loss=LOSSES)], status=-9)
    whole = Seen(knowledge, [process(), steps(loss=LOSSES), end], status=0)

    assert killed.findings.inputs[0].note == "watched at least 120 steps, 1 optimizer"
    assert whole.findings.inputs[0].note == "watched 120 steps, 1 optimizer"


def test_records_that_make_no_sense_break_nothing(knowledge: Knowledge) -> None:
    odd = [
        {"kind": "steps", "t": 1.0, "step": None, "loss": 3},
        {"kind": "steps", "t": 1.0, "step": [1, 2], "loss": [1.0], "optimizer": ["x", None]},
        {"kind": "fact"},
        {"kind": "model", "parameters": "many", "dtypes": [1], "devices": 3},
        {"kind": "optimizer", "groups": [None, 3]},
        {"kind": "checksum", "step": "x"},
        {"kind": "stacks", "threads": [1, {"frames": None}]},
        {"kind": "exception"},
        {"kind": "eval", "loss": None},
        {"kind": "end", "status": "bad"},
        {"kind": "unheard of"},
    ]
    seen = Seen(knowledge, [process(rank=0, world_size=2), *odd], [*odd])  # type: ignore[list-item]

    assert seen.findings.inputs[0].kind == "live"


def test_losses_in_evaluation_are_averaged_over_a_round(knowledge: Knowledge) -> None:
    rounds = [
        {"kind": "eval", "t": 3.0, "step": step, "loss": loss}
        for step, loss in ((50, 1.0), (50, 2.0), (100, 1.2))
    ]
    seen = Seen(knowledge, [process(), steps(loss=LOSSES), *rounds])

    assert (seen["loss.eval.count"], seen["loss.eval.first"], seen["loss.eval.last"]) == (2, 1.5, 1.2)


def test_a_number_that_is_not_finite_is_no_fact(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), fact("act.max_abs", "inf")])

    assert seen["act.max_abs"] is None
    assert not seen.findings.notes


def test_nothing_watched_is_said_so(knowledge: Knowledge) -> None:
    seen = Seen(knowledge, [process(), raised("ValueError", "no data")])

    assert seen.findings.inputs[0].note == "no optimizer step was seen"
    assert math.isfinite(seen.probe.cost)
