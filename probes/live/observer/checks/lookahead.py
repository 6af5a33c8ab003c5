"""Whether a model that predicts the next token may look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..look.places import Place
from ..look.values import tensors_in
from ..operations import Call
from .check import Check
from .tensors import readable

if TYPE_CHECKING:
    import torch

LOSSES = ("cross_entropy", "nll_loss")

LAYER, PRODUCT, WEIGHTS = "multi_head_attention_forward", "scaled_dot_product_attention", "softmax"
"""What nn.MultiheadAttention calls in training, what most others call, and what attention written by hand ends in."""

SHORT, VARIED = 4, 8
"""Places and different tokens without which labels may be the inputs of the next place by chance."""


class Lookahead(Check):
    """Compares labels with tokens one place further on, and asks each attention over these places whether it hides any.

    One that hides something may hide what follows, so that nothing is said unless none does. Attention over as many patches
    of a picture as there are tokens is no such thing, so that the tokens must be all that the model is given, masks aside.
    """

    name = "lookahead"
    early = 3
    functions = (LAYER, PRODUCT, WEIGHTS, *LOSSES)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._tokens: Any = None
        self._open: Place | None = None
        self._hides = False

    def look_began(self, step: int) -> None:
        """Nothing attended yet."""
        self._tokens, self._open, self._hides = None, None, False

    def before_forward(self, root: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The tokens, where the model is given nothing else but flags, or the same once more as labels."""
        self.look_began(0)
        given = [one for one in tensors_in(self.torch.Tensor, (args, kwargs)) if one.dim() > 1]
        if not all(readable(self.torch, one) for one in given):
            return
        tokens = [one for one in given if self._are_tokens(one)]
        others = [one for one in given if one.dtype.is_floating_point and one.dim() > 2]
        if tokens and not others and all(one.shape == tokens[0].shape for one in tokens):
            self._tokens = tokens[0].detach()

    def called(self, call: Call) -> None:
        """A layer attends, or a loss is computed of what came out."""
        if self._tokens is None:
            return
        if call.name in LOSSES:
            self._judge(call)
        elif not self._hides:
            hides = self._hides_places(call)
            self._hides = bool(hides)
            if hides is False and self._open is None:
                self._open = call.place()

    def look_ended(self, step: int) -> None:
        """Nothing is kept between looks."""
        self.look_began(step)

    def _are_tokens(self, tensor: Any) -> bool:
        whole = tensor.dtype in (self.torch.int64, self.torch.int32)
        return bool(
            whole and tensor.dim() == 2 and tensor.shape[1] >= SHORT and len(tensor[:64].unique()) >= VARIED
        )

    def _hides_places(self, call: Call) -> bool | None:
        """Whether it keeps any place from looking at another; None where it does not run over the places of the tokens."""
        length = self._tokens.shape[1]
        if call.name == LAYER:
            if _size(call.argument(0, "query"), 0) != length or _size(call.argument(1, "key"), 0) != length:
                return None
            return bool(call.argument(24, "is_causal")) or _is_square(call.argument(16, "attn_mask"))
        if call.name == PRODUCT:
            if _size(call.argument(0, "query"), -2) != length or _size(call.argument(1, "key"), -2) != length:
                return None
            return bool(call.argument(5, "is_causal")) or _is_square(call.argument(3, "attn_mask"))
        weights = call.result
        if not readable(self.torch, weights) or weights.dim() < 3 or weights.shape[-2:] != (length, length):
            return None
        return not bool((weights.detach().reshape(-1, length, length)[:64, 0, -1] > 0).all())

    def _judge(self, call: Call) -> None:
        """Are the labels the tokens of the next place?"""
        tokens, target = self._tokens, call.argument(1, "target")
        if self._open is None or not readable(self.torch, target) or target.dtype is not self.torch.int64:
            return
        rows, length = tokens.shape
        if length in call.argument(0, "input").shape[1:2]:
            return  # as many classes as places: what was taken for attention may be their probabilities
        if target.device != tokens.device or target.numel() not in (rows * length, rows * (length - 1)):
            return
        next_ones = target.detach().reshape(rows, -1)[:, : length - 1]
        kept = (next_ones != call.argument(4, "ignore_index", -100)) & (next_ones >= 0)
        follows = (
            bool(((next_ones == tokens[:, 1:]) | ~kept).all()) and len(next_ones[kept].unique()) >= VARIED
        )
        if follows:
            self.say("model.sees_next_token", not self._hides, place=self._open)


def _size(tensor: Any, axis: int) -> int:
    return int(tensor.shape[axis]) if getattr(tensor, "ndim", 0) > 1 else 0


def _is_square(mask: Any) -> bool:
    """Whether a mask is another one for each place; one of padding is the same for all."""
    return _size(mask, -2) > 1
