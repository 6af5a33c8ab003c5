"""Axes: attention over the samples, a reshape in place of a turn, a mean of weights without its buffers."""

from __future__ import annotations

import copy
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked, classes, train
from traindx.probes.live.observer.checks.positions import Positions
from traindx.probes.live.observer.journal import Journal


@pytest.mark.parametrize("buffers", [False, True])
def test_a_running_mean_of_the_weights_alone_leaves_batch_normalisation_behind(buffers: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.norm, self.last = nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 4)

        def forward(self, x: Any) -> Any:
            return self.last(torch.relu(self.norm(self.first(x))))

    model = Net()
    mean = copy.deepcopy(model).eval()
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for step in range(60):
            inputs, labels = classes()
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
            with torch.no_grad():
                for ours, theirs in zip(mean.parameters(), model.parameters(), strict=True):
                    ours.lerp_(theirs, 0.1)
                if buffers:
                    mean.norm.load_state_dict(model.norm.state_dict())
                if step % 20 == 19:
                    mean(inputs)
    assert said["model.batchnorm_left_behind"] is not buffers


class Reader(nn.Module):
    """Reads sequences of 6 with attention, and gives 4 scores of each."""

    def __init__(self, batch_first: bool, turned: bool) -> None:
        super().__init__()
        self.turned = turned
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=batch_first)
        self.last = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        if self.turned:
            return self.last(self.encoder(x.transpose(0, 1))[0])
        return self.last(self.encoder(x)[:, 0])


@pytest.mark.parametrize(
    ("batch_first", "turned", "told"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_attention_over_the_samples_of_a_batch_is_seen(batch_first: bool, turned: bool, told: bool) -> None:
    said = train(
        Reader(batch_first, turned),
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(16, 6, 8), torch.randint(0, 4, (16,))),
    )
    assert said["model.attention_over_batch"] is told


def test_sequences_that_stand_first_from_the_beginning_are_attended_to_as_meant() -> None:
    class First(Reader):
        def forward(self, x: Any) -> Any:
            return self.last(self.encoder(x)[0])

    said = train(
        First(False, False),
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(6, 16, 8), torch.randint(0, 4, (16,))),
    )
    assert said.facts.get("model.attention_over_batch") is not True


class Pictures(nn.Module):
    """Turns (height, width, channels) in some way, and reads it with a convolution."""

    def __init__(self, turn: Any, channels: int) -> None:
        super().__init__()
        self.turn = turn
        self.net = nn.Sequential(nn.Conv2d(channels, 4, 3), nn.Flatten(), nn.LazyLinear(4))

    def forward(self, x: Any) -> Any:
        return self.net(self.turn(x) / 2 - 1)


@pytest.mark.parametrize(
    ("channels", "turn", "told"),
    [
        (3, lambda x: x.reshape(-1, 3, 8, 6), True),
        (3, lambda x: x.view(len(x), 3, 6, 8), True),
        (3, lambda x: x.permute(0, 3, 1, 2), None),
        (1, lambda x: x.reshape(-1, 1, 8, 6), None),
        (3, lambda x: x.permute(0, 3, 1, 2).flatten(1).view(-1, 3, 8, 6), None),
    ],
)
def test_axes_that_change_places_by_a_reshape_are_seen(channels: int, turn: Any, told: bool | None) -> None:
    model = Pictures(turn, channels)
    model(torch.randn(2, 8, 6, channels))
    said = train(
        model,
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(16, 8, 6, channels), torch.randint(0, 4, (16,))),
    )
    assert said.facts.get("data.axes_swapped_by_reshape") is told


def test_scores_of_places_that_stand_first_tell_nothing() -> None:
    class Tagger(Reader):
        """Scores for each place of sequences that stand first, as (sequence, classes, batch)."""

        def forward(self, x: Any) -> Any:
            return self.last(self.encoder(x)).permute(0, 2, 1)

    said = train(
        Tagger(False, False),
        nn.CrossEntropyLoss(),
        lambda: (torch.randn(6, 16, 8), torch.randint(0, 4, (6, 16))),
    )
    assert said.facts.get("model.attention_over_batch") is None


def test_the_tables_of_a_model_are_let_go_with_the_look() -> None:
    watcher: Any = SimpleNamespace(torch=torch)
    check = Positions(Journal(lambda line: None), {}, watcher)
    model = nn.Embedding(4, 3)
    gone = weakref.ref(model.weight)
    check.look_began(2)
    check.before_forward(model, (), {})
    del model
    assert gone() is not None
    check.look_ended(2)
    assert gone() is None
