"""Recurrent layers, and whether they run over the places of a sequence or over the samples of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, train

OVER = "model.recurrence_over_batch"
WORDS, LENGTH, BATCH = 20, 12, 7


class Language(nn.Module):
    """Predicts the next token at each place."""

    def __init__(self, kind: Any, batch_first: bool) -> None:
        super().__init__()
        self.words, self.reader = nn.Embedding(WORDS, 8), kind(8, 8, batch_first=batch_first)
        self.head = nn.Linear(8, WORDS)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.reader(self.words(tokens))[0])


def read(model: nn.Module, samples_first: bool, windows: bool = False, shift: int = 1) -> Any:
    """What is said of a model of text that stands in rows, or in columns."""
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(4):
            text = torch.randint(0, WORDS, (BATCH, LENGTH + 1))
            if windows:  # each begins one place after the last
                text = torch.randint(0, WORDS, (BATCH + LENGTH,)).unfold(0, LENGTH + 1, 1)
            given, labels = text[:, :LENGTH], text[:, shift : LENGTH + shift]
            if not samples_first:
                given, labels = given.T.contiguous(), labels.T
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(model(given).reshape(-1, WORDS), labels.reshape(-1))
            loss.backward()
            optimizer.step()
    return said.facts.get(OVER)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("samples_first", [True, False])
def test_text_that_is_read_from_sample_to_sample(kind: Any, samples_first: bool) -> None:
    assert read(Language(kind, batch_first=not samples_first), samples_first) is True


@pytest.mark.parametrize("samples_first", [True, False])
@pytest.mark.parametrize("windows", [True, False])
def test_text_that_is_read_from_place_to_place(samples_first: bool, windows: bool) -> None:
    assert read(Language(nn.LSTM, samples_first), samples_first, windows) is False


@pytest.mark.parametrize("batch_first", [True, False])
def test_a_model_that_keeps_the_last_token_for_itself(batch_first: bool) -> None:
    class Whole(Language):
        def forward(self, tokens: Any) -> Any:
            return super().forward(tokens[:, :-1])

    model = Whole(nn.GRU, batch_first)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(4):
            text = torch.randint(0, WORDS, (BATCH, LENGTH))
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(model(text).transpose(1, 2), text[:, 1:])
            loss.backward()
            optimizer.step()
    assert said[OVER] is not batch_first


def test_tags_of_words_tell_nothing_of_the_axes() -> None:
    assert read(Language(nn.LSTM, batch_first=True), True, shift=0) is None


class Last(nn.Module):
    """Reads numbers, and takes what the layer gave last along one axis."""

    def __init__(self, batch_first: bool, last: Callable[[Any], Any], outputs: int = 3) -> None:
        super().__init__()
        self.reader, self.head, self.last = (
            nn.LSTM(4, 8, batch_first=batch_first),
            nn.Linear(8, outputs),
            last,
        )

    def forward(self, x: Any) -> Any:
        return self.head(self.last(self.reader(x)[0]))


def batch() -> Any:
    return torch.randn(BATCH, LENGTH, 4), torch.randint(0, 3, (BATCH,))


@pytest.mark.parametrize(
    "last",
    [
        lambda out: out[:, -1],
        lambda out: out[:, -1, :],
        lambda out: out.select(1, -1),
        lambda out: out[:, LENGTH - 1],
    ],
)
def test_the_last_sample_is_read_for_all(last: Callable[[Any], Any]) -> None:
    assert train(Last(False, last), nn.CrossEntropyLoss(), batch)[OVER] is True


def test_a_forecast_from_the_last_sample() -> None:
    said = train(
        Last(False, lambda out: out[:, -1], 1),
        nn.HuberLoss(),
        lambda: (torch.randn(BATCH, LENGTH, 4), torch.randn(BATCH, 1)),
    )
    assert said[OVER] is True


def test_the_last_place_is_read() -> None:
    said = train(Last(True, lambda out: out[:, -1]), nn.CrossEntropyLoss(), batch)
    assert OVER not in said.facts


def test_places_that_come_first_and_are_labelled_one_by_one() -> None:
    """A film of several places, each with a state of its own, and a label for each picture; all of them are read."""
    said = train(Last(False, lambda out: out.mean(1)), nn.CrossEntropyLoss(), batch)
    assert OVER not in said.facts


def test_a_number_for_each_place_of_each_sample() -> None:
    said = train(
        nn.Sequential(Last(False, lambda out: out, 1), nn.Flatten(1)),
        nn.MSELoss(),
        lambda: (torch.randn(LENGTH, BATCH, 4), torch.randn(LENGTH, BATCH)),
    )
    assert OVER not in said.facts


def test_layers_over_both_axes() -> None:
    class Both(Last):
        def __init__(self) -> None:
            super().__init__(False, lambda out: out[:, -1])
            self.across = nn.GRU(4, 4, batch_first=True)

        def forward(self, x: Any) -> Any:
            return super().forward(self.across(x)[0])

    assert OVER not in train(Both(), nn.CrossEntropyLoss(), batch).facts
