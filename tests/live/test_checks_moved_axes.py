"""Axes of what a network computes that are given other sizes where they should change places."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked
from traindx.probes.live.observer.checks.moved_axes import moved, rows_mixed

BATCH, LENGTH, WIDTH, KINDS, HEADS = 8, 6, 16, 5, 4


class Reader(nn.Module):
    """A tagger, or a classifier, that lays its axes out in one way or another."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.words = nn.Embedding(20, WIDTH)
        self.rnn = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional="state" in how)
        self.convolution = nn.Conv1d(WIDTH, KINDS, 1)
        self.head = nn.Linear(2 * WIDTH if "state" in how else WIDTH, KINDS)

    def forward(self, words: Any) -> Any:
        x = self.words(words)
        if "state" in self.how:
            state = self.rnn(x)[1]
            state = state.view(BATCH, -1) if self.how == "states cut" else state.transpose(0, 1).flatten(1)
            return self.head(state)
        if "heads" in self.how:
            x = self.attended(x)
        if self.how == "convolved in rows":
            return self.convolution(x.transpose(1, 2)).view(-1, KINDS)
        scores = self.head(x)
        if self.how == "scores cut":
            return scores.view(BATCH, KINDS, LENGTH)
        return scores.flatten(0, 1) if self.how == "in rows" else scores.transpose(1, 2)

    def attended(self, x: Any) -> Any:
        if self.how == "heads cut":
            q = x.view(BATCH, HEADS, LENGTH, -1)
        else:
            q = x.view(BATCH, LENGTH, HEADS, -1).transpose(1, 2)
        out = F.scaled_dot_product_attention(q, q, q)
        out = out if self.how == "heads joined" else out.transpose(1, 2)
        return out.reshape(BATCH, LENGTH, WIDTH)


def read(how: str) -> Any:
    model = Reader(how)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(5):
            words = torch.randint(0, 20, (BATCH, LENGTH))
            tags = words % KINDS
            optimizer.zero_grad()
            labels = tags[:, 0] if "state" in how else tags.flatten() if "in rows" in how else tags
            loss: Any = F.cross_entropy(model(words), labels)
            loss.backward()
            optimizer.step()
    computed = said.facts.get("model.computed_axes_moved_by_view")
    assert computed in (None, said.facts.get("model.axes_moved_by_view"))
    return said.facts.get("model.axes_moved_by_view")


@pytest.mark.parametrize(
    "how", ["scores cut", "convolved in rows", "heads cut", "heads joined", "states cut"]
)
def test_a_view_in_the_place_of_a_transpose_is_seen(how: str) -> None:
    assert read(how) is True


@pytest.mark.parametrize("how", ["scores moved", "in rows", "heads moved", "states moved"])
def test_axes_that_change_places_are_not(how: str) -> None:
    assert read(how) is None


class Series(nn.Module):
    """Convolves over time what comes as (samples, times, channels)."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how, self.net = how, nn.Conv1d(WIDTH, KINDS, 3)

    def forward(self, x: Any) -> Any:
        if self.how == "cut":
            x = x.reshape(x.shape[0], x.shape[2], x.shape[1])
        elif self.how == "moved":
            x = x.transpose(1, 2)
        return self.net(x).mean(2)


@pytest.mark.parametrize(("how", "said_of"), [("cut", True), ("moved", None), ("outside", None)])
def test_what_a_network_is_given_is_looked_at_within_it(how: str, said_of: bool | None) -> None:
    """What is laid out before may lie in memory otherwise than its shape says."""
    model = Series(how)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(5):
            x = torch.randn(BATCH, LENGTH, WIDTH)
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(
                model(x.reshape(BATCH, WIDTH, LENGTH) if how == "outside" else x), torch.arange(BATCH) % KINDS
            )
            loss.backward()
            optimizer.step()
    assert said.facts.get("model.axes_moved_by_view") is said_of
    assert "model.computed_axes_moved_by_view" not in said.facts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((8, 64, 8, 8), (8, 8, 512)),  # channels in groups
        ((48, 16, 4, 4), (8, 6, 256)),  # frames of clips that were convolved one by one
        ((8, 36, 16), (8, 6, 6, 16)),  # places of a grid
        ((8, 6, 16), (48, 16)),
        ((8, 1, 16), (8, 16, 1)),
        ((2, 8, 16), (1, 2, 8, 16)),  # layers and directions of a state
        ((8, 6, 16), (8, 6, 4, 4)),
    ],
)
def test_sizes_that_are_split_or_joined_where_they_stand_say_nothing(
    before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    assert (moved(before, after), rows_mixed(before, after)) == (False, False)


def flattened(upright: bool) -> Any:
    """Scores place by place, and labels that are turned to them or not."""
    words, rnn, head = nn.Embedding(20, WIDTH), nn.GRU(WIDTH, WIDTH), nn.Linear(WIDTH, KINDS)
    with checked() as said:
        optimizer = torch.optim.SGD([*words.parameters(), *rnn.parameters(), *head.parameters()], lr=0.01)
        for _ in range(5):
            given = torch.randint(0, 20, (BATCH, LENGTH))
            tags = given % KINDS
            scores = head(rnn(words(given.t()))[0].view(-1, WIDTH))
            optimizer.zero_grad()
            labels = tags.t().reshape(-1) if upright else tags.view(-1)
            loss: Any = F.cross_entropy(scores, labels)
            loss.backward()
            optimizer.step()
    return said.facts.get("data.labels.in_other_order")


@pytest.mark.parametrize("upright", [False, True])
def test_rows_of_scores_and_of_labels_in_different_orders_are_seen(upright: bool) -> None:
    assert flattened(upright) is not upright
