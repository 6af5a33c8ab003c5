"""Reads numbers off the device without waiting for it: they are asked for now, and come some steps later."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    Named = tuple[str, torch.Tensor]
    Done = Callable[[list[tuple[str, list[float]]]], object]

WAITING = 20
"""Readings that wait on a device without events before they are fetched together."""


class Readings:
    """Tensors of any shape whose values are handed to a function once they are there.

    On CUDA they are copied to pinned memory behind the work at hand, and
    picked up after the event behind the copy has passed: nothing waits.
    """

    _waiting: deque[tuple[torch.Tensor, Any, list[tuple[str, int]], Done]]

    def __init__(self, torch: ModuleType) -> None:
        self._torch = torch
        self._waiting = deque()

    def is_at_once(self, tensors: Sequence[Named]) -> bool:
        """Whether these can be read now, since all stand on the CPU, and none asked for before is missing."""
        return not self._waiting and (not tensors or all(one.is_cpu for _, one in tensors))

    def ask(self, tensors: Sequence[Named], done: Done) -> None:
        """Hand the values of these tensors, each with its name, to `done` at a later `collect`, in this order."""
        sizes = [(name, one.numel()) for name, one in tensors]
        there = [one for _, one in tensors] or [self._torch.empty(0)]
        target = next((one.device for one in there if not one.is_cpu), there[0].device)
        # Parameters may stand on several devices: what is elsewhere joins the first of them.
        flat = [one.detach().reshape(-1).to(target, self._torch.float32, non_blocking=True) for one in there]
        self._waiting.append((*self._on_its_way(self._torch.cat(flat)), sizes, done))

    def _on_its_way(self, joined: torch.Tensor) -> tuple[torch.Tensor, Any]:
        if joined.device.type != "cuda":
            return joined, None
        host = self._torch.empty(joined.shape, dtype=joined.dtype, device="cpu", pin_memory=True)
        host.copy_(joined, non_blocking=True)
        event = self._torch.cuda.Event()
        event.record(self._torch.cuda.current_stream(joined.device))
        return host, event

    def collect(self, *, wait: bool = False) -> None:
        """Hand out what has arrived; with `wait` all of it, for which the device is waited for."""
        while self._waiting:
            tensor, event, sizes, done = self._waiting[0]
            there = event.query() if event is not None else tensor.is_cpu or len(self._waiting) > WAITING
            if not there and not wait:
                return
            if event is not None and wait:
                event.synchronize()
            self._waiting.popleft()
            done(_split(tensor.tolist(), sizes))


def values_of(tensor: torch.Tensor) -> list[float]:
    """Its numbers, also of one without dimensions."""
    found = tensor.tolist()
    return found if isinstance(found, list) else [found]


def _split(values: list[float], sizes: list[tuple[str, int]]) -> list[tuple[str, list[float]]]:
    parts, start = [], 0
    for name, size in sizes:
        parts.append((name, values[start : start + size]))
        start += size
    return parts
