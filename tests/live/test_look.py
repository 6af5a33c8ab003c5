"""The first non-finite value of a run is named with its operation, line and module."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from .looking import Said, train, watched


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


def numbers(step: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(step)
    return torch.randn(8, 4, generator=generator), torch.rand(8, 1, generator=generator)


def mlp() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


def assert_named(said: Said, operation: str, marker: str, direction: str = "forward") -> None:
    assert said["act.nonfinite_op"] == operation
    assert said["act.nonfinite_direction"] == direction
    assert f"# {marker}" in said.source


def test_log_of_a_negative_number_in_a_loss_is_named_at_its_own_line() -> None:
    def loss(output: Any, target: Any) -> Any:
        scores = output * 1.0
        logs = torch.log(scores)  # log
        return -(target * logs).mean()

    said = train(mlp(), numbers, loss)
    assert_named(said, "log", "log")
    assert said["test.anomaly_names_op"] == "LogBackward0"
    assert said["act.nonfinite_input_min"] < 0


def test_where_nobody_may_keep_saved_tensors_the_operation_is_named_all_the_same() -> None:
    def loss(output: Any, target: Any) -> Any:
        with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
            return -(target * torch.log(output - 1e3)).mean()  # log

    assert_named(train(mlp(), numbers, loss), "log", "log")


def test_the_step_that_failed_is_looked_at_and_not_the_one_after() -> None:
    def batch(step: int) -> Any:
        inputs, targets = numbers(step)
        return inputs, -targets if step == 3 else targets

    def loss(output: Any, target: Any) -> Any:
        return F.mse_loss(output, target.abs()) + 0 * (target + 0 * output).sqrt().mean()  # root

    with_batches = train(mlp(), batch, loss)
    assert with_batches["act.nonfinite_op"] == "sqrt"
    assert with_batches["model.weights_nonfinite"] is False


def test_the_root_of_zero_is_named_in_the_backward_pass() -> None:
    def loss(output: Any, target: Any) -> Any:
        distance = (output - output.detach()).pow(2).sum()
        return distance.sqrt() + output.mean()  # root

    said = train(mlp(), numbers, loss)
    assert_named(said, "SqrtBackward0", "root", "backward")
    assert said["grad.nonfinite_op"] == "SqrtBackward0"


def test_what_a_mask_hid_is_named_and_not_the_product_that_meets_it() -> None:
    """Zero times infinity: the loss is finite, and so is every gradient down to the product."""

    def entropy(output: Any, target: Any) -> Any:
        shares = (output.sigmoid() * (target > 0.5)).clamp(max=0.9)
        logs = -torch.log(shares)  # log
        return torch.where(target > 0.5, shares * logs, 0.0).sum() + output.mean()

    said = train(mlp(), numbers, entropy)
    assert_named(said, "log", "log", "backward")
    assert said["grad.nonfinite_op"] == "MulBackward0"


def test_a_quotient_that_a_mask_hid() -> None:
    def ratio(output: Any, target: Any) -> Any:
        parts = (output.exp() * (target > 0.5)) + 0.0
        inverse = 1 / parts  # quotient
        return torch.where(target > 0.5, output * inverse, 0.0).sum()

    said = train(mlp(), numbers, ratio)
    assert_named(said, "reciprocal", "quotient", "backward")


def test_an_operand_that_was_made_infinite_on_purpose_names_no_operation() -> None:
    def loss(output: Any, target: Any) -> Any:
        scores = output.log_softmax(0).masked_fill(target > 0.5, -torch.inf)
        weighed = output.sigmoid() * scores  # product
        return torch.where(target > 0.5, 0.0, weighed).sum()

    said = train(mlp(), numbers, loss)
    assert_named(said, "MulBackward0", "product", "backward")


class OwnTable(nn.Module):
    """A parameter of its own comes first, and takes no part in what the loss divides by."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.ones(1, 1))
        self.body = mlp()

    def forward(self, inputs: torch.Tensor) -> tuple[Any, Any]:
        return self.body(inputs), self.table.expand(len(inputs), 1)


