"""Lists of the script that grow by tensors with their graphs, whatever made these: a part of the model, or none of it."""

from __future__ import annotations

import sys
import time
import weakref
from collections import deque
from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any

from ..graphs import grad_fn_of
from ..look.places import OURS
from .holders import Holder, folder_of, named, variables
from .kept import DEPTH, PLAIN, Found, attributes_of, entries_of, is_foreign

FEW = 3
"""Tensors that a list must have kept, and as many that must have come to it since."""

MOST = 2000
"""Things that are looked at, those nearest to the variables first."""

SHARE = 0.02
"""The share of the time of the run that this may take. A look takes some 10 ms."""

USUAL = 0.01
"""Seconds that the first look is taken to need."""


class Tails:
    """The ends of the lists that variables of the script's running functions lead to, as they were when first seen.

    Where all tensors of then are still alive and others have come, nobody takes them out again. What is gathered for one
    backward is gone a few steps later.
    """

    def __init__(self, torch: ModuleType) -> None:
        self._torch = torch
        self._folder = folder_of(torch)
        self._first: dict[int, list[weakref.ref[Any]]] = {}
        self._free = time.perf_counter() + USUAL / SHARE

    def grown(self) -> Holder | None:
        """A list that has grown since it was first seen. To be called where something of the script runs.

        Where a look would come too soon after the last one for what it takes, nothing is looked at.
        """
        if time.perf_counter() < self._free:
            return None
        start = time.thread_time()
        found = self._grown()
        self._free = time.perf_counter() + (time.thread_time() - start) / SHARE
        return found

    def _grown(self) -> Holder | None:
        for frame, found, container in self._containers():
            computed = [one for one in entries_of(container) or () if self._was_computed(one)]
            before = [one() for one in self._first.get(id(container), ())]
            known = {id(one) for one in before}
            if not before or any(one is None for one in before):
                if len(computed) >= FEW:
                    self._first[id(container)] = [weakref.ref(one) for one in computed]
            elif sum(id(one) not in known for one in computed) >= FEW:
                return named(frame, found)
        return None

    def _was_computed(self, value: Any) -> bool:
        return isinstance(value, self._torch.Tensor) and grad_fn_of(value) is not None

    def _containers(self) -> Iterator[tuple[FrameType, Found, Any]]:
        """Lists and dictionaries below the variables, in the order of their distance, and the frame of the variable."""
        waiting: deque[tuple[FrameType, str, type | None, Any, int]] = deque()
        for below in self._frames():
            waiting.extend((below, name, None, value, DEPTH) for name, value in variables(below))
        seen: set[int] = set()
        while waiting and len(seen) < MOST:
            frame, name, owner, value, depth = waiting.popleft()
            if isinstance(value, (*PLAIN, self._torch.Tensor)) or id(value) in seen:
                continue
            if depth == 0 or is_foreign(self._torch, value):
                continue
            seen.add(id(value))
            entries = entries_of(value)
            if entries is None:
                waiting.extend((frame, key, type(value), one, depth - 1) for key, one in attributes_of(value))
            else:
                waiting.extend((frame, name, owner, one, depth - 1) for one in entries)
                yield frame, Found(name, f"{type(value).__name__} of tensors", owner), value

    def _frames(self) -> Iterator[FrameType]:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if not frame.f_code.co_filename.startswith((self._folder, OURS, "<frozen")):
                yield frame
            frame = frame.f_back
