"""Masks of padding that say what to keep where what to leave out is asked for, and the other way round."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked

WORDS, LENGTH, WIDTH = 40, 10, 16
ALONE = "data.padding_alone_read"


class Reader(nn.Module):
    """Attention as a layer, as a product, or by hand, and a mask that hides the padding, or the text."""

    def __init__(self, way: str, added: int = 0) -> None:
        super().__init__()
        self.way, self.added = way, added
        self.words, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, 3)
        self.layer = nn.MultiheadAttention(WIDTH, 2, batch_first=True)

    def forward(self, tokens: Any, hidden: Any) -> Any:
        x = F.pad(self.words(tokens), (0, 0, self.added, 0), value=1.0)
        hidden = F.pad(hidden, (self.added, 0))
        if self.way == "layer":
            x = self.layer(x, x, x, key_padding_mask=hidden)[0]
        elif self.way == "product":
            x = F.scaled_dot_product_attention(x, x, x, attn_mask=~hidden[:, None])
        else:
            x = (x @ x.transpose(1, 2)).masked_fill(hidden[:, None], -1e9).softmax(-1) @ x
        return self.head(x.mean(1))


def read(way: str, hide: str, added: int = 0) -> Any:
    model = Reader(way, added)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            tokens = torch.randint(2, WORDS, (12, LENGTH))
            padding = torch.arange(LENGTH) >= torch.randint(4, LENGTH, (12, 1))
            padding[:, -1] = True
            tokens[padding], tokens[:, 0] = 0, 1
            first = torch.arange(LENGTH).expand(12, -1) == 0
            hidden = {"padding": padding, "text": ~padding, "all but the first": ~first}[hide]
            loss: Any = F.cross_entropy(model(tokens, hidden), torch.randint(0, 3, (12,)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return said.facts.get(ALONE)


@pytest.mark.parametrize("way", ["layer", "product", "hand"])
def test_a_mask_that_hides_the_text_leaves_the_padding_alone(way: str) -> None:
    assert read(way, "text") is True


@pytest.mark.parametrize("way", ["layer", "product", "hand"])
def test_a_mask_that_hides_the_padding_leaves_the_text(way: str) -> None:
    assert read(way, "padding") is False


@pytest.mark.parametrize("way", ["layer", "product", "hand"])
def test_attention_may_pool_at_the_first_token_which_is_the_same_in_all_samples(way: str) -> None:
    assert read(way, "all but the first") is False


@pytest.mark.parametrize("way", ["layer", "product", "hand"])
@pytest.mark.parametrize(
    ("hide", "alone"), [("text", True), ("padding", False), ("all but the first", False)]
)
def test_a_place_that_the_model_puts_before_the_tokens_hides_neither(
    way: str, hide: str, alone: bool
) -> None:
    assert read(way, hide, added=1) is alone
