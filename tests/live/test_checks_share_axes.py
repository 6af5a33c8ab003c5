"""A softmax over the samples or the places of a picture, in losses written by hand."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import mlp, train

one_hot: Any = F.one_hot
SAMPLES, PLACES = "loss.softmax_over_batch", "loss.softmax_over_places"


def pictures() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(6, 3, 8, 8), torch.randint(0, 4, (6, 8, 8))


def dice(dim: int, flat: bool = False) -> Any:
    def loss(scores: Any, labels: Any) -> Any:
        shares = scores.softmax(dim)
        wanted = one_hot(labels, 4).permute(0, 3, 1, 2).float()
        if flat:
            shares, wanted = shares.flatten(2), wanted.flatten(2)
        return 1 - (2 * (shares * wanted).sum() / (shares.sum() + wanted.sum()))

    return loss


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize(("dim", "told"), [(0, SAMPLES), (-1, PLACES), (2, PLACES), (1, None)])
def test_a_softmax_along_another_axis_than_the_classes_is_seen(
    dim: int, told: str | None, flat: bool
) -> None:
    said = train(nn.Conv2d(3, 4, 3, padding=1), dice(dim, flat), pictures)
    assert [name for name in (SAMPLES, PLACES) if said.facts.get(name)] == ([told] if told else [])


@pytest.mark.parametrize(("dim", "told"), [(0, True), (1, None)])
def test_a_cross_entropy_by_hand_with_soft_labels_is_read(dim: int, told: bool | None) -> None:
    def loss(scores: Any, labels: Any) -> Any:
        soft = 0.9 * one_hot(labels, 4) + 0.025
        return -(soft * F.log_softmax(scores, dim=dim)).sum(1).mean()

    assert train(mlp(), loss).facts.get(SAMPLES) is told


@pytest.mark.parametrize(("dim", "told"), [(-1, True), (1, None)])
def test_the_logarithm_of_shares_is_followed_to_its_softmax(dim: int, told: bool | None) -> None:
    def loss(scores: Any, labels: Any) -> Any:
        shares = scores.softmax(dim)
        wanted = one_hot(labels, 4).permute(0, 3, 1, 2)
        return -(wanted * torch.log(shares.clamp(min=1e-7) + 1e-9)).sum(1).mean()

    assert train(nn.Conv2d(3, 4, 3, padding=1), loss, pictures).facts.get(PLACES) is told


@pytest.mark.parametrize(("dim", "told"), [(3, True), (1, None)])
def test_a_likelihood_of_pictures_takes_the_second_axis_for_the_classes(dim: int, told: bool | None) -> None:
    said = train(
        nn.Conv2d(3, 4, 3, padding=1),
        lambda out, labels: F.nll_loss(F.log_softmax(out, dim), labels),
        pictures,
    )
    assert said.facts.get(PLACES) is told


def words() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(6, 7, 8), torch.randint(0, 4, (6, 7))


@pytest.mark.parametrize(("dim", "told"), [(1, PLACES), (0, SAMPLES), (2, None)])
@pytest.mark.parametrize("way", ["rows", "turned", "copied"])
def test_a_likelihood_of_sequences_is_read_in_rows_and_turned_round(
    dim: int, told: str | None, way: str
) -> None:
    def loss(scores: Any, labels: Any) -> Any:
        chances = F.log_softmax(scores, dim)
        if way == "rows":
            return F.nll_loss(chances.reshape(-1, 4), labels.reshape(-1))
        last = chances.transpose(1, 2)
        return F.nll_loss(last.contiguous() if way == "copied" else last, labels)

    said = train(nn.Linear(8, 4), loss, words)
    assert [name for name in (SAMPLES, PLACES) if said.facts.get(name)] == ([told] if told else [])


@pytest.mark.parametrize("size", [4, 7])
def test_classes_that_are_turned_to_the_end_before_they_are_cut_to_rows_are_no_fault(size: int) -> None:
    """As many places as classes look the same on either side."""

    def loss(scores: Any, labels: Any) -> Any:
        chances = F.log_softmax(scores, 1)
        return F.nll_loss(chances.transpose(1, 2).reshape(-1, 4), labels.reshape(-1))

    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(6, 8, size), torch.randint(0, 4, (6, size))

    said = train(nn.Conv1d(8, 4, 1), loss, batch)
    assert not said.facts.get(SAMPLES)
    assert not said.facts.get(PLACES)


def test_places_moved_behind_the_classes_are_no_fault() -> None:
    def loss(scores: Any, labels: Any) -> Any:
        last = scores.permute(0, 2, 3, 1).log_softmax(-1)
        return F.nll_loss(last.permute(0, 3, 1, 2).contiguous(), labels)

    said = train(nn.Conv2d(3, 4, 3, padding=1), loss, pictures)
    assert not said.facts.get(PLACES)


@pytest.mark.parametrize("turned", [False, True])
def test_a_table_that_is_normalised_along_both_sides_is_no_fault(turned: bool) -> None:
    """Samples look for their texts, and texts for their samples."""

    def loss(scores: Any, labels: Any) -> Any:
        wanted = one_hot(labels, 4).float()
        there = -(wanted * scores.log_softmax(1)).sum(1).mean()
        if turned:
            return there - (wanted.T * scores.T.contiguous().log_softmax(1)).sum(1).mean()
        return there - (wanted * scores.log_softmax(0)).sum(0).mean()

    said = train(mlp(), loss)
    assert not said.facts.get(SAMPLES)
    assert not said.facts.get(PLACES)


def test_attention_and_experts_are_no_fault() -> None:
    def loss(scores: Any, labels: Any) -> Any:
        pooled = (scores.softmax(0) * torch.ones_like(scores).tril()).sum(0)
        gates = scores.softmax(1)
        chosen = (gates * one_hot(gates.argmax(1), 4)).sum(1)
        return pooled.pow(2).mean() + chosen.mean() + F.cross_entropy(scores, labels)

    assert not train(mlp(), loss).facts.get(SAMPLES)


# -- labels of pairs


def pairs(low: float) -> Any:
    def batch() -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(32, 8), torch.randint(0, 2, (32,)) * (1 - low) + low

    return batch


@pytest.mark.parametrize(("low", "told"), [(0.0, True), (-1.0, False), (1.0, None)])
@pytest.mark.parametrize("name", ["cosine", "hinge", "soft"])
def test_labels_of_pairs_without_a_sign_are_seen(name: str, low: float, told: bool | None) -> None:
    def loss(out: Any, labels: Any) -> Any:
        left, right = out[:, :4], out[:, 4:]
        if name == "cosine":
            return F.cosine_embedding_loss(left, right, labels)
        if name == "hinge":
            return F.hinge_embedding_loss((left - right).norm(dim=1), labels)
        return F.soft_margin_loss(out[:, 0], labels)

    assert train(mlp(8, 8), loss, pairs(low)).facts.get("loss.labels_without_sign") is told


def test_zeros_that_leave_out_padding_before_a_teacher_are_no_labels() -> None:
    teacher = torch.randn(32, 4)
    said = train(mlp(), lambda out, kept: F.cosine_embedding_loss(out, teacher, kept), pairs(0.0))
    assert not said.facts.get("loss.labels_without_sign")
