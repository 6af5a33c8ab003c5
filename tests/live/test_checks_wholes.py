"""Nodes of a graph stand in training and evaluation alike: rows of one whole are no samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.live.checking import checked

OVERLAP = "data.split_overlap"
ROWS = torch.randn(240, 24, generator=torch.Generator().manual_seed(3))
LINKS = (torch.rand(240, 240, generator=torch.Generator().manual_seed(4)) < 0.05).float()
Inputs = Callable[[torch.Tensor], tuple[Any, ...]]


class Net(nn.Module):
    """A layer, and what is done with its rows."""

    def __init__(self, pool: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.layer, self.pool = nn.Linear(24, 3), pool

    def forward(self, rows: torch.Tensor, *others: Any) -> torch.Tensor:
        return self.pool(self.layer(rows), *others)


def is_overlap_seen(pool: Callable[..., torch.Tensor], inputs: Inputs) -> bool:
    """Train on the first 160 rows, 30 at a time, and evaluate all 240 in another order."""
    model = Net(pool)
    with checked() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(2):
            model.train()
            for chosen in torch.randperm(160).split(30):
                optimizer.zero_grad()
                model(*inputs(chosen)).square().mean().backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                model(*inputs(torch.randperm(240)))
    return OVERLAP in said.facts and said.facts[OVERLAP] is True


def with_adjacency(chosen: torch.Tensor) -> tuple[Any, ...]:
    return ROWS[chosen], LINKS[chosen][:, chosen]


def with_edges(chosen: torch.Tensor) -> tuple[Any, ...]:
    return ROWS[chosen], LINKS[chosen][:, chosen].nonzero().T


def with_sparse_adjacency(chosen: torch.Tensor) -> tuple[Any, ...]:
    return ROWS[chosen], LINKS[chosen][:, chosen].to_sparse()


class Block:
    """What a library hands over as a graph: no tensor."""

    def __init__(self, seeds: int) -> None:
        self.seeds = seeds


def with_block(chosen: torch.Tensor) -> tuple[Any, ...]:
    return ROWS[chosen], Block(len(chosen) // 3)


def spread(hidden: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
    return hidden.index_add(0, edges[0], hidden[edges[1]])


@pytest.mark.parametrize(
    ("pool", "inputs"),
    [
        (lambda hidden, links: links @ hidden, with_adjacency),
        (lambda hidden, links: torch.sparse.mm(links, hidden), with_sparse_adjacency),
        (spread, with_edges),
        (lambda hidden, block: hidden[: block.seeds] + hidden[-block.seeds :], with_block),
    ],
)
def test_nodes_of_a_graph_are_evaluated_all_together(pool: Any, inputs: Inputs) -> None:
    assert not is_overlap_seen(pool, inputs)


def test_rows_alone_are_samples() -> None:
    assert is_overlap_seen(lambda hidden: hidden, lambda chosen: (ROWS[chosen],))


def test_another_input_of_as_many_rows_joins_none() -> None:
    assert is_overlap_seen(
        lambda hidden, more: hidden + more.sum(1, keepdim=True),
        lambda chosen: (ROWS[chosen], LINKS[chosen, :30]),
    )


def test_pairs_that_come_with_the_rows_join_none() -> None:
    """Two codes for each sample, such as its shop and its day."""
    assert is_overlap_seen(
        lambda hidden, codes: hidden + codes.sum(1, keepdim=True),
        lambda chosen: (ROWS[chosen], LINKS[chosen, :2].long()),
    )


def test_one_score_for_all_rows_tells_nothing_of_them() -> None:
    assert is_overlap_seen(lambda hidden: hidden.mean(0, keepdim=True), lambda chosen: (ROWS[chosen],))


def test_a_loss_that_the_network_gives_itself_tells_nothing_of_them() -> None:
    assert is_overlap_seen(lambda hidden: hidden.square().mean(), lambda chosen: (ROWS[chosen],))
