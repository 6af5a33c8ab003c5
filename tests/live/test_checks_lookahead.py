"""Language models, and whether they may look at the token that they are to predict."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tests.live.checking import checked

LENGTH, WORDS, WIDTH = 12, 30, 16


class Language(nn.Module):
    """Attention as a layer, as a product, or by hand, behind a mask or none."""

    def __init__(self, way: str, masked: bool) -> None:
        super().__init__()
        self.way, self.masked = way, masked
        self.words, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True)

    def forward(self, tokens: Any) -> Any:
        x = self.words(tokens)
        later = torch.ones(LENGTH, LENGTH).triu(1).bool()
        if self.way == "layer":
            x = self.layer(x, later if self.masked else None)
        elif self.way == "product":
            x = F.scaled_dot_product_attention(x, x, x, is_causal=self.masked)
        elif self.way == "padded":
            x = self.layer(x, src_key_padding_mask=tokens == 0)
        else:
            scores = x @ x.transpose(1, 2)
            x = (scores.masked_fill(later, -1e9) if self.masked else scores).softmax(-1) @ x
        return self.head(x)


def read(way: str, masked: bool, shift: int = 1) -> Any:
    model = Language(way, masked)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(1, WORDS, (8, LENGTH + 1))
            scores = model(text[:, :LENGTH])
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(
                scores.flatten(0, 1), text[:, shift : shift + LENGTH].flatten(), ignore_index=0
            )
            loss.backward()
            optimizer.step()
    return said.facts.get("model.sees_next_token")


@pytest.mark.parametrize("way", ["layer", "product", "hand", "padded"])
def test_attention_without_a_mask_sees_what_is_to_be_predicted(way: str) -> None:
    assert read(way, masked=False) is True


class Upright(nn.Module):
    """Text in columns, as torch's own transformer takes it."""

    def __init__(self, masked: bool) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 16)
        self.mask = torch.ones(LENGTH, LENGTH).triu(1).bool() if masked else None

    def forward(self, tokens: Any) -> Any:
        return self.head(self.layer(self.words(tokens), self.mask))


@pytest.mark.parametrize(("masked", "shift", "told"), [(False, 1, True), (True, 1, None), (False, 0, None)])
def test_text_in_columns_is_read_as_it_stands(masked: bool, shift: int, told: bool | None) -> None:
    model = Upright(masked)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(0, WORDS, (LENGTH + 1, 8))
            optimizer.zero_grad()
            labels = text[shift : shift + LENGTH].reshape(-1)
            loss: Any = F.cross_entropy(model(text[:LENGTH]).view(-1, WORDS), labels)
            loss.backward()
            optimizer.step()
    assert said.facts.get("model.sees_next_token") is told


@pytest.mark.parametrize("way", ["layer", "product", "hand"])
def test_a_mask_hides_it(way: str) -> None:
    assert read(way, masked=True) is None


class Masked(Language):
    """Attention behind any mask: True hides, or numbers are added."""

    def __init__(self, way: str, mask: Any) -> None:
        super().__init__(way, masked=True)
        self.mask = mask

    def forward(self, tokens: Any) -> Any:
        x, mask = self.words(tokens), self.mask
        hides = mask.dtype is torch.bool
        if self.way == "layer":
            x = self.layer(x, mask)
        elif self.way == "product":
            x = F.scaled_dot_product_attention(x, x, x, attn_mask=~mask if hides else mask)
        else:
            scores = x @ x.transpose(1, 2)
            x = (scores.masked_fill(mask, float("-inf")) if hides else scores + mask).softmax(-1) @ x
        return self.head(x)


def read_behind(way: str, mask: Any, words: int = WORDS) -> Any:
    model = Masked(way, mask)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(0, words, (8, LENGTH + 1))
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
            loss.backward()
            optimizer.step()
    return said.facts.get("model.sees_next_token")


