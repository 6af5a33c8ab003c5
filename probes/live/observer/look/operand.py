"""An infinite operand that a mask hid: its operation gave it in the forward pass, and a product meets it in the backward pass.

`where(mask, x * log(x), 0)` is finite, and so is the gradient that comes to the product, which is zero where the mask hides it. Zero
times infinity is NaN, and the product is named, where the logarithm is to blame.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .values import nonfinite

if TYPE_CHECKING:
    import torch

PRODUCTS = re.compile(r"(Mul|Div)Backward\d")
SINGULAR = re.compile(r"(Log|Log2|Log10|Log1P|Div|Reciprocal|Rsqrt|Exp)Backward\d")
"""What gives infinity for a finite number; the name without the rest is that of the operation."""

HANDED_ON = re.compile(
    r"(Neg|Mul|Add|Sub|(Unsafe)?View|Reshape\w*|Squeeze|Unsqueeze|Permute|Transpose|T|ToCopy|Clone|Expand|Slice|Select)Backward\d"
)
"""What is infinite where what it is given is."""

FAR = 12
"""How many nodes are looked at."""


def maker_of_operand(torch: Any, node: Any) -> tuple[str, int] | None:
    """The operation, and the number of its node, that gave a non-finite operand of this product. None where it is not seen."""
    try:
        if not PRODUCTS.match(node.name()):
            return None
        given = zip(("_saved_self", "_saved_other"), node.next_functions)
        waiting = [one for name, (one, _) in given if _is_bad(torch, getattr(node, name, None))]
        for _ in range(FAR):
            if not waiting:
                return None
            below = waiting.pop(0)
            name = below.name() if below is not None else ""
            singular = SINGULAR.match(name)
            if singular and _makes_it(torch, below, singular[1]):
                return singular[1].lower(), below._sequence_nr()
            if singular or HANDED_ON.match(name):
                waiting += [one for one, _ in below.next_functions]
    except RuntimeError:
        pass  # used up, or changed in place since
    return None


def _is_bad(torch: Any, saved: torch.Tensor | None) -> bool:
    return isinstance(saved, torch.Tensor) and nonfinite(torch, saved) is not None


def _makes_it(torch: Any, node: Any, name: str) -> bool:
    """Whether its result is infinite where its operands are not. Some keep their result, others what it is computed from."""
    if name in ("Reciprocal", "Rsqrt", "Exp"):
        return _is_bad(torch, node._saved_result)
    if name == "Div":
        divisor = node._saved_other
        return (
            isinstance(divisor, torch.Tensor) and not _is_bad(torch, divisor) and bool((divisor == 0).any())
        )
    given = node._saved_self
    least = -1 if name == "Log1P" else 0
    return not _is_bad(torch, given) and bool((given.detach() <= least).any())
