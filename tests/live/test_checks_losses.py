"""Losses that are given what they do not expect: probabilities, scores, axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import classes, mlp, train
from tests.live.looking import Said


def one_of_two(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(count, 8), torch.randint(0, 2, (count, 1)).float()


def test_softmax_before_cross_entropy_is_seen() -> None:
    said = train(mlp(8, 4, nn.Softmax(dim=1)), nn.CrossEntropyLoss())
    assert said["loss.input_is_probabilities"] is True
    record = next(one for one in said.records("fact") if one["name"] == "loss.input_is_probabilities")
    assert record["file"].endswith("checking.py")


def drawn(last: nn.Module, given: str) -> Said:
    """A policy whose actions are drawn from a distribution over classes."""
    model = mlp(8, 4, last)

    def loss(scores: Any, labels: Any) -> Any:
        given_as: dict[str, Any] = {given: scores}
        policy: Any = torch.distributions.Categorical(**given_as)
        return -policy.log_prob(labels).mean()

    return train(model, loss)


def test_a_distribution_that_is_given_shares_as_scores() -> None:
    assert drawn(nn.Softmax(dim=-1), "logits")["loss.input_is_probabilities"] is True


@pytest.mark.parametrize(
    ("last", "given"),
    [(nn.Softmax(dim=-1), "probs"), (nn.Identity(), "logits"), (nn.LogSoftmax(dim=-1), "logits")],
)
def test_a_distribution_that_is_given_what_it_expects(last: nn.Module, given: str) -> None:
    said = drawn(last, given)
    assert not said.facts.get("loss.input_is_probabilities")


def test_a_partition_function_of_raw_scores_is_that_of_a_cross_entropy() -> None:
    """Written by hand, with scores that are shares and with those that are none."""

    def loss(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (scores.logsumexp(1) - scores.gather(1, labels[:, None]).squeeze(1)).mean()

    assert train(mlp(8, 4, nn.Softmax(dim=1)), loss)["loss.input_is_probabilities"] is True
    assert not train(mlp(), loss).facts.get("loss.input_is_probabilities")


def test_raw_scores_clear_cross_entropy() -> None:
    said = train(mlp(), nn.CrossEntropyLoss(label_smoothing=0.1))
    assert said["loss.input_is_probabilities"] is False
    assert said["loss.activation_before_cross_entropy"] is False
    assert said["model.classes"] == 4


def test_log_softmax_before_cross_entropy_changes_nothing() -> None:
    assert (
        train(mlp(8, 4, nn.LogSoftmax(dim=1)), nn.CrossEntropyLoss())["loss.input_is_probabilities"] is False
    )


def test_soft_targets_are_fine() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes()
        return inputs, 0.7 * F.one_hot(labels, 4) + 0.3 * F.one_hot(labels.flip(0), 4)

    said = train(mlp(), nn.CrossEntropyLoss(), batch)
    assert said["loss.input_is_probabilities"] is False
    assert "data.labels.out_of_range" not in said.facts


def summing(to_one: Callable[[int], bool]) -> Any:
    """A network whose scores are numbers of their own, and in some of its calls happen to sum to 1."""

    class Summing(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.calls = mlp(8, 1), 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            first = torch.sigmoid(self.inner(x))
            return torch.cat([first, (1.0 if to_one(self.calls) else 1.2) - first], dim=1)

    return Summing()


def two(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(count, 8), torch.randint(0, 2, (count,))


def test_scores_that_sum_to_one_once_are_no_probabilities() -> None:
    said = train(summing(lambda call: call == 2), nn.CrossEntropyLoss(), two)
    assert all(
        one["value"] is False for one in said.records("fact") if one["name"] == "loss.input_is_probabilities"
    )


def test_scores_that_sum_to_one_again_and_again_are() -> None:
    assert (
        train(summing(lambda call: True), nn.CrossEntropyLoss(), two)["loss.input_is_probabilities"] is True
    )


@pytest.mark.parametrize(
    ("lowest", "padded", "told"), [(0, False, True), (1, False, False), (1, True, False), (0, True, True)]
)
def test_labels_that_are_the_blank_of_ctc_are_seen(lowest: int, padded: bool, told: bool) -> None:
    model: Any = nn.Sequential(nn.Linear(8, 16), nn.Unflatten(1, (4, 4)), nn.LogSoftmax(dim=2))
    sizes = torch.full((32,), 2)

    def loss(out: Any, labels: Any) -> Any:
        labels = torch.cat([labels, torch.zeros_like(labels)], dim=1) if padded else labels.flatten()
        return F.ctc_loss(out.transpose(0, 1), labels, torch.full((32,), 4), sizes, zero_infinity=True)

    said = train(model, loss, lambda: (torch.randn(32, 8), torch.randint(lowest, 4, (32, 2))))
    assert said["loss.ctc_blank_in_labels"] is told


def test_softmax_twice_by_hand_is_seen() -> None:
    model = mlp(8, 4, nn.Softmax(dim=1))
    said = train(model, lambda scores, labels: F.nll_loss(F.log_softmax(scores, dim=1), labels))
    assert said["loss.input_is_probabilities"] is True


def test_relu_before_cross_entropy_is_seen() -> None:
    said = train(mlp(8, 4, nn.ReLU()), nn.CrossEntropyLoss())
    assert said["loss.activation_before_cross_entropy"] is True


def test_nll_on_probabilities_and_on_raw_scores() -> None:
    assert train(mlp(8, 4, nn.Softmax(dim=1)), nn.NLLLoss())["loss.nll_on_probabilities"] is True
    assert train(mlp(), nn.NLLLoss(), lr=1e-4)["loss.nll_on_raw_scores"] is True
    said = train(mlp(8, 4, nn.LogSoftmax(dim=1)), nn.NLLLoss())
    assert said["loss.nll_on_probabilities"] is False
    assert said["loss.nll_on_raw_scores"] is False


def test_segmentation_scores_are_read_along_their_classes() -> None:
    model: Any = nn.Sequential(nn.Conv2d(3, 5, 3, padding=1), nn.Softmax(dim=1))

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(4, 3, 32, 32), torch.randint(0, 5, (4, 32, 32))

    assert train(model, nn.CrossEntropyLoss(), batch)["loss.input_is_probabilities"] is True
    assert train(model[:1], nn.CrossEntropyLoss(), batch)["loss.input_is_probabilities"] is False


def test_kl_div_wants_log_probabilities() -> None:
    teacher = torch.softmax(torch.randn(32, 4), dim=1)
    wrong = train(mlp(8, 4, nn.Softmax(dim=1)), lambda out, _: F.kl_div(out, teacher, reduction="batchmean"))
    assert wrong["loss.kl_arguments_wrong"] is True
    right = train(
        mlp(8, 4, nn.LogSoftmax(dim=1)),
        lambda out, _: F.kl_div(out, teacher.log(), None, None, "batchmean", True),
    )
    assert right["loss.kl_arguments_wrong"] is False


def test_sigmoid_before_bce_with_logits_is_seen() -> None:
    said = train(mlp(8, 1, nn.Sigmoid()), nn.BCEWithLogitsLoss(), one_of_two)
    assert said["loss.sigmoid_twice"] is True


def test_young_scores_between_0_and_1_are_no_probabilities() -> None:
    model = mlp(8, 1)
    with torch.no_grad():
        model[2].weight.mul_(0.01)
        model[2].bias.fill_(0.5)
    assert train(model, nn.BCEWithLogitsLoss(), one_of_two)["loss.sigmoid_twice"] is False


def test_bce_after_two_sigmoids_is_seen() -> None:
    assert (
        train(mlp(8, 1, nn.Sigmoid(), nn.Sigmoid()), nn.BCELoss(), one_of_two)["loss.sigmoid_twice"] is True
    )
    assert train(mlp(8, 1, nn.Sigmoid()), nn.BCELoss(), one_of_two)["loss.sigmoid_twice"] is False


def test_raw_scores_cut_for_bce_are_seen() -> None:
    said = train(mlp(8, 1), lambda out, y: F.binary_cross_entropy(out.clamp(1e-7, 1 - 1e-7), y), one_of_two)
    assert said["loss.bce_on_raw_scores"] is True
    model = mlp(8, 1, nn.Sigmoid())
    said = train(model, lambda out, y: F.binary_cross_entropy(out.clamp(1e-7, 1 - 1e-7), y), one_of_two)
    assert said["loss.bce_on_raw_scores"] is False


def test_labels_of_minus_one_are_out_of_range_for_bce() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = one_of_two()
        return inputs, 2 * labels - 1

    assert train(mlp(8, 1), nn.BCEWithLogitsLoss(), batch)["data.labels.out_of_range"] is True


@pytest.mark.parametrize(("dim", "wrong"), [(0, True), (1, False)])
def test_a_softmax_over_the_samples_is_seen(dim: int, wrong: bool) -> None:
    said = train(mlp(8, 4, nn.LogSoftmax(dim=dim)), nn.NLLLoss())
    assert said["loss.softmax_over_batch"] is wrong
    said = train(mlp(8, 4, nn.Softmax(dim=dim)), nn.CrossEntropyLoss())
    assert said["loss.softmax_over_batch"] is wrong


@pytest.mark.parametrize(("dim", "wrong"), [(0, True), (-2, True), (1, False)])
def test_a_softmax_over_the_samples_is_seen_in_some_of_its_rows(dim: int, wrong: bool) -> None:
    """The labelled nodes of a graph."""
    some = torch.arange(0, 32, 3)
    said = train(mlp(), lambda out, labels: F.nll_loss(F.log_softmax(out, dim)[some], labels[some]))
    assert said["loss.softmax_over_batch"] is wrong


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize(
    ("reduction", "weight", "told"), [("mean", 1, 20), ("batchmean", 1, None), ("mean", 20, None)]
)
def test_a_divergence_that_is_averaged_over_its_classes_is_told(
    reduction: str, weight: float, told: int | None
) -> None:
    def smoothed(out: Any, labels: Any) -> Any:
        soft = F.one_hot(labels, 20) * 0.9 + 0.005
        loss = F.kl_div(out.log_softmax(-1), soft, reduction=reduction)
        return loss if weight == 1 else loss * weight

    said = train(mlp(8, 20), smoothed)
    assert said.facts.get("loss.divergence_over_classes") == told
