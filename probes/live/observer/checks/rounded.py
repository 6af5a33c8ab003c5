"""What a model is given for each sample, rounded to zero before anything learns from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.places import Place
from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

ROUNDS = ("__floordiv__", "floor_divide", "div", "divide", "floor", "trunc", "fix", "long", "int")
"""Operations that leave whole numbers; of a division one that is told to."""

SAMPLES = 8
"""Numbers of fewer samples may all be small by chance."""

LOOKS = 3


class Rounded(Check):
    """Looks for one number of each sample, such as the time of a diffusion, that is rounded within forward to zero for all of them.

    The numbers differ, and what is left of them does not. Of lengths, places or ages that are put into groups not all end in the
    first, step by step; flags that are true of no sample come out of a comparison, and out of none of these.
    """

    name = "rounded"
    early = 4
    functions = ROUNDS

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._inside: Any = None
        self._lost: dict[str, int] = {}
        self._here: dict[str, tuple[bool, Place]] = {}

    def look_began(self, step: int) -> None:
        """Nothing was rounded yet."""
        self._inside, self._here = None, {}

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A model that trains begins."""
        if self._inside is None and root.training and self.torch.is_grad_enabled():
            self._inside = root

    def after_forward(self, root: torch.nn.Module, output: Any) -> None:
        """It has ended."""
        if self._inside is root:
            self._inside = None

    def called(self, call: Call) -> None:
        """Something was rounded, or divided."""
        given: Any = call.args[0] if call.args else None
        left: Any = call.result
        if (
            self._inside is None
            or not readable(self.torch, given)
            or not readable(self.torch, left)
            or given.requires_grad
            or given.dim() not in (1, 2)
            or given.numel() != len(given)
            or len(given) < SAMPLES
            or left.shape != given.shape
            or (call.name in ("div", "divide") and not call.kwargs.get("rounding_mode"))
        ):
            return
        if len(given.detach().unique()) > 1:
            place = call.place()
            lost = not bool(left.detach().any()) and self._here.get(str(place), (True, place))[0]
            self._here[str(place)] = (lost, place)

    def look_ended(self, step: int) -> None:
        """Where all was lost in each look."""
        for key, (lost, place) in self._here.items():
            self._lost[key] = self._lost.get(key, 0) + 1 if lost else -(10**9)
            if self._lost[key] >= LOOKS:
                self.say("data.condition_rounded_away", True, place=place)
        self._here = {}
