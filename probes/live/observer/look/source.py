"""What a look is told of: one call of an operation, and where a non-finite value comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable

from .places import Place

MADE_OUTSIDE = frozenset(["tensor", "as_tensor", "from_numpy", "frombuffer", "from_dlpack", "load"])
"""Functions that bring values in, and compute nothing."""

UNWRITTEN = frozenset(["empty", "empty_like", "empty_strided", "new_empty", "resize_"])
"""Functions whose result holds nothing yet."""

OVERWRITES = frozenset(["copy_", "fill_", "zero_", "normal_", "uniform_", "random_"])
"""Operations after which nothing is left of what their first operand held."""


@dataclass
class Source:
    """Where a non-finite value comes from.

    `what`: `operation`, `parameter`, `batch`, `outside` (a tensor that no operation of this step made) or `meant`
    (an infinity that the script wrote on purpose). `value`: `nan` or `inf`. `node`: the name of the
    node of the graph, as anomaly mode would print it. `operands`: statistics of what went in. `fully_masked`: of a
    softmax, whether a whole row of it was masked. `of_nothing`: of a mean, whether there was nothing to average.
    """

    what: str
    value: str
    name: str = ""
    place: Place = field(default_factory=Place)
    node: str = ""
    operands: list[dict[str, Any]] = field(default_factory=list)
    dtype: str = ""
    fully_masked: bool | None = None
    of_nothing: bool | None = None


@dataclass
class Call:
    """One call of an operation by the script."""

    function: Callable[..., Any]
    name: str
    args: Any
    kwargs: Any

    def has_infinity(self) -> bool:
        """Whether the script itself hands in an infinity, as it does to mask."""
        values = [*self.args, *self.kwargs.values()]
        return any(isinstance(one, float) and math.isinf(one) for one in values)
