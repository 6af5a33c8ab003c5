"""What the sampled steps see of sequences: where their places are numbered, and what is read of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from tests.live.checking import mlp, train


class Numbered(nn.Module):
    """Reads sequences of 6 with attention, after their places were numbered in one way or another."""

    def __init__(self, how: str, attends: str = "layer") -> None:
        super().__init__()
        self.how = how
        self.attends = attends
        self.register_buffer("upright", torch.randn(50, 1, 8))
        self.flat = nn.Parameter(torch.randn(50, 8))
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=how != "sequence first")
        self.qkv = nn.Linear(8, 24)
        self.last = nn.Linear(8, 4)

    def numbered(self, x: Any) -> Any:
        upright: Any = self.upright
        if self.how in ("along the batch", "sequence first"):
            return x + upright[: x.size(0)]
        if self.how == "turned":
            return x + upright[: x.size(1)].transpose(0, 1)
        return x + self.flat[: x.size(1)]

    def forward(self, x: Any) -> Any:
        if self.how == "sequence first":
            return self.last(self.encoder(self.numbered(x.transpose(0, 1))).mean(0))
        x = self.numbered(x)
        if self.attends == "layer":
            return self.last(self.encoder(x).mean(1))
        q, k, v = (one.unflatten(2, (2, 4)).transpose(1, 2) for one in self.qkv(x).chunk(3, dim=2))
        if self.attends == "product":
            out = F.scaled_dot_product_attention(q, k, v)
        else:
            out = (q @ k.transpose(2, 3) / 2).softmax(dim=-1) @ v
        return self.last(out.transpose(1, 2).flatten(2).mean(1))


def sequences() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(16, 6, 8), torch.randint(0, 4, (16,))


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("along the batch", True),
        ("sequence first", False),
        ("turned", False),
        ("flat", False),
    ],
)
def test_places_that_are_numbered_along_the_batch_are_seen(how: str, told: bool) -> None:
    said = train(Numbered(how), nn.CrossEntropyLoss(), sequences)
    assert said.facts.get("model.positions_over_batch") is told


@pytest.mark.parametrize("attends", ["product", "by hand"])
def test_attention_written_by_hand_tells_which_axis_is_the_sequence(attends: str) -> None:
    said = train(Numbered("along the batch", attends), nn.CrossEntropyLoss(), sequences)
    assert said["model.positions_over_batch"] is True


def test_a_condition_for_each_sample_is_no_number_of_a_place() -> None:
    class Conditioned(Numbered):
        def numbered(self, x: Any) -> Any:
            return x + self.qkv(x.mean(1))[:, :8].unsqueeze(1)

    said = train(Conditioned("flat"), nn.CrossEntropyLoss(), sequences)
    assert "model.positions_over_batch" not in said.facts


# -- cosines


class Towers(nn.Module):
    """Compares what two towers make of the samples of a batch."""

    def __init__(self, scale: float | None, normal: bool = True) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(8, 6), nn.Linear(8, 6)
        self.scale = scale
        self.normal = normal

    def forward(self, x: Any) -> Any:
        left, right = self.left(x), self.right(x)
        if self.normal:
            left, right = F.normalize(left, dim=1), F.normalize(right, dim=1)
        scores = left @ right.T
        return scores if self.scale is None else scores * self.scale


@pytest.mark.parametrize(
    ("scale", "normal", "told"),
    [(None, True, True), (20.0, True, False), (None, False, None), (0.07, True, True), (0.07, False, None)],
)
def test_cosines_without_a_temperature_are_seen(scale: float | None, normal: bool, told: bool | None) -> None:
    said = train(Towers(scale, normal), nn.CrossEntropyLoss(), lambda: (torch.randn(16, 8), torch.arange(16)))
    assert said.facts.get("loss.scores_are_cosines") is told


@pytest.mark.parametrize(("scale", "told"), [(0.1, True), (10.0, False)])
def test_the_scale_of_cosines_is_seen_where_each_sample_is_hidden_from_itself(
    scale: float, told: bool
) -> None:
    class Views(Towers):
        def forward(self, x: Any) -> Any:
            return super().forward(x).masked_fill(torch.eye(len(x)).bool(), float("-inf"))

    said = train(
        Views(scale), nn.CrossEntropyLoss(), lambda: (torch.randn(16, 8), (torch.arange(16) + 8) % 16)
    )
    assert said.facts.get("loss.scores_are_cosines") is told


def test_a_small_scale_of_cosines_that_is_trained_may_grow() -> None:
    class Learnt(Towers):
        def __init__(self) -> None:
            super().__init__(None)
            self.factor = nn.Parameter(torch.tensor(0.1))

        def forward(self, x: Any) -> Any:
            return super().forward(x) * self.factor

    said = train(Learnt(), nn.CrossEntropyLoss(), lambda: (torch.randn(16, 8), torch.arange(16)))
    assert said.facts.get("loss.scores_are_cosines") is False


@pytest.mark.parametrize(("outputs", "told"), [(20, True), (4, None)])
def test_a_classifier_of_cosines_is_seen_where_it_has_many_classes(outputs: int, told: bool | None) -> None:
    class Cosine(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(outputs, 8))

        def forward(self, x: Any) -> Any:
            return F.linear(F.normalize(x), F.normalize(self.weight))

    said = train(Cosine(), nn.CrossEntropyLoss())
    assert said.facts.get("loss.scores_are_cosines") is told


# -- masks


@pytest.mark.parametrize(("kept", "told"), [(lambda step: 0, True), (lambda step: int(step % 3 == 0), False)])
def test_a_mask_that_is_empty_in_each_step_is_seen(kept: Any, told: bool) -> None:
    steps = iter(range(1, 100))

    def loss(scores: Any, labels: Any) -> Any:
        mask = torch.zeros_like(scores)
        mask[:, : kept(next(steps))] = 1
        return (scores.log_softmax(1) * mask).sum(1).mean()

    said = train(mlp(), loss, steps=40)
    assert said["loss.mask_empty"] is told


def test_a_weight_of_zero_is_no_mask() -> None:
    said = train(mlp(), lambda scores, labels: F.cross_entropy(scores, labels) + 0.0 * scores.pow(2).mean())
    assert "loss.mask_empty" not in said.facts


# -- the last state


class Reads(nn.Module):
    """A recurrent layer over tokens, of which 0 is padding."""

    def __init__(self, how: str, batch_first: bool = True, kind: Any = nn.LSTM) -> None:
        super().__init__()
        self.how, self.batch_first = how, batch_first
        self.tokens = nn.Embedding(30, 8)
        self.layer = kind(8, 8, batch_first=batch_first)
        self.last = nn.Linear(8, 4)

    def forward(self, ids: Any) -> Any:
        x = self.tokens(ids)
        if self.how == "packed":
            packed = pack_padded_sequence(x, (ids != 0).sum(1), batch_first=True, enforce_sorted=False)
            state = self.layer(packed)[1]
            return self.last(state[0][-1])
        out, state = self.layer(x if self.batch_first else x.transpose(0, 1))
        state = state[0] if isinstance(state, tuple) else state
        if self.how == "last":
            return self.last(out[:, -1] if self.batch_first else out[-1])
        if self.how == "state":
            return self.last(state.squeeze(0))
        if self.how == "mean":
            return self.last(out.mean(1))
        return self.last(out[torch.arange(len(ids)), (ids != 0).sum(1) - 1])


def padded(right: bool = True, most: int = 10) -> Any:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        ids = torch.randint(1, 30, (16, 40))
        ends = torch.randint(4, most, (16, 1))
        ids[torch.arange(40) >= ends] = 0
        return ids if right else ids.flip(1), torch.randint(0, 4, (16,))

    return batch


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
@pytest.mark.parametrize(("how", "batch_first"), [("last", True), ("last", False), ("state", True)])
def test_a_state_that_is_read_behind_padding_is_seen(how: str, batch_first: bool, kind: Any) -> None:
    said = train(Reads(how, batch_first, kind), nn.CrossEntropyLoss(), padded())
    assert said["data.padding_before_last_state"] >= 30


@pytest.mark.parametrize("how", ["packed", "mean", "gathered"])
def test_a_state_that_is_read_elsewhere_is_left_alone(how: str) -> None:
    said = train(Reads(how), nn.CrossEntropyLoss(), padded())
    assert "data.padding_before_last_state" not in said.facts


def test_padding_on_the_left_stands_before_what_is_read() -> None:
    said = train(Reads("last"), nn.CrossEntropyLoss(), padded(right=False))
    assert said["data.padding_before_last_state"] == 0
