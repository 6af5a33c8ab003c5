"""Labels that are the tokens of the next place."""

from __future__ import annotations

from typing import Any

from ..operations import Call
from .tensors import readable

LOSSES = ("cross_entropy", "nll_loss")

VARIED = 4
"""Different tokens without which labels may be the inputs of the next place by chance."""


def are_next(torch: Any, call: Call, tokens: Any) -> bool:
    """Whether the labels of this loss are, sample by sample, the tokens of the next place; `tokens` holds a sample in each row.

    Labels are laid out as the tokens are, or place by place, and go on for one place more or end with the last token.
    """
    target = call.argument(1, "target")
    if not readable(torch, target) or target.dtype is not torch.int64 or target.device != tokens.device:
        return False
    rows, length = tokens.shape
    if target.numel() not in (rows * length, rows * (length - 1)):
        return False
    left_out = call.argument(4, "ignore_index", -100)
    laid_out = (target.detach().reshape(rows, -1), target.detach().reshape(-1, rows).T)
    return any(_same(labels[:, : length - 1], tokens[:, 1:], left_out) for labels in laid_out)


def _same(labels: Any, tokens: Any, left_out: int) -> bool:
    kept = (labels != left_out) & (labels >= 0)
    return bool(((labels == tokens) | ~kept).all()) and len(labels[kept].unique()) >= VARIED
