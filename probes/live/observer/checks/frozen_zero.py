"""Frozen weights at zero, through which nothing passes and which nothing will ever move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

PRODUCTS = ("linear", "matmul", "__matmul__", "mm", "bmm", "einsum")

NAMES = 20


class FrozenZero(Check):
    """Looks for matrices of the trained model that are all zero, do not train, and take part in its training.

    The second matrix of a low-rank adapter starts at zero, so that the adapter changes nothing before it has learnt. Frozen with
    the base, it never will. Not so what stands in a part that trains otherwise, nor an adapter that is switched off, through which
    nothing is multiplied. What has been freed, or filled, since is taken back.
    """

    name = "frozen at zero"
    early = 2
    functions = PRODUCTS

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._idle: dict[int, tuple[str, torch.Tensor]] = {}
        self._used: dict[str, bool] = {}

    def look_began(self, step: int) -> None:
        """Which they are; those of the last look may train by now."""
        self._idle = dict(self._found())
        if self._used and not self._used.keys() <= {name for name, _ in self._idle.values()}:
            self._used.clear()
            self.retract("model.frozen_at_zero")

    def called(self, call: Call) -> None:
        """A product is taken: one of them may take part."""
        if not self._idle or not self.torch.is_grad_enabled():
            return
        for one in call.args[:3]:
            if isinstance(one, self.torch.Tensor) and not one.requires_grad:
                whole = one._base if one._is_view() else one
                if id(whole) in self._idle:
                    self._used[self._idle[id(whole)][0]] = True

    def look_ended(self, step: int) -> None:
        """Say which took part."""
        self._idle = {}
        if self._used:
            names = sorted(self._used)
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self.say("model.frozen_at_zero", names[:NAMES], note=f"{', '.join(names[:3])}{more}")

    def _found(self) -> Any:
        """Those of modules in which nothing trains, by the id of the weight."""
        for model in self.watcher.models.values():
            if not model.is_alive:
                continue
            for module in model.each_module():
                own = [one for one in (vars(module).get("_parameters") or {}).values() if one is not None]
                if any(one.requires_grad for one in own):
                    continue
                for one in own:
                    if one.dim() > 1 and readable(self.torch, one) and _is_zero(one):
                        yield id(one), (model.name_of(one), one)


def _is_zero(weight: torch.Tensor) -> bool:
    """Asks one number first: most weights have none that is 0. What has given its memory back is none."""
    plain = weight.detach()
    if not plain.untyped_storage().nbytes():
        return False
    return not bool(plain[(0,) * plain.dim()]) and not bool(plain.any())
