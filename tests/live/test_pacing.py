"""How often the observer looks: everything in the beginning, later what the time allows; and how its rows are written."""

from __future__ import annotations

import json
from typing import Any

import torch

from traindx.probes.live.observer.checks.pace import Pace
from traindx.probes.live.observer.journal import Journal
from traindx.probes.live.observer.part import Part
from traindx.probes.live.observer.telling import Telling


def looked_into(pace: Pace, until: int, cost: float = 0.0) -> list[int]:
    """The steps that are looked into, where each step takes a second and each look `cost` more."""
    found = []
    for step in range(1, until):
        if pace.is_due(step, now=float(step)):
            found.append(step)
            pace.took(cost, now=float(step))
    return found


def test_the_first_steps_and_a_few_later_ones_are_looked_into() -> None:
    assert looked_into(Pace(), 2500) == [2, 3, 4, 5, 6, 7, 10, 25, 50, 200, 1000, 2000]


def test_a_look_that_costs_much_is_put_off_after_step_50_and_not_left_out() -> None:
    assert looked_into(Pace(), 400, cost=4.0) == [2, 3, 4, 5, 6, 7, 10, 25, 50, 250]


def test_another_optimizer_is_looked_into_from_its_next_planned_step_on() -> None:
    pace = Pace()
    pace.restart(8)
    assert looked_into(pace, 60) == [10, 25, 50]


class Counting(Part):
    """Counts what it is told of."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def after_step(self, optimizer: Any, step: int) -> None:
        self.steps.append(step)


def test_a_part_that_rests_is_told_again_from_the_step_on_for_which_it_waits() -> None:
    telling, part = Telling(torch, Journal(lambda line: None)), Counting()
    telling.add(part)
    for step in range(1, 8):
        if step >= telling.alarm:
            telling.ring()
        telling.tell("after_step", None, step)
        if step == 2:
            telling.rest_until(6, part, "after_step")
    assert part.steps == [1, 2, 6, 7]


def test_columns_keep_nine_digits_where_that_is_asked_for_and_all_elsewhere() -> None:
    lines: list[bytes] = []
    Journal(lines.append).table("steps", {"loss": [1 / 3, 2.0], "loss_scale": [2.0**127, None]}, {"loss"})
    record = json.loads(lines[0])
    assert record["loss"] == [0.333333333, 2.0]
    assert record["loss_scale"] == [2.0**127, None]


def test_a_column_with_numbers_that_are_none_is_still_json() -> None:
    lines: list[bytes] = []
    columns: dict[str, list[Any]] = {"loss": [float("nan"), float("-inf"), 0.5], "step": [1, 2, 3]}
    Journal(lines.append).table("steps", columns, {"loss"})
    assert json.loads(lines[0])["loss"] == ["nan", "-inf", 0.5]
