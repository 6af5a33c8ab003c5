"""Whether samples that are evaluated stood in training before."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import pytest
import torch
from torch import nn

from tests.live.checking import checked

OVERLAP = "data.split_overlap"
ROWS = torch.randn(200, 24, generator=torch.Generator().manual_seed(7))


def is_overlap_seen(
    train: torch.Tensor, *held_out: torch.Tensor, epochs: int = 2, first: bool = False
) -> bool:
    """Train on rows in batches of 20, and evaluate the others after each epoch, or before the first as well."""
    model = nn.Sequential(nn.Linear(train.shape[1], 8), nn.Tanh(), nn.Linear(8, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        if first:
            evaluate(model, held_out)
        for _ in range(epochs):
            model.train()
            for batch in train.split(20):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            evaluate(model, held_out)
    return OVERLAP in said.facts and said.facts[OVERLAP] is True


def evaluate(model: nn.Module, sets: Iterable[torch.Tensor]) -> None:
    model.eval()
    with torch.no_grad():
        for rows in sets:
            for batch in rows.split(15):
                model(batch)


def some_of_both(share: float) -> torch.Tensor:
    """Sixty rows of which a share stands among the first hundred of `ROWS`."""
    copies = round(60 * share)
    rows = torch.cat([ROWS[:copies], ROWS[140 : 200 - copies]])
    return rows[torch.randperm(60, generator=torch.Generator().manual_seed(1))]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_copies_among_the_samples_of_validation_are_seen(share: float) -> None:
    assert is_overlap_seen(ROWS[:100], some_of_both(share))


def test_samples_of_their_own_are_none() -> None:
    assert not is_overlap_seen(ROWS[:100], ROWS[100:])


def overlap_and_a_test_at_the_end(share: float) -> bool:
    model = nn.Sequential(nn.Linear(24, 8), nn.Tanh(), nn.Linear(8, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(2):
            model.train()
            for batch in ROWS[:100].split(20):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            evaluate(model, [some_of_both(share)])
        optimizer.zero_grad()
        model.train()(ROWS[:20]).square().mean().backward()
        optimizer.step()
        evaluate(model, [torch.randn(600, 24)])
    return said.facts.get(OVERLAP) is True


def test_a_large_test_set_without_copies_does_not_hide_those_of_validation() -> None:
    assert overlap_and_a_test_at_the_end(0.5)
    assert not overlap_and_a_test_at_the_end(0.05)


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_an_evaluation_on_the_training_set_before_it_does_not_hide_them(share: float) -> None:
    assert is_overlap_seen(ROWS[:100], ROWS[:100], some_of_both(share))


def test_empty_samples_are_no_copies_of_each_other() -> None:
    def with_empty(rows: torch.Tensor) -> torch.Tensor:
        return rows * (torch.rand(len(rows), 1, generator=torch.Generator().manual_seed(4)) > 0.2)

    assert not is_overlap_seen(with_empty(ROWS[:100]), with_empty(ROWS[100:]))


def test_what_a_single_epoch_left_out_of_training_is_no_other_set() -> None:
    """As where the last batch, which is shorter, is dropped."""
    left_out = torch.randperm(len(ROWS), generator=torch.Generator().manual_seed(2)) > 7
    assert not is_overlap_seen(ROWS[left_out], ROWS, torch.randn(100, 24), epochs=1)


def test_an_evaluation_on_the_training_set_is_no_leak_beside_another() -> None:
    assert not is_overlap_seen(ROWS[:100], ROWS[:100], ROWS[100:])


def test_an_evaluation_on_a_training_set_that_is_drawn_with_replacement_is_no_leak() -> None:
    """In the first epoch a third of the samples had no turn; a split that leaks is seen all the same."""
    drawn = torch.randint(0, 100, (500,), generator=torch.Generator().manual_seed(3))
    model = nn.Sequential(nn.Linear(24, 8), nn.Tanh(), nn.Linear(8, 1))
    for held_out, leaks in ((ROWS[:100], False), (some_of_both(0.5), True)):
        with checked() as said:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for epoch in drawn.split(100):
                model.train()
                for batch in epoch.split(20):
                    optimizer.zero_grad()
                    model(ROWS[batch]).square().mean().backward()
                    optimizer.step()
                evaluate(model, [held_out])
        assert (said.facts.get(OVERLAP) is True) is leaks


def test_rows_of_a_few_codes_are_alike_by_themselves() -> None:
    assert not is_overlap_seen(ROWS[:100].sign(), some_of_both(0.5).sign())


def test_what_is_predicted_before_it_is_trained_on_is_no_copy() -> None:
    """As where a network labels what it is sure of, and goes on with that."""
    model = nn.Sequential(nn.Linear(24, 8), nn.Tanh(), nn.Linear(8, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        known = ROWS[:60]
        for round_ in range(4):
            model.train()
            for batch in known.split(20):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            evaluate(model, [ROWS[60:]])
            known = torch.cat([known, ROWS[60 + 20 * round_ : 80 + 20 * round_]])
    assert OVERLAP not in said.facts


def test_another_training_has_a_split_of_its_own() -> None:
    model = nn.Sequential(nn.Linear(24, 8), nn.Tanh(), nn.Linear(8, 1))
    begin = copy.deepcopy(model.state_dict())
    with checked() as said:
        for train, held_out in ((ROWS[:100], ROWS[100:116]), (ROWS[116:140], some_of_both(0.5))):
            model.load_state_dict(begin)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            model.train()
            for batch in train.split(12):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            evaluate(model, [held_out])
    assert OVERLAP not in said.facts


ALONE = "data.evaluated_on_training_alone"


def test_a_validation_that_is_the_training_set() -> None:
    assert scored(ROWS[:100], ROWS[:100])[ALONE] is True


def test_a_part_of_the_training_set_is_no_other() -> None:
    assert scored(ROWS, ROWS[40:120].flip(0))[ALONE] is True


@pytest.mark.parametrize("held_out", [[ROWS[100:]], [ROWS[:100], ROWS[100:]]])
def test_what_has_samples_of_its_own_is_evaluated_on_them(held_out: list[torch.Tensor]) -> None:
    assert scored(ROWS[:100], *held_out)[ALONE] is False


def test_a_graph_whose_nodes_are_told_apart_by_masks() -> None:
    """All nodes and edges go through the network each time, and a mask chooses what is scored."""

    class Graph(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(24, 2)

        def forward(self, nodes: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = self.layer(nodes).index_add(0, edges[0], self.layer(nodes)[edges[1]])
            return out

    model, edges = Graph(), torch.randint(0, 20, (2, 400))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            model.train()
            for part in ROWS.split(20):
                optimizer.zero_grad()
                model(part, edges)[:10].square().mean().backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                for part in ROWS.split(20):
                    model(part, edges)[10:]
    assert ALONE not in said.facts


def test_steps_that_take_all_there_is_leave_nothing_to_compare() -> None:
    model = nn.Linear(24, 1)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(4):
            model.train()
            optimizer.zero_grad()
            model(ROWS)[:100].square().mean().backward()
            optimizer.step()
            evaluate(model, [ROWS])
    assert ALONE not in said.facts


def test_an_evaluation_that_forgot_its_mode_may_have_been_on_others() -> None:
    model = nn.Linear(24, 1)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(2):
            for batch in ROWS[:100].split(20):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            with torch.no_grad():
                model(ROWS[100:])
        evaluate(model, [ROWS[:100]])
    assert ALONE not in said.facts


def scored(train: torch.Tensor, *held_out: torch.Tensor) -> dict[str, object]:
    """What is said of a training on rows, in two epochs of mixed batches, with evaluations of the others."""
    model = nn.Sequential(nn.Linear(24, 8), nn.Tanh(), nn.Linear(8, 1))
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(2):
            model.train()
            for batch in train[torch.randperm(len(train))].split(20):
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
            evaluate(model, held_out)
    return said.facts
