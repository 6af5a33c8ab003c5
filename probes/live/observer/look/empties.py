"""Whether an operation of a graph is a mean over nothing, as far as what its nodes keep tells.

The step that failed may be the last: then no look sees the quotient itself, and the graph has to say what was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    import torch

MEAN, SUM = 1, 2
"""How a graph names the reductions of a loss."""

WAYS = 3
"""Signs, factors and shapes that may lie between a quotient and the sum above it."""

BETWEEN = ("Neg", "Mul", "View", "Squeeze", "Unsqueeze", "UnsafeView", "ToCopy", "Alias", "Clone")

Keep = Callable[[Any], Mapping[str, Any]]
"""The tensors that a node keeps, by name."""


def averages_nothing_at(node: Any, operation: str, saved: Mapping[str, Any], keeps: Keep) -> bool | None:
    """Whether this node, of a graph that ends in NaN, is a mean of nothing. None where it is no mean, or does not tell."""
    if operation == "mean":
        return bool(_count(node) == 0)
    if getattr(node, "_saved_reduction", None) == MEAN and "self" in saved:
        return True if saved["self"].numel() == 0 else None
    if operation != "div" or "self" in saved or len(node.next_functions) < 2:
        return None
    above, below = node.next_functions[0][0], saved.get("other")
    # Below stands a count: it has no graph, and is a whole number.
    if above is None or below is None or node.next_functions[1][0] is not None or below.dim() > 1:
        return None
    if bool((below != below.round()).any()) or not bool((below == 0).any()):
        return None
    return True if _sums_nothing(above, keeps) else None


def _sums_nothing(node: Any, keeps: Keep) -> bool:
    """Whether a sum had nothing chosen. A sum that merely comes out as zero is another thing."""
    for _ in range(WAYS):
        further = [one for one, _ in node.next_functions if one is not None]
        if not node.name().startswith(BETWEEN) or len(further) != 1:
            break
        node = further[0]
    if getattr(node, "_saved_reduction", None) == SUM:
        saved = keeps(node)
        weight, above = saved.get("total_weight"), saved.get("self")
        return (weight is not None and not bool(weight.any())) or (above is not None and above.numel() == 0)
    if not node.name().startswith("SumBackward"):
        return False
    if 0 in tuple(getattr(node, "_saved_self_sym_sizes", ())):
        return True
    chosen = _chosen(node.next_functions[0][0], keeps)
    if chosen is None or chosen.dim() == 0:
        return False
    whole = node.name() == "SumBackward0"  # else each sample has its own mean, along the other axes
    rows = (
        chosen.reshape(1, -1) if whole else chosen.flatten(1) if chosen.dim() > 1 else chosen.reshape(1, -1)
    )
    return bool((~rows.any(1)).any())


def _chosen(node: Any, keeps: Keep) -> torch.Tensor | None:
    """The mask by which something is multiplied, or that says where it stands."""
    name, saved = (node.name(), keeps(node)) if node is not None else ("", {})
    if name == "MulBackward0" and len(node.next_functions) == 2:
        for (of, _), key in zip(node.next_functions, ("self", "other")):
            if of is None and key in saved:
                factor: torch.Tensor = saved[key]
                return factor.detach() != 0
    if name == "WhereBackward0":
        condition: torch.Tensor | None = saved.get("condition")
        return condition
    if name.startswith("MaskedFillBackward") and "mask" in saved:
        covered: torch.Tensor = saved["mask"]
        return ~covered
    return None


def _count(node: Any) -> Any:
    """Of a mean of everything, how many elements it is taken over."""
    return getattr(node, "_saved_self_sym_numel", getattr(node, "_saved_self_numel", None))
