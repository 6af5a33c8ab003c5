"""The order of things in a loop, the modes, kept graphs, batches and schedules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from tests.live.checking import checked, classes, mlp, train
from tests.live.looking import Said
from traindx.probes.live.observer.checks import tails

# torch's `backward` has no types.
cross_entropy: Callable[..., Any] = F.cross_entropy
judged: Callable[..., Any] = F.binary_cross_entropy_with_logits


def loop(body: Callable[[Any, Any, int], None], steps: int = 16, model: nn.Module | None = None) -> Said:
    """Call `body(model, optimizer, step)` so many times, watched."""
    with checked() as said:
        net = model or mlp()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for step in range(1, steps + 1):
            body(net, optimizer, step)
    return said


def loss_of(model: nn.Module) -> Any:
    inputs, labels = classes()
    return cross_entropy(model(inputs), labels)


# -- gradients that are not cleared


def test_a_correct_loop_clears_everything() -> None:
    said = train(mlp(), nn.CrossEntropyLoss(), steps=30)
    assert said["grad.not_cleared"] is False
    assert said["grad.step_without_backward"] is False
    assert said["grad.backward_without_step"] is False
    assert said["grad.cleared_before_step"] is False
    assert said["loss.accumulated_unscaled"] is False
    assert said["loss.backward_calls_per_step"] == 1
    assert said["process.graph_kept"] is False
    assert said["data.same_batch"] is False
    assert said["model.changes_its_input"] is False


def test_gradients_that_nobody_clears_are_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        loss_of(model).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    assert loop(body)["grad.not_cleared"] is True


def clear_by_module(model: Any, optimizer: Any) -> None:
    model.zero_grad()


def clear_by_none(model: Any, optimizer: Any) -> None:
    for one in model.parameters():
        one.grad = None


def clear_in_place(model: Any, optimizer: Any) -> None:
    for one in model.parameters():
        if one.grad is not None:
            one.grad.zero_()


def clear_by_data(model: Any, optimizer: Any) -> None:
    for one in model.parameters():
        if one.grad is not None:
            one.grad.data.zero_()


@pytest.mark.parametrize("clear", [clear_by_module, clear_by_none, clear_in_place, clear_by_data])
def test_every_way_of_clearing_counts(clear: Callable[[Any, Any], None]) -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        clear(model, optimizer)
        loss_of(model).backward()
        optimizer.step()

    assert loop(body)["grad.not_cleared"] is False


def gan(clear_generator: bool = True, steps: int = 16) -> Said:
    with checked() as said:
        generator, judge = mlp(8, 8), mlp(8, 1)
        both = [torch.optim.Adam(one.parameters(), lr=1e-3) for one in (generator, judge)]
        ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
        for _ in range(steps):
            both[1].zero_grad()
            fake = generator(torch.randn(16, 8))
            judged(judge(torch.randn(16, 8)), ones).backward()
            judged(judge(fake.detach()), zeros).backward()
            both[1].step()
            if clear_generator:
                both[0].zero_grad()
            judged(judge(fake), ones).backward()
            both[0].step()
    return said


def test_a_gan_is_healthy() -> None:
    said = gan()
    assert [name for name, value in said.facts.items() if value is True] == ["data.inputs.normalized"]


def test_one_optimizer_of_a_gan_that_never_clears_is_seen() -> None:
    assert gan(clear_generator=False)["grad.not_cleared"] is True


# -- accumulation


def accumulated(scale: float, passes: int = 4, steps: int = 10) -> Said:
    def body(model: Any, optimizer: Any, step: int) -> None:
        for _ in range(passes):
            (loss_of(model) / scale if scale != 1 else loss_of(model)).backward()
        optimizer.step()
        optimizer.zero_grad()

    return loop(body, steps)


def test_accumulation_without_division_is_seen() -> None:
    said = accumulated(1)
    assert said["loss.accumulated_unscaled"] is True
    assert said["loss.backward_calls_per_step"] == 4
    assert said["grad.not_cleared"] is False


def test_accumulation_with_division_is_healthy() -> None:
    assert accumulated(4, steps=60)["loss.accumulated_unscaled"] is False


def test_real_and_fake_at_lines_of_their_own_are_no_accumulation() -> None:
    def body(critic: Any, optimizer: Any, step: int) -> None:
        inputs, _ = classes()
        critic(inputs).mean().backward(torch.tensor(-1.0))
        critic(inputs.flip(0) + 1).mean().backward(torch.tensor(1.0))
        optimizer.step()
        optimizer.zero_grad()

    assert loop(body).facts.get("loss.accumulated_unscaled") is not True


def test_two_losses_of_one_forward_are_no_accumulation() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs, labels = classes()
        scores = model(inputs)
        cross_entropy(scores, labels).backward(retain_graph=True)
        scores.square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    assert loop(body).facts.get("loss.accumulated_unscaled") is not True


# -- steps and backwards


def test_steps_without_backward_are_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model)
        optimizer.step()

    said = loop(body)
    assert said["grad.step_without_backward"] is True
    assert "grad.cleared_before_step" not in said.facts or said["grad.cleared_before_step"] is False


def test_clearing_just_before_the_step_is_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        loss_of(model).backward()
        optimizer.zero_grad()
        optimizer.step()

    said = loop(body)
    assert said["grad.cleared_before_step"] is True
    assert said["grad.step_without_backward"] is False


def test_gradients_that_no_step_uses_are_seen() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()

    assert loop(body, steps=30)["grad.backward_without_step"] is True


def test_weights_moved_by_hand_need_no_step() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        for one in model.parameters():
            one.data -= 0.01 * one.grad

    assert "grad.backward_without_step" not in loop(body, steps=30).facts


def test_lbfgs_calls_backward_within_its_step() -> None:
    with checked() as said:
        model = mlp()
        optimizer: Any = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
        inputs, labels = classes()

        def closure() -> Any:
            optimizer.zero_grad()
            loss = cross_entropy(model(inputs), labels)
            loss.backward()
            return loss

        for _ in range(12):
            optimizer.step(closure)
    assert said["grad.step_without_backward"] is False
    assert said["grad.not_cleared"] is False


# -- modes


def with_dropout() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 4))


def epochs(evaluate: Callable[[Any], object], to_train: bool = True, count: int = 3) -> Said:
    """Epochs of ten steps, each with an evaluation."""

    def body(model: Any, optimizer: Any, step: int) -> None:
        if to_train and step % 10 == 1:
            model.train()
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if step % 10 == 0:
            evaluate(model)

    return loop(body, 10 * count, with_dropout())


def no_grad_in_eval(model: Any) -> None:
    model.eval()
    with torch.no_grad():
        for _ in range(4):
            loss_of(model)


def no_grad_in_train(model: Any) -> None:
    with torch.no_grad():
        for _ in range(4):
            loss_of(model)


def grad_in_eval(model: Any) -> None:
    model.eval()
    for _ in range(4):
        loss_of(model)


def grad_in_train(model: Any) -> None:
    for _ in range(4):
        loss_of(model)


def inference_mode_in_eval(model: Any) -> None:
    model.eval()
    with torch.inference_mode():
        accuracy = [(model(classes()[0]).argmax(1) == 0).float().mean().item() for _ in range(4)]
    assert accuracy


@pytest.mark.parametrize("evaluate", [no_grad_in_eval, inference_mode_in_eval])
def test_a_correct_evaluation_is_healthy(evaluate: Callable[[Any], object]) -> None:
    said = epochs(evaluate)
    assert said["model.train_mode_in_eval"] is False
    assert said["model.grad_in_eval"] is False
    assert said["model.eval_mode_in_training"] is False


def test_evaluation_in_train_mode_is_seen() -> None:
    assert epochs(no_grad_in_train)["model.train_mode_in_eval"] is True


def test_evaluation_with_gradients_is_seen() -> None:
    said = epochs(grad_in_eval)
    assert said["model.grad_in_eval"] is True
    assert said.facts.get("model.train_mode_in_eval") is not True


def test_evaluation_with_gradients_and_in_train_mode_is_seen() -> None:
    said = epochs(grad_in_train)
    assert said["model.grad_in_eval"] is True
    assert said["model.train_mode_in_eval"] is True


def test_training_that_stays_in_eval_mode_is_seen() -> None:
    said = epochs(no_grad_in_eval, to_train=False)
    assert said["model.eval_mode_in_training"] is True


class Dropping(nn.Module):
    """Drops with a function, at the rate that it was made with."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.inner, self.dropout = mlp(), rate

    def forward(self, inputs: Any) -> Any:
        return self.inner(nn.functional.dropout(inputs, self.dropout, self.training))


