"""Folds of a cross-validation that share a model, and those that do not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from .checking import checked

FOLDS, SAMPLES = 3, 192


def sample() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(SAMPLES, 12), torch.randint(0, 2, (SAMPLES,))


def small() -> nn.Module:
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 2))


def folds(begin: Callable[[Any], Any], *, constant: bool = False) -> Any:
    """`begin` gives the model of a fold, from that of the one before. `constant`: all folds are judged by one set."""
    inputs, labels = sample()
    parts = torch.arange(SAMPLES).chunk(FOLDS + constant)
    model: Any = None
    with checked() as said:
        for fold in range(FOLDS):
            model = begin(model)
            held_out = parts[-1 if constant else fold]
            train = torch.tensor([one for one in range(SAMPLES) if one not in set(held_out.tolist())])
            wanted = [one for one in model.parameters() if one.requires_grad]
            optimizer = torch.optim.Adam(wanted, lr=1e-3)
            for _ in range(2):
                model.train()
                for places in train[torch.randperm(len(train))].split(32):
                    optimizer.zero_grad()
                    F.cross_entropy(model(inputs[places]), labels[places]).backward()
                    optimizer.step()
                model.eval()
                with torch.no_grad():
                    model(inputs[held_out])
    return said.facts.get("data.folds_share_weights")


def test_a_model_that_goes_on_from_fold_to_fold_is_seen() -> None:
    assert folds(lambda model: model or small())


def test_a_model_for_each_fold_is_sound() -> None:
    assert not folds(lambda model: small())


def test_first_weights_that_are_put_back_are_sound() -> None:
    only = small()
    start = copy.deepcopy(only.state_dict())

    def back(model: Any) -> Any:
        only.load_state_dict(start)
        return only

    assert not folds(back)


def test_a_new_head_on_a_frozen_trunk_is_sound() -> None:
    trunk = nn.Linear(12, 16).requires_grad_(False)
    whole = nn.Sequential(trunk, nn.ReLU(), nn.Linear(16, 2))

    def headed(model: Any) -> Any:
        whole[2] = nn.Linear(16, 2)
        return whole

    assert not folds(headed)


def test_phases_of_one_training_that_are_judged_by_one_set_are_sound() -> None:
    assert not folds(lambda model: model or small(), constant=True)
