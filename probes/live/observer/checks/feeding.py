"""Time that the loop spends in a generator or an iterator of the script's own, which makes its batches."""

from __future__ import annotations

import contextlib
import inspect
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..operands import is_users
from ..part import Part

if TYPE_CHECKING:
    import torch

    from ..watcher import Watcher

FIRST = 3
"""Steps in which it is learnt which functions train or ask a model."""

FEWEST = 8
"""Looks at the stack, one a second."""

FRAMES = 60


class Feeding(Part):
    """Looks once a second where the main thread stands: in a generator or a `__next__` of the script that no step, and no call of a
    model, was ever made under? A loader of torch is timed as it is (loaders.py); what a script feeds itself with is seen by nobody else.

    What is evaluated or trained in a generator for the first time after the first steps is caught at it in one of the looks.
    """

    name = "feeding"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._training: set[CodeType] = set()
        self._looks = 0
        self._found: Counter[tuple[str, int, str]] = Counter()
        torch = watcher.torch
        self._of_modules = _file(torch.nn.Module._call_impl)
        self._of_loaders = _file(torch.utils.data.DataLoader.__iter__)
        self._of_training = {_file(torch.optim.Optimizer.zero_grad), _file(torch.autograd.backward)}

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Whatever calls a model does more than feed it."""
        self._learn()

    def before_backward(self, loss: torch.Tensor) -> None:
        """Whatever trains does more than feed."""
        self._learn()

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """The same; then it is known."""
        self._learn()
        if self._watcher.step >= FIRST:
            self._watcher.rest(self, "before_forward", "before_backward", "after_step")

    def beat(self) -> None:
        """Where does it stand?"""
        if self._watcher.step < FIRST:
            return
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        self._looks += 1
        works = False
        frames = _frames(frame)
        for number, one in enumerate(frames):
            code = one.f_code
            if code in self._training:
                return
            works = works or self._is_work(one)
            if _hands_out(code) and is_users(code.co_filename):
                # A few looks tell less than the clock does.
                if any(outer.f_code.co_filename == self._of_loaders for outer in frames[number:]):
                    return
                title = (code.co_filename, code.co_firstlineno, code.co_name)
                if works:
                    self._training.add(code)
                    self._found.pop(title, None)
                else:
                    self._found[title] += 1
                return

    def ended(self) -> None:
        """In how many of the looks was it there?"""
        if self._looks >= FEWEST and self._found:
            (file, line, name), times = self._found.most_common(1)[0]
            self._journal.fact("log.speed.feeding_share", round(times / self._looks, 3), file=file, line=line)
            self._journal.fact("log.speed.feeding_at", name)

    def _is_work(self, frame: FrameType) -> bool:
        """Whether a module with weights is called there, or trained; one that only changes pictures has none."""
        file = frame.f_code.co_filename
        if file != self._of_modules:
            return file in self._of_training
        module: Any = frame.f_locals.get("self")
        with contextlib.suppress(RuntimeError):  # the loop goes on meanwhile, and may change it
            return module is not None and any(True for _ in module.parameters())
        return False

    def _learn(self) -> None:
        codes = (one.f_code for one in _frames(sys._getframe(2)))
        self._training.update(one for one in codes if is_users(one.co_filename))


def _file(function: Any) -> str:
    """Where torch has it; the observer may have wrapped it."""
    code: CodeType = inspect.unwrap(function).__code__
    return code.co_filename


def _hands_out(code: CodeType) -> bool:
    """Whether its calls give one thing after the other."""
    return code.co_name == "__next__" or (
        bool(code.co_flags & inspect.CO_GENERATOR) and code.co_name != "<genexpr>"
    )


def _frames(frame: FrameType | None) -> list[FrameType]:
    """From the innermost on."""
    found: list[FrameType] = []
    while frame is not None and len(found) < FRAMES:
        found.append(frame)
        frame = frame.f_back
    return found