@pytest.mark.parametrize(("rate", "wrong"), [(0.5, True), (0.0, False)])
def test_dropout_as_a_function_makes_the_mode_matter(rate: float, wrong: bool) -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        no_grad_in_eval(model)

    assert (loop(body, 12, Dropping(rate)).facts.get("model.eval_mode_in_training") is True) is wrong


def test_without_dropout_and_batch_norm_the_mode_does_not_matter() -> None:
    def body(model: Any, optimizer: Any, step: int) -> None:
        model.eval()
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if step % 8 == 0:
            model.train()
            no_grad_in_train(model)

    said = loop(body, 24)
    assert said.facts.get("model.eval_mode_in_training") is not True
    assert said.facts.get("model.train_mode_in_eval") is not True


def test_a_frozen_backbone_in_eval_mode_is_meant() -> None:
    model = nn.Sequential(with_dropout(), nn.Linear(4, 4))
    model[0].requires_grad_(False)

    def body(net: Any, optimizer: Any, step: int) -> None:
        net.train()
        net[0].eval()
        optimizer.zero_grad()
        loss_of(net).backward()
        optimizer.step()

    with checked() as said:
        optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
        for step in range(16):
            body(model, optimizer, step)
    assert said.facts.get("model.eval_mode_in_training") is not True


