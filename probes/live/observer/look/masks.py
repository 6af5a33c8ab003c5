"""Whether NaN comes of a mask that leaves nothing: of a row of scores, or of what a loss is averaged over."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

SOFTMAX = frozenset(["softmax", "log_softmax", "_softmax", "_log_softmax", "softmin", "logsumexp"])
"""Functions over scores in which minus infinity means masked."""

ATTENTION = frozenset(["scaled_dot_product_attention", "multi_head_attention_forward"])
"""Functions that are given the mask itself."""

QUOTIENTS = frozenset(
    ["div", "div_", "divide", "divide_", "true_divide", "true_divide_", "__truediv__", "__itruediv__"]
)  # fmt: skip
"""Functions that divide their first operand by the second."""

FLOOR = -1e4
"""What is added to a score to hide it, or stands in its place, is below this, in any precision."""


def fully_masked(function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | None:
    """True where a row is masked altogether, False where none is, None where the function knows no masks."""
    if name in SOFTMAX and args:
        dim = kwargs.get("dim", next((one for one in args[1:] if isinstance(one, int)), -1))
        return bool((args[0].detach() == float("-inf")).all(dim=dim).any())
    if name not in ATTENTION:
        return None
    masks = _masks(function, name, args, kwargs)
    # A padding mask has True, and the mask of scaled_dot_product_attention False, where nothing is to be seen.
    hidden = name == "multi_head_attention_forward"
    return any(has_hidden_row(one, hidden=hidden) for one in masks)


def averages_nothing(torch: Any, name: str, args: tuple[Any, ...]) -> bool | None:
    """Whether this mean over what a mask or an index has chosen, of all samples or of each, had nothing chosen. None where it is no such mean.

    Its sum is zero then, and so is the count by which it is divided. A quotient of features is none: a sample may well have none of them.
    """
    above = args[0] if args else None
    if isinstance(above, torch.Tensor) and name == "mean":
        return bool(above.numel() == 0)
    if not isinstance(above, torch.Tensor) or name not in QUOTIENTS or len(args) < 2:
        return None
    if above.dim() > 1 or not above.requires_grad:
        return None
    below = args[1]
    if not isinstance(below, torch.Tensor):
        return isinstance(below, int) and below == 0 and bool((above == 0).any())
    # A loss that is divided by its own size is no mean.
    if below.requires_grad or below.dim() > 1 or below.data_ptr() == above.data_ptr():
        return None
    if bool((below != below.round()).any()):
        return None
    return bool(((above == 0) & (below == 0)).any())


def _masks(function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    if name == "scaled_dot_product_attention":
        found = [kwargs.get("attn_mask", args[3] if len(args) > 3 else None)]
    else:
        given = inspect.signature(function).bind_partial(*args, **kwargs).arguments
        found = [given.get("key_padding_mask"), given.get("attn_mask")]
    return [one for one in found if one is not None]


def has_hidden_row(mask: torch.Tensor, *, hidden: bool) -> bool:
    """Whether a row is covered altogether. Of a mask without fractions, `hidden` is what stands where nothing is to be seen."""
    covered = mask == hidden if not mask.is_floating_point() else mask.detach() == float("-inf")
    return bool(covered.all(dim=-1).any())


def hides_next(mask: torch.Tensor, *, hidden: bool) -> bool:
    """Whether a mask hides, from any place, the one that follows; `hidden` as above. Of one that holds whole numbers nothing is known: it may."""
    following = mask.detach().diagonal(1, -2, -1)
    if mask.is_floating_point():
        return bool((following < FLOOR).any())
    return str(mask.dtype) != "torch.bool" or bool((following == hidden).any())
