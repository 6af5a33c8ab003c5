"""What a model is given, and no operation reads."""

from __future__ import annotations

import inspect
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..look.values import tensors_in
from ..operations import EVERY, Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

LOOKS = 3
"""Sampled steps after which an argument that none of them read is left aside always, and not by chance as in guidance."""

BEFORE = 2000
"""Tensors read before the forward that are remembered."""


class Unread(Check):
    """Follows each tensor that forward is given by a name: is it, or a view of it, ever among the operands of an operation?

    One that is read before or behind the forward, as labels are by a loss, reaches the run another way. What is the same
    throughout, as a mask of ones, need not be read. What scripted code reads is not seen.
    """

    name = "unread"
    early = 6
    functions = (EVERY,)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._open: dict[str, Any] = {}
        self._before: dict[int, weakref.ref[Any]] = {}
        self._entered = False
        self._names: tuple[str, ...] = ()
        self._unread: Counter[str] = Counter()
        self._read: set[str] = set()

    def look_began(self, step: int) -> None:
        """Nothing was given or read yet."""
        self._open, self._before, self._entered, self._names = {}, {}, False, ()

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The first training forward of the step: its tensors by name."""
        if self._entered or not root.training or not self.torch.is_grad_enabled():
            return
        self._entered = True
        scripted = self.torch.jit.ScriptModule
        if any(isinstance(module, scripted) for module in root.modules()):
            return
        named = {**dict(zip(_parameters(root), args)), **kwargs}
        self._open = {name: one for name, one in named.items() if self._counts(one)}
        self._names = tuple(self._open)
        self._before = {}

    def called(self, call: Call) -> None:
        """An operation reads its operands."""
        if self._entered and not self._open:
            self.enough = True
            return
        for one in tensors_in(self.torch.Tensor, (call.args, call.kwargs)):
            if not self._entered:
                if len(self._before) < BEFORE:
                    self._before[id(one)] = weakref.ref(one)
            elif read := [name for name, given in self._open.items() if _is_of(one, given)]:
                for name in read:
                    del self._open[name]

    def look_ended(self, step: int) -> None:
        """What is still open was never read. Where the check saw a part of the step only, it cannot tell."""
        if self._names and not self.cut_short:
            self._unread.update(self._open.keys())
            self._read.update(set(self._names) - self._open.keys())
            known = [
                name for name, count in self._unread.items() if count >= LOOKS and name not in self._read
            ]
            if known or "model.arguments_unread" in self._said:
                self.say("model.arguments_unread", ", ".join(known))
        self.look_began(step)

    def _counts(self, value: Any) -> bool:
        """Whether it is a tensor of several values that nothing has read yet."""
        if not readable(self.torch, value) or value.dim() < 1 or value.numel() < 2:
            return False
        earlier = self._before.get(id(value))
        if earlier is not None and earlier() is value:
            return False
        flat = value.detach().reshape(-1)
        return bool((flat != flat[0]).any())


def _parameters(root: Any) -> list[str]:
    """The names of the arguments of forward, in their order, up to one that takes any number."""
    while type(root).__name__ in ("DataParallel", "DistributedDataParallel"):
        root = root.module
    try:
        kinds = inspect.signature(root.forward).parameters.values()
    except (TypeError, ValueError):
        return []
    several = [index for index, one in enumerate(kinds) if one.kind is one.VAR_POSITIONAL]
    return [one.name for one in kinds][: several[0] if several else None]


def _is_of(tensor: Any, given: Any) -> bool:
    """Whether it is this tensor, or another view of the same numbers."""
    if tensor is given:
        return True
    try:
        return bool(tensor.untyped_storage().data_ptr() == given.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):
        return False  # a kind without a memory of its own
