"""Recurrent states that are cut from their graphs: at each time step, or where a stretch of the sequence begins."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.live.checking import checked

CELLS: dict[str, Any] = {"gru": nn.GRUCell, "lstm": nn.LSTMCell, "rnn": nn.RNNCell, "layer": nn.GRU}


def detached(state: Any) -> Any:
    return tuple(detached(one) for one in state) if isinstance(state, tuple) else state.detach()


def recall(kind: str, *, cut: str, every: bool = False) -> Any:
    """The first token is asked for after six; the state is cut at each step, at the first, or never."""
    embed, out = nn.Embedding(6, 8), nn.Linear(16, 6)
    cell = CELLS[kind](8, 16)
    parameters = [*embed.parameters(), *cell.parameters(), *out.parameters()]
    with checked() as said:
        optimizer = torch.optim.Adam(parameters, lr=0.01)
        carried: Any = None
        for _ in range(12):
            tokens = torch.randint(0, 6, (16, 6))
            state: Any = detached(carried) if carried is not None and cut == "stretch" else start(kind)
            losses = []
            for step in tokens.T:
                if cut == "step":
                    state = detached(state)
                state = advance(cell, kind, embed(step), state)
                losses.append(F.cross_entropy(out(hidden(state)), tokens[:, 0]))
            carried = state
            optimizer.zero_grad()
            (torch.stack(losses).sum() if every else losses[-1]).backward()
            optimizer.step()
    return said.facts.get("grad.state_cut")


def start(kind: str) -> Any:
    zeros = torch.zeros(16, 16)
    return (zeros, zeros.clone()) if kind == "lstm" else zeros[None] if kind == "layer" else zeros


def advance(cell: nn.Module, kind: str, given: Any, state: Any) -> Any:
    return cell(given[None], state)[1] if kind == "layer" else cell(given, state)


def hidden(state: Any) -> Any:
    one = state[0] if isinstance(state, tuple) else state
    return one[0] if one.dim() == 3 else one


@pytest.mark.parametrize("kind", CELLS)
def test_a_state_that_is_cut_at_every_time_step_is_seen(kind: str) -> None:
    assert recall(kind, cut="step") is True


@pytest.mark.parametrize("cut", ["stretch", "never"])
def test_a_state_that_keeps_its_graph_within_a_stretch_is_not_cut(cut: str) -> None:
    assert recall("gru", cut=cut) is False


def test_time_steps_with_losses_of_their_own_may_be_cut() -> None:
    assert recall("gru", cut="step", every=True) is None
