"""By what two inputs are told from each other, without keeping them."""

from __future__ import annotations

import math
from typing import Any

EACH, LARGEST, FEW = 509, 1 << 20, 16
"""How many values of an input are compared; how many are added up; of how many samples, where they do not lie in a row."""


def looks_of(tensor: Any) -> list[float]:
    """What tells an input from another one: values, and their sum, since the borders of pictures are all alike.

    Rows and columns have round sizes: steps of such a length would meet the same place of each sample.
    """
    values = (tensor.detach() if tensor.is_contiguous() else tensor.detach()[:FEW]).reshape(-1)
    step = max(1, values.numel() // EACH) | 1
    while step > 1 and any(math.gcd(step, size) > 1 for size in tensor.shape):
        step += 2
    looks: list[float] = values[::step][: 2 * EACH].tolist()
    return [*looks, float(values[:LARGEST].float().sum())]
