"""Encodings of places that are laid along the samples of a batch, and not along the places of a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.places import Place
from ..operations import Call
from .check import Check
from .functions import SUMS
from .tensors import readable

if TYPE_CHECKING:
    import torch

LAYER, PRODUCT, WEIGHTS = "multi_head_attention_forward", "scaled_dot_product_attention", "softmax"
"""What nn.MultiheadAttention calls in training, what most others call, and what attention written by hand ends in."""


class Positions(Check):
    """Follows the first rows of a table of the model that are added to what is embedded, up to the attention behind.

    A table of (places, 1, width) fits sequences that stand first. Of a batch that stands first it gives each sample
    a number of its own, and all its places the same, and raises nothing. Which axis holds the places the attention shows,
    which runs over them: where both axes are as long, nothing is said.
    """

    name = "positions"
    early = 2
    functions = (*SUMS, LAYER, PRODUCT, WEIGHTS)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._tables: dict[int, Any] = {}
        self._added: tuple[int, Any, Place | None] | None = None

    def look_began(self, step: int) -> None:
        """Nothing was added yet."""
        self._tables, self._added = {}, None

    look_ended = look_began  # a model that is dropped must not live on here

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The tables of the model: what it keeps, registered or not, with rows of numbers."""
        if self._tables:
            return
        for module in root.modules():
            for one in (*module._parameters.values(), *module._buffers.values(), *vars(module).values()):
                if readable(self.torch, one) and one.dim() in (2, 3) and one.is_floating_point():
                    self._tables[one.data_ptr()] = one

    def called(self, call: Call) -> None:
        """Something is added, or attends."""
        if call.name in SUMS:
            if self._added is None and len(call.args) > 1:
                self._add(call, *call.args[:2])
                self._add(call, *call.args[1::-1])
        elif self._added is not None:
            axis, shape, place = self._added
            over = self._sequence_axis(call, shape)
            if over is not None:
                self._added = None
                self.say("model.positions_over_batch", over != axis, place=place)

    def _add(self, call: Call, values: Any, rows: Any) -> None:
        """Whether the first rows of a table are added along one of the first two axes, and copied along the other."""
        if not readable(self.torch, values) or not readable(self.torch, rows) or values.dim() != 3:
            return
        if self._added is not None or rows.dim() not in (2, 3) or rows.shape[-1] != values.shape[2]:
            return
        sizes = (1, *rows.shape)[-3:]
        axis = 0 if sizes[1] == 1 else 1
        other = 1 - axis
        if sizes[other] != 1 or sizes[axis] != values.shape[axis] or 1 in values.shape[:2]:
            return
        table = self._tables.get(rows.data_ptr())
        # A table with as many rows as there are samples may be one row for each of them.
        if table is None or table.numel() <= rows.numel() or table.shape[-1] != rows.shape[-1]:
            return
        self._added = axis, values.shape, call.place()

    def _sequence_axis(self, call: Call, shape: Any) -> int | None:
        """Which of the first two axes of this shape the attention runs over."""
        first = call.argument(0, {LAYER: "query", PRODUCT: "query"}.get(call.name, "input"))
        if not isinstance(first, self.torch.Tensor) or first.dim() < 3 or shape[0] == shape[1]:
            return None
        if call.name == LAYER:
            samples, places = first.shape[1], first.shape[0]
        else:
            samples, places = first.shape[0], first.shape[-2]
            if call.name == WEIGHTS and first.shape[-1] != places:
                return None
        return {(shape[0], shape[1]): 1, (shape[1], shape[0]): 0}.get((samples, places))
