"""Reads numbers off the device without waiting for it: they are asked for now, and come some steps later."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    Done = Callable[[list[list[float]]], object]

WAITING = 20
"""Readings that wait on a device without events before they are fetched together."""


class Readings:
    """Tensors (of any shape, on one device each) whose values are handed to a function once they are there.

    On the CPU that is at once. On CUDA they are copied to pinned memory behind the work at hand, and
    picked up after the event behind the copy has passed: nothing waits.
    """

    _waiting: deque[tuple[torch.Tensor, Any, list[int], Done]]

    def __init__(self, torch: ModuleType) -> None:
        self._torch = torch
        self._waiting = deque()

    def ask(self, tensors: Sequence[torch.Tensor], done: Done) -> None:
        """Hand the values of these tensors to `done`, now or at a later `collect`, in the order of asking."""
        if not self._waiting and all(one.is_cpu for one in tensors):
            done([_values(one) for one in tensors])
            return
        if not tensors:
            tensors = [self._torch.empty(0)]
        sizes = [one.numel() for one in tensors]
        target = next((one.device for one in tensors if one.device.type != "cpu"), tensors[0].device)
        # Parameters may stand on several devices: what is elsewhere joins the first of them.
        flat = [
            one.detach().reshape(-1).to(target, self._torch.float32, non_blocking=True) for one in tensors
        ]
        joined = self._torch.cat(flat)
        self._waiting.append((*self._on_its_way(joined), sizes, done))

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


def _values(tensor: torch.Tensor) -> list[float]:
    found = tensor.tolist()
    return found if isinstance(found, list) else [found]


def _split(values: list[float], sizes: list[int]) -> list[list[float]]:
    parts, start = [], 0
    for size in sizes:
        parts.append(values[start : start + size])
        start += size
    return parts
