"""What the loss of a rival left in the gradients of a network, which then steps with it."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..journal import Journal
from ..model import held
from .accumulation import callers
from .turns import Follower

if TYPE_CHECKING:
    import torch

    from ..model import ModelSeen
    from ..watcher import Watcher

WEIGHTS, SOME = 4, 256
"""Weights of an optimizer whose gradients are read, and numbers of each."""

ROUNDS = 8
"""Steps that are compared before anything is said."""

OPPOSED, MOSTLY = -0.2, 0.75
"""The cosine below which two gradients point against each other, and the share of steps in which they must."""

Seen = tuple[weakref.ref[Any], int, int, Any]
"""Weights, which tensor their gradient was, how often it had been written, and its first numbers."""


class Opposed(Follower):
    """Follows what a backward pass leaves in the gradients of an optimizer that does not step, while another one does.

    The loss of a discriminator that is given what a generator made reaches this one too, and wants the opposite of its own
    loss. Where it was not cleared by the time the generator's loss is added, the generator steps along the sum of both. What
    accumulates over several rounds comes from one line of the script, and does not point against itself.
    """

    name = "opposed gradients"

    def __init__(self, journal: Journal, options: Mapping[str, Any], watcher: Watcher) -> None:
        self._journal = journal
        self._watcher = watcher
        self._caller: tuple[Any, ...] = ()
        self._reached: dict[int, tuple[Any, ...]] = {}
        """The lines that called the last backward pass which left something for an optimizer."""
        self._before: dict[int, list[tuple[int, int]]] = {}
        self._left: dict[int, tuple[tuple[Any, ...], list[Seen]]] = {}
        self._cosine: dict[int, Any] = {}
        self._found: dict[int, list[Any]] = {}

    def begin_turn(self) -> None:
        """What lies between the turns was not seen."""
        for known in (self._reached, self._before, self._left, self._cosine, self._found):
            known.clear()

    def before_backward(self, loss: torch.Tensor) -> None:
        """What was written to since the other one stepped was cleared, or changed by the script."""
        if len(self._watcher.models) < 2:
            return
        self._caller = callers()
        self._before = {id(one.optimizer): _marks(one.optimizer) for one in self._living()}
        for key, (_, seen) in list(self._left.items()):
            if not all(_is_as_it_was(one) for one in seen):
                del self._left[key]

    def after_backward(self, loss: torch.Tensor) -> None:
        """Whose gradients were added to, and does what was added point the other way?"""
        if len(self._watcher.models) < 2:
            return
        for model in self._living():
            key = id(model.optimizer)
            if self._before.get(key) == _marks(model.optimizer):
                continue
            self._reached[key] = self._caller
            caller, seen = self._left.get(key, (self._caller, []))
            if caller != self._caller and not any(_is_as_it_was(one) for one in seen):
                self._cosine[key] = self._compare(seen)
                del self._left[key]

    def after_step(self, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Its own gradients are used; those of the others stay."""
        key = id(optimizer)
        self._left.pop(key, None)
        self._reached.pop(key, None)
        cosine = self._cosine.pop(key, None)
        if cosine is not None:
            self._found.setdefault(key, []).append(cosine)
            self._judge(self._found[key])
        if len(self._watcher.models) < 2:
            return
        for model in self._living():
            other = id(model.optimizer)
            if other in self._reached and other not in self._left and (seen := _some_of(model.optimizer)):
                self._left[other] = (self._reached[other], seen)

    def gradients_cleared(self, optimizer: torch.optim.Optimizer) -> None:
        """As it should be."""
        for known in (self._left, self._reached, self._cosine):
            known.pop(id(optimizer), None)

    def _living(self) -> list[ModelSeen]:
        return [one for one in self._watcher.models.values() if one.is_alive]

    def _compare(self, seen: list[Seen]) -> Any:
        before = [one for *_, one in seen]
        after = [_numbers(weights.grad) for ref, *_ in seen if (weights := ref()) is not None]
        if len(after) != len(before):
            return None
        torch = self._watcher.torch
        old, new = torch.cat(before), torch.cat(after)
        return torch.nn.functional.cosine_similarity(old, new - old, dim=0)

    def _judge(self, cosines: list[Any]) -> None:
        """A device is waited for once in a while only."""
        if len(cosines) < ROUNDS:
            return
        against = sum(float(one) < OPPOSED for one in cosines)
        cosines.clear()
        if against >= MOSTLY * ROUNDS:
            self._journal.fact("grad.opposed_kept", True)


def _marks(optimizer: torch.optim.Optimizer) -> list[tuple[int, int]]:
    """Which gradients stand there, and how often they were written."""
    grads = (one.grad for one in held(optimizer)[:WEIGHTS])
    return [(id(one), one._version) for one in grads if one is not None]


def _some_of(optimizer: torch.optim.Optimizer) -> list[Seen]:
    filled = ((one, one.grad) for one in held(optimizer)[:WEIGHTS])
    return [
        (weakref.ref(one), id(grad), grad._version, _numbers(grad).clone())
        for one, grad in filled
        if grad is not None and not grad.is_sparse
    ]


def _numbers(gradient: Any) -> Any:
    return gradient.detach().flatten()[:SOME].float()


def _is_as_it_was(seen: Seen) -> bool:
    ref, key, version, _ = seen
    grad = getattr(ref(), "grad", None)
    return grad is not None and (id(grad), grad._version) == (key, version)