def test_a_branch_that_is_lost_while_the_first_parameter_is_well() -> None:
    """In a step that is not measured. What the logarithm is given is infinite already: the quotient made it so."""

    def batch(step: int) -> Any:
        inputs, targets = numbers(step)
        return inputs, (targets > 0.5).float() if step >= 30 else targets + 0.1

    def loss(output: Any, target: Any) -> Any:
        body, table = output
        ratio = body.sigmoid() / target  # quotient
        hidden = torch.where(target > 0, ratio * ratio.log(), 0.0)
        return hidden.mean() + (table - target).pow(2).mean()

    said = train(OwnTable(), batch, loss, steps=34)
    assert_named(said, "div", "quotient", "backward")


class OwnNorm(nn.Module):
    def forward(self, inputs: torch.Tensor) -> Any:
        centred = inputs - inputs.mean(dim=-1, keepdim=True)
        return centred / centred.std(dim=-1, keepdim=True)  # quotient


def test_zero_over_zero_in_a_layer_of_ones_own_is_named_with_the_layer() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.norm = nn.Linear(4, 8), OwnNorm()

        def forward(self, inputs: torch.Tensor) -> Any:
            return self.norm(self.inner(inputs) * 0)

    said = train(Net(), numbers, lambda output, target: output.pow(2).mean())
    assert_named(said, "div", "quotient")
    assert said["act.nonfinite_module"] == "norm"
    assert said["act.nonfinite_class"] == "OwnNorm"


def test_an_overflowing_exponential_is_named_and_not_the_quotient_after_it() -> None:
    def loss(output: Any, target: Any) -> Any:
        weights = (output * 1000 + 1000).exp()  # exponential
        return (weights / weights.sum() * target).mean()

    said = train(mlp(), numbers, loss)
    assert_named(said, "exp", "exponential")
    assert said["act.nonfinite_is_inf"] is True
    assert said["act.nonfinite_input_max"] > 88


class Attention(nn.Module):
    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.query, self.key, self.scale = nn.Linear(4, 4), nn.Linear(4, 4), scale

    def forward(self, inputs: torch.Tensor, mask: torch.Tensor | None = None) -> Any:
        scores = (self.query(inputs) * self.scale) @ self.key(inputs).transpose(-1, -2)  # scores
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        return torch.softmax(scores, dim=-1) @ inputs  # softmax


class Block(nn.Module):
    def __init__(self, attention: Attention) -> None:
        super().__init__()
        self.attn = attention

    def forward(self, pair: Any) -> Any:
        return self.attn(*pair) if isinstance(pair, tuple) else self.attn(pair)


def test_a_softmax_over_a_row_that_is_masked_altogether_is_named() -> None:
    mask = torch.zeros(1, 8, 8, dtype=torch.bool)
    mask[:, 3] = True
    inputs = torch.randn(2, 8, 4)
    said = train(
        Block(Attention()), lambda step: ((inputs, mask), None), lambda output, _: output.pow(2).mean()
    )
    assert_named(said, "softmax", "softmax")
    assert said["act.nonfinite_module"] == "attn"
    assert said["act.fully_masked_row"] is True