SQUARE = torch.ones(LENGTH, LENGTH)
DOCUMENTS = torch.arange(LENGTH) // 4


@pytest.mark.parametrize("way", ["layer", "product", "hand"])
@pytest.mark.parametrize(
    "mask",
    [SQUARE.triu(2).bool(), 0 * SQUARE, -(SQUARE.cumsum(0) - SQUARE.cumsum(1)).abs(), ~SQUARE.triu(-2).bool()],
    ids=["one place too far", "nothing is added", "a bias for what is near", "hides what came long before"],
)  # fmt: skip
def test_a_mask_that_leaves_the_next_place_open_hides_nothing_that_matters(way: str, mask: Any) -> None:
    assert read_behind(way, mask) is True


@pytest.mark.parametrize("way", ["layer", "product", "hand"])
@pytest.mark.parametrize(
    "mask",
    [
        SQUARE.triu(1).bool(),
        SQUARE.triu(1) * -1e9,
        SQUARE.triu(1).bool() & (torch.arange(LENGTH) >= 4),
        DOCUMENTS[:, None] != DOCUMENTS[None],
    ],
    ids=["what follows", "as numbers", "but for a prefix", "other documents"],
)
def test_a_mask_that_hides_the_next_place_anywhere_may_be_right(way: str, mask: Any) -> None:
    assert read_behind(way, mask) is not True


def test_four_letters_are_a_text() -> None:
    assert read_behind("hand", SQUARE.triu(2).bool(), words=4) is True


def test_words_that_are_labelled_where_they_stand_may_be_read_in_both_directions() -> None:
    assert read("layer", masked=False, shift=0) is None


def test_a_caption_is_predicted_behind_a_picture_of_as_many_patches() -> None:
    """The patches look at each other, and the words go through a recurrent layer."""

    class Captions(Language):
        def __init__(self) -> None:
            super().__init__("layer", masked=False)
            self.reader = nn.GRU(WIDTH, WIDTH, batch_first=True)

        def forward(self, tokens: Any, patches: Any) -> Any:  # type: ignore[override]
            picture = self.layer(patches).mean(1)
            return self.head(self.reader(self.words(tokens), picture[None])[0])

    model = Captions()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(1, WORDS, (8, LENGTH + 1))
            optimizer.zero_grad()
            scores = model(text[:, :-1], torch.randn(8, LENGTH, WIDTH))
            loss: Any = F.cross_entropy(scores.transpose(1, 2), text[:, 1:])
            loss.backward()
            optimizer.step()
    assert "model.sees_next_token" not in said.facts


