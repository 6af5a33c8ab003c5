"""Products of which both factors start at zero: neither ever gets a gradient, so both stay there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def zero_products(zero: Sequence[tuple[str, Any]]) -> list[str]:
    """Names of the weights, among those that are 0 and whose gradient has been 0 throughout, that are multiplied by zeros.

    Two matrices of which one takes what the other gives (both factors of a low-rank adapter, two layers in a row), or
    a matrix and the factor its output is scaled by. A single one that starts at zero gets a gradient in the first
    step, or, behind another such, in the second.
    """
    found = dict.fromkeys(
        each
        for name, one in zero
        for other, two in zero
        if name != other and one.dim() > 1 and _are_multiplied(one, two, other)
        for each in (name, other)
    )
    return list(found)


def _are_multiplied(one: Any, two: Any, name: str) -> bool:
    """Whether the shapes allow that the second takes what the first gives, or scales it. A bias is added."""
    if two.dim() > 1:
        return bool(one.shape[0] == two.shape[1] or one.shape[1] == two.shape[0])
    return "bias" not in name and two.numel() in (1, one.shape[0])
