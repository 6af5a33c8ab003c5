"""What data loaders hand out in one step, beside what they handed out in the last that was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from ..loaders import hands_out_a_stream, length_of_loader
from ..operations import Call
from .likeness import looks_of
from .tensors import readable

LEAVES = 16
"""Parts of a batch that are compared. One of more may differ where nobody looks."""

DEPTH = 4
"""How deep a batch is searched for its parts."""

BEGUN = 5
"""Steps in a row that begin a stream anew, and in which none comes to its end."""

PLAIN = (str, int, float, bool, type(None))


class HandedOut:
    """Tells whether a step is handed the same batch as the last, whatever noise the script adds before its model sees it.

    A batch of equal rows tells nothing: a data set that holds only zeros, since the script simulates its samples. A batch
    with a part that cannot be read may differ there. A stream has other batches unless its one batch is asked after, as
    every loop over it does.
    """

    def __init__(self, torch: Any, passes_ended: Callable[[], int]) -> None:
        self._torch = torch
        self._passes_ended = passes_ended
        self.count = self._batches = self._ended = self._begun = 0
        self._stream = False
        self._batch: list[Any] | None = None
        self._last: list[Any] | None = None

    def loaded(self, batch: Any) -> None:
        """A loader gave this one."""
        self.count += 1
        self._batch = self._parts(batch) if self.count == 1 else None
        if not self._batches:
            self._batches = length_of_loader()
            self._stream = not self._batches and hands_out_a_stream()

    def is_last(self) -> bool:
        """The step is over: was it handed one batch of many, and that of the last step?"""
        batch, last = self._batch, self._last
        self._last = batch
        same = batch is not None and batch == last
        ended, self._ended = self._ended, self._passes_ended()
        self._begun = self._begun + 1 if same and self._stream and ended == self._ended else 0
        return same and (self._batches > 1 or self._begun > 0)

    def begin(self) -> None:
        """Nothing is handed out yet."""
        self.count, self._batch = 0, None

    def is_whole_stream(self) -> bool:
        """Whether a stream gives this batch and comes to its end: then the same numbers are drawn for the same samples."""
        return self._stream and not self._begun

    def first_only(self) -> str:
        """How it comes that a step gets the batch of the last; empty where there is no other one."""
        if self._begun >= BEGUN:
            return "a stream is begun anew in every step, and always gives its first batch"
        if self._batches < 2:
            return ""
        return (
            f"the loader has {self._batches} batches and gives the first only, as one made anew in every step"
        )

    def _parts(self, batch: Any) -> list[Any] | None:
        """What tells it from another one; None where that cannot be told."""
        leaves: list[Any] = []
        if not self._flatten(batch, leaves, DEPTH):
            return None
        tensors = [one for one in leaves if isinstance(one, self._torch.Tensor)]
        if not any(self._differs_within(one) for one in tensors):
            return None
        return [
            (tuple(one.shape), looks_of(one)) if isinstance(one, self._torch.Tensor) else one
            for one in leaves
        ]

    def _flatten(self, value: Any, leaves: list[Any], depth: int) -> bool:
        """Gather the parts; false where there are too many, or one cannot be read."""
        if isinstance(value, (self._torch.Tensor, *PLAIN)):
            leaves.append(value)
            tensor = isinstance(value, self._torch.Tensor)
            return len(leaves) <= LEAVES and (not tensor or readable(self._torch, value))
        if not depth or not isinstance(value, (list, tuple, Mapping)):
            return False
        inner = value.values() if isinstance(value, Mapping) else value
        return all(self._flatten(one, leaves, depth - 1) for one in inner)

    def _differs_within(self, tensor: Any) -> bool:
        """Whether the samples of a batch are not all one."""
        if not tensor.dim() or len(tensor) < 2:
            return False
        rows = tensor.detach()[:LEAVES]
        return bool((rows != rows[:1]).any())


def seeds_a_loader(call: Call) -> bool:
    """Whether it draws what each pass over a loader of torch draws: a seed for its workers, and one for its order.

    It is another one in every step, also where all that is drawn of it, or without it, is the same.
    """
    return call.name == "random_" and call.result.dim() == 0