@pytest.mark.parametrize("masked", [True, False])
def test_padding_throughout_is_named_within_the_attention_of_torch(masked: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.self_attn = nn.MultiheadAttention(4, 2, batch_first=True)

        def forward(self, inputs: torch.Tensor) -> Any:
            padding = torch.zeros(2, 8, dtype=torch.bool)
            padding[1] = masked
            large = inputs if masked else inputs * 1e25
            hidden = self.self_attn(large, large, inputs, padding)  # attention
            return hidden[0]

    inputs = torch.randn(2, 8, 4)
    said = train(Net(), lambda step: (inputs, None), lambda output, _: output.pow(2).mean())
    assert_named(said, "multi_head_attention_forward", "attention")
    assert said["act.nonfinite_module"] == "self_attn"
    assert said["act.fully_masked_row"] is masked


@pytest.mark.parametrize("each", [False, True])
def test_a_mean_of_what_a_mask_leaves_is_told_from_another_quotient(each: bool) -> None:
    inputs = torch.randn(2, 8, 4)

    def masked(output: Any, kept: torch.Tensor) -> Any:
        error = output.pow(2).mean(-1) * kept
        if each:
            return (error.sum(1) / kept.sum(1)).mean()  # mean
        return error.sum() / kept.sum()  # mean

    def batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        return inputs, torch.full((2, 8), float(step < 3))

    said = train(nn.Linear(4, 4), batch, masked)
    assert_named(said, "div", "mean")
    assert said["act.mean_of_nothing"] is True


def test_the_mean_of_an_empty_choice_is_a_mean_of_nothing() -> None:
    said = train(
        mlp(),
        lambda step: (numbers(step)[0], step < 3),
        lambda output, kept: output[output < 9.0 * kept - 5].mean(),
    )
    assert said["act.nonfinite_op"] == "mean"
    assert said["act.mean_of_nothing"] is True


def test_a_loss_that_is_divided_by_its_own_size_is_no_mean_of_nothing() -> None:
    def balanced(output: Any, wanted: Any) -> Any:
        margin = (wanted - output).relu().sum()
        return margin / margin.detach() + output.pow(2).mean()  # ratio

    said = train(mlp(), lambda step: (numbers(step)[0], 9.0 if step < 3 else -9.0), balanced)
    assert_named(said, "div", "ratio")
    assert not said.facts.get("act.mean_of_nothing")


def test_a_quotient_of_features_is_no_mean_of_nothing() -> None:
    def batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(2, 4) * (step < 3), torch.ones(2)

    def spread(output: Any, _: Any) -> Any:
        centred = output - output.mean(0)
        return (centred / centred.detach().abs().amax(0)).pow(2).mean()  # quotient

    said = train(nn.Linear(4, 4), batch, spread)
    assert_named(said, "div", "quotient")
    assert not said.facts.get("act.mean_of_nothing")


def test_a_causal_mask_of_infinities_is_no_fault() -> None:
    mask = torch.ones(8, 8).triu(1).bool()
    inputs = torch.randn(2, 8, 4)

    def loss(output: Any, _: Any) -> Any:
        return (output.sum() * 0).log().abs() * 0 + output.mean()  # zero

    said = train(Block(Attention()), lambda step: ((inputs, mask), None), loss)
    assert_named(said, "log", "zero")


def test_an_overflow_of_half_precision_in_attention_is_named_with_its_dtype() -> None:
    inputs = (torch.randn(2, 8, 4) * 4).half()
    model = Block(Attention(scale=2e4)).half()
    said = train(model, lambda step: (inputs, None), lambda output, _: output.float().pow(2).mean())
    assert "# scores" in said.source
    assert said["act.nonfinite_dtype"] == "float16"
    assert said["act.nonfinite_module"] == "attn"


class PassedOn(torch.autograd.Function):
    """Gives a copy and passes the gradient on, as the wrapper of ranks does with the outputs where some parameters may be unused."""

    @staticmethod
    def forward(ctx: Any, inputs: Any) -> Any:
        return inputs.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0]


def test_what_comes_behind_a_function_with_a_backward_of_its_own_is_looked_at_too() -> None:
    def loss(output: Any, target: Any) -> Any:
        passed: Any = PassedOn.apply(output)  # type: ignore[no-untyped-call]
        halves = (passed * 1e7).half()  # halves
        return (halves.float().softmax(0) * target).mean()

    said = train(mlp(), numbers, loss)
    assert_named(said, "half", "halves")
    assert said["act.nonfinite_dtype"] == "float16"


def test_nan_in_the_inputs_is_the_data_and_no_operation() -> None:
    def batch(step: int) -> Any:
        inputs, targets = numbers(step)
        if step == 3:
            inputs[2, 1] = float("nan")
        return inputs, targets

    said = train(mlp(), batch, F.mse_loss)
    assert said["data.inputs.nonfinite"] is True
    assert "act.nonfinite_op" not in said.facts


def test_nan_in_the_labels_is_the_data_and_no_operation() -> None:
    loader: Any = torch.utils.data.DataLoader(
        [  # type: ignore[arg-type]
            (torch.randn(4), torch.tensor([float("nan") if number == 21 else 1.0])) for number in range(32)
        ],
        batch_size=8,
    )
    batches = [tuple(one) for one in loader]
    said = train(mlp(), lambda step: batches[step - 1], F.mse_loss, steps=4)
    assert "act.nonfinite_op" not in said.facts


def test_weights_that_are_nan_before_the_step_are_told_from_operations_that_fail() -> None:
    model: Any = mlp()

    def batch(step: int) -> Any:
        if step == 3:
            with torch.no_grad():
                model[2].weight[0, 0] = float("nan")
        return numbers(step)

    said = train(model, batch, F.mse_loss)
    assert said["model.weights_nonfinite"] is True
    assert "act.nonfinite_op" not in said.facts