def test_a_forward_without_gradients_in_each_step_is_part_of_the_training() -> None:
    """Pseudo labels, or a policy that acts before it learns."""

    def body(model: Any, optimizer: Any, step: int) -> None:
        inputs, _ = classes()
        with torch.no_grad():
            labels = model(inputs).argmax(1)
        optimizer.zero_grad()
        cross_entropy(model(inputs), labels).backward()
        optimizer.step()

    assert loop(body, 24, with_dropout()).facts.get("model.train_mode_in_eval") is not True


# -- kept graphs


def test_a_sum_of_losses_keeps_every_graph() -> None:
    with checked() as said:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        total: Any = 0
        for _ in range(16):
            loss = loss_of(model)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss
    assert said["process.graph_kept"] is True
    assert said["process.growing_type"] == "tensor (total)"
    assert said["process.graph_kept_where"].startswith(__file__)


def test_a_list_of_losses_keeps_every_graph() -> None:
    losses = []

    def body(model: Any, optimizer: Any, step: int) -> None:
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)

    assert loop(body, 32)["process.graph_kept"] is True


def test_numbers_and_detached_tensors_keep_nothing() -> None:
    losses: list[Any] = []

    def body(model: Any, optimizer: Any, step: int) -> None:
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.extend([loss.item(), loss.detach()])

    assert loop(body, 32)["process.graph_kept"] is False


class Monitor:
    """What a part of the model gives for the same inputs after each step."""

    def __init__(self, part: nn.Module, keep: Callable[[Any], Any], most: int | None = None) -> None:
        self.part, self.keep, self.most = part, keep, most
        self.probe = torch.randn(4, 8)
        self.history: list[Any] = []

    def update(self) -> None:
        """Once a step."""
        self.history.append(self.keep(self.part(self.probe).mean()))
        if self.most is not None and len(self.history) == self.most:
            torch.stack(self.history).sum()
            self.history.clear()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are looked at however short the run."""
    monkeypatch.setattr(tails, "SHARE", 1e6)


def monitored(keep: Callable[[Any], Any], most: int | None = None, begin: int = 0, steps: int = 32) -> Said:
    model = mlp()
    monitor = Monitor(model[0], keep, most)

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
        if step >= begin:
            monitor.update()

    return loop(body, steps, model)


@pytest.mark.usefixtures("hurried")
def test_a_list_of_what_a_part_of_the_model_gives_keeps_every_graph() -> None:
    said = monitored(lambda given: given)
    assert said["process.graph_kept"] is True
    assert said["process.growing_type"] == "list of tensors (Monitor.history)"
    assert said["process.graph_kept_where"].startswith(__file__)


@pytest.mark.usefixtures("hurried")
def test_a_list_that_begins_late_is_seen_from_one_turn_to_the_next() -> None:
    assert monitored(lambda given: given, begin=40, steps=75)["process.graph_kept"] is True


@pytest.mark.usefixtures("hurried")
def test_numbers_of_a_part_of_the_model_keep_nothing() -> None:
    assert monitored(lambda given: given.detach())["process.graph_kept"] is False


@pytest.mark.usefixtures("hurried")
def test_what_is_gathered_for_a_few_steps_is_given_up_again() -> None:
    assert monitored(lambda given: given, most=5)["process.graph_kept"] is False


# -- batches


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


def test_the_same_part_of_the_data_in_each_step_is_seen() -> None:
    inputs, labels = data().tensors

    def body(model: Any, optimizer: Any, step: int) -> None:
        optimizer.zero_grad()
        cross_entropy(model(inputs[:16]), labels[:16]).backward()
        optimizer.step()

    assert loop(body)["data.same_batch"] is True


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


# -- schedules


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
