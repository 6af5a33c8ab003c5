"""The same batch in every step, and schedules."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from tests.live.checking import checked, cross_entropy, loop, loss_of, mlp
from tests.live.looking import Said


def data(count: int = 128) -> TensorDataset:
    return TensorDataset(torch.randn(count, 8), torch.randint(0, 4, (count,)))


def test_a_loader_started_anew_in_each_step_gives_the_same_batch() -> None:
    loader = DataLoader(data(), batch_size=16)

    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs, labels = next(iter(loader))
        optimizer.zero_grad()
        cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    assert loop(body)["data.same_batch"] is True


def noisy(loader: Any, anew: bool) -> Any:
    """A loop that adds noise to what the loader gives, as denoising does."""
    batches = iter(loader)

    def body(model: Any, optimizer: Any, step: int) -> None:
        nonlocal batches
        try:
            batch = next(iter(loader) if anew else batches)
        except StopIteration:
            batches = iter(loader)
            batch = next(batches)
        inputs, labels = batch[:2]
        optimizer.zero_grad()
        cross_entropy(model(inputs + torch.randn(16, 8)), labels).backward()
        optimizer.step()

    return body


@pytest.mark.parametrize("anew", [True, False])
def test_the_same_batch_under_other_noise_is_seen(anew: bool) -> None:
    said = loop(noisy(DataLoader(data(), batch_size=16), anew), 12)
    assert said["data.same_batch"] is anew


class Stream(IterableDataset[Any]):
    """So many samples: the same from the beginning in each pass, or others each time."""

    def __init__(self, count: int, seed: int | None = 0, fixed: bool = False) -> None:
        self.rows = torch.randn(count, 8) if fixed else None
        self.count, self.seed = count, seed

    def __iter__(self) -> Any:
        generator = torch.Generator().manual_seed(self.seed) if self.seed is not None else None
        for place in range(self.count):
            row = torch.randn(8, generator=generator) if self.rows is None else self.rows[place]
            yield row, place % 4


def begun(stream: Stream, passes: bool = False) -> Any:
    """A loop that begins the stream anew in every step, or that goes through all of it."""
    loader = DataLoader(stream, batch_size=16)

    def body(model: Any, optimizer: Any, step: int) -> None:
        for inputs, labels in loader if passes else [next(iter(loader))]:
            optimizer.zero_grad()
            cross_entropy(model(inputs), labels).backward()
            optimizer.step()

    return body


@pytest.mark.parametrize("stream", [Stream(64), Stream(64, fixed=True)])
def test_a_stream_begun_anew_in_each_step_gives_the_same_batch(stream: Stream) -> None:
    """Its loader draws a seed of its own in each pass, which is another one each time."""
    assert loop(begun(stream), 12)["data.same_batch"] is True


def test_a_stream_that_goes_on_or_draws_anew_is_no_same_batch() -> None:
    assert loop(begun(Stream(64), passes=True), 4)["data.same_batch"] is False
    assert loop(begun(Stream(64, seed=None)), 12)["data.same_batch"] is False


@pytest.mark.parametrize("fixed", [True, False])
def test_a_stream_of_one_batch_that_is_all_there_is_is_no_same_batch(fixed: bool) -> None:
    """Every step gets it, and each pass comes to its end."""
    assert loop(begun(Stream(16, fixed=fixed), passes=True), 12).facts.get("data.same_batch") is not True


def test_a_loader_made_anew_that_shuffles_is_no_same_batch() -> None:
    assert loop(noisy(DataLoader(data(), batch_size=16, shuffle=True), True), 12)["data.same_batch"] is False


def test_samples_of_zeros_that_the_script_fills_by_itself_are_no_same_batch() -> None:
    blank = TensorDataset(torch.zeros(128, 8), torch.zeros(128, dtype=torch.long))
    assert loop(noisy(DataLoader(blank, batch_size=16), True), 12)["data.same_batch"] is False


def test_one_grid_for_every_sample_with_texts_beside_it_is_no_same_batch() -> None:
    """What differs from batch to batch is no tensor yet, or nothing that is known."""
    grid, count = torch.randn(16, 8), iter(range(10_000))

    def texts(rows: Any) -> Any:
        return grid, torch.zeros(16, dtype=torch.long), [f"text {next(count)}" for _ in rows]

    def objects(rows: Any) -> Any:
        return grid, torch.zeros(16, dtype=torch.long), object()

    for collate in (texts, objects):
        loader: Any = DataLoader(data(), batch_size=16, collate_fn=collate)
        assert loop(noisy(loader, True), 12)["data.same_batch"] is False


def test_the_same_part_of_the_data_in_each_step_is_seen() -> None:
    inputs, labels = data().tensors

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        cross_entropy(model(inputs[:16]), labels[:16]).backward()
        optimizer.step()

    assert loop(body)["data.same_batch"] is True


def test_the_whole_set_part_by_part_before_each_step_is_meant() -> None:
    """What is too large for one pass, as for a step of L-BFGS."""
    inputs, labels = data().tensors

    def by_parts(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        for x, y in zip(inputs.chunk(4), labels.chunk(4), strict=True):
            (cross_entropy(model(x), y) / 4).backward()
        optimizer.step()

    assert loop(by_parts, 12).facts.get("data.same_batch") is not True
    loader = DataLoader(data(), batch_size=32)

    def by_loader(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        for x, y in loader:
            (cross_entropy(model(x), y) / 4).backward()
        optimizer.step()

    assert loop(by_loader, 12).facts.get("data.same_batch") is not True


def test_a_few_parts_of_many_are_the_same_batch_all_the_same() -> None:
    inputs, labels = data(256).tensors
    loader = DataLoader(data(), batch_size=16)

    def by_parts(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        for at in (0, 16):
            (cross_entropy(model(inputs[at : at + 16]), labels[at : at + 16]) / 2).backward()
        optimizer.step()

    assert loop(by_parts, 12)["data.same_batch"] is True

    def anew(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        for _ in range(2):
            x, y = next(iter(loader))
            (cross_entropy(model(x), y) / 2).backward()
        optimizer.step()

    assert loop(anew, 12)["data.same_batch"] is True


def test_the_whole_set_as_one_batch_is_meant() -> None:
    inputs, labels = data().tensors

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    assert loop(body).facts.get("data.same_batch") is not True
    loader = DataLoader(data(), batch_size=128)

    def by_loader(model: Any, optimizer: Any, step: int) -> None:
        for x, y in loader:
            optimizer.zero_grad()
            cross_entropy(model(x), y).backward()
            optimizer.step()

    assert loop(by_loader).facts.get("data.same_batch") is not True


def test_a_loader_in_its_own_order_is_no_same_batch() -> None:
    loader = DataLoader(data(), batch_size=16)

    def body(model: Any, optimizer: Any, step: int) -> None:
        for inputs, labels in loader:
            optimizer.zero_grad()
            cross_entropy(model(inputs), labels).backward()
            optimizer.step()

    assert loop(body, 3)["data.same_batch"] is False


def go_round(model: Any, optimizer: Any, scheduler: Any, steps: int, every: int | None) -> None:
    """A loop that moves the schedule after every so many steps, or never."""
    for step in range(steps):
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if every and step % every == every - 1:
            scheduler.step()


def stepped(make: Any, steps: int, every: int | None) -> Said:
    """What is said of a schedule in such a loop."""
    with checked() as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        go_round(model, optimizer, make(optimizer), steps, every)
    return said


def cosine(length: int) -> Any:
    return lambda optimizer: torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=length)


def test_a_schedule_that_never_moves_is_seen() -> None:
    assert stepped(cosine(60), 60, every=None)["log.lr.schedule_never_moves"] is True
    assert stepped(cosine(60), 60, every=1)["log.lr.schedule_never_moves"] is False


def test_a_schedule_by_steps_that_is_moved_by_epochs_lags() -> None:
    def one_cycle(optimizer: Any) -> Any:
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=60)

    assert stepped(one_cycle, 60, every=10)["log.lr.schedule_lags"] is True
    assert "log.lr.schedule_lags" not in stepped(one_cycle, 59, every=1).facts
    assert "log.lr.schedule_lags" not in stepped(one_cycle, 30, every=10).facts


def warmed_up(length: int, floor: float = 0.0) -> Any:
    def share(moves: int) -> float:
        return floor + (1 - floor) * min(1.0, (moves + 1) / length)

    return lambda optimizer: torch.optim.lr_scheduler.LambdaLR(optimizer, share)


def test_a_warm_up_by_steps_that_is_moved_by_epochs_lags() -> None:
    assert stepped(warmed_up(40), 70, every=10)["log.lr.schedule_lags"] is True


@pytest.mark.parametrize(
    ("length", "steps", "every"),
    [(10, 70, 10), (40, 70, 1), (400, 70, 1), (400, 70, 10), (40, 20, 10), (1, 70, 10)],
    ids=["by epochs", "by steps", "long", "longer than the run", "a short run", "none"],
)
def test_a_warm_up_that_is_under_way_does_not_lag(length: int, steps: int, every: int) -> None:
    assert "log.lr.schedule_lags" not in stepped(warmed_up(length), steps, every).facts


def test_a_rate_that_falls_to_little_does_not_lag() -> None:
    def falling(optimizer: Any) -> Any:
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda moves: 0.1 / (moves + 1))

    assert "log.lr.schedule_lags" not in stepped(falling, 70, every=10).facts
    assert "log.lr.schedule_lags" not in stepped(warmed_up(40, floor=0.5), 70, every=10).facts


def test_a_cosine_by_epochs_that_is_moved_by_steps_swings() -> None:
    assert stepped(cosine(6), 60, every=1)["log.lr.schedule_wraps"] is True
    assert "log.lr.schedule_wraps" not in stepped(cosine(6), 60, every=10).facts


def resumed(restored: bool, by_epoch: bool = False, first: int = 60) -> Said:
    """Train, save, and go on with another model: with the optimizer restored, and perhaps the schedule."""
    state: dict[str, Any] = {}
    every = 5 if by_epoch else 1
    for steps in (first, 30):
        with checked() as said:
            model = mlp()
            optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1000)
            if state:
                optimizer.load_state_dict(state["optimizer"])
                if restored:
                    scheduler.load_state_dict(state["scheduler"])
            go_round(model, optimizer, scheduler, steps, every)
            state = {"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}
    return said


@pytest.mark.parametrize("by_epoch", [False, True])
def test_a_schedule_that_begins_anew_under_a_restored_optimizer_is_seen(by_epoch: bool) -> None:
    assert resumed(False, by_epoch)["log.lr.schedule_began_anew"] is True
    assert resumed(True, by_epoch)["log.lr.schedule_began_anew"] is False


def test_a_schedule_by_epochs_that_was_saved_in_the_first_one_has_not_begun_anew() -> None:
    assert resumed(True, by_epoch=True, first=4)["log.lr.schedule_began_anew"] is False


def test_without_a_restored_optimizer_nothing_is_said_of_a_schedule_that_begins() -> None:
    assert "log.lr.schedule_began_anew" not in stepped(cosine(60), 60, every=1).facts
