"""Outputs of a teacher that belong to other samples than those of the batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from .checking import checked
from .looking import Said

NAME = "data.teacher_of_other_samples"
CLASSES, BATCH = 6, 32
CENTRES = 3 * torch.randn(CLASSES, 8, generator=torch.Generator().manual_seed(1))


class Knows(nn.Module):
    """A teacher that has learnt; `names` says which class it takes for which."""

    def __init__(self, names: Any = slice(None)) -> None:
        super().__init__()
        self.names = names

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return -torch.cdist(inputs, CENTRES)[:, self.names]


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    labels = torch.randint(0, CLASSES, (BATCH,))
    return CENTRES[labels] + torch.randn(BATCH, 8), labels


def soft(scores: Any, wanted: Any) -> Any:
    return F.kl_div(F.log_softmax(scores / 2, 1), F.softmax(wanted / 2, 1), reduction="batchmean")


def in_logarithms(scores: Any, wanted: Any) -> Any:
    return F.kl_div(scores.log_softmax(1), wanted.log_softmax(1), log_target=True, reduction="batchmean")


def as_cross_entropy(scores: Any, wanted: Any) -> Any:
    return F.cross_entropy(scores, wanted.softmax(1))


def distilled(teacher: nn.Module, term: Any = soft, *, others: bool = False, average: bool = False) -> Said:
    """With a teacher asked about the batch at hand or another, or one that is an average of the student."""
    student = nn.Linear(8, CLASSES)
    with checked() as said:
        optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
        for _ in range(40):
            inputs, labels = batch()
            with torch.no_grad():
                wanted = teacher(batch()[0] if others else inputs)
                if average:
                    for one, two in zip(teacher.parameters(), student.parameters(), strict=True):
                        one.lerp_(two, 0.05)
            scores = student(inputs)
            optimizer.zero_grad()
            (F.cross_entropy(scores, labels) + term(scores, wanted)).backward()
            optimizer.step()
    return said


@pytest.mark.parametrize("term", [soft, in_logarithms, as_cross_entropy])
def test_targets_of_other_samples_are_seen(term: Any) -> None:
    assert distilled(Knows(), term, others=True)[NAME] is True
    assert not distilled(Knows(), term).facts.get(NAME)


def test_classes_in_another_order_are_seen() -> None:
    assert distilled(Knows([1, 2, 3, 4, 5, 0]))[NAME] is True


def test_an_average_of_the_student_has_learnt_nothing_yet() -> None:
    assert not distilled(nn.Linear(8, CLASSES), average=True).facts.get(NAME)


def test_what_is_mixed_with_another_sample_is_judged_by_both() -> None:
    def mixed(scores: Any, wanted: Any) -> Any:
        return soft(scores, 0.7 * wanted + 0.3 * wanted.flip(0))

    assert not distilled(Knows(), mixed).facts.get(NAME)
