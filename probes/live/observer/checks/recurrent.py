"""Calls of recurrent layers, as torch's own layers make them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..operations import Call

RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")
"""What runs over all places of a sequence."""

CELLS = ("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
"""What goes on by one place."""


class Ran(NamedTuple):
    """How a recurrent layer ran over a batch of sequences, and what it gave for each place."""

    samples: int
    places: int
    both_ways: bool
    output: Any


def ran_over(torch: Any, call: Call) -> Ran | None:
    """What a call of `RECURRENT` ran over; None where there was no batch. Packed sequences come with the sizes of their batches."""
    given, result = call.args[:2], call.result
    if len(given) < 2 or not isinstance(given[0], torch.Tensor) or not isinstance(result, (tuple, list)):
        return None
    sizes = given[1]
    if isinstance(sizes, torch.Tensor) and sizes.dim() == 1:
        return Ran(int(sizes[0]), len(sizes), call.args[-1] is True, result[0])
    if given[0].dim() != 3:
        return None
    samples, places = given[0].shape[:2] if call.args[-1] is True else given[0].shape[1::-1]
    return Ran(int(samples), int(places), call.args[-2] is True, result[0])
