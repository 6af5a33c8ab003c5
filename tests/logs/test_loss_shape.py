"""Short curves of a loss, and the terms it is made of: what they say, and what a handful of values cannot."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Reads


def epochs(values: str, first: int = 1, apart: int = 1) -> str:
    return "".join(f"epoch {first + apart * n} loss {value}\n" for n, value in enumerate(values.split()))


@pytest.mark.parametrize(
    ("values", "climbed"),
    [
        ("88.1 2.2e18 inf nan", True),
        ("2.5 9.1 inf nan", None),  # one batch may be so much harder
        ("2.5 2.4 nan", None),
        ("-0.1 350.0 nan", True),
    ],
)
def test_two_losses_climb_where_the_second_is_of_another_size(
    read: Reads, values: str, climbed: bool | None
) -> None:
    assert read(epochs(values))["loss.rising_before_nonfinite"] is climbed


@pytest.mark.parametrize(
    ("values", "oscillating"),
    [
        ("0.1 1.2 0.1 1.3 0.2", True),
        ("0.5 0.6 0.5 0.6 0.5", None),  # by turns, but the same size of level
        ("0.1 1.2 1.3 0.2 1.1", None),  # not each time
        ("0.1 1.2 0.1", None),  # too few
        ("-0.1 1.2 -0.1 1.3 -0.2", None),  # a ratio says nothing of what falls below zero
    ],
)
def test_a_few_losses_that_go_down_and_up_by_turns(
    read: Reads, values: str, oscillating: bool | None
) -> None:
    assert read(epochs(values))["loss.oscillating"] is oscillating


@pytest.mark.parametrize(
    ("values", "oscillating"),
    [
        ("0.145 0.048 0.082 0.033 0.059 0.037 0.065 0.035 0.052 0.022", False),
        ("0.145 0.048 0.132 0.053 0.159 0.047 0.145 0.045 0.152 0.052", True),
    ],
)
def test_a_loss_whose_swings_come_down_is_not_unsettled(read: Reads, values: str, oscillating: bool) -> None:
    lines = "".join(f"step {15 * n} loss {value}\n" for n, value in enumerate(values.split(), 1))
    assert read(lines)["loss.oscillating"] is oscillating


@pytest.mark.parametrize(("apart", "oscillating"), [(100, True), (1, None)])
def test_noise_of_single_steps_is_no_see_saw(read: Reads, apart: int, oscillating: bool | None) -> None:
    lines = epochs("0.1 1.2 0.1 1.3 0.2", apart=apart).replace("epoch", "step")
    assert read(lines)["loss.oscillating"] is oscillating


def test_a_fall_that_is_over_within_a_few_steps_is_no_flat_loss(read: Reads) -> None:
    """As where all batches hold the same few samples."""
    assert read(epochs("1.5 0.4 0.05 " + "0.0001 " * 60))["loss.flat_from_start"] is False
    assert read(epochs("1.5 1.501 1.499 " + "1.5 " * 60))["loss.flat_from_start"] is True


@pytest.mark.parametrize(
    ("shown", "flat"),
    [
        ((148, 149, 150, 899, 900), None),  # the ends of a short run and of a long one
        ((1, 2, 3, 899, 900), True),
        ((150, 300, 450, 600, 900), True),
    ],
)
def test_the_ends_of_two_runs_do_not_show_where_the_loss_began(
    read: Reads, shown: tuple[int, ...], flat: bool | None
) -> None:
    lines = "".join(f"epoch {epoch} loss {0.52 - epoch / 1e6:.5f}\n" for epoch in shown)
    assert read(lines)["loss.flat_from_start"] is flat


def test_what_climbs_from_its_minimum_diverges_and_a_see_saw_does_not(read: Reads) -> None:
    assert read(epochs("1.0 0.2 1.1 1.2 1.5 1.9"))["loss.diverging"] is True
    assert read(epochs("1.0 0.05 1.1 0.25 1.2"))["loss.diverging"] is False


@pytest.mark.parametrize(("end", "diverging"), [(0.0008, False), (0.8, True)])
def test_a_loss_next_to_nothing_that_is_many_times_its_least_has_not_diverged(
    read: Reads, end: float, diverging: bool
) -> None:
    """A small training set that is known by heart: the loss of the last epochs is all noise."""
    falls = [2.0 * 0.4**epoch for epoch in range(12)]
    values = [*falls, *(end * (1 + 0.01 * (epoch % 3)) for epoch in range(8))]
    assert read(epochs(" ".join(f"{one:.6f}" for one in values)))["loss.diverging"] is diverging


@pytest.mark.parametrize(("easy", "diverging"), [(3, False), (200, True)])
def test_a_loss_of_which_some_batches_are_hard_is_not_lost(read: Reads, easy: int, diverging: bool) -> None:
    """From somewhere on most batches hold what no model foresees; the others are as low as ever."""
    calm = [2.0 * 0.9**step + 0.1 for step in range(60)]
    hard = [0.11 if step % easy == 0 else 6.0 + step % 7 for step in range(1, 200)]
    found = read(epochs(" ".join(f"{one:.6f}" for one in (*calm, *hard))))
    assert (found["loss.diverging"], found["loss.relapsed"]) == (diverging, diverging)


def test_a_jump_within_a_loss_that_was_learnt_within_a_few_steps_is_no_rise(read: Reads) -> None:
    """As where new classes come to those that are known by heart: the loss jumps, and falls to next to nothing again."""
    least = [1e-7 * (1 + step % 3) for step in range(60)]
    values = [
        2.5,
        1.2,
        0.3,
        0.05,
        0.001,
        *least,
        3.0,
        1.5,
        0.4,
        0.02,
        *(1e-4 * (1 + step % 3) for step in range(60)),
    ]
    found = read(epochs(" ".join(f"{one:.8f}" for one in values)))
    assert (found["loss.trend"], found["loss.diverging"]) == ("falling", False)


@pytest.mark.parametrize(
    ("values", "first", "apart", "flat"),
    [
        ("2.302 2.303", 1, 10, True),
        ("2.303 2.302 2.302", 1, 5, True),
        ("2.303 2.302", 1, 1, None),  # an epoch later says little
        ("2.303 2.302", 20, 20, None),  # not from the start
        ("2.303 2.103", 1, 10, None),  # it moved
        ("0.0 0.0", 1, 10, None),
    ],
)
def test_two_losses_that_are_epochs_apart_and_the_same(
    read: Reads, values: str, first: int, apart: int, flat: bool | None
) -> None:
    assert read(epochs(values, first, apart))["loss.flat_from_start"] is flat


def terms(large: str, small: str, name: str) -> str:
    pairs = zip(large.split(), small.split(), strict=True)
    return "".join(f"epoch {n} price_loss {one} {name} {other}\n" for n, (one, other) in enumerate(pairs, 1))


LEFT = ("9800 5200 2100 900", "0.691 0.692 0.690 0.691")


def test_a_small_term_that_stands_while_a_large_one_is_learnt(read: Reads) -> None:
    fact = read(terms(*LEFT, "class_loss")).fact("loss.part_left_behind")
    assert (fact.value, "class" in fact.note) == (True, True)


@pytest.mark.parametrize(
    ("large", "small", "name"),
    [
        (*LEFT, "kl_loss"),  # is kept where it is
        (LEFT[0], "0.691 0.52 0.31 0.22", "class_loss"),  # is learnt
        ("9.8 5.2 2.1 0.9", LEFT[1], "class_loss"),  # of its size
        ("9800 9790 9800 9795", LEFT[1], "class_loss"),  # the large one is not learnt either
        ("9800 900 40 3", LEFT[1], "class_loss"),  # no longer large in the end
        (LEFT[0], "0.0 0.0 0.0 0.0", "class_loss"),  # nothing to learn
    ],
)
def test_a_small_term_that_need_not_fall(read: Reads, large: str, small: str, name: str) -> None:
    assert read(terms(large, small, name))["loss.part_left_behind"] is None


def divergence(name: str, values: str) -> str:
    return "".join(
        f"epoch {n} loss: 0.13 recon: 0.13 {name}: {one}\n" for n, one in enumerate(values.split(), 1)
    )


@pytest.mark.parametrize("name", ["vae_kl_loss", "kld", "kl"])
def test_a_divergence_that_falls_to_nothing(read: Reads, name: str) -> None:
    assert read(divergence(name, "1.2e-2 8.1e-5 2.1e-5 9.0e-6"))["loss.divergence_vanished"] is True


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("kl_loss", "24.1 11.2 9.4 9.1"),  # a code that is used
        ("kl_loss", "4.1e-5 3.9e-5 3.2e-5 3.0e-5"),  # printed with its small weight
        ("kl_loss", "1.0e-2 1.0e-5 0.4 3.1"),  # its weight is lowered until the code is used
        ("reg_loss", "1.2e-2 8.1e-5 2.1e-5 9.0e-6"),  # something else
    ],
)
def test_a_divergence_that_keeps_something(read: Reads, name: str, values: str) -> None:
    assert read(divergence(name, values))["loss.divergence_vanished"] is None


def test_a_loss_that_stays_zero_is_told_of_where_it_becomes_so(read: Reads) -> None:
    assert read(epochs("1.0 0.8 0.0 0.7 " + "0.0 " * 6)).place("loss.zero").line == 5
    assert read(epochs("1.0 0.8 0.7 0.6"))["loss.zero"] is False
    assert read(epochs("1.0 0.8 0.0 0.7"))["loss.zero"] is None


@pytest.mark.parametrize(("before", "zero"), [("0.3 0.04 0.003 0.0002", None), ("2.2 2.1 1.9 1.8", True)])
def test_a_loss_that_falls_below_its_digits_is_not_exactly_zero(
    read: Reads, before: str, zero: bool | None
) -> None:
    assert read(epochs(f"2.3 {before} " + "0.0000 " * 12))["loss.zero"] is zero


def curve_through(*levels: float, each: int = 12) -> str:
    """A long curve with a little noise, held at each level for a while."""
    return epochs(" ".join(f"{level + 0.01 * (n % 3):.3f}" for level in levels for n in range(each)))


@pytest.mark.parametrize(
    ("levels", "turned"),
    [
        ((3.0, 1.5, 1.0, 0.9, 0.85, 0.85, 0.9, 0.95, 1.0, 1.05), True),
        ((3.0, 1.5, 1.0, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6), False),
        ((3.0, 1.5, 1.0, 0.9, 0.85, 0.85, 0.85, 0.85, 0.86, 0.86), False),  # stands still
        ((3.0, 1.5, 1.0, 0.9, 0.85, 0.85, 0.85, 0.85, 0.85, 1.1), False),  # the very end alone
        ((3.0, 1.5, 0.8, 0.3, 0.05, 0.02, 0.02, 0.05, 0.06, 0.06), False),  # still next to nothing
    ],
)
def test_a_loss_that_rises_again(read: Reads, levels: tuple[float, ...], turned: bool) -> None:
    assert read(curve_through(*levels))["loss.turned_up"] is turned


def test_whether_a_loss_rises_again_is_not_told_of_few_values_nor_below_zero(read: Reads) -> None:
    assert read(epochs("3.0 1.0 0.8 0.9 1.0 1.1"))["loss.turned_up"] is None
    assert (
        read(curve_through(0.5, 0.1, -0.2, -0.3, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2))["loss.turned_up"] is None
    )


@pytest.mark.parametrize(("level", "below"), [(0.681, True), (0.6931, False), (0.62, False), (0.1667, False)])
def test_a_flat_loss_that_is_clearly_below_guessing_has_learnt_what_there_is(
    read: Reads, level: float, below: bool
) -> None:
    lines = "".join(f"step {n} loss {level + 0.02 * ((n * 7) % 11 - 5) / 5:.5f}\n" for n in range(1, 400))
    facts = read(lines)
    assert facts["loss.flat_from_start"] is True
    assert facts["loss.below_random"] is below


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (lambda step: 2.0 + (step - 60) * 0.3, [("The loss rises from here on, and does not come back", 60)]),
        (lambda step: 9.0 if step == 70 else 2.0, [("The largest spike of the loss", 70)]),
        (lambda step: 2.0 - (step - 60) * 0.01, []),
    ],
    ids=["lost for good", "a spike", "it falls"],
)
def test_what_happened_begins_where_the_loss_turned(
    read: Reads, after: Callable[[int], float], told: list[tuple[str, int]]
) -> None:
    losses = [3 - step / 60 if step <= 60 else after(step) for step in range(120)]
    run = read("".join(f"step {step} loss {loss:.4f}\n" for step, loss in enumerate(losses)))
    seen = [(event.what, event.place.step) for event in run.findings.events]
    assert [what for what, _ in seen] == [what for what, _ in told]
    assert all(abs((here or 0) - step) <= 5 for (_, here), (_, step) in zip(seen, told, strict=True))