def test_a_step_that_is_far_too_large_shows_in_the_values_that_went_in() -> None:
    said = train(nn.Linear(4, 1), numbers, F.mse_loss, steps=40, lr=100.0)
    assert said["act.nonfinite_op"] == "mse_loss"
    assert said["act.input_max_abs"] > 1e15


def test_normalising_a_constant_input_is_named_though_it_needs_no_gradient() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(4, 1)

        def forward(self, inputs: torch.Tensor) -> Any:
            return self.inner((inputs - inputs.mean()) / inputs.std())  # deviation

    def batch(step: int) -> Any:
        inputs, targets = numbers(step)
        return (inputs * 0 if step == 2 else inputs), targets

    said = train(Net(), batch, F.mse_loss)
    assert_named(said, "div", "deviation")


def test_infinity_from_a_negative_power_of_zero_is_named() -> None:
    def loss(output: Any, target: Any) -> Any:
        return (output * 0).pow(-1).sum()  # power

    said = train(mlp(), numbers, loss)
    assert_named(said, "pow", "power")
    assert said["act.nonfinite_is_inf"] is True


def test_an_average_over_no_label_is_named_as_the_loss() -> None:
    def loss(output: Any, target: Any) -> Any:
        labels = torch.full((8,), -100)
        return F.cross_entropy(output.expand(8, 3), labels)  # loss

    said = train(mlp(), numbers, loss)
    assert_named(said, "cross_entropy", "loss")


def test_nan_that_a_where_hides_is_named_in_the_backward_pass() -> None:
    def loss(output: Any, target: Any) -> Any:
        shifted = output - output.max()
        root = shifted.neg().sqrt()  # hidden
        return torch.where(shifted < 0, root, torch.zeros_like(root)).sum()

    said = train(mlp(), numbers, loss)
    assert_named(said, "SqrtBackward0", "hidden", "backward")


def test_a_healthy_run_names_nothing() -> None:
    said = train(mlp(), numbers, F.mse_loss, steps=20)
    assert [name for name in said.facts if name.startswith("act.")] == []
    assert said["data.inputs.nonfinite"] is False


def test_a_loop_that_leaves_out_bad_steps_is_looked_at_all_the_same() -> None:
    model = mlp()
    with watched() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(1, 12):
            inputs, _ = numbers(step)
            loss = model(inputs * 1.0).log().mean() if step > 4 else model(inputs).mean()  # left out
            if not torch.isfinite(loss):
                continue
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert_named(said, "log", "left out")


def test_a_script_that_stops_at_nan_is_told_the_operation_from_the_graph() -> None:
    model = mlp()

    def stops_at_nan() -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(1, 4):
            inputs, _ = numbers(step)
            loss = (model(inputs) if step < 3 else model(inputs).sqrt()).mean()
            if not torch.isfinite(loss):
                raise FloatingPointError("loss is not finite")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    with watched() as said, said.failing(FloatingPointError):
        stops_at_nan()
    assert said["act.nonfinite_op"] == "sqrt"
    assert said["test.anomaly_names_op"] == "SqrtBackward0"


class Recomputed(nn.Module):
    """A generator behind a checkpoint, which draws again where its backward pass computes it again."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 1), nn.Dropout(0.5))

    def forward(self, noise: Any) -> Any:
        return checkpoint(self.inner, noise, use_reentrant=False, preserve_rng_state=False)


def adversaries(generator: nn.Module) -> torch.Tensor:
    """A generator and its critic, which is given NaN in one step. Returns the random state at the end."""
    critic = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    first, second = (torch.optim.SGD(one.parameters(), lr=0.01) for one in (generator, critic))
    for step in range(1, 13):
        real = torch.full((8, 1), float("nan") if step == 10 else 1.0)
        fake = generator(torch.randn(8, 4))
        second.zero_grad()
        loss: Any = F.softplus(-critic(real)).mean() + F.softplus(critic(fake.detach())).mean()
        loss.backward()
        second.step()
        first.zero_grad()
        score: Any = F.softplus(-critic(fake)).mean()
        score.backward()
        first.step()
    return torch.get_rng_state()


@pytest.mark.parametrize("generator", [mlp, Recomputed])
def test_a_look_that_begins_behind_the_forward_of_a_generator_leaves_its_graph_and_random_numbers_alone(
    generator: Any,
) -> None:
    alone = adversaries(generator())
    torch.manual_seed(0)
    with watched() as said:
        watched_too = adversaries(generator())
    assert said["model.weights_nonfinite"] is False
    assert torch.equal(alone, watched_too)
