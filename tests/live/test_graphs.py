"""Tensors that may not be asked for their graph, and walks through graphs."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tests.live.checking import checked, mlp
from tests.live.looking import watched
from traindx.probes.live.observer.graphs import grad_fn_of, leaves_of, nodes_below


def untouchable() -> Any:
    """One of two views, of what was changed in place since: it raises where its graph is asked for."""
    whole = torch.ones(4, requires_grad=True) * 1
    part, _ = whole.chunk(2)
    whole.add_(1)
    return part


def test_what_may_not_be_asked_has_no_graph() -> None:
    assert grad_fn_of(untouchable()) is None


def test_the_leaves_of_a_graph_are_found_nearest_first_and_up_to_a_bound() -> None:
    far, near = (torch.ones(2, requires_grad=True) for _ in range(2))
    last = ((far * 2).exp() + near).sum().grad_fn
    assert [id(one) for one in leaves_of(nodes_below(last, 100))] == [id(near), id(far)]
    assert [id(one) for one in leaves_of(nodes_below(last, 3))] == [id(near)]
    assert nodes_below(None, 100) == []


def test_leaves_count_for_nothing_where_the_nodes_of_a_graph_are_bounded() -> None:
    leaves = [torch.ones(2, requires_grad=True) for _ in range(20)]
    last = torch.stack(leaves).sum().grad_fn
    assert list(leaves_of(nodes_below(last, 2))) == leaves


def test_a_bad_batch_is_found_beside_a_tensor_that_may_not_be_asked() -> None:
    held, model = untouchable(), nn.Linear(4, 1)
    with watched() as said:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(1, 6):
            inputs = torch.full((8, 4), float("nan") if step == 3 else 1.0)
            optimizer.zero_grad()
            model(inputs).mean().backward()
            optimizer.step()
    assert said["data.inputs.nonfinite"] is True
    assert held.requires_grad


def test_a_loop_may_use_a_tensor_that_may_not_be_asked() -> None:
    held, model, other = untouchable(), mlp(4, 6), mlp(6, 1)
    with checked() as said:
        optimizers = [torch.optim.SGD(one.parameters(), lr=0.01) for one in (model, other)]
        for _ in range(12):
            for one in optimizers:
                one.zero_grad()
            size = held.shape[0] + held.detach().numel()
            (other(model(torch.randn(size, 4))).mean() * size).backward()
            for one in optimizers:
                one.step()
    assert said.records("fact")
