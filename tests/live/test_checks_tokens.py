"""Labels and ids of language models."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, train
from tests.live.looking import Said


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
