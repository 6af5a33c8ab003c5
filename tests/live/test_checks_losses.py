"""Losses that are given what they do not expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, mlp, numbers, train
from tests.live.looking import Said


def one_of_two(count: int = 32) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(count, 8), torch.randint(0, 2, (count, 1)).float()


def test_softmax_before_cross_entropy_is_seen() -> None:
    said = train(mlp(8, 4, nn.Softmax(dim=1)), nn.CrossEntropyLoss())
    assert said["loss.input_is_probabilities"] is True
    record = next(one for one in said.records("fact") if one["name"] == "loss.input_is_probabilities")
    assert record["file"].endswith("checking.py")


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


@pytest.mark.filterwarnings("ignore:Using a target size")
def test_a_loss_that_broadcasts_is_seen() -> None:
    said = train(mlp(8, 1), lambda out, y: F.mse_loss(out, y.squeeze(1)), numbers)
    assert said["loss.shapes_broadcast"] is True
    assert train(mlp(8, 1), nn.MSELoss(), numbers)["loss.shapes_broadcast"] is False


def test_a_difference_by_hand_that_broadcasts_is_seen() -> None:
    said = train(mlp(8, 1), lambda out, y: ((out - y.squeeze(1)) ** 2).mean(), numbers)
    assert said["loss.shapes_broadcast"] is True


def test_pairwise_differences_are_meant() -> None:
    def ranking(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        flat = out.squeeze(1)
        return torch.sigmoid(flat - flat.unsqueeze(1)).mean()

    assert "loss.shapes_broadcast" not in train(mlp(8, 1), ranking, numbers).facts


REWARD = torch.linspace(-2, 3, 32).sin()
ENDED = (torch.arange(32) % 5 == 0).float()
SCORES = torch.linspace(0, 4, 32).cos()[:, None]
POINTS = torch.linspace(0, 9, 32).sin().reshape(16, 2).repeat(2, 1) + torch.linspace(0, 1, 32)[:, None]


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(
    "loss",
    [
        lambda out, _: (out - (REWARD + 0.9 * SCORES)).pow(2).mean(),
        lambda out, _: (out.squeeze(1) - (REWARD + 0.9 * (1 - ENDED) * SCORES)).abs().mean(),
        lambda out, _: ((REWARD[:, None] + 0.9 * (1 - ENDED) * SCORES[:, 0][None]) - out).pow(2).sum(),
        lambda out, _: F.mse_loss(out, REWARD * SCORES),
        lambda out, _: F.smooth_l1_loss(out, (REWARD + 0.9 * torch.minimum(SCORES, SCORES.flip(0)))),
    ],
    ids=["sum", "ends", "turned round", "product in a loss", "least of two"],
)
def test_a_target_that_was_spread_over_all_pairs_is_seen(loss: Any) -> None:
    assert train(mlp(8, 1), loss, numbers)["loss.shapes_broadcast"] is True


@pytest.mark.parametrize(
    "loss",
    [
        lambda out, _: (out + torch.cdist(POINTS, POINTS) - out.T).pow(2).mean(),
        lambda out, _: (torch.cdist(POINTS, POINTS).pow(2) - out).relu().mean(),
        lambda out, _: ((SCORES - SCORES.T).abs() - out).relu().mean(),
        lambda out, _: F.cross_entropy(
            out @ out.T - (out @ out.T).amax(1, keepdim=True).detach(), torch.arange(32)
        ),
        lambda out, _: (out - torch.randn(32, 32)).pow(2).mean(),
        lambda out, _: (out - torch.ones(32, 32)).pow(2).mean(),
        lambda out, _: (out @ out.T - (SCORES - SCORES.T)).pow(2).mean(),
        lambda out, _: ((out @ out.T).masked_fill(torch.ones(32, 32).triu(1) > 0, -1e9)).softmax(1).sum(),
        lambda out, _: (out * (torch.arange(32) - torch.arange(32)[:, None]).float().abs()).mean(),
        lambda out, _: (out * (REWARD - REWARD[:, None]).sign()).mean(),
        lambda out, _: sum(
            (out - one).pow(2).mean() for one in torch.meshgrid(REWARD, REWARD, indexing="ij")
        ),
        lambda out, _: ((out - (REWARD + SCORES)).detach() + out.sum()).mean(),
    ],
    ids=[
        "distances of points and potentials",
        "cost less one potential",
        "distances of numbers",
        "similarities",
        "targets of several heads",
        "one number for all",
        "pairs against pairs",
        "attention with a mask",
        "relative positions",
        "order of pairs",
        "meshgrid",
        "not in the loss",
    ],
)
def test_squares_that_are_meant_are_none(loss: Any) -> None:
    assert not train(mlp(8, 1), loss, numbers).facts.get("loss.shapes_broadcast", False)


def test_a_loss_whose_target_is_another_shape_on_purpose_has_not_one_shape() -> None:
    said = train(mlp(8, 4), lambda out, _: F.mse_loss(out, out.mean(0, keepdim=True).expand_as(out)), numbers)
    assert said["loss.shapes_broadcast"] is False
    with pytest.warns(UserWarning, match="target size"):
        said = train(mlp(8, 4), lambda out, _: F.mse_loss(out, out.detach().mean(0)), numbers)
    assert "loss.shapes_broadcast" not in said.facts


def test_targets_beyond_the_output_are_seen() -> None:
    assert train(mlp(8, 1, nn.Sigmoid()), nn.MSELoss(), numbers)["loss.target_out_of_reach"] is True

    def small() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, targets = numbers()
        return inputs, torch.sigmoid(targets)

    assert train(mlp(8, 1, nn.Sigmoid()), nn.MSELoss(), small)["loss.target_out_of_reach"] is False


def test_a_label_out_of_range_is_read_from_the_error() -> None:
    with pytest.raises(IndexError), checked() as said:  # noqa: PT012 - the loop is what raises
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(20):
            inputs, labels = classes()
            if step == 15:
                labels[3] = 4
            loss: Any = F.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    assert said["data.labels.out_of_range"] is True
    assert said["data.labels.max"] == 4


def test_raw_scores_that_bce_refuses_are_read_from_the_error() -> None:
    with pytest.raises(RuntimeError), checked() as said:  # noqa: PT012 - the loop is what raises
        model = mlp(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        inputs, labels = one_of_two()
        optimizer.zero_grad()
        F.binary_cross_entropy(model(inputs), labels)
    assert said["loss.bce_on_raw_scores"] is True


def test_partly_ignored_labels_are_counted() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes(40)
        labels[:10] = -100
        return inputs, labels

    said = train(mlp(), nn.CrossEntropyLoss(), batch)
    assert said["data.labels.ignored_share"] == 0.25
    assert said["data.labels.all_ignored"] is False
    assert said["data.labels.out_of_range"] is False


def test_a_batch_of_ignored_labels_is_seen() -> None:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        inputs, labels = classes()
        return inputs, torch.full_like(labels, -100)

    assert train(mlp(), nn.CrossEntropyLoss(), batch)["data.labels.all_ignored"] is True


def sorted_batches(of: int = 4) -> list[tuple[torch.Tensor, torch.Tensor]]:
    labels: Any = torch.arange(of).repeat_interleave(64)
    return list(zip(torch.randn(len(labels), 8).chunk(of * 2), labels.split(32), strict=True))


def test_labels_sorted_by_class_are_seen() -> None:
    batches = iter(sorted_batches(8))
    said = train(mlp(8, 8), nn.CrossEntropyLoss(), lambda: next(batches))
    assert said["data.labels.sorted"] is True
    assert said["data.shuffled"] is False


def test_shuffled_labels_are_cleared() -> None:
    said = train(mlp(), nn.CrossEntropyLoss())
    assert said["data.labels.sorted"] is False
    assert "data.shuffled" not in said.facts


def test_domain_labels_that_take_turns_are_not_sorted_data() -> None:
    """A domain classifier is given zeros for one half and ones for the other, in every step."""

    def domains(out: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        zeros = torch.zeros(16, dtype=torch.long)
        return F.cross_entropy(out[:16], zeros) + F.cross_entropy(out[16:], zeros + 1)

    assert train(mlp(8, 2), domains).facts.get("data.labels.sorted") is not True


def test_contrastive_labels_are_not_sorted_data() -> None:
    def contrast(out: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(out @ out.detach().T, torch.arange(len(out)))

    assert train(mlp(), contrast).facts.get("data.labels.sorted") is False


def test_batches_that_a_sampler_balances_are_not_sorted_data() -> None:
    """Half of one class, then half of the other, in every batch."""
    labels = torch.arange(2).repeat_interleave(16)
    said = train(mlp(8, 2), nn.CrossEntropyLoss(), lambda: (torch.randn(32, 8), labels))
    assert said["data.labels.sorted"] is False


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


class Language(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.head = nn.Embedding(20, 8), nn.Linear(8, 20)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.embedding(tokens))


def language(*shifts: int) -> Said:
    """Train on tokens whose labels lie so many places further on, one loss for each."""

    def batch() -> tuple[Any, Any]:
        tokens = torch.randint(0, 20, (8, 18))
        return tokens[:, :16], [tokens[:, shift : shift + 16] for shift in shifts]

    return train(
        Language(),
        lambda out, labels: sum(F.cross_entropy(out.flatten(0, 1), one.reshape(-1)) for one in labels),
        batch,
    )


@pytest.mark.parametrize(("shift", "wrong"), [(0, True), (1, False)])
def test_tokens_that_are_their_own_labels_are_seen(shift: int, wrong: bool) -> None:
    """What comes next was not taken one place further on."""
    assert language(shift)["data.labels.are_inputs"] is wrong


@pytest.mark.parametrize(("shifts", "wrong"), [((2,), True), ((1,), False), ((1, 2), False)])
def test_labels_that_were_shifted_twice_are_seen(shifts: tuple[int, ...], wrong: bool) -> None:
    """Several tokens at once are foretold with the next among them."""
    assert language(*shifts)["data.labels.two_ahead"] is wrong


@pytest.mark.parametrize(("begin", "labelled", "wrong"), [(0, 0, True), (0, 1, False), (None, 0, False)])
def test_a_decoder_whose_labels_are_what_it_is_given_is_seen(
    begin: int | None, labelled: int, wrong: bool
) -> None:
    """It is given the sequence up to each place. An autoencoder is given the same sequence before, and may copy it."""

    class Translator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.source, self.target = nn.Embedding(20, 8), nn.Embedding(20, 8)
            self.head = nn.Linear(8, 20)

        def forward(self, source: Any, target: Any) -> Any:
            read = self.source(source).mean(1, keepdim=True)
            return self.head(read + self.target(target))

    def step() -> Any:
        words, meanings = torch.randint(0, 20, (8, 13)), torch.randint(0, 20, (8, 12))
        given = words[:, :12]
        scores = model(given if begin is None else meanings, given)
        return F.cross_entropy(scores.flatten(0, 1), words[:, labelled : labelled + 12].reshape(-1))

    model = Translator()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(8):
            optimizer.zero_grad()
            step().backward()
            optimizer.step()
    assert (said.facts.get("data.labels.are_inputs") is True) is wrong


def test_an_id_beyond_an_embedding_is_read_from_the_error() -> None:
    with pytest.raises(IndexError), checked() as said:  # noqa: PT012 - the model is to be watched
        model = nn.Embedding(8, 4)
        torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.tensor([[0, 3, 11]]))
    assert (said["data.ids.max"], said["model.embedding_rows"]) == (11, 8)
