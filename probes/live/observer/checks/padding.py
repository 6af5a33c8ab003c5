"""Padding masks of attention: one that hides all of a sample, or that leaves nothing but the padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.masks import FLOOR, has_hidden_row
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

LAYER, PRODUCT = "multi_head_attention_forward", "scaled_dot_product_attention"

FILLED = ("masked_fill", "masked_fill_")
"""How attention that is written out hides what lies under a mask."""

VARIED = 4
"""So many different tokens are text, and no padding."""

ADDED = 4
"""Places that a model may put before or after its tokens, as the one that a class is read from."""


class Padding(Check):
    """A sample all of whose keys are hidden: attention gives zeros or NaN for it, as the kernel has it. And what is left of the tokens.

    Where a mask says what to keep and is taken for what to leave out, the samples without padding are hidden altogether, and of the
    others that alone is read. It is one and the same token in every sample, here more often and there less, while what is hidden
    differs. What pools at one token hides as many of each sample, and is no such thing.
    """

    name = "padding"
    early = 3
    functions = (LAYER, PRODUCT, *FILLED)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._tokens: list[Any] = []
        self._text_read = False
        """Whether any attention over the tokens was ever left something else."""

    def look_began(self, step: int) -> None:
        """Nothing is kept between looks."""
        self._tokens = []

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The tokens: whole numbers in rows, many of them different."""
        self._tokens = [
            one.detach()
            for one in tensors_in(self.torch.Tensor, (args, kwargs))
            if one.dim() == 2 and one.dtype is self.torch.int64 and readable(self.torch, one)
        ]

    def called(self, call: Call) -> None:
        """Attention returned, or its scores were masked."""
        mask = self._mask(call)
        if mask is None or not readable(self.torch, mask):
            return
        if call.name == LAYER:
            self.say("act.fully_masked_row", has_hidden_row(mask, hidden=True), call)
        hidden = self._hidden(mask, keeps=call.name == PRODUCT)
        for tokens in self._tokens if hidden is not None else ():
            under = self._of_tokens(hidden, tokens)
            if under is not None and bool(under.any()):
                self._text_read = self._text_read or not self._padding_alone(tokens, under)
                self.say("data.padding_alone_read", not self._text_read, call)

    def _mask(self, call: Call) -> Any:
        """The mask, where it is one over keys or may be."""
        if call.name == LAYER:
            return call.argument(14, "key_padding_mask")
        if call.name == PRODUCT:
            return call.argument(3, "attn_mask")
        value = call.argument(2, "value")
        return call.argument(1, "mask") if isinstance(value, (int, float)) and value < FLOOR else None

    def _hidden(self, mask: Any, *, keeps: bool) -> Any:
        """What it hides, sample by sample; None where it is another one for each place or head. `keeps`: what True means in it."""
        if mask.dim() < 2 or mask[0].numel() != mask.shape[-1] or mask.is_complex():
            return None
        rows = mask.detach().reshape(len(mask), -1)
        if rows.dtype is self.torch.bool:
            return ~rows if keeps else rows
        return rows < FLOOR if rows.is_floating_point() else None

    def _of_tokens(self, hidden: Any, tokens: Any) -> Any:
        """The part of a mask that is over the tokens; places that were added to each sample are hidden in all of them or in none."""
        more = hidden.shape[1] - tokens.shape[1]
        if len(hidden) != len(tokens) or hidden.device != tokens.device or not 0 <= more <= ADDED:
            return None
        for start in (more, 0):
            rest = self.torch.cat([hidden[:, :start], hidden[:, start + tokens.shape[1] :]], 1)
            if bool((rest == rest[:1]).all()):
                return hidden[:, start : start + tokens.shape[1]]
        return None

    def _padding_alone(self, tokens: Any, hidden: Any) -> bool:
        """Whether what is left is the same token throughout, more often in one sample than in another."""
        left = tokens[~hidden]
        counts = (~hidden).sum(1)
        return bool(
            len(left)
            and (left == left[0]).all()
            and counts.max() > counts.min()
            and len(tokens[hidden].unique()) >= VARIED
        )