class Translator(nn.Module):
    """An encoder that reads in both directions, and a decoder of one kind or another."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.words, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
        self.both = nn.Transformer(WIDTH, 2, 1, 2, 16, batch_first=True)
        self.reader = nn.GRU(WIDTH, WIDTH, batch_first=True)

    def forward(self, source: Any, target: Any) -> Any:
        read, x = self.words(source), self.words(target)
        if self.way == "recurrent":
            return self.head(self.reader(x, self.both.encoder(read).mean(1)[None])[0])
        memory = self.both.encoder(read)
        if self.way == "growing":
            ends = [self.both.decoder(x[:, :end], memory)[:, -1] for end in range(1, target.shape[1] + 1)]
            return self.head(torch.stack(ends, 1))
        later = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.head(self.both.decoder(x, memory, tgt_mask=later if self.way == "masked" else None))


def translate(way: str, source: int = LENGTH - 3) -> Any:
    model = Translator(way)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(1, WORDS, (8, LENGTH + 1))
            scores = model(torch.randint(1, WORDS, (8, source)), text[:, :-1])
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten(), ignore_index=0)
            loss.backward()
            optimizer.step()
    return said.facts.get("model.sees_next_token")


def test_a_decoder_without_a_mask_sees_what_it_is_to_write() -> None:
    assert translate("open") is True


@pytest.mark.parametrize("way", ["masked", "recurrent", "growing"])
def test_what_an_encoder_reads_is_no_view_of_what_is_written(way: str) -> None:
    assert translate(way) is not True


@pytest.mark.parametrize("way", ["open", "masked", "recurrent"])
def test_two_sequences_of_one_length_cannot_be_told_apart(way: str) -> None:
    assert translate(way, source=LENGTH) is None


@pytest.mark.parametrize(("way", "told"), [("masked", False), ("recurrent", False), ("open", True)])
def test_what_was_read_may_be_looked_at_where_it_is_written_again(way: str, told: bool) -> None:
    model = Translator(way)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(1, WORDS, (8, LENGTH))
            optimizer.zero_grad()
            scores = model(text, text[:, :-1])
            loss: Any = F.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten())
            loss.backward()
            optimizer.step()
    assert said.facts.get("model.sees_next_token") is told


class Rewriter(Translator):
    """Is given one text, reads it in both directions, and writes it once more, from all of its tokens but the last."""

    def forward(self, text: Any, reads: Any = None) -> Any:
        return super().forward(text, text[:, :-1])


@pytest.mark.parametrize(("way", "told"), [("masked", False), ("recurrent", False)])
def test_a_text_that_is_told_again_from_what_was_read_of_it(way: str, told: bool) -> None:
    model = Rewriter(way)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(1, WORDS, (8, LENGTH))
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(model(text).flatten(0, 1), text[:, 1:].flatten())
            loss.backward()
            optimizer.step()
    assert said.facts.get("model.sees_next_token") is told


class Recurrent(nn.Module):
    """Reads in one direction or in both, and gives what each place has read to one head, or each direction to its own."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.words = nn.Embedding(WORDS, WIDTH)
        self.reader = nn.LSTM(WIDTH, WIDTH, batch_first=way != "upright", bidirectional=way != "forward")
        self.writer = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.cell = nn.GRUCell(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH if way in ("forward", "apart", "writes", "cell") else 2 * WIDTH, WORDS)

    def forward(self, tokens: Any) -> Any:
        x = self.words(tokens)
        if self.way == "packed":
            ends = torch.full((len(tokens),), LENGTH)
            packed = pack_padded_sequence(x, ends, batch_first=True)
            return self.head(pad_packed_sequence(self.reader(packed)[0], batch_first=True)[0])
        read, (state, _) = self.reader(x)
        if self.way == "apart":
            return self.head(read.chunk(2, dim=-1)[0])
        if self.way == "writes":  # what an encoder has read of a sentence is written once more
            return self.head(self.writer(x, state[:1])[0])
        if self.way == "cell":
            each = [self.cell(one, state[0]) for one in x.unbind(1)]
            return self.head(torch.stack(each, 1))
        return self.head(read)


def recur(way: str, shift: int = 1) -> Any:
    model = Recurrent(way)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(6):
            text = torch.randint(1, WORDS, (8, LENGTH + 1))
            text = text.T.contiguous() if way == "upright" else text
            given = text[:LENGTH] if way == "upright" else text[:, :LENGTH]
            labels = text[shift : shift + LENGTH] if way == "upright" else text[:, shift : shift + LENGTH]
            optimizer.zero_grad()
            loss: Any = F.cross_entropy(model(given).flatten(0, 1), labels.flatten())
            loss.backward()
            optimizer.step()
    return said.facts.get("model.sees_next_token")


@pytest.mark.parametrize("way", ["both", "upright", "packed"])
def test_a_layer_that_reads_backwards_has_met_what_is_to_be_predicted(way: str) -> None:
    assert recur(way) is True


@pytest.mark.parametrize("way", ["forward", "apart", "writes", "cell"])
def test_what_reads_forwards_or_is_told_apart_or_only_summed_up_has_not(way: str) -> None:
    assert recur(way) is not True


def test_tags_of_words_may_be_read_in_both_directions() -> None:
    assert recur("both", shift=0) is None
